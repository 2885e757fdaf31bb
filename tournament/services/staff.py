"""Who runs an event: roles, and at least one organizer at any time.

A membership is about a person, so the log names who, what they became and by whom, as a change without values
(`Log.mention`): replay and undo leave it alone, and it is changed back on the staff page.
"""

from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.permissions import rank_of
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.models import Invite, Staff, Tournament
from tournament.services.entries import unmerged_entry_of


def member_of(tournament: Tournament, username: str) -> Staff:
    """The staff member of that name. Raises NotFound."""
    members = tournament.staff.select_related("user").filter(user__username=username)
    return get_or_refuse(members, _("%(name)s is not on the staff of this event."), name=username)


def end_invites(invites: QuerySet[Invite]) -> None:
    """Let those of the invitations expire now that are still valid, as part of an action."""
    now = timezone.now()
    invites.filter(expires_at__gt=now).update(expires_at=now)


def _end_invites_of(log: Log, user: Any, known: Q | None = None) -> None:
    """End the invitations that a member made or came by: who knows their address could come back, under any name.

    `known`: only those of them.
    """
    made_or_used = Q(by=user) | Q(accepted_by=user)
    invites = log.tournament.invites.filter(known or made_or_used, uses_left__gt=0)
    for role in set(invites.filter(expires_at__gt=timezone.now()).values_list("role", flat=True)):
        log.mention(f"invites/{role}", "withdrawn")
    end_invites(invites)


def set_role(log: Log, user: Any, role: str) -> None:
    """Make a user a staff member with that role, as part of an action."""
    Staff.objects.update_or_create(tournament=log.tournament, user=user, defaults={"role": role})
    log.mention(f"staff/{user.get_username()}", str(role))


@service("staff role", after_end=True, owner=True)
def change_role(log: Log, username: str, role: str) -> None:
    """Give a member another role. Raises NotFound, Refused, WrongState for the last organizer."""
    member = member_of(log.tournament, username)
    if role not in Staff.Role.values:
        raise Refused(_("There is no role “%(role)s”."), role=role)
    if member.role != role:
        if rank_of(role) < rank_of(member.role):
            _end_invites_of(log, member.user)
        set_role(log, member.user, role)
        _keep_an_organizer(log)


@service("remove staff", after_end=True)
def remove_staff(log: Log, username: str) -> None:
    """Take a member off the staff, from the next request on, or leave it. Raises NotFound, WrongState for the last
    organizer."""
    member = member_of(log.tournament, username)
    left = log.actor == username  # who leaves may come back by the invitation of another
    _end_invites_of(log, member.user, Q(by=member.user) if left else None)
    member.delete()
    log.mention(f"staff/{username}", "gone")
    _keep_an_organizer(log)


@service("transfer", after_end=True, owner=True)
def transfer_ownership(log: Log, username: str, by: Any) -> None:
    """Make a member the event's owner; the owner before stays as a scorekeeper. Raises NotFound, Refused."""
    member = member_of(log.tournament, username)
    if member.user == by:
        raise Refused(_("You already own this event. Choose someone else."))
    if member.role != Staff.Role.OWNER:
        set_role(log, member.user, Staff.Role.OWNER)
    giver = log.tournament.staff.filter(user=by).first()
    if giver and giver.role != Staff.Role.SCOREKEEPER:
        _end_invites_of(log, by)
        set_role(log, by, Staff.Role.SCOREKEEPER)
    log.mention(f"staff/{username}", "holder")
    _set_owner(log.tournament, member.user)


@service("plays")
def link_entry(log: Log, code: str, username: str) -> None:
    """Link a player to a staff account, or to none (""): results they enter of their own matches are marked.

    Raises NotFound.
    """
    entry = unmerged_entry_of(log.tournament, code)
    user = member_of(log.tournament, username).user if username else None
    if entry.user != user:
        log.set_personal(entry, user=user)


def _keep_an_organizer(log: Log) -> None:
    """Raises WrongState where no organizer is left; the event's owner is one of them."""
    organizers = log.tournament.staff.filter(role=Staff.Role.OWNER).order_by("pk")
    if not organizers.exists():
        raise WrongState(_("An event needs an organizer. Make someone else an organizer first."))
    if not organizers.filter(user=log.tournament.owner_id).exists():
        _set_owner(log.tournament, organizers[0].user)


def _set_owner(tournament: Tournament, user: Any) -> None:
    tournament.owner = user
    tournament.save(update_fields=["owner"])
