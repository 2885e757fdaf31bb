"""One action while it is described: names, clock, and what its sentences only count."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tournament.actionlog.facts import Kind
from tournament.actionlog.match_facts import Fact
from tournament.event.table_plan import NO_PLAN, TablePlan
from tournament.history.field_words import field_label, field_value_words

MOST_NAMED = 3

# (round, table, side): the player's code, and the account if the player is also on the staff
Seats = Mapping[tuple[int, int, str], tuple[str, str]]


@dataclass
class Context:
    """One action being described. `actor` did it, `kind` is what was done; `details` is what its sentence only counts.

    What is gathered over all its changes: `players` by what happened to them, new `seeds` (after, before, name),
    `places` among tied players (0: none), `moved` {code: {"from", "to": stage}}, players `qualified` for the
    bracket, matches `seated` by round, and rounds without an opponent: `alone` {(code, round): (result, result
    before)}.
    """

    names: Mapping[str, str]  # of players, by code
    seats: Seats
    zone: dt.tzinfo
    plan: TablePlan = NO_PLAN
    checked: Mapping[str, str] = field(default_factory=dict)  # whose deck, by the number of the deck check
    actor: str = ""
    kind: str = ""
    details: list[str] = field(default_factory=list)
    players: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    seeds: list[tuple[int | None, int | None, str]] = field(default_factory=list)
    places: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    moved: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    qualified: int = 0
    seated: Counter[int] = field(default_factory=Counter)
    alone: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)

    def name(self, code: str) -> str:
        """A player's name today; the code of one who is gone."""
        return self.names.get(code, code)

    def capitalize(self, sentence: str) -> str:
        """A sentence with a capital first; a name at its beginning stays as it is written ("van Dam")."""
        named = sentence[:1].islower() and sentence.startswith(tuple(self.names.values()))
        return sentence if named else sentence[:1].upper() + sentence[1:]

    def table(self, number: int | str) -> str:
        """What a table is called today."""
        return self.plan.name(int(number))

    def clock(self, moment: str, form: str) -> str:
        """A moment of the log on the event's own clock."""
        return dt.datetime.fromisoformat(moment).astimezone(self.zone).strftime(form)

    def count(self, names: Sequence[str], few: object, many: object) -> str:
        """What happened to these players: a few by name, of many the first ones and their number."""
        values = {"count": len(names), "names": ", ".join(names[:MOST_NAMED])}
        if len(names) <= MOST_NAMED:
            return str(few) % values
        self.details += names
        return str(many) % values

    def fields(
        self, kind: Kind, before: Fact, after: Fact, *, silent: Collection[str], of: str = ""
    ) -> Iterator[str]:
        """Each changed field: its label, old and new value, after the name of whose it is.

        Fields that are `silent`, or no columns of the kind (in the log of a file), are left out.
        """
        for name, value in after.items():
            if name in silent or name not in kind.fields:
                continue
            old, new = (field_value_words(kind, name, v, self.zone) for v in (before.get(name), value))
            yield f"{of + ': ' if of else ''}{field_label(kind, name)} {old} → {new}"
