"""The next step of an elimination match: a first game, a repeat game, or a decision without one.

Rules for a drawn match (`elimination.draw_rule`): `not_allowed`; `higher_seed` (the better seed advances); and
ClineCON's `replay_colours_swapped_else_higher_seed`: a repeat game with the other player first if that leaves
enough time for the later rounds, otherwise the better seed advances. A final that is drawn twice, or in which a
finalist insists when time is short, is decided by the tiebreaker: points scored in the elimination, then the
organizer.

Source: ClineCON, "Top six places" 1. No clock here: minutes come from the caller.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

NOT_ALLOWED = "not_allowed"
HIGHER_SEED = "higher_seed"
REPLAY = "replay_colours_swapped_else_higher_seed"
# What else a drawn match is decided by, besides HIGHER_SEED: the opponent has left.
TIEBREAK, FORFEIT = "tiebreak", "forfeit"

# What decides first moves, in ClineCON's order.
FIRST_MOVES = ("not_same_all_rounds", "alternate", "higher_seed_precedence")
# Of a repeat game, where the ruleset's `elimination.replay` says nothing (ClineCON's numbers).
LIMITS = {"min_minutes_per_player": 20, "delay_s_per_move": 30, "min_remaining_minutes_for_later_rounds": 50}


class Time(NamedTuple):
    """Minutes left in this round and to the end of the stage; None if no end is set."""

    of_round: int | None = None
    of_stage: int | None = None


class Due(NamedTuple):
    """The next step of an elimination match."""

    # `game` (its first), `repeat`, `higher_seed` (too little time for a repeat game), `insist` (a repeat game
    # unless a finalist insists on the tiebreaker), `tiebreak`, or `over`.
    kind: str
    first: str | None = None  # the side that moves first in the repeat game, if sides are known
    minutes_each: int = 0  # the repeat game's time control
    delay_s: int = 0
    later: int | None = None  # minutes it leaves for the later rounds, None if no end is set


def next_due(
    games: Sequence[tuple[int, int, int]],
    rule: str,
    *,
    final: bool = False,
    first: str | None = None,
    decided: bool = False,
    time: Time = Time(),  # noqa: B008  (a plain value)
    limits: Mapping[str, Any] | None = None,
) -> Due:
    """Return the next step of a match with these games (a's wins, b's wins, drawn), repeat games included.

    `first`: who moved first in the first game. `limits`: the ruleset's `elimination.replay`.
    """
    if not games:
        return Due("game")
    if decided or rule == HIGHER_SEED or any(won != lost for won, lost, _ in games):
        return Due("over")
    if rule != REPLAY:
        return Due("game")  # a draw that is not allowed decides nothing
    if final and len(games) > 1:
        return Due("tiebreak")
    given = {name: value for name, value in (limits or {}).items() if value is not None}
    least, delay, keep = (LIMITS | given).values()
    each = max(least, (time.of_round or 0) // 2)
    later = None if time.of_stage is None else time.of_stage - 2 * each
    # Each repeat game swaps the sides of the one before.
    swapped = {"a": "b", "b": "a"}.get(first or "") if len(games) % 2 else first
    if final:
        short = time.of_stage is not None and time.of_stage < keep
        kind = "insist" if short else "repeat"
    else:
        kind = "higher_seed" if later is not None and later < keep else "repeat"
    return Due(kind, swapped, each, delay, later)


def winner_by_points(a: Fraction, b: Fraction) -> str | None:
    """Return the winner of a drawn final by tiebreaker: the side with more points in the elimination.

    None if the points are equal: the organizer decides. Source: ClineCON, "Top six places" 2, which leaves equal points
    open.
    """
    return None if a == b else ("a" if a > b else "b")


def first_mover_of(
    a: Sequence[str],
    b: Sequence[str],
    seed_a: int,
    seed_b: int,
    last: bool,
    rules: Sequence[str] = FIRST_MOVES,
) -> str:
    """Return the side ("a" or "b") that moves first, by the ruleset's `elimination.colours`, most important first.

    `a`, `b`: the sides each had in the rounds before ("first" or "second"), without repeat games.
    `not_same_all_rounds`: in the `last` round an entrant that always had one side gets the other. `alternate`: each
    gets the other side than last time. If both are due the same side, the better seed (the lower number) gets it; if
    neither is due one, or at `higher_seed_precedence`, the better seed moves first. Source: ClineCON, "Elimination
    session pairing" 1 and 2.
    """
    better, worse = ("a", "b") if seed_a < seed_b else ("b", "a")
    other = {"first": "second", "second": "first"}
    for rule in rules:
        if rule == "higher_seed_precedence":
            break
        had = (_only(a, last), _only(b, last)) if rule == "not_same_all_rounds" else (a[-1:], b[-1:])
        due_a, due_b = (other[sides[0]] if sides else None for sides in had)
        if due_a and due_a == due_b:
            return better if due_a == "first" else worse
        if due_a or due_b:
            return "a" if due_a == "first" or due_b == "second" else "b"
    return better


def _only(sides: Sequence[str], last: bool) -> Sequence[str]:
    return sides[:1] if last and len(sides) > 1 and len(set(sides)) == 1 else ()
