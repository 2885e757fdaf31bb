"""Fetching is authorizing: a view gets its event or ruleset from here, or a 404, a 403 or the login page.

Organizers may do everything. Scorekeepers publish rounds, enter results and drop players. Judges work at the tables,
and enter results if the event lets them (`may_enter_results`). Everyone else sees the public pages. The role is read
with the event on each request, so a removed member loses access at once. Rulesets are edited by their owners.
From then on, the request's times are in the event's time zone.
"""

from typing import Any

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK, STAFF, may_enter_results
from tournament.access.player_link import hash_key, keys_in, phone_key, phone_keys_in
from tournament.errors import Forbidden
from tournament.models import Entry, Round, Ruleset, Staff, Tournament


class LoginNeeded(Exception):
    """The visitor is not signed in. The middleware redirects to the login page, which leads back."""


def public_tournament(slug: str) -> Tournament:
    """Return the event with its `latest` published round's number and whether it `has_bracket`.

    Activates the event's time zone for this request. Raises Http404, also during set-up.
    """
    posted = Round.objects.filter(tournament=OuterRef("pk")).exclude(state=Round.State.DRAFT)
    latest = Subquery(posted.order_by("-number").values("number")[:1])
    shown: Any = Tournament.objects.exclude(state=Tournament.State.DRAFT)
    shown = shown.annotate(latest=latest, has_bracket=Exists(posted.filter(swiss=False)))
    tournament: Tournament = get_object_or_404(shown, slug=slug)
    timezone.activate(tournament.time_zone)
    return tournament


def tournament_with_standings(slug: str) -> Tournament:
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404
    return tournament


def staff_tournament(
    request: HttpRequest, slug: str, roles: frozenset[Any] = STAFF, results: bool = False
) -> Tournament:
    """Return the event for a member of its staff in one of `roles`, with `tournament.role`.

    `results`: judges only if they may enter results. Raises LoginNeeded, Http404 for an event that does not exist or is
    not theirs, Forbidden for another role.
    """
    _check_signed_in(request)
    me = FilteredRelation("staff", condition=Q(staff__user=request.user))
    rows: Any = Tournament.objects
    tournament = get_object_or_404(
        rows.annotate(me=me, role=F("me__role")).select_related("ruleset"), slug=slug
    )
    if tournament.role is None and request.user.is_superuser:
        tournament.role = Staff.Role.OWNER
    if tournament.role is None:
        raise Http404
    if tournament.role not in roles or (results and not may_enter_results(tournament)):
        raise Forbidden(_("Your role in this event does not allow that."))
    timezone.activate(tournament.time_zone)
    return tournament


def entries_run_by(request: HttpRequest) -> QuerySet[Entry]:
    """Return the entries of events where this user is organizer or scorekeeper. Only these users see contacts."""
    if not request.user.is_authenticated:
        return Entry.objects.none()
    mine = Staff.objects.filter(user=request.user, role__in=DESK)
    return Entry.objects.filter(tournament__in=mine.values("tournament"))


def own_entries(request: HttpRequest, tournament: Tournament) -> list[Entry]:
    """Return the event's entries whose keys this device holds. `by_code`: whether the personal code opened it."""
    hashes, phones = [hash_key(key) for key in keys_in(request)], phone_keys_in(request)
    found: dict[str, Any] = {}  # unsorted queries: to sort them, SQLite would read all
    for entry in tournament.entries.filter(pk__in=phones).order_by() if phones else ():
        if constant_time_compare(phones[entry.pk], phone_key(entry)):
            entry.by_code = True  # type: ignore[attr-defined]
            found[entry.code] = entry
    for entry in tournament.entries.filter(key_hash__in=hashes).order_by() if hashes else ():
        entry.by_code = False  # type: ignore[attr-defined]
        found[entry.code] = entry
    return [found[code] for code in sorted(found)]


class UnknownPlayer(Exception):
    """This device has no key for the requested entry. `mine`: the entries of this event that it has keys for."""

    def __init__(self, tournament: Tournament, mine: list[Entry]) -> None:
        super().__init__(tournament.slug)
        self.tournament, self.mine = tournament, mine


def own_entry(request: HttpRequest, slug: str, code: str) -> tuple[Tournament, Entry]:
    """Return an event and its entry if this device holds the entry's key. Raises Http404 and UnknownPlayer."""
    tournament = public_tournament(slug)
    mine = own_entries(request, tournament)
    if entry := next((entry for entry in mine if entry.code == code), None):
        return tournament, entry
    raise UnknownPlayer(tournament, mine)


def visible_ruleset(request: HttpRequest, key: str) -> Ruleset:
    ruleset = get_object_or_404(Ruleset.objects.select_related("copied_from"), key=key)
    if not is_own(request, ruleset) and not ruleset.versions.exists():
        raise Http404
    return ruleset


def own_ruleset(request: HttpRequest, key: str) -> Ruleset:
    """Return a ruleset the user may edit. Raises LoginNeeded, or Http404 for other users' rulesets."""
    _check_signed_in(request)
    ruleset = visible_ruleset(request, key)
    if not is_own(request, ruleset):
        raise Http404
    return ruleset


def is_own(request: HttpRequest, ruleset: Ruleset) -> bool:
    return ruleset.owner_id is not None and ruleset.owner_id == request.user.pk


def _check_signed_in(request: HttpRequest) -> None:
    if not request.user.is_authenticated:
        raise LoginNeeded
