"""How long what is personal is kept: contacts, or names too, leave an event so many days after it has ended.

Results, ranks, penalties and the log stay, as when a single player is anonymized.
"""

import datetime as dt
from typing import NamedTuple

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from tournament.actionlog.service import Log, service
from tournament.models import Entry, PushSubscription, Tournament
from tournament.services.anonymity import anonymize, personal_changes, redact_everywhere
from tournament.text.redaction import Redaction

RETENTION = "retention"
CONTACTS = ("contact", "notes")


class DueEvent(NamedTuple):
    """An event that ended so long ago. `players`: how many still have what is to be removed."""

    tournament: Tournament
    ended: dt.datetime
    players: int


def due_events(days: int, *, names: bool) -> list[DueEvent]:
    """The events that ended `days` ago or earlier and still hold contacts or, where `names` leave too, names."""
    until = timezone.now() - dt.timedelta(days=days)
    due = []
    for tournament in Tournament.objects.order_by("slug"):
        ended = ended_at(tournament)
        if ended is None or ended > until:
            continue
        rows = (
            _with_contacts(tournament) if not names else personal_changes(tournament, _people_of(tournament))
        )
        if rows:
            due.append(DueEvent(tournament, ended, len(rows)))
    return due


def ended_at(tournament: Tournament) -> dt.datetime | None:
    """When it was finished; where no one did that, its start or its last change, the later. None: unknown."""
    finished = tournament.state == Tournament.State.FINISHED
    kinds = Q(kind="finish") if finished else Q()
    last = tournament.actions.filter(kinds).aggregate(last=Max("at"))["last"]
    if finished and last:
        return last
    return max(filter(None, (last, tournament.starts_at)), default=None)


@service(RETENTION, after_end=True, owner=True)
def remove_contacts(log: Log) -> None:
    """Remove contacts, notes, messages and phones of everyone in the event. Cannot be undone."""
    tournament = log.tournament
    entries = list(_with_contacts(tournament))
    redaction = Redaction(entry.contact for entry in entries)
    for entry in entries:
        entry.contact = entry.notes = ""
    messages = list(tournament.flags.exclude(text=""))
    for message in messages:
        message.text = ""
    log.set_personal_of(entries, CONTACTS)
    log.set_personal_of(messages, ("text",))
    PushSubscription.objects.filter(entry__tournament=tournament).delete()
    if log.changes:
        redact_everywhere(tournament, redaction, {})


@service(RETENTION, after_end=True, owner=True)
def anonymize_event(log: Log) -> None:
    """Anonymize every player of the event. Cannot be undone."""
    anonymize(log, _people_of(log.tournament))


def _people_of(tournament: Tournament) -> list[Entry]:
    return list(tournament.entries.filter(house=False).order_by("code"))


def _with_contacts(tournament: Tournament) -> QuerySet[Entry]:
    """The players who left contacts, notes, messages, or phones to be told."""
    left = ~Q(contact="") | ~Q(notes="") | Q(flags__in=tournament.flags.exclude(text=""))
    return tournament.entries.filter(left | Q(push_subscriptions__isnull=False)).order_by("code").distinct()
