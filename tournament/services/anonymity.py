"""Remove names and contacts from an event for good; results, ranks and codes stay."""

import datetime as dt
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import msgspec
from django.db.models import Max, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.facts import ENTRY, PUBLIC_PERSONAL_FIELDS
from tournament.actionlog.service import Log, service
from tournament.actionlog.triggers import MARK
from tournament.archive.snapshots import PAPER, list_snapshots, write_whole
from tournament.event.display_names import turn_name
from tournament.models import Baseline, Entry, Extension, Match, PushSubscription, Tournament
from tournament.services.entries import find_entry
from tournament.services.stage_entries import list_person_entries
from tournament.text import fold_name

RETENTION = "retention"
CONTACTS = ("contact", "notes", "former_contacts")
# Fields set to their defaults.
EMPTIED = tuple(name for name in ENTRY.personal if name not in ("name", "link_number"))
# Free-text fields; in others, only texts of several words are free text.
WRITTEN = frozenset(
    "reason description announcement labels rating_source notes text name last_name alias contact members "
    "external_id".split()
)
ACCENTS = "\u0300-\u036f"  # marks on letters, as part of a pattern
LEAST_DIGITS = 5  # a shorter number is also a table, a round or a rating


class Redaction:
    """Removes texts from others. `texts`: names, contacts and membership numbers, as they were entered."""

    def __init__(self, texts: Iterable[str]) -> None:
        # A name of 2 letters is distinctive, a number of 2 digits is not.
        distinctive = {
            text for text in texts if len(text) >= (2 if any(map(str.isalpha, text)) else LEAST_DIGITS)
        }
        self.texts = sorted(distinctive, key=len, reverse=True)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(map(_whole, self.texts)) or r"(?!)", re.IGNORECASE)

    def redact(self, value: Any, field: str) -> Any:
        """Return a column's value, or any part of one, without the texts; codes and states stay."""
        if isinstance(value, str):
            written = field in WRITTEN or (" " in value and field != "engine")
            return self._pattern.sub(MARK, value) if written else value
        if isinstance(value, list):
            return [self.redact(part, field) for part in value]
        if isinstance(value, dict):
            return {name: self.redact(part, name) for name, part in value.items()}
        return value

    def redact_fact(self, key: str, fact: Any) -> Any:
        if key == "tournament" and fact:  # its name, venue and rules are not personal
            announced = fact.keys() & {"announcement"}
            return {**fact, **{name: self.redact(fact[name], name) for name in announced}}
        return self.redact(fact, "")

    def redact_changes(self, changes: list[Any]) -> list[Any]:
        return [
            {
                name: part if name == "fact" else self.redact_fact(change["fact"], part)
                for name, part in change.items()
            }
            for change in changes
        ]

    def redact_archive(self, archive: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        noted = ("rounds", "penalties", "deck_checks")
        redacted = {
            name: self.redact(part, name) if name in noted else part for name, part in archive.items()
        }
        redacted["entries"] = [self._redact_entry(entry, names) for entry in archive["entries"]]
        redacted["decklists"] = [
            {
                name: part if name == "text" else self.redact(part, name)
                for name, part in decklist.items()
                if name != "text" or decklist["entry"] not in names
            }
            for decklist in archive.get("decklists", ())
        ]
        redacted["log"] = [
            {**self.redact(action, ""), "changes": self.redact_changes(action["changes"])}
            for action in archive.get("log", ())
        ]
        return {name: part for name, part in redacted.items() if name in archive}

    def _redact_entry(self, entry: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
        """Redact an entry of an archive: all personal fields of entries in `names`, only the texts in others."""
        own = entry["id"] in names
        redacted = {
            name: self.redact(part, name) if name in ("labels", "rating_source") else part
            for name, part in entry.items()
            if not (own and name in PUBLIC_PERSONAL_FIELDS)
        }
        return redacted | ({"name": names[entry["id"]]} if own else {})


class AccountRedaction(Redaction):
    """Removes an account's name from an event, but only where it says who did something."""

    WHO = frozenset({"actor", "judge"})

    def __init__(self, username: str) -> None:
        super().__init__([])
        self.username = username
        self.invited = _("invited by %(name)s") % {"name": username}

    def redact(self, value: Any, field: str) -> Any:
        """Like `Redaction.redact`, but only in fields with an account's name and in reasons of invitations."""
        if isinstance(value, str):
            did = field in self.WHO and value == self.username
            return MARK if did else value.replace(self.username, MARK) if value == self.invited else value
        return super().redact(value, field)

    def redact_changes(self, changes: list[Any]) -> list[Any]:
        mentioned = f"staff/{self.username}"
        return [
            {**change, "fact": f"staff/{MARK}"} if change["fact"] == mentioned else change
            for change in super().redact_changes(changes)
        ]


def _whole(text: str) -> str:
    """Return a pattern for the whole text: not part of a longer word, in scripts that separate words."""
    start, end = (r"(?<!\w)", rf"(?![\w{ACCENTS}])")
    words = r"\s+".join("".join(map(_letter, word)) for word in text.split())
    return f"{start if _parts_words(text[0]) else ''}{words}{end if _parts_words(text[-1]) else ''}"


def _letter(char: str) -> str:
    """Return a pattern for a letter: precomposed, with combining marks, or without accents."""
    plain, parts = fold_name(char), unicodedata.normalize("NFD", char)
    if plain == parts.casefold():
        return re.escape(char)
    return f"(?:{re.escape(char)}|{re.escape(parts)}|{re.escape(plain)}[{ACCENTS}]*)"


def _parts_words(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()


def neutral_names(tournament: Tournament, entries: list[Entry]) -> dict[str, str]:
    """Return {code: new name}, such as "Player 12" for P0012, always a name that no other player has."""
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


def build_redaction(entries: list[Entry]) -> Redaction:
    texts: list[str] = []
    for entry in entries:
        texts += [entry.alias, entry.contact, entry.external_id, *entry.former_contacts]
        for name in (entry.name, *entry.members, *entry.former_names):
            texts += _name_forms(name, entry.last_name)
    return Redaction(texts)


def _name_forms(name: str, last: str) -> Iterator[str]:
    yield name
    family, comma, given = name.partition(", ")
    if comma:
        yield f"{given} {family}"
    else:
        yield turn_name(name, last)
        yield turn_name(name, name.rpartition(" ")[2])


@service("anonymize", after_end=True, owner=True)
def anonymize_entry(log: Log, code: str) -> None:
    """Remove a player's name and contacts everywhere, in free text also a namesake's. Cannot be undone."""
    anonymize(log, list_person_entries(find_entry(log.tournament, code)))


def anonymize(log: Log, entries: list[Entry]) -> None:
    tournament = log.tournament
    redaction, names = build_redaction(entries), neutral_names(tournament, entries)
    empty = {name: getattr(Entry(), name) for name in EMPTIED}
    for entry in entries:
        fields = {**empty, "name": names[entry.code]}
        if changed := {name: value for name, value in fields.items() if getattr(entry, name) != value}:
            changed["link_number"] = entry.link_number + 1  # the personal code ends, too
            # Set in any case, or the replaced name would be stored as a former one.
            log.set_personal(entry, **{**changed, "former_names": [], "former_contacts": []})
    PushSubscription.objects.filter(entry__in=entries).delete()
    for texts in (tournament.flags, tournament.decklists):
        for sent in texts.filter(entry__in=entries).exclude(text=""):
            log.set_personal(sent, text="")
    for penalty in tournament.penalties.filter(entry__in=entries).exclude(description=""):
        log.set_personal(penalty, description="")
    if log.changes:
        redact_everywhere(tournament, redaction, names)


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
        (tournament.decklists.all(), "actor"),
        (tournament.actions.all(), "actor reason changes"),
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
    for paper in list_snapshots(tournament, PAPER):
        paper.path.unlink(missing_ok=True)
    for snapshot in list_snapshots(tournament):
        try:
            archive = redaction.redact_archive(json.loads(snapshot.path.read_bytes()), names)
            write_whole(snapshot.path, msgspec.json.encode(archive).decode() + "\n")
            os.utime(snapshot.path, (snapshot.at.timestamp(),) * 2)
        except (OSError, ValueError, KeyError):
            snapshot.path.unlink(missing_ok=True)


def due_events(days: int) -> list[Tournament]:
    """List events with contacts that ended `days` ago; unfinished ones count from their start or last change."""
    until = timezone.now() - dt.timedelta(days=days)
    finished = Q(actions__kind="finish") | ~Q(state=Tournament.State.FINISHED)
    ended = Tournament.objects.annotate(last=Max("actions__at", filter=finished)).filter(last__lte=until)
    recent = Q(starts_at__gt=until) & ~Q(state=Tournament.State.FINISHED)
    events = ended.exclude(recent).order_by("slug")
    return [event for event in events if _with_contacts(event).exists() or event.removals.exists()]


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
    log.set_personal_fields(entries, CONTACTS)
    log.set_personal_fields(messages, ("text",))
    PushSubscription.objects.filter(entry__tournament=tournament).delete()
    if log.changes:
        redact_everywhere(tournament, redaction, {})
    tournament.removals.all().delete()


def _with_contacts(tournament: Tournament) -> QuerySet[Entry]:
    left = ~Q(contact="") | ~Q(notes="") | ~Q(former_contacts=[])
    sent = Q(flags__in=tournament.flags.exclude(text="")) | Q(push_subscriptions__isnull=False)
    return tournament.entries.filter(left | sent).order_by("code").distinct()
