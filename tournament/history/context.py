"""One action while it is described: names, clock, words for its fields, and values that its sentences only count."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils.translation import gettext as _

from tournament.actionlog.facts import Kind
from tournament.actionlog.match_facts import Fact
from tournament.event.formats import moment_words
from tournament.event.prizes import prizes_words
from tournament.event.rounds import RoundName
from tournament.event.table_plan import TablePlan
from tournament.models import Tournament


def field_label(kind: Kind, name: str) -> str:
    return str(kind.column(name).verbose_name)


def field_value_words(kind: Kind, name: str, value: Any, zone: dt.tzinfo = dt.UTC) -> str:
    column = kind.column(name)
    if column.name == "prizes":
        value = prizes_words(value)
    elif column.name == "screens":
        value = [str(Tournament.Screen(screen).label) for screen in value]
    elif column.flatchoices:
        value = dict(column.flatchoices).get(value, value)
    elif isinstance(column, models.DateTimeField) and value:
        value = moment_words(dt.datetime.fromisoformat(value).astimezone(zone), "yMMMd")
    return value_words(value)


def value_words(value: Any) -> str:
    if value is None or value in ([], ""):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


MOST_NAMED = 3

# (round, table, side): the player's code, the account if the player is also on the staff, and the table's name
Seats = Mapping[tuple[int, int, str], tuple[str, str, str]]


@dataclass
class Context:
    """One action being described, with what it did as collected over all its changes."""

    names: Mapping[str, str]  # of players, by code
    seats: Seats
    zone: dt.tzinfo
    rounds: Mapping[int, RoundName]
    plan: TablePlan
    actor: str = ""
    kind: str = ""
    details: list[str] = field(default_factory=list)  # the parts that its sentence only counts
    # {what happened: players}
    players: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    seeds: list[tuple[int | None, str]] = field(default_factory=list)
    # places among tied players (0: none)
    places: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    # {code: {"from", "to": stage}}
    moved: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    qualified: int = 0  # for the bracket
    seated: Counter[int] = field(default_factory=Counter)  # matches by round
    # {(code, round) without an opponent: (result, result before)}
    alone: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)

    def name(self, code: str) -> str:
        """Return a player's current name, or the code of a player who was removed."""
        return self.names.get(code, code)

    def capitalize(self, sentence: str) -> str:
        """Capitalize a sentence, unless it begins with a name ("van Dam")."""
        named = sentence[:1].islower() and sentence.startswith(tuple(self.names.values()))
        return sentence if named else sentence[:1].upper() + sentence[1:]

    def table(self, round_: int, number: int | str) -> str:
        """Return a table's name in a round, by the current plan if it is empty now."""
        seat = self.seats.get((round_, int(number), "a"))
        return seat[2] if seat and seat[2] else self.plan.name(int(number))

    def clock(self, moment: str, form: str) -> str:
        return dt.datetime.fromisoformat(moment).astimezone(self.zone).strftime(form)

    def list_names(self, names: Sequence[str]) -> str:
        """Return a few names; of many, only the first ones and the number of others."""
        first = ", ".join(names[:MOST_NAMED])
        if len(names) <= MOST_NAMED:
            return first
        self.details += names
        return _("%(names)s and %(count)s more") % {"names": first, "count": len(names) - MOST_NAMED}

    def fields(
        self, kind: Kind, before: Fact, after: Fact, *, silent: Collection[str], of: str = ""
    ) -> Iterator[str]:
        """Yield each changed field of `of` with old and new value, except `silent` ones and unknown columns."""
        for name, value in after.items():
            if name in silent or name not in kind.fields:
                continue
            old, new = (field_value_words(kind, name, v, self.zone) for v in (before.get(name), value))
            yield f"{of + ': ' if of else ''}{field_label(kind, name)}: {old} → {new}"
