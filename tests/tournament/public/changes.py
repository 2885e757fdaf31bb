"""Every field of an event's facts, changed as a service changes it."""

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db import models
from django.utils import timezone

from tournament.actionlog.change import open_action
from tournament.actionlog.facts import (
    ENTRY,
    EXTENSION,
    PUBLIC_PERSONAL_FIELDS,
    ROUND,
    STAGE,
    STAGE_ENTRY,
    TOURNAMENT,
    Kind,
    to_log,
)
from tournament.actionlog.match_facts import read_match
from tournament.models import Extension, Match, RulesetVersion, StageEntry, Tournament

OTHERS: dict[str, Any] = {  # where the next number or one letter more is no value
    "time_zone": "Asia/Tokyo",
    "table_plan": "B 1-40",
    "forbidden": [["P0003", "P0004"]],
    "screens": ["clock", "tables"],
    "prizes": [],
    "labels": ["North"],
    "members": ["Zed", "Yan"],
    "requested_byes": [{"round": 7, "kind": "half"}],
    "start": "3",
    "overrides": {},
    "sources": [],
}
RESULTS: dict[str, Any] = {  # of a match
    "games": [0, 2, 0],
    "winner": "b",
    "result": "intentional_draw",
    "first": "a",
    "score": ["1", "2"],
    "game_order": "bb",
    "replays": [],
    "decided": "seed",
    "best_of": 5,
    "slot": "W9",
}


class Change(NamedTuple):
    """One field of one row with another value. `field`: as `shown` names it."""

    row: Any
    name: str
    value: Any
    personal: bool = False

    @property
    def field(self) -> str:
        return f"{type(self.row).__name__}.{self.name}"

    def write(self, tournament: Tournament) -> None:
        """Write it through the one door. Raises what a constraint refuses."""
        tournament.refresh_from_db()
        with open_action(tournament, "test") as log:
            row = log.tournament if isinstance(self.row, Tournament) else self.row
            if not isinstance(row, Tournament):
                row.refresh_from_db()
            write = log.set_personal if self.personal else log.set
            write(row, **{self.name: self.value})


def changes_of(tournament: Tournament) -> Iterator[Change]:
    """Another value for each field of a row of each kind, of every round, and of the names of another player."""
    first, other = tournament.entries.order_by("code")[:2]
    rows: dict[Kind, list[Any]] = {
        TOURNAMENT: [tournament],
        ENTRY: [first],
        STAGE: list(tournament.stages.all()[:1]),
        STAGE_ENTRY: list(StageEntry.objects.filter(stage__tournament=tournament, seed=1)),
        ROUND: list(tournament.rounds.all()),
        EXTENSION: list(Extension.objects.filter(match__round__tournament=tournament)),
    }
    for kind, of_kind in rows.items():
        for row in of_kind:
            yield from _changes_of_row(row, kind, (*kind.fields, *kind.personal))
    yield from _changes_of_row(other, ENTRY, (*PUBLIC_PERSONAL_FIELDS, "status"))
    for match in Match.objects.filter(round__tournament=tournament, table=1).select_related("round"):
        fact = read_match(match).to_log()
        for name, value in RESULTS.items():
            if fact[name] != value:
                yield Change(match, name, value)


def _changes_of_row(row: Any, kind: Kind, names: Iterable[str]) -> Iterator[Change]:
    for name in names:
        for value in other_values(row, kind.column(name)):
            yield Change(row, name, value, name in kind.personal)


def other_values(row: Any, column: models.Field) -> list[Any]:
    """A value of that column that the row does not have; none where none is known."""
    value = getattr(row, column.name)
    if column.name in OTHERS:
        return [OTHERS[column.name]] if OTHERS[column.name] != value else []
    if column.choices:
        return [choice for choice, _label in column.choices if choice != value][:1]
    if isinstance(column, models.BooleanField):
        return [not value]
    if isinstance(column, models.DateTimeField):
        return [to_log((value or timezone.now()) + dt.timedelta(hours=1))]
    if isinstance(column, models.CharField | models.TextField):
        return [f"{value}z"]
    if isinstance(column, models.IntegerField):
        return [(value or 0) + 1]
    if column.name == "best_of":  # of a stage
        return [[5]]
    if column.name == "profile" and value:
        return [{**value, "title": "Other rules"}]
    if column.name == "ruleset" and value:
        other = RulesetVersion.objects.exclude(key=value.key).order_by("key").first()
        return [[other.key, other.version]]
    if column.name == "pairing" and value:
        return [{**value, "seed": "f" * 32, "attempt": 9}]
    return []
