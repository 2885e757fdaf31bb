"""Head-to-head: a tied group ordered by the matches of its members against each other, in one of five modes.

The result is an order of groups, not a number for an entry. After a split the rule starts again inside each
smaller part, except in `plus_minus`. Forfeits are no meetings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from standings.engine.metrics.registry import UnknownMetric, metric
from standings.engine.records import FORFEIT_KINDS
from standings.engine.scoring import Number

Group = list[str]


class Table(NamedTuple):
    """The meetings of a group's members with each other.

    `points`: by member, over all meetings inside the group. `met`: pairs that met, in both orders. `beat`:
    (winner, loser) pairs. `balance`: wins − losses. `win`: the most points of a meeting.
    """

    points: dict[str, Number]
    met: set[tuple[str, str]]
    beat: set[tuple[str, str]]
    balance: dict[str, int]
    win: Number

    def all_met(self) -> bool:
        """Whether every pair met."""
        return all(pair in self.met for pair in combinations(self.points, 2))

    def missing(self) -> list[tuple[str, str]]:
        """The pairs that never met."""
        return [pair for pair in combinations(self.points, 2) if pair not in self.met]


@metric("order", ascending=True, group=True)
def head_to_head(field, group: Sequence[str], *, mode="minileague", on="match_points") -> list[Group]:
    """The tied group as groups, best first. Raises UnknownMetric for an unknown `mode` or `on`.

    two_only: exactly two members, by the points of their meetings. beat_all: first the member who beat all
    others and lost to none. minileague: by points, if all met. plus_minus: wins − losses. fide: by points if
    all met, otherwise first the member whom no results of the missing matches could overtake. `on`: what a
    meeting is worth, match_points or victory_points.
    Source: Play! Pokémon, FFG, CBAI, USCF and FIDE C.07 "DE", in that order.
    """
    if mode not in MODES:
        raise UnknownMetric(f"Unknown head-to-head mode {mode!r}. Known modes: {', '.join(MODES)}.")
    if on not in ("match_points", "victory_points"):
        raise UnknownMetric(f"Head-to-head is counted on match_points or victory_points, not {on!r}.")
    return _ordered(field, sorted(group), MODES[mode], on, restart=mode != "plus_minus")


class Split(NamedTuple):
    """One application of the rule: the meetings of a group, and the parts it was split into."""

    table: Table
    parts: list[Group]


def splits_of(field, group: Sequence[str], *, mode="minileague", on="match_points") -> list[Split]:
    """Every application of the rule by which `head_to_head` orders a group, the whole group first."""
    splits: list[Split] = []
    _ordered(field, sorted(group), MODES[mode], on, mode != "plus_minus", splits)
    return splits


def _ordered(
    field,
    group: Group,
    split: Callable[[Table], list[Group]],
    on: str,
    restart: bool,
    splits: list[Split] | None = None,
) -> list[Group]:
    if len(group) < 2:
        return [group]
    table = _table(field, group, on)
    parts = split(table)
    if splits is not None:
        splits.append(Split(table, parts))
    if len(parts) == 1 or not restart:
        return parts
    return [smaller for part in parts for smaller in _ordered(field, part, split, on, restart, splits)]


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
    """What a meeting is worth: match points, or the points scored in it."""
    if on == "match_points":
        return field.scoring.match_points(line)
    return line.score[0] if line.score else 0


def _by(values: dict) -> list[Group]:
    """Groups of equal value, greatest first."""
    parts: dict = {}
    for entry, value in values.items():
        parts.setdefault(value, []).append(entry)
    return [parts[value] for value in sorted(parts, reverse=True)]


def _two_only(table: Table) -> list[Group]:
    return _by(table.points) if len(table.points) == 2 and table.met else [list(table.points)]


def _minileague(table: Table) -> list[Group]:
    return _by(table.points) if table.all_met() else [list(table.points)]


def _plus_minus(table: Table) -> list[Group]:
    return _by(table.balance)


def _first_and_rest(table: Table, first: str | None) -> list[Group]:
    group = list(table.points)
    return [group] if first is None else [[first], [entry for entry in group if entry != first]]


def _beat_all(table: Table) -> list[Group]:
    def is_first(entry: str) -> bool:
        others = [other for other in table.points if other != entry]
        return all((entry, other) in table.beat and (other, entry) not in table.beat for other in others)

    return _first_and_rest(table, next((entry for entry in table.points if is_first(entry)), None))


def _fide(table: Table) -> list[Group]:
    if table.all_met():
        return _by(table.points)
    met = Counter(entry for entry, _ in table.met)
    others = len(table.points) - 1
    most = {entry: points + table.win * (others - met[entry]) for entry, points in table.points.items()}
    best = max(table.points, key=lambda entry: (table.points[entry], entry))
    certain = all(table.points[best] > most[other] for other in table.points if other != best)
    return _first_and_rest(table, best if certain else None)


MODES: dict[str, Callable[[Table], list[Group]]] = {
    "two_only": _two_only,
    "beat_all": _beat_all,
    "minileague": _minileague,
    "plus_minus": _plus_minus,
    "fide": _fide,
}
