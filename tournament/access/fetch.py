"""Fetching is authorizing: a view gets its event or rulebook from here, or a 404, a 403 or the login page.

Organizers do everything; scorekeepers publish, enter results and drop players; judges do what the event's settings let
them do (`may`); everyone else sees the public pages. The role is read from the database on each request, in the same
query as the event, so that a removed member is out on the next click. A publisher's owners and editors draft and
publish its rulesets; everyone sees the published ones.
"""

from typing import Any

from django.db.models import CharField, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery, Value
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from tournament.access.player_link import hash_of, keys_in
from tournament.errors import Forbidden
from tournament.models import (
    Entry,
    EventTemplate,
    Publisher,
    PublisherMember,
    Round,
    Rulebook,
    Staff,
    Tournament,
)
from tournament.models.prepared import Prepared

OWNER = frozenset({Staff.Role.OWNER})
DESK = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER})
STAFF = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER, Staff.Role.JUDGE})
DECK_READERS = frozenset({Staff.Role.OWNER, Staff.Role.JUDGE})  # of decklists before they are public


class LoginNeeded(Exception):
    """No one is signed in: the middleware sends them to the login page and then back here."""


def public_tournament(slug: str) -> Tournament:
    """The event as everyone may see it; no one has to sign in. Raises Http404, also while it is being set up.

    `tournament.latest` is the number of the latest posted round, None before the first.
    """
    tournament: Tournament | None = _PUBLIC.first(slug)
    if tournament is None:
        raise Http404
    return tournament


def _public_rows(slug: str) -> QuerySet[Any]:
    posted = Round.objects.filter(tournament=OuterRef("pk")).exclude(state=Round.State.DRAFT)
    latest = Subquery(posted.order_by("-number").values("number")[:1])
    shown: Any = Tournament.objects.exclude(state=Tournament.State.DRAFT)
    return shown.annotate(latest=latest).filter(slug=slug).order_by()


_PUBLIC: Prepared[Any] = Prepared(_public_rows, texts=(0,))


def public_entry(tournament: Tournament, code: str) -> Entry:
    """An entry of a public event. Raises Http404."""
    entry = _ENTRY.first(tournament.pk, code)
    if entry is None:
        raise Http404
    entry.tournament = tournament
    return entry


_ENTRY = Prepared(
    lambda event, code: Entry.objects.filter(tournament=event, code=code).order_by(), texts=(1,)
)


def may(tournament: Tournament, right: str) -> bool:
    """Whether the signed-in member of the staff may do that; judges by the setting `judge_…` of this event."""
    if tournament.role == Staff.Role.JUDGE:
        return bool(getattr(tournament, f"judge_{right}"))
    return tournament.role in DESK


def may_read_decks(tournament: Tournament) -> bool:
    """Whether the signed-in member of the staff may read and enter decklists; judges by their right to check decks."""
    return tournament.role in DECK_READERS and may(tournament, "deck_checks")


def staff_tournament(
    request: HttpRequest, slug: str, roles: frozenset[Any] = STAFF, right: str = ""
) -> Tournament:
    """The event, for a member of its staff in one of `roles`; `tournament.role` says which.

    `right`: what judges may be allowed to do, or not (`may`).
    Raises LoginNeeded, Http404 for an event that does not exist or is not theirs, Forbidden for another role.
    """
    _check_signed_in(request)
    tournament = _OF_STAFF.first(slug, request.user.pk)
    if tournament is None:
        raise Http404
    if tournament.role is None and _is_superuser(request):
        tournament.role = Staff.Role.OWNER
    if tournament.role is None:
        raise Http404
    if tournament.role not in roles or (right and not may(tournament, right)):
        raise Forbidden(_("Your role in this event does not allow that."))
    return tournament


_OF_STAFF: Prepared[Any] = Prepared(
    lambda slug, user: (
        _with_role_of(user, Tournament.objects.filter(slug=slug), "staff")
        .select_related("ruleset")
        .order_by()
    ),
    texts=(0,),
)


def event_of_own_action(request: HttpRequest, slug: str, key: str) -> Tournament | None:
    """The event in which the user sent a form with that key, also where that ended the user's role; else None."""
    own = Q(actions__actor=request.user.get_username(), actions__key=key)
    return Tournament.objects.filter(own, slug=slug).first() if key else None


def entries_run_by(request: HttpRequest) -> QuerySet[Entry]:
    """Entries of the events where this user is organizer or scorekeeper, and so may see contacts and numbers."""
    if not request.user.is_authenticated:
        return Entry.objects.none()
    mine = Staff.objects.filter(user=request.user, role__in=DESK)
    return Entry.objects.filter(tournament__in=mine.values("tournament"))


def own_entries(request: HttpRequest, tournament: Tournament) -> list[Entry]:
    """The entries of an event whose keys this device holds, by code; a parent may have several."""
    hashes = [hash_of(key) for key in keys_in(request)]
    entries = tournament.entries.filter(key_hash__in=hashes).order_by()  # to sort them, SQLite would read all
    return sorted(entries, key=lambda entry: entry.code) if hashes else []


class UnknownPlayer(Exception):
    """This device does not hold the key of the entry that was asked for; it holds those of `mine` in this event."""

    def __init__(self, tournament: Tournament, mine: list[Entry]) -> None:
        super().__init__(tournament.slug)
        self.tournament, self.mine = tournament, mine


def own_entry(request: HttpRequest, slug: str, code: str) -> tuple[Tournament, Entry]:
    """An event and the entry in it whose key this device holds. Raises Http404 and UnknownPlayer."""
    tournament = public_tournament(slug)
    mine = own_entries(request, tournament)
    for entry in mine:
        if entry.code == code:
            return tournament, entry
    raise UnknownPlayer(tournament, mine)


def own_template(request: HttpRequest, pk: int) -> EventTemplate:
    """A template of the signed-in user. Raises LoginNeeded, and Http404 for the templates of others."""
    _check_signed_in(request)
    return get_object_or_404(EventTemplate, owner=request.user, pk=pk)


def visible_rulebook(request: HttpRequest, key: str) -> Rulebook:
    """A rulebook with a published version, or one of the user's own; `rulebook.role` is the user's role in it.

    Raises Http404. The built-in rulebooks have no publisher: no one has a role there.
    """
    rows = _with_role(Rulebook.objects.all(), request, "publisher__members")
    rulebook = get_object_or_404(rows.select_related("publisher", "copied_from"), key=key)
    if rulebook.role is None and _is_superuser(request) and rulebook.publisher_id:
        rulebook.role = PublisherMember.Role.OWNER
    if rulebook.role is None and not rulebook.versions.exists():
        raise Http404
    return rulebook


def own_rulebook(request: HttpRequest, key: str) -> Rulebook:
    """A rulebook the user may edit. Raises LoginNeeded, and Http404 for all others: their drafts are private."""
    _check_signed_in(request)
    rulebook: Any = visible_rulebook(request, key)
    if rulebook.role is None:
        raise Http404
    return rulebook


def publisher_of(request: HttpRequest, slug: str) -> Publisher:
    """A publisher; `publisher.role` is the user's role there. Raises Http404."""
    publisher = get_object_or_404(_with_role(Publisher.objects.all(), request, "members"), slug=slug)
    if publisher.role is None and _is_superuser(request):
        publisher.role = PublisherMember.Role.OWNER
    return publisher


def own_publisher(request: HttpRequest, slug: str) -> Publisher:
    """A publisher whose members the user may change. Raises LoginNeeded, Http404, and Forbidden for its editors."""
    _check_signed_in(request)
    publisher: Any = publisher_of(request, slug)
    if publisher.role is None:
        raise Http404
    if publisher.role != PublisherMember.Role.OWNER:
        raise Forbidden(_("Only an owner of the publisher can manage its members."))
    return publisher


def _check_signed_in(request: HttpRequest) -> None:
    if not request.user.is_authenticated:
        raise LoginNeeded


def _with_role(rows: QuerySet[Any], request: HttpRequest, members: str) -> QuerySet[Any]:
    """The rows, with `role`: that of the signed-in user among their `members`, or None."""
    if not request.user.is_authenticated:
        return rows.annotate(role=Value(None, CharField()))
    return _with_role_of(request.user.pk, rows, members)


def _with_role_of(user: int, rows: QuerySet[Any], members: str) -> QuerySet[Any]:
    me = FilteredRelation(members, condition=Q(**{f"{members}__user": user}))
    return rows.annotate(me=me, role=F("me__role"))


def _is_superuser(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.is_superuser
