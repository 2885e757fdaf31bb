"""Remove names and contacts from an event for good; results, ranks and codes stay."""

import datetime as dt
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.archive.snapshots import PAPER, snapshots_of, write_whole
from tournament.models import (
    Action,
    Baseline,
    Decklist,
    Entry,
    Extension,
    Match,
    PushSubscription,
    Tournament,
)
from tournament.services.entries import entry_of
from tournament.services.stage_entries import entries_of_person
from tournament.text.display_names import turn_name
from tournament.text.redaction import Redaction

RETENTION = "retention"
CONTACTS = ("contact", "notes", "former_contacts")
NOTHING: dict[str, Any] = {
    "last_name": "",
    "alias": "",
    "members": [],
    "captain": 1,
    "display_name_only": False,
    "contact": "",
    "notes": "",
    "external_id": "",
    "user": None,
    "key_hash": "",
    "former_names": [],
    "former_contacts": [],
}


def neutral_names(tournament: Tournament, entries: list[Entry]) -> dict[str, str]:
    """Return {code: name} with names such as "Player 12" for P0012 that no other player has."""
    others = tournament.entries.exclude(pk__in=[entry.pk for entry in entries])
    taken = {name.casefold() for name in others.values_list("name", flat=True)}
    text = _("Team %(number)s") if tournament.team else _("Player %(number)s")
    names = {}
    for entry in entries:
        digits = re.search(r"\d{1,9}$", entry.code)
        number = int(digits[0]) if digits else 1
        while (name := text % {"number": number}).casefold() in taken:
            number += 1
        taken.add(name.casefold())
        names[entry.code] = name
    return names


def redaction_of(entries: list[Entry]) -> Redaction:
    texts = [
        text
        for entry in entries
        for text in (entry.alias, entry.contact, entry.external_id, *entry.former_contacts)
    ]
    names = [
        (name, entry.last_name)
        for entry in entries
        for name in (entry.name, *entry.members, *entry.former_names)
    ]
    return Redaction([*texts, *(form for name, last in names for form in _forms_of(name, last))])


def _forms_of(name: str, last: str) -> Iterator[str]:
    yield name
    family, comma, given = name.partition(", ")
    if comma:
        yield f"{given} {family}"
    else:
        yield turn_name(name, last)
        yield turn_name(name, name.rpartition(" ")[2])


@service("anonymize", after_end=True, owner=True)
def anonymize_entry(log: Log, code: str) -> None:
    """Remove a player's name and contacts everywhere, in free text also namesakes'. Cannot be undone."""
    anonymize(log, entries_of_person(entry_of(log.tournament, code)))


def anonymize(log: Log, entries: list[Entry]) -> None:
    tournament = log.tournament
    redaction, names = redaction_of(entries), neutral_names(tournament, entries)
    for entry, changed in personal_changes(tournament, entries).items():
        # Set last, or the replaced name would be stored as a former one.
        log.set_personal(entry, **{**changed, "former_names": [], "former_contacts": []})
    PushSubscription.objects.filter(entry__in=entries).delete()
    for texts in (tournament.flags, Decklist.objects):
        for sent in texts.filter(entry__in=entries).exclude(text=""):
            log.set_personal(sent, text="")
    for penalty in tournament.penalties.filter(entry__in=entries).exclude(description=""):
        log.set_personal(penalty, description="")
    if log.changes:
        redact_everywhere(tournament, redaction, names)


def personal_changes(tournament: Tournament, entries: list[Entry]) -> dict[Entry, dict[str, Any]]:
    names = neutral_names(tournament, entries)
    fields = {entry: {"name": names[entry.code], **NOTHING} for entry in entries}
    differing = {
        entry: {name: value for name, value in nothing.items() if getattr(entry, name) != value}
        for entry, nothing in fields.items()
    }
    return {
        entry: {**changed, "link_number": entry.link_number + 1}  # the personal code ends, too
        for entry, changed in differing.items()
        if changed
    }


def redact_everywhere(tournament: Tournament, redaction: Redaction, names: dict[str, str]) -> None:
    """Remove names from the event, its log and its files. `names`: {code: new name}."""
    tournament.removals.all().delete()
    for rows, pk, redacted in list(redacted_texts(tournament, redaction)):
        rows.filter(pk=pk).update(**redacted)
    _redact_snapshots(tournament, redaction, names)


def redacted_texts(
    tournament: Tournament, redaction: Redaction
) -> Iterator[tuple[QuerySet[Any], int, dict[str, Any]]]:
    """Yield (rows, primary key, {column: redacted text}) for each row that holds one of the names."""
    matches = Match.objects.filter(round__tournament=tournament)
    tables: list[tuple[QuerySet[Any], str]] = [
        (Tournament.objects.filter(pk=tournament.pk), "announcement"),
        (Baseline.objects.filter(tournament=tournament), "facts"),
        (tournament.entries.all(), "notes labels rating_source"),
        (tournament.rounds.all(), "pairing"),
        (matches, "waived_reason"),
        (Extension.objects.filter(match__in=matches), "reason"),
        (tournament.penalties.all(), "reason description judge"),
        (tournament.deck_checks.all(), "judge"),
        (tournament.flags.all(), "text judge"),
        (Decklist.objects.filter(tournament=tournament), "actor"),
        (Action.objects.filter(tournament=tournament), "actor reason changes"),
    ]
    for rows, names in tables:
        columns = names.split()
        for row in rows.order_by("pk").values("pk", *columns).iterator(500):
            redacted = {name: _redact(redaction, name, row[name]) for name in columns}
            if changed := {name: text for name, text in redacted.items() if text != row[name]}:
                yield rows, row["pk"], changed


def _redact(redaction: Redaction, column: str, value: Any) -> Any:
    if column == "facts":
        return {key: redaction.redact_fact(key, fact) for key, fact in value.items()}
    if column == "changes":
        return redaction.redact_changes(value)
    return redaction.redact(value, "reason" if column == "waived_reason" else column)


def _redact_snapshots(tournament: Tournament, redaction: Redaction, names: dict[str, str]) -> None:
    for paper in snapshots_of(tournament, PAPER):
        paper.path.unlink(missing_ok=True)
    for snapshot in snapshots_of(tournament):
        try:
            archive = redaction.redact_archive(json.loads(snapshot.path.read_bytes()), names)
            write_whole(snapshot.path, msgspec.json.encode(archive).decode() + "\n")
            os.utime(snapshot.path, (snapshot.at.timestamp(),) * 2)
        except (OSError, ValueError, KeyError):
            snapshot.path.unlink(missing_ok=True)


def due_events(days: int) -> list[Tournament]:
    """List events with contacts that ended `days` ago; unfinished ones count from start or last change."""
    until = timezone.now() - dt.timedelta(days=days)
    finished = Q(actions__kind="finish") | ~Q(state=Tournament.State.FINISHED)
    ended = Tournament.objects.annotate(last=Max("actions__at", filter=finished)).filter(last__lte=until)
    recent = Q(starts_at__gt=until) & ~Q(state=Tournament.State.FINISHED)
    return [
        event
        for event in ended.exclude(recent).order_by("slug")
        if _with_contacts(event).exists() or event.removals.exists()
    ]


@service(RETENTION, after_end=True, owner=True)
def remove_contacts(log: Log) -> None:
    """Remove everyone's contacts, notes, messages and phones. Cannot be undone."""
    tournament = log.tournament
    entries = list(_with_contacts(tournament))
    redaction = Redaction(text for entry in entries for text in (entry.contact, *entry.former_contacts))
    for entry in entries:
        entry.contact = entry.notes = ""
        entry.former_contacts = []
    messages = list(tournament.flags.exclude(text=""))
    for message in messages:
        message.text = ""
    log.set_personal_of(entries, CONTACTS)
    log.set_personal_of(messages, ("text",))
    PushSubscription.objects.filter(entry__tournament=tournament).delete()
    if log.changes:
        redact_everywhere(tournament, redaction, {})
    tournament.removals.all().delete()


def _with_contacts(tournament: Tournament) -> QuerySet[Entry]:
    left = ~Q(contact="") | ~Q(notes="") | ~Q(former_contacts=[])
    sent = Q(flags__in=tournament.flags.exclude(text="")) | Q(push_subscriptions__isnull=False)
    return tournament.entries.filter(left | sent).order_by("code").distinct()
