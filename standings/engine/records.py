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
    for number, results in rounds:
        for match in results:
            for entry, line in _lines(number, match, games_to_win):
                if entry not in records:
                    records[entry] = Record(entry)
                records[entry].rounds.append(line)
    return records


def _lines(number: int, match: Result, games_to_win: int | None = None):
    """The one or two round records of a match, each with its entry."""
    if match.b is None:
        kind, outcome = ALONE[match.result]
        yield match.a, RoundRecord(number, kind, None, outcome, match.games, None, match.score)
        return
    kind_a, kind_b, outcome_a, outcome_b = _sides(match, games_to_win)
    won, lost, drawn = match.games
    score_b = None if match.score is None else (match.score[1], match.score[0])
    side_a, side_b = MOVES[match.first]
    order_a, order_b = _orders(match.order)
    yield match.a, RoundRecord(number, kind_a, match.b, outcome_a, match.games, side_a, match.score, order_a)
    yield (
        match.b,
        RoundRecord(number, kind_b, match.a, outcome_b, (lost, won, drawn), side_b, score_b, order_b),
    )


FROM_A, FROM_B = str.maketrans("abd", "WLD"), str.maketrans("abd", "LWD")


def _orders(order: str | None) -> tuple[str | None, str | None]:
    """The games in turn as a sees them, and as b does."""
    return (order.translate(FROM_A), order.translate(FROM_B)) if order else (None, None)


def _sides(match: Result, games_to_win: int | None = None) -> tuple[str, str, str, str]:
    """(kind of a, kind of b, outcome of a, outcome of b)."""
    if match.result == "double_loss":
        return "double_loss", "double_loss", "L", "L"
    if match.result == "forfeit":
        return FORFEITS[match.winner]
    won, lost, drawn = match.games
    unfinished = games_to_win is not None and drawn and max(won, lost) < games_to_win
    if match.result == "intentional_draw" or won == lost or unfinished:
        return "played", "played", "D", "D"
    return ("played", "played", "W", "L") if won > lost else ("played", "played", "L", "W")
