"""Head-to-head: order a tied group by its members' matches against each other, in one of five modes.

The result is an order of subgroups, not a number per entry. After a split the rule starts again inside each part,
except in `plus_minus`. Forfeits do not count as meetings.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

from standings.engine.metrics.registry import metric
from standings.engine.records import FORFEIT_KINDS, group_by_value
from standings.engine.scoring import Number

Group = list[str]


class Table(NamedTuple):
    points: dict[str, Number]  # by member, over all meetings inside the group
    met: set[tuple[str, str]]  # pairs that met, in both orders
    beat: set[tuple[str, str]]  # (winner, loser) pairs
    balance: dict[str, int]  # wins − losses
    win: Number  # the most points of a meeting

    def missing(self) -> list[tuple[str, str]]:
        return [pair for pair in combinations(self.points, 2) if pair not in self.met]


class Split(NamedTuple):
    """One application of the rule: the meetings of a group, and the parts it was split into."""

    table: Table
    parts: list[Group]


@metric("order", ascending=True, group=True)
def head_to_head(field, group: Sequence[str], *, mode="minileague", on="match_points") -> list[Group]:
    """Split a tied group by the meetings of its members, and return the parts, best first.

    two_only     groups of two only, by the points of their meetings
    beat_all     first the member who beat all others and lost to none
    minileague   by points, if all have met
    plus_minus   by wins − losses
    fide         by points if all have met, otherwise first a member whom no result of a missing match could overtake

    `on`: what a meeting counts, match_points or victory_points. Source: Play! Pokémon, FFG, CBAI, USCF and FIDE C.07
    "DE", in that order.
    """
    return _order(field, sorted(group), mode, on, [])


def list_splits(field, group: Sequence[str], mode: str, on: str) -> list[Split]:
    """Return each application of the rule by which `head_to_head` orders a group, that to the whole group first."""
    splits: list[Split] = []
    _order(field, sorted(group), mode, on, splits)
    return splits


def _order(field, group: Group, mode: str, on: str, splits: list[Split]) -> list[Group]:
    if len(group) < 2:
        return [group]
    table = _table(field, group, on)
    parts = _split(table, mode)
    splits.append(Split(table, parts))
    if len(parts) == 1 or mode == "plus_minus":
        return parts
    return [smaller for part in parts for smaller in _order(field, part, mode, on, splits)]


def _table(field, group: Group, on: str) -> Table:
    members = set(group)
    table = Table(dict.fromkeys(group, 0), set(), set(), dict.fromkeys(group, 0), field.scoring.win)
    for entry in group:
        for line in field.records[entry].rounds:
            if line.opponent not in members or line.kind in FORFEIT_KINDS:
                continue
            table.met.add((entry, line.opponent))
            table.points[entry] += worth_on(field, line, on)
            if line.outcome == "W":
                table.beat.add((entry, line.opponent))
            table.balance[entry] += (line.outcome == "W") - (line.outcome == "L")
    return table


def worth_on(field, line, on: str) -> Number:
    if on == "match_points":
        return field.scoring.match_points(line)
    return line.score[0] if line.score else 0


def _split(table: Table, mode: str) -> list[Group]:
    """Return the parts of the group, best first: one part if the matches decide nothing."""
    if mode == "plus_minus":
        return group_by_value(table.points, table.balance.__getitem__)
    if mode == "beat_all":
        return group_by_value(table.points, partial(_beat_all, table))
    if mode == "fide" and table.missing():
        return group_by_value(table.points, partial(_stays_first, table))
    decides = len(table.points) == 2 and table.met if mode == "two_only" else not table.missing()
    return group_by_value(table.points, table.points.__getitem__) if decides else [list(table.points)]


def _beat_all(table: Table, entry: str) -> bool:
    others = [other for other in table.points if other != entry]
    return all((entry, other) in table.beat and (other, entry) not in table.beat for other in others)


def _stays_first(table: Table, entry: str) -> bool:
    """Whether no result of a missing match could bring anyone else level with this member."""
    met, possible = Counter(member for member, _ in table.met), len(table.points) - 1
    return all(
        table.points[entry] > points + table.win * (possible - met[other])
        for other, points in table.points.items()
        if other != entry
    )
