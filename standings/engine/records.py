"""Records: what each entry did, round by round, seen from its own side.

Everything the standings need is folded from reported matches into these records once; metrics only read them.
Round kinds follow the field's words: `played`, the byes (`bye` given by the pairing, `awarded`, and the
requested `half`, `zero`, `full`), `missed` (a round lost by absence, never a bye), `forfeit_win`,
`forfeit_loss`, `no_show` (a forfeit without winner) and `double_loss`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NamedTuple

BYE_KINDS = frozenset({"bye", "awarded", "half", "zero", "full"})
FORFEIT_KINDS = frozenset({"forfeit_win", "forfeit_loss", "no_show"})

# Results without an opponent, in the archive's words: (kind, outcome).
ALONE = {
    "bye": ("bye", "W"),
    "awarded_bye": ("awarded", "W"),
    "full_bye": ("full", "W"),
    "half_bye": ("half", "D"),
    "zero_bye": ("zero", "L"),
    "missed": ("missed", "L"),
}
# By the winning side of a forfeit: (kind of a, kind of b, outcome of a, outcome of b).
FORFEITS = {
    "a": ("forfeit_win", "forfeit_loss", "W", "L"),
    "b": ("forfeit_loss", "forfeit_win", "L", "W"),
    None: ("no_show", "no_show", "L", "L"),
}
# By who moves first: (side of a, side of b).
MOVES: dict[str | None, tuple[str | None, str | None]] = {
    "a": ("first", "second"),
    "b": ("second", "first"),
    None: (None, None),
}


class Result(NamedTuple):
    """A final match as plain values. `games`: (a's wins, b's wins, drawn); `winner` is for forfeits.

    `order`: who won each game in turn, as a word of a, b and d.
    """

    a: str
    b: str | None
    result: str
    games: tuple[int, int, int]
    winner: str | None = None
    first: str | None = None
    score: tuple[Fraction, Fraction] | None = None
    order: str | None = None


class RoundRecord(NamedTuple):
    """A round of one entry. `outcome` W, D or L; `games` (won, lost, drawn); `side` first or second.

    `score`: points made and conceded inside the match; `order`: its games in turn, as a word of W, L and D.
    """

    number: int
    kind: str
    opponent: str | None
    outcome: str
    games: tuple[int, int, int]
    side: str | None = None
    score: tuple[Fraction, Fraction] | None = None
    order: str | None = None

    @property
    def is_bye(self) -> bool:
        return self.kind in BYE_KINDS


@dataclass(slots=True)
class Record:
    """An entry's rounds in order, and what else the order of standings may look at.

    `left`: dropped or disqualified. `lot` and `manual`: orders drawn or set by hand, 1 best. `start`: score
    at the start (McMahon). `late`: came after the start. `seed`: order before the event, 1 best.
    `external`: values measured outside the matches, by name.
    """

    entry: str
    rounds: list[RoundRecord] = field(default_factory=list)
    left: bool = False
    house: bool = False
    lot: int | None = None
    manual: int | None = None
    rating: int | None = None
    start: int | Fraction = 0
    late: bool = False
    seed: int | None = None
    external: dict[str, int | Fraction] = field(default_factory=dict)


def tally(
    rounds: Iterable[tuple[int, Iterable[Result]]],
    entries: Mapping[str, Record] | Iterable[str] = (),
    games_to_win: int | None = None,
) -> dict[str, Record]:
    """Fold numbered rounds of results into {entry id: Record}; each match is read exactly once.

    `entries` are records to fill (they are changed) or ids; entries only named by a match get a record too.
    `games_to_win`: a match with a drawn game in which nobody won so many is drawn, whoever is ahead
    (Gundam Cross War); by default whoever is ahead has won.
    """
    records: dict[str, Record] = {}
    for entry in entries:
        records[entry] = entries[entry] if isinstance(entries, Mapping) else Record(entry)
    # Large events hold few different matches: what one says of its sides is worked out, and kept, once.
    known: dict[tuple, tuple[Half, ...]] = {}
    for number, results in rounds:
        for a, b, result, games, winner, first, score, order in results:
            told = (b is None, result, games, winner, first, order)
            halves = known.get(told)
            if halves is None:
                halves = known[told] = _halves(*told, games_to_win)
            me = records.get(a) or records.setdefault(a, Record(a))
            kind, outcome, games, side, turns = halves[0]
            if b is None:
                me.rounds.append(_line((number, kind, None, outcome, games, side, score, turns)))
                continue
            # Every mention of an entry is one and the same text, which is found faster later.
            them = records.get(b) or records.setdefault(b, Record(b))
            me.rounds.append(_line((number, kind, them.entry, outcome, games, side, score, turns)))
            kind, outcome, games, side, turns = halves[1]
            score = score and (score[1], score[0])
            them.rounds.append(_line((number, kind, me.entry, outcome, games, side, score, turns)))
    return records


_line = partial(tuple.__new__, RoundRecord)  # the quickest way to make one of a tuple


class Half(NamedTuple):
    """What a match says of one side, whoever sat there; `order` its games in turn as that side sees them."""

    kind: str
    outcome: str
    games: tuple[int, int, int]
    side: str | None = None
    order: str | None = None


def _halves(
    alone: bool,
    result: str, games: tuple[int, int, int], winner: str | None, first: str | None, order: str | None,
    games_to_win: int | None,
) -> tuple[Half, ...]:  # fmt: skip
    """What a match says of a and, where there was one, of b."""
    if alone:
        kind, outcome = ALONE[result]
        return (Half(kind, outcome, games),)
    kind_a, kind_b, outcome_a, outcome_b = _sides(result, games, winner, games_to_win)
    won, lost, drawn = games
    side_a, side_b = MOVES[first]
    order_a, order_b = (order.translate(FROM_A), order.translate(FROM_B)) if order else (None, None)
    return (
        Half(kind_a, outcome_a, games, side_a, order_a),
        Half(kind_b, outcome_b, (lost, won, drawn), side_b, order_b),
    )


FROM_A, FROM_B = str.maketrans("abd", "WLD"), str.maketrans("abd", "LWD")


def _sides(
    result: str, games: tuple[int, int, int], winner: str | None, games_to_win: int | None
) -> tuple[str, str, str, str]:
    """(kind of a, kind of b, outcome of a, outcome of b)."""
    if result == "double_loss":
        return "double_loss", "double_loss", "L", "L"
    if result == "forfeit":
        return FORFEITS[winner]
    won, lost, drawn = games
    unfinished = games_to_win is not None and drawn and max(won, lost) < games_to_win
    if result == "intentional_draw" or won == lost or unfinished:
        return "played", "played", "D", "D"
    return ("played", "played", "W", "L") if won > lost else ("played", "played", "L", "W")


def wins_losses_draws(record: Record) -> tuple[int, int, int]:
    """An entry's rounds won, lost and drawn, byes included."""
    outcomes = [line.outcome for line in record.rounds]
    return outcomes.count("W"), outcomes.count("L"), outcomes.count("D")
