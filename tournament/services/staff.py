"""Staff of an event: roles and invitations. The log mentions changes without values, so replay and undo ignore them."""

import base64
import datetime as dt
import hashlib
import re
import secrets
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from tournament.access.permissions import role_rank
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.models import Action, Invite, Staff, Tournament
from tournament.services.entries import find_unmerged_entry

KEY_BYTES = 15  # of an invitation: 120 bits: 24 letters and digits
GROUP = 6  # letters between hyphens
MOST_PEOPLE = 20
LONGEST = 31 * 24  # hours


def find_staff_member(tournament: Tournament, username: str) -> Staff:
    members = tournament.staff.select_related("user").filter(user__username=username)
    return get_or_refuse(members, _("%(name)s is not on the staff of this event."), name=username)


def end_invites(invites: QuerySet[Invite]) -> None:
    now = timezone.now()
    invites.filter(expires_at__gt=now).update(expires_at=now)


def _end_member_invites(log: Log, user: Any, known: Q | None = None) -> None:
    """End the invitations that a removed member made or used, because with their address the member could come back."""
    made_or_used = Q(by=user) | Q(accepted_by=user)
    invites = log.tournament.invites.filter(known or made_or_used, uses_left__gt=0)
    for role in sorted({*invites.filter(expires_at__gt=timezone.now()).values_list("role", flat=True)}):
        log.mention(f"invites/{role}", "withdrawn")
    end_invites(invites)


def set_role(log: Log, user: Any, role: str) -> None:
    Staff.objects.update_or_create(tournament=log.tournament, user=user, defaults={"role": role})
    log.mention(f"staff/{user.get_username()}", str(role))


@service("staff role", after_end=True, owner=True)
def change_role(log: Log, username: str, role: str) -> None:
    member = find_staff_member(log.tournament, username)
    if role not in Staff.Role.values:
        raise Refused(_("There is no role “%(role)s”."), role=role)
    if member.role != role:
        if role_rank(role) < role_rank(member.role):
            _end_member_invites(log, member.user)
        set_role(log, member.user, role)
        _keep_an_organizer(log)


@service("remove staff", after_end=True)
def remove_staff(log: Log, username: str) -> None:
    member = find_staff_member(log.tournament, username)
    left = log.actor == username  # they may return by another's invitation
    _end_member_invites(log, member.user, Q(by=member.user) if left else None)
    member.delete()
    log.mention(f"staff/{username}", "gone")
    _keep_an_organizer(log)


@service("transfer", after_end=True, owner=True)
def transfer_ownership(log: Log, username: str, by: Any) -> None:
    """Make a member the event's owner; the previous owner stays as a scorekeeper."""
    member = find_staff_member(log.tournament, username)
    if member.user == by:
        raise Refused(_("You already own this event. Choose someone else."))
    if member.role != Staff.Role.OWNER:
        set_role(log, member.user, Staff.Role.OWNER)
    giver = log.tournament.staff.filter(user=by).first()
    if giver and giver.role != Staff.Role.SCOREKEEPER:
        _end_member_invites(log, by)
        set_role(log, by, Staff.Role.SCOREKEEPER)
    log.mention(f"staff/{username}", "holder")
    _set_owner(log.tournament, member.user)


@service("plays")
def link_entry(log: Log, code: str, username: str) -> None:
    """Link a player to a staff account, or to none (""), so that results they enter in their own matches are marked."""
    entry = find_unmerged_entry(log.tournament, code)
    log.set_personal(entry, user=find_staff_member(log.tournament, username).user if username else None)


def _keep_an_organizer(log: Log) -> None:
    organizers = log.tournament.staff.filter(role=Staff.Role.OWNER).order_by("pk")
    if not organizers.exists():
        raise WrongState(_("An event needs an organizer. Make someone else an organizer first."))
    if not organizers.filter(user=log.tournament.owner_id).exists():
        _set_owner(log.tournament, organizers[0].user)


def _set_owner(tournament: Tournament, user: Any) -> None:
    tournament.owner = user
    tournament.save(update_fields=["owner"])


class InviteOver(WrongState):
    """The invitation was valid before, but is not now."""

    status = 410


def create_invite(
    tournament: Tournament, role: str, *, people: int = 1, hours: int = 24, actor: Any, key: str = ""
) -> str:
    """Create an invitation. Returns its secret key, which is not stored. The same form (`key`) returns the same one."""
    key = key or secrets.token_hex(16)
    digest = salted_hmac("tournament.invite:v1", f"{tournament.pk}:{key}", algorithm="sha256").digest()
    letters = base64.b32encode(digest[:KEY_BYTES]).decode("ascii")
    save_invite(tournament, role, people, hours, invite_key_hash(letters), actor, actor=actor, key=key)
    return "-".join(letters[start : start + GROUP] for start in range(0, len(letters), GROUP))


def invite_key_hash(text: str) -> str:
    """Hash an invitation's key as typed, ignoring case, hyphens and look-alike characters."""
    letters = re.sub(r"[\W_]", "", text).upper().replace("0", "O").replace("1", "I").replace("8", "B")
    return hashlib.sha256(letters.encode()).hexdigest()


def find_open_invite(text: str) -> Invite:
    """Return the open invitation with this key. Raises InviteOver for one that is no longer valid."""
    invite = _find_invite(text)
    _check_open(invite, invite.tournament)
    return invite


def _find_invite(text: str) -> Invite:
    invites = Invite.objects.select_related("tournament", "by")
    refusal = _("This invitation does not exist. Check every character of the address.")
    return get_or_refuse(invites.filter(key_hash=invite_key_hash(text)), refusal)


def _invite_in(tournament: Tournament, pk: int) -> Invite:
    return get_or_refuse(tournament.invites.filter(pk=pk), _("There is no such invitation in this event."))


def is_open(invite: Invite) -> bool:
    return invite.uses_left > 0 and invite.expires_at > timezone.now()


def _check_open(invite: Invite, tournament: Tournament) -> None:
    if tournament.state == Tournament.State.FINISHED:
        raise InviteOver(_("The event is finished, so its invitations are no longer valid."))
    if not is_open(invite):
        raise InviteOver(_("This invitation was used or revoked, or has expired. Ask for a new one."))


@service("invite", owner=True)
def save_invite(log: Log, role: str, people: int, hours: int, key_hash: str, by: Any) -> None:
    """Open an invitation until it is used up, has expired, or the event is finished."""
    if role not in Staff.Role.values:
        raise Refused(_("There is no role “%(role)s”."), role=role)
    if role == Staff.Role.OWNER and people != 1:
        raise Refused(_("An invitation as organizer is for 1 person only."))
    if not 1 <= people <= MOST_PEOPLE or not 1 <= hours <= LONGEST:
        raise Refused(_("An invitation can be for up to %(most)s people."), most=MOST_PEOPLE)
    until = timezone.now() + dt.timedelta(hours=hours)
    log.tournament.invites.create(role=role, key_hash=key_hash, by=by, expires_at=until, uses_left=people)
    log.mention(f"invites/{role}", "made")


@service("withdraw invite", after_end=True, owner=True)
def revoke_invite(log: Log, pk: int) -> None:
    invite = _invite_in(log.tournament, pk)
    if is_open(invite):
        end_invites(log.tournament.invites.filter(pk=pk))
        log.mention(f"invites/{invite.role}", "withdrawn")


def accept_invite(text: str, user: Any, *, key: str = "") -> tuple[Staff, Action | None]:
    """Give `user` the invitation's role, unless the user's own is as high. Raises WrongState for an old form."""
    invite = _find_invite(text)
    tournament = invite.tournament
    if not _has_role(invite, user):  # a form that comes twice finds its invitation used up
        _check_open(invite, tournament)
    reason = _("invited by %(name)s") % {"name": invite.by.get_username()}
    action = join_staff(tournament, invite.pk, user, actor=user, key=key, reason=reason)
    member = tournament.staff.filter(user=user).first()
    if member is None:
        raise WrongState(_("You joined by this form before, and left since. Reload the page to join again."))
    return member, action


def _has_role(invite: Invite, user: Any) -> bool:
    member = invite.tournament.staff.filter(user=user).first()
    return member is not None and role_rank(member.role) >= role_rank(invite.role)


@service("join staff")
def join_staff(log: Log, pk: int, user: Any) -> None:
    """Use an invitation once, unless the member already has its role or a higher one."""
    invite = _invite_in(log.tournament, pk)
    if _has_role(invite, user):
        return
    _check_open(invite, log.tournament)  # under the lock: the last use is given once
    invite.uses_left -= 1
    invite.save(update_fields=["uses_left"])
    invite.accepted_by.add(user)
    set_role(log, user, invite.role)
