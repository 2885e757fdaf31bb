"""Records: each entry's rounds, from that entry's side.

Match results are folded into these records once; metrics only read them. Kinds of rounds: `played`, the byes (`bye`
from the pairing, `awarded`, and the requested `half`, `zero`, `full`), `missed` (a round lost by absence, never a bye),
`forfeit_win`, `forfeit_loss`, `no_show` (a forfeit without winner) and `double_loss`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

BYE_KINDS = frozenset({"bye", "awarded", "half", "zero", "full"})
SAT_OUT_KINDS = frozenset({"missed", "zero"})  # rounds without a match, and without points for it
NOT_IN_ROUND = "not_in_round"  # the kind of a round of the event that an entry has no record of
FORFEIT_KINDS = frozenset({"forfeit_win", "forfeit_loss", "no_show"})

# Results without an opponent, as the archive names them: (kind, outcome).
ALONE = {
    "bye": ("bye", "W"),
    "awarded_bye": ("awarded", "W"),
    "full_bye": ("full", "W"),
    "half_bye": ("half", "D"),
    "zero_bye": ("zero", "L"),
    "missed": ("missed", "L"),
}
# {side that won the forfeit: (kind of a, kind of b, outcome of a, outcome of b)}.
FORFEITS = {
    "a": ("forfeit_win", "forfeit_loss", "W", "L"),
    "b": ("forfeit_loss", "forfeit_win", "L", "W"),
    None: ("no_show", "no_show", "L", "L"),
}
# {side that moves first: (side of a, side of b)}.
MOVES: dict[str | None, tuple[str | None, str | None]] = {
    "a": ("first", "second"),
    "b": ("second", "first"),
    None: (None, None),
}


class Result(NamedTuple):
    a: str
    b: str | None
    result: str
    games: tuple[int, int, int]  # (a's wins, b's wins, drawn)
    winner: str | None = None  # side that won a forfeit
    first: str | None = None
    score: tuple[Fraction, Fraction] | None = None  # points of a and b in the match
    order: str | None = None  # who won each game in turn, as a string of a, b and d


class RoundRecord(NamedTuple):
    """A round of one entry. `outcome` W, D or L; `games` (won, lost, drawn); `side` first or second."""

    number: int
    kind: str
    opponent: str | None
    outcome: str
    games: tuple[int, int, int]
    side: str | None = None
    score: tuple[Fraction, Fraction] | None = None  # points scored and conceded in the match
    order: str | None = None  # its games in turn, as a string of W, L and D

    @property
    def is_bye(self) -> bool:
        return self.kind in BYE_KINDS


@dataclass(slots=True)
class Record:
    """An entry's rounds in order, and its attributes that metrics may read."""

    entry: str
    rounds: list[RoundRecord] = field(default_factory=list)
    left: bool = False  # dropped or disqualified
    completed: bool = False  # left only after the last Swiss round
    house: bool = False
    lot: int | None = None  # place in the random order, 1 best
    manual: int | None = None  # place in the manual order, 1 best
    rating: int | None = None
    start: int | Fraction = 0  # score at the start (McMahon)
    late: bool = False  # entered after the start
    seed: int | None = None
    # Values measured outside the matches, by name.
    external: dict[str, int | Fraction] = field(default_factory=dict)

    @property
    def left_early(self) -> bool:
        return self.left and not self.completed


def tally(
    rounds: Iterable[tuple[int, Iterable[Result]]],
    entries: Mapping[str, Record] | Iterable[str] = (),
    games_to_win: int | None = None,
) -> dict[str, Record]:
    """Fold numbered rounds of results into {entry id: Record}, reading each match once.

    `entries`: records to fill or ids; others named in a match get a record too. `games_to_win`: a match with a drawn
    game in which neither side won this many games is drawn (Gundam Cross War).
    """
    records: dict[str, Record] = {}
    for entry in entries:
        records[entry] = entries[entry] if isinstance(entries, Mapping) else Record(entry)
    # Large events have few different results, so each kind of match is converted only once.
    known: dict[tuple, tuple[Half, ...]] = {}
    for number, results in rounds:
        for a, b, result, games, winner, first, score, order in results:
            facts = (b is None, result, games, winner, first, order)
            halves = known.get(facts)
            if halves is None:
                halves = known[facts] = _halves(*facts, games_to_win)
            me = records.get(a) or records.setdefault(a, Record(a))
            kind, outcome, games, side, turns = halves[0]
            if b is None:
                me.rounds.append(_line((number, kind, None, outcome, games, side, score, turns)))
                continue
            # Using the same string object for every mention of an entry makes later look-ups faster.
            them = records.get(b) or records.setdefault(b, Record(b))
            me.rounds.append(_line((number, kind, them.entry, outcome, games, side, score, turns)))
            kind, outcome, games, side, turns = halves[1]
            score = score and (score[1], score[0])
            them.rounds.append(_line((number, kind, me.entry, outcome, games, side, score, turns)))
    return records


Half = tuple[str, str, tuple[int, int, int], str | None, str | None]
_line = partial(tuple.__new__, RoundRecord)  # the fastest way to make one from a tuple


def _halves(
    alone: bool,
    result: str, games: tuple[int, int, int], winner: str | None, first: str | None, order: str | None,
    games_to_win: int | None,
) -> tuple[Half, ...]:  # fmt: skip
    if alone:
        kind, outcome = ALONE[result]
        return ((kind, outcome, games, None, None),)
    kind_a, kind_b, outcome_a, outcome_b = _sides(result, games, winner, games_to_win)
    won, lost, drawn = games
    side_a, side_b = MOVES[first]
    order_a, order_b = (order.translate(FROM_A), order.translate(FROM_B)) if order else (None, None)
    return (
        (kind_a, outcome_a, games, side_a, order_a),
        (kind_b, outcome_b, (lost, won, drawn), side_b, order_b),
    )


FROM_A, FROM_B = str.maketrans("abd", "WLD"), str.maketrans("abd", "LWD")


def _sides(
    result: str, games: tuple[int, int, int], winner: str | None, games_to_win: int | None
) -> tuple[str, str, str, str]:
    if result == "double_loss":
        return "double_loss", "double_loss", "L", "L"
    if result == "forfeit":
        return FORFEITS[winner]
    won, lost, drawn = games
    unfinished = games_to_win is not None and drawn and max(won, lost) < games_to_win
    if result == "intentional_draw" or won == lost or unfinished:
        return "played", "played", "D", "D"
    return ("played", "played", "W", "L") if won > lost else ("played", "played", "L", "W")


class Outcomes(NamedTuple):
    """Rounds won, lost and drawn, including byes, and rounds missed or sat out, which are not losses."""

    won: int
    lost: int
    drawn: int
    not_played: int


def count_outcomes(record: Record) -> Outcomes:
    sat_out = sum(line.kind in SAT_OUT_KINDS for line in record.rounds)
    won, lost, drawn = (sum(line.outcome == outcome for line in record.rounds) for outcome in "WLD")
    return Outcomes(won, lost - sat_out, drawn, sat_out)


def group_by_value(
    entries: Iterable[str], key: Callable[[str], Any], descending: bool = True
) -> list[list[str]]:
    """Group entries of equal value, greatest first (or least first), keeping their order inside a group."""
    groups: dict[Any, list[str]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return [groups[value] for value in sorted(groups, reverse=descending)]
