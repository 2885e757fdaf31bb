"""Fetching is authorising: a view gets its event from here, or a 404, 403 or the login page.

Roles (SAFETY §5): owner does everything; scorekeeper publishes, enters, drops; judge drops, extends and
penalises; everybody else sees what is public. A role is read from the database on each request, in the same
query as the event, so that a removed member is out on the next click.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, FilteredRelation, Q
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from tournament.errors import Forbidden
from tournament.models import Staff, Tournament

OWNER = frozenset({Staff.Role.OWNER})
DESK = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER})
STAFF = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER, Staff.Role.JUDGE})


class LoginNeeded(Exception):
    """Nobody is signed in: the middleware sends them to the login page and back here."""


def public_tournament(slug: str) -> Tournament:
    """The event everybody may see, without asking who it is. Raises Http404, also while it is set up."""
    shown = Tournament.objects.exclude(state=Tournament.State.DRAFT)
    # The baseline of a loaded event is megabytes that no page shows; a poll must not carry them.
    tournament = shown.defer("baseline").filter(slug=slug).first()
    if tournament is None:
        raise Http404
    return tournament


def staff_tournament(request: HttpRequest, slug: str, roles: frozenset[Any] = STAFF) -> Tournament:
    """The event, for a member of its staff in one of `roles`; `tournament.role` says which.

    Raises LoginNeeded, Http404 for no such event or none of theirs, Forbidden for another role.
    """
    user = request.user
    if isinstance(user, AnonymousUser) or not user.is_authenticated:
        raise LoginNeeded
    tournament = (
        Tournament.objects.annotate(mine=FilteredRelation("staff", condition=Q(staff__user=user)))
        .annotate(role=F("mine__role"))
        .select_related("ruleset")
        .defer("baseline")
        .filter(slug=slug)
        .first()
    )
    if tournament is None or (tournament.role is None and not user.is_superuser):
        raise Http404
    if tournament.role is None:
        tournament.role = Staff.Role.OWNER
    if tournament.role not in roles:
        raise Forbidden(_("Your role in this event does not allow that."))
    return tournament
