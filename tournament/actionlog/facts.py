"""The kinds of facts: the natural key of each row in the log, and which of its columns are facts.

A *fact* is a dict of JSON values under a key that means the same on every machine:

    tournament                      stages/2                   stages/2/entries/P0007
    entries/P0007                   rounds/4                   penalties/3, deck-checks/5, decklists/7
    rounds/4/tables/12              rounds/4/entries/P0003 (a match without a table, named by its first seat)
    rounds/4/tables/12/extension    flags/2
    rounds/4/tables/12/reports/a

Names, types, limits, defaults and labels come from the model. A column is a fact unless it is `editable=False` or named
here as part of the key, personal, or excluded. Matches are one fact over two tables: `match_facts`.
"""

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import DateTimeField, Field, ForeignKey, Model
from django.utils.dateparse import parse_datetime
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from tournament import models
from tournament.actionlog.match_facts import MATCH_FIELDS, Fact, MatchFact, find_match, match_key
from tournament.errors import Refused
from tournament.models import Entry, Match, Round, Stage, Tournament


@dataclass(frozen=True)
class Kind:
    model: type[Model]
    key: str  # the natural key, with columns in braces; related rows appear as `to_log` names them
    personal: tuple[str, ...] = ()  # columns that stay out of the log; it only says that they changed
    excluded: tuple[str, ...] = ()  # columns that are no facts, besides those that are `editable=False`

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>.+?)", self.key))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        others = {"tournament", *self.pattern.groupindex, *self.personal, *self.excluded}
        columns = self.model._meta.concrete_fields
        return tuple(c.name for c in columns if c.editable and not c.primary_key and c.name not in others)

    def check_lengths(self, fields: Fact) -> None:
        """Raise Refused for a text longer than its column, because SQLite would accept it."""
        for name, value in fields.items():
            longest = self.column(name).max_length
            if longest and isinstance(value, str) and len(value) > longest:
                text = _("%(what)s can have at most %(longest)s characters.")
                raise Refused(text, what=self.label_of(name), longest=longest)

    def label_of(self, name: str) -> str:
        return capfirst(str(self.column(name).verbose_name))

    def column(self, name: str) -> Field:
        column = self.model._meta.get_field(name)
        assert isinstance(column, Field)
        return column

    def key_of(self, row: Model) -> str:
        return self.key.format(**{name: to_log(getattr(row, name)) for name in self.pattern.groupindex})

    def parse_identity(self, tournament: Tournament, key: str) -> dict[str, Any]:
        """Return the column values that follow from the key. Raises DoesNotExist if a row named in the key is gone."""
        match = self.pattern.fullmatch(key)
        assert match, f"{key} is no key of {self.key}"
        columns: dict[str, Any] = {"tournament": tournament} if hasattr(self.model, "tournament") else {}
        for name, text in match.groupdict().items():
            column = self.column(name)
            value = text if column.is_relation else column.to_python(text)
            columns[name] = from_log(tournament, column, value)
        return columns

    def find(self, tournament: Tournament, key: str) -> Any:
        if self is TOURNAMENT:
            return tournament
        identity = self.parse_identity(tournament, key)
        row = self.model._default_manager.get(**identity)
        for name, value in identity.items():
            setattr(row, name, value)  # so that its key costs no query
        return row


TOURNAMENT = Kind(Tournament, "tournament", excluded=("slug", "owner"))
STAGE = Kind(Stage, "stages/{number}")
STAGE_ENTRY = Kind(models.StageEntry, "stages/{stage}/entries/{entry}")
# Personal columns of an entry that the archive contains.
PUBLIC_PERSONAL_FIELDS = tuple("name last_name alias members captain display_name_only former_names".split())
_SECRET = ("contact", "notes", "external_id", "user", "key_hash", "link_number", "former_contacts")
ENTRY = Kind(Entry, "entries/{code}", personal=PUBLIC_PERSONAL_FIELDS + _SECRET)
ROUND = Kind(Round, "rounds/{number}", excluded=("swiss",))  # copied from the stage
# {column: the columns whose earlier values it keeps}
FORMER = {"former_names": ("name", "alias", "members"), "former_contacts": ("contact", "external_id")}
PENALTY = Kind(models.Penalty, "penalties/{number}", personal=("description",))
DECK_CHECK = Kind(models.DeckCheck, "deck-checks/{number}")
EXTENSION = Kind(models.Extension, "{match}/extension")
REPORT = Kind(models.Report, "{match}/reports/{source}")
FLAG = Kind(models.Flag, "flags/{number}", personal=("text",))
DECKLIST = Kind(models.Decklist, "decklists/{number}", personal=("text",))
# In the order in which their rows are created; the last are deleted first. None: matches.
_ORDER: tuple[tuple[Kind | None, ...], ...] = (
    (TOURNAMENT,),
    (STAGE,),
    (ENTRY,),
    (STAGE_ENTRY,),
    (ROUND, None),
    (EXTENSION, REPORT, PENALTY, DECK_CHECK, DECKLIST),
    (FLAG,),
)
RANK = {kind: rank for rank, kinds in enumerate(_ORDER) for kind in kinds}
KINDS = {kind.model: kind for kind in RANK if kind}
_BY_FIRST_PART = {
    kind.key.split("/")[0]: kind for kind in (TOURNAMENT, ENTRY, PENALTY, DECK_CHECK, DECKLIST, FLAG)
}
# Players' messages to staff: they change no round, and no public page shows them.
STAFF_INBOX = ("decklists/", "flags/")

CLOCK_FIELDS = ("starts_at", "ends_at", "seconds_left", "minutes")  # of a round

# Rows with a natural name within their event: {model: (the event's rows, the column)}.
NAMED: dict[Any, Any] = {Entry: ("entries", "code"), Stage: ("stages", "number"), Round: ("rounds", "number")}

# Fields of the event that have their own services; every other one is a setting (`services.events`).
_NO_SETTINGS = frozenset(
    "state archived ruleset overrides profile forbidden announcement announcement_until decklists_public".split()
)
SETTINGS = tuple(name for name in TOURNAMENT.fields if name not in _NO_SETTINGS)
REGISTRATION_SETTINGS = ("self_registration", "capacity", "self_byes", "check_in_from", "check_in_until")
RULE_SETTINGS = frozenset({"best_of", "team"})  # part of the rules: fixed once round 1 is published
# Names and public settings may change after the end.
SETTINGS_AFTER_END = frozenset(
    "name game venue listed name_privacy name_order hold_standings screens screen_seconds"
    " prizes prize_split prize_currency".split()
)


def find_kind(key: str) -> Kind | None:
    """Return the kind of a key's fact; None for a match. Raises KeyError for a malformed key."""
    first, *rest = key.split("/")
    if first == "rounds":
        return {1: ROUND, 3: None, 4: EXTENSION, 5: REPORT}[len(rest)]
    if first == "stages":
        return {1: STAGE, 3: STAGE_ENTRY}[len(rest)]
    return _BY_FIRST_PART[first]


def is_report(key: str) -> bool:
    return "/reports/" in key


def to_log(value: Any) -> Any:
    """Convert a column's value for the log: datetimes to ISO text in UTC, related rows to their natural names."""
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    if type(value) in NAMED:
        return getattr(value, NAMED[type(value)][1])
    if isinstance(value, Match):
        return match_key(value)
    if isinstance(value, models.RulesetVersion):
        return [value.key, value.version]
    return value


def from_log(tournament: Tournament, column: Field, value: Any) -> Any:
    """Convert a logged value for the column: the inverse of `to_log`. Raises DoesNotExist."""
    if value is None:
        return None
    if isinstance(column, DateTimeField):
        return parse_datetime(value)
    if not isinstance(column, ForeignKey):
        return value
    related = column.related_model
    if related in NAMED:
        rows, name = NAMED[related]
        return getattr(tournament, rows).get(**{name: value})
    if related is Match:
        return find_match(tournament, value)
    return models.RulesetVersion.objects.get(key=value[0], version=value[1])


def with_defaults(key: str, fact: Fact) -> Fact:
    """Return the fact with defaults for fields that were added to its kind later."""
    kind = find_kind(key)
    if kind is None:
        return fact if fact.keys() >= MATCH_FIELDS else MatchFact.from_log(None, fact).to_log()
    missing = [name for name in kind.fields if name not in fact]
    return {**fact, **read_row(kind, kind.model(), missing)} if missing else fact


def read_row(kind: Kind, row: Any, names: Iterable[str] | None = None) -> Fact:
    """Return the named fields of a row (default: all of its kind), as the log writes them."""
    return {name: to_log(getattr(row, name)) for name in (names or kind.fields)}


def former_fields(entry: Entry, fields: Fact) -> Fact:
    """Return the entry's former names and contacts, plus those that `fields` replace."""
    grown: Fact = {}
    for column, names in FORMER.items():
        known = getattr(entry, column)
        old = [text for name in names if name in fields for text in _texts(getattr(entry, name))]
        new = [text for name in names if name in fields for text in _texts(fields[name])]
        gone = [text for text in dict.fromkeys(old) if text and text not in (*new, *known)]
        if gone:
            grown[column] = [*known, *gone]
    return grown


def _texts(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


def write_row(kind: Kind, tournament: Tournament, row: Any, fields: Fact) -> None:
    kind.check_lengths(fields)
    for name, value in fields.items():
        setattr(row, name, from_log(tournament, kind.column(name), value))
    row.save(update_fields=list(fields))


def new_row(kind: Kind, tournament: Tournament, key: str, fields: Fact, personal: Fact | None = None) -> Any:
    """Build an unsaved row for a key. Raises Refused for a text that is too long."""
    kind.check_lengths({**fields, **(personal or {})})
    columns = {name: from_log(tournament, kind.column(name), value) for name, value in fields.items()}
    if kind is ROUND:
        columns["swiss"] = columns["stage"].is_swiss
    return kind.model(**kind.parse_identity(tournament, key), **columns, **(personal or {}))


# --- versions that a change affects ---

SEAT_FIELDS = {"a", "b", "waived"}  # of a match: these change by `Log.reseat`
PAIRING_FIELDS = {*SEAT_FIELDS, "first"}  # a posted pairing changed if one of these did
# Facts that public standings and bracket pages show; of an entry only what standings rank or filter by.
PUBLIC_FACTS = ("tournament", "stages/", "penalties/")
RANKED_BY = frozenset(
    "status joined_round dropped_after lot manual manual_after house late start rating seed_rank labels".split()
)
ANNOUNCED = {"announcement", "announcement_until"}  # in the version of every public page anyway


def is_private_to_table(key: str, before: Fact | None, after: Fact | None, row: Model | None) -> bool:
    """Whether only staff and one table see a change: a Swiss result in an open round, a report, a player's message."""
    if isinstance(row, Match):
        still_there = before and after and not PAIRING_FIELDS & set(after)
        return bool(still_there and row.round.swiss and row.round.state == Round.State.PUBLISHED)
    return key.startswith(STAFF_INBOX) or is_report(key)


def is_public(key: str, before: Fact | None, after: Fact | None) -> bool:
    """Whether the change shows on public standings and bracket pages."""
    whole = before is None or after is None
    if key.startswith("entries/"):
        return whole or bool(RANKED_BY & set(after or ()))
    return key.startswith(PUBLIC_FACTS) and (whole or not set(after or ()) <= ANNOUNCED)
