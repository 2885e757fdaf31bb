"""Who runs an event: invitations, roles, and an owner at any time.

A membership is about a person, so the log names who, what they became and by whom, as a change without values
(`facts.Log.mention`): replay and undo leave it alone, and it is changed back on the staff page.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import re
import secrets
from typing import Any

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from tournament.access.permissions import RANKS
from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.errors import NotFound, Refused, WrongState
from tournament.models import Action, Invite, Staff, Tournament

KEY_BYTES = 15  # 120 bits: 24 letters and digits
LETTERS = 24
GROUP = 6
MOST_PEOPLE = 20
LONGEST = 31 * 24  # hours
GONE = "gone"


class InviteOver(WrongState):
    """The invitation was good once."""

    status = 410


def invite(
    tournament: Tournament, role: str, *, people: int = 1, hours: int = 24, actor: Any, key: str = ""
) -> str:
    """A new invitation for so many people; answers its secret key, which is kept nowhere.

    The same form sent twice answers the same key. Raises Refused.
    """
    key = key or secrets.token_hex(16)
    said = salted_hmac("tournament.invite:v1", f"{tournament.pk}:{key}", algorithm="sha256").digest()
    letters = base64.b32encode(said[:KEY_BYTES]).decode("ascii")
    open_invite(tournament, role, people, hours, hash_of(letters), actor, actor=actor, key=key)
    return "-".join(letters[at : at + GROUP] for at in range(0, LETTERS, GROUP))


def hash_of(text: str) -> str:
    """How the key of an invitation is kept, however it was typed: case, hyphens and look-alikes do not matter."""
    letters = re.sub(r"[\W_]", "", text).upper().replace("0", "O").replace("1", "I").replace("8", "B")
    return hashlib.sha256(letters.encode()).hexdigest()


@service("invite")
def open_invite(log: Log, role: str, people: int, hours: int, key_hash: str, by: Any) -> None:
    """Keep an invitation open until it is used up, has expired, or the event is finished."""
    if role not in Staff.Role.values:
        raise Refused(_("There is no role “%(role)s”.") % {"role": role})
    if role == Staff.Role.OWNER and people != 1:
        raise Refused(_("An invitation as organizer is for 1 person only."))
    if not 1 <= people <= MOST_PEOPLE or not 1 <= hours <= LONGEST:
        raise Refused(_("An invitation can be for up to %(most)s people.") % {"most": MOST_PEOPLE})
    until = timezone.now() + dt.timedelta(hours=hours)
    Invite.objects.create(
        tournament=log.tournament,
        role=role,
        key_hash=key_hash,
        by=by,
        expires_at=until,
        uses_left=people,
    )
    log.mention(f"invites/{role}", "made")


@service("withdraw invite", after_end=True)
def withdraw_invite(log: Log, pk: int) -> None:
    """Let nobody use an invitation any more. Raises NotFound."""
    invite = log.tournament.invites.filter(pk=pk).first()
    if invite is None:
        raise NotFound(_("There is no such invitation in this event."))
    if is_open(invite):
        end_invites(log.tournament, invite.pk)
        log.mention(f"invites/{invite.role}", "withdrawn")


def end_invites(tournament: Tournament, pk: int | None = None) -> None:
    """No invitation (or not this one) is open any more: part of the action that ends it, or the event."""
    ending = tournament.invites.filter(expires_at__gt=timezone.now())
    (ending.filter(pk=pk) if pk else ending).update(expires_at=timezone.now())


def is_open(invite: Invite) -> bool:
    """Whether somebody can still use the invitation, as far as it says itself."""
    return invite.uses_left > 0 and invite.expires_at > timezone.now()


def invite_of(text: str) -> Invite:
    """The open invitation with this key. Raises NotFound for a wrong key, InviteOver for one that was good once."""
    invite = (
        Invite.objects.select_related("tournament", "by")
        .defer("tournament__baseline")
        .filter(key_hash=hash_of(text))
        .first()
    )
    if invite is None:
        raise NotFound(_("There is no such invitation. Check the address letter by letter."))
    _check_open(invite, invite.tournament)
    return invite


def _check_open(invite: Invite, tournament: Tournament) -> None:
    if tournament.state == Tournament.State.FINISHED:
        raise InviteOver(_("The event is finished, so its invitations are no longer valid."))
    if not is_open(invite):
        raise InviteOver(_("This invitation was used or revoked, or has expired. Ask for a new one."))


def accept_invite(text: str, user: Any, *, key: str = "") -> Action | None:
    """Make `user` what the invitation says; None where they are that, or more, already.

    Raises NotFound and InviteOver, as `invite_of`.
    """
    invite = invite_of(text)
    reason = _("invited by %(name)s") % {"name": invite.by.get_username()}
    return join_staff(invite.tournament, invite.pk, user, actor=user, key=key, reason=reason)


@service("join staff")
def join_staff(log: Log, pk: int, user: Any) -> None:
    """Use an invitation once; who has that role or a higher one already uses nothing."""
    invite = log.tournament.invites.get(pk=pk)
    member = log.tournament.staff.filter(user=user).first()
    if member and RANKS.index(Staff.Role(member.role)) >= RANKS.index(Staff.Role(invite.role)):
        return
    _check_open(invite, log.tournament)  # under the lock: the last place is given once
    invite.uses_left -= 1
    invite.save(update_fields=["uses_left"])
    _put(log, user, invite.role)


@service("staff role", after_end=True)
def change_role(log: Log, username: str, role: str) -> None:
    """Give a member another role. Raises NotFound, Refused, WrongState for the last owner."""
    member = member_of(log.tournament, username)
    if role not in Staff.Role.values:
        raise Refused(_("There is no role “%(role)s”.") % {"role": role})
    if member.role != role:
        _put(log, member.user, role)
        _keep_an_owner(log)


@service("remove staff", after_end=True)
def remove_staff(log: Log, username: str) -> None:
    """Take a member off the staff, from their next request on. Raises NotFound, WrongState for the last owner."""
    member_of(log.tournament, username).delete()
    log.mention(f"staff/{username}", GONE)
    _keep_an_owner(log)


@service("transfer", after_end=True)
def transfer_ownership(log: Log, username: str, by: Any) -> None:
    """The event is this member's from now on; who gives it away stays as a scorekeeper. Raises NotFound."""
    member = member_of(log.tournament, username)
    if member.user == by:
        raise Refused(_("You already own this event. Choose someone else."))
    if member.role != Staff.Role.OWNER:
        _put(log, member.user, Staff.Role.OWNER)
    giver = log.tournament.staff.filter(user=by).first()
    if giver and giver.role != Staff.Role.SCOREKEEPER:
        _put(log, by, Staff.Role.SCOREKEEPER)
    log.mention(f"staff/{username}", "holder")
    _hold(log.tournament, member.user)


@service("plays")
def link_entry(log: Log, code: str, username: str) -> None:
    """Say that an entry is this member of the staff; empty: nobody's. Their own results are marked from then on.

    Raises NotFound.
    """
    entry = log.tournament.entries.filter(code=code).first()
    if entry is None:
        raise NotFound(_("There is no player %(code)s in this event.") % {"code": code})
    user = member_of(log.tournament, username).user if username else None
    if entry.user != user:
        log.set_personal(entry, user=user)


def member_of(tournament: Tournament, username: str) -> Staff:
    """The member of that name. Raises NotFound."""
    member = tournament.staff.select_related("user").filter(user__username=username).first()
    if member is None:
        raise NotFound(_("%(name)s is not on the staff of this event.") % {"name": username})
    return member


def _put(log: Log, user: Any, role: str) -> None:
    Staff.objects.update_or_create(tournament=log.tournament, user=user, defaults={"role": role})
    log.mention(f"staff/{user.get_username()}", str(role))


def _keep_an_owner(log: Log) -> None:
    """Refuse what leaves no owner; an event's holder is one of its owners."""
    owners = log.tournament.staff.filter(role=Staff.Role.OWNER).order_by("pk")
    if not owners.exists():
        raise WrongState(_("An event needs an organizer. Make someone else an organizer first."))
    if not owners.filter(user=log.tournament.owner_id).exists():
        _hold(log.tournament, owners[0].user)


def _hold(tournament: Tournament, user: Any) -> None:
    tournament.owner = user
    tournament.save(update_fields=["owner"])
