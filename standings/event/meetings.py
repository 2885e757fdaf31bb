"""Elimination matches as the bracket reads them: who advances, and the points for placing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from standings.engine.bracket.types import Meeting
from tournament.event.types import Event, Match, Round

HALF = Fraction(1, 2)


def winner_side_of(match: Match, seeds: Sequence[str] = ()) -> str | None:
    """The side that advances from an elimination match, "a" or "b"; None if no one does, or nothing decides it.

    Repeat games decide in order; if the last one is a draw too, the recorded decision does (ClineCON).
    """
    if match.b is None:
        return "a"
    if match.result == "forfeit":
        return match.winner
    if match.result not in ("played", "intentional_draw"):
        return None
    for games in (match.games, *(replay["games"] for replay in match.replays)):
        if games is not None and games[0] != games[1]:
            return "a" if games[0] > games[1] else "b"
    if match.decided == "higher_seed" and match.winner is None:
        return _higher_seed(match, seeds)
    return match.winner


def _higher_seed(match: Match, seeds: Sequence[str]) -> str | None:
    """The side with the better seed; None if one has none."""
    place = {entry: n for n, entry in enumerate(seeds)}
    if match.a not in place or match.b not in place:
        return None
    return "a" if place[match.a] < place[match.b] else "b"


def meeting_of(event: Event, round_: Round, match: Match, seeds: Sequence[str]) -> Meeting:
    """The match as the bracket reads it; `ref` is (round number, match)."""
    side = winner_side_of(match, seeds)
    drawn = side is None and match.result in ("played", "intentional_draw")
    if drawn and event.profile["elimination"].get("draw_rule") == "higher_seed":
        side = _higher_seed(match, seeds)
    no_winner = match.result in ("forfeit", "double_loss") or round_.status == "complete"
    final = match.b is None or (match.result is not None and (side is not None or no_winner))
    winner = {"a": match.a, "b": match.b, None: None}[side]
    return Meeting(match.a, match.b, winner, final, match.slot, _points(match, side), (round_.number, match))


def _points(match: Match, side: str | None) -> tuple[Fraction, Fraction]:
    """Points of a and b for placing: a win 1, a draw ½, each repeat game by its result.

    A player who advances by a decision after a draw scores no more than the draw. Source: ClineCON.
    """
    if match.result is None or match.result == "double_loss":
        return Fraction(0), Fraction(0)
    if match.b is None or match.result == "forfeit":
        return Fraction(side == "a"), Fraction(side == "b")
    a = b = Fraction(0)
    for games in (match.games or (0, 0, 1), *(replay["games"] for replay in match.replays)):
        won = HALF if games[0] == games[1] else Fraction(games[0] > games[1])
        a, b = a + won, b + 1 - won
    return a, b
