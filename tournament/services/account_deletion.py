"""An account deleted by its own user: its name leaves every event's log, so that no one can take it up again."""

import json
import logging
from functools import reduce
from operator import or_
from typing import Any

from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from tournament.actionlog.redaction_guard import MARK
from tournament.actionlog.service import Log, service
from tournament.errors import WrongState
from tournament.models import Action, Entry, Invite, PublisherMember, Staff, Tournament
from tournament.monitoring.log_lines import account_words
from tournament.services.anonymity import redact_everywhere
from tournament.services.publishers import remove_member
from tournament.text.redaction import AccountRedaction

logger = logging.getLogger("tournament.log")
MOST_NAMED = 5  # events in a refusal


def delete_account(user: User) -> None:
    """Delete the account, its roles, templates, invitations, sign-ins and codes; its name in the logs becomes a mark.

    Raises WrongState while it owns an event, or a publisher has no other owner. Can be repeated where it was stopped,
    and where it is done.
    """
    refuse_owner(user)
    who = account_words(user)
    for tournament in events_that_name(user):
        forget_account(tournament, user, actor=user)
    for role in PublisherMember.objects.filter(user=user).select_related("publisher"):
        remove_member(role.publisher, user.get_username(), actor=user)
    with transaction.atomic():
        locked = User.objects.select_for_update().filter(pk=user.pk).first()
        if locked is None:  # the same form, sent twice at once
            return
        refuse_owner(locked)
        AccessAttempt.objects.filter(username=locked.get_username()).delete()
        locked.delete()
    logger.info("%s deleted", who)


def refuse_owner(user: User) -> None:
    """Raise WrongState for the owner of events, or the only owner of a publisher."""
    events = list(Tournament.objects.filter(owner=user).order_by("name").values_list("name", flat=True))
    if events:
        names = ", ".join(f"“{name}”" for name in events[:MOST_NAMED]) + (" …" if events[MOST_NAMED:] else "")
        raise WrongState(_("You own events: %(names)s. Transfer or delete them first."), names=names)
    owners = PublisherMember.objects.filter(role=PublisherMember.Role.OWNER)
    for own in owners.filter(user=user).select_related("publisher"):
        if not owners.filter(publisher=own.publisher).exclude(user=user).exists():
            text = _("You are the only owner of the publisher “%(name)s”. Make someone else an owner first.")
            raise WrongState(text, name=own.publisher.name)


def events_that_name(user: User) -> QuerySet[Tournament]:
    """The events with this account on their staff, or its name in their log."""
    name = user.get_username()
    mentioned = Q(actor=name)
    for text in (name, f"staff/{name}"):  # PostgreSQL keeps letters as they are, SQLite as JSON escapes them
        mentioned |= Q(text__contains=f'"{text}"') | Q(text__contains=json.dumps(text))
    actions = Action.objects.annotate(text=Cast("changes", TextField())).filter(mentioned)
    members, invites = Staff.objects.filter(user=user), Invite.objects.filter(by=user)
    players = Entry.objects.filter(user=user)
    naming = (rows.order_by().values("tournament") for rows in (actions, members, invites, players))
    return Tournament.objects.filter(reduce(or_, (Q(pk__in=rows) for rows in naming)))


@service("account deleted", after_end=True)
def forget_account(log: Log, user: Any) -> None:
    """Take an account off the staff of an event, and its name out of the log. Raises WrongState for an owner."""
    refuse_owner(user)  # once more under the lock: someone may have made it the event's owner meanwhile
    tournament = log.tournament
    log.actor = MARK
    tournament.staff.filter(user=user).delete()
    tournament.invites.filter(by=user).delete()
    for entry in tournament.entries.filter(user=user):
        log.set_personal(entry, user=None)
    log.mention(f"staff/{MARK}", "gone")
    redact_everywhere(tournament, AccountRedaction(user.get_username()), {})
