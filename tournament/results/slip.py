"""Match slips as plain values: what players hand in, and what a slip of their match may say.

A slip says games won by a and b and drawn games, or how else the match ended; where the ruleset records them
also the points made inside the match, and who won which game. As text: `tournament.results.shorthand`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournament.results.game_points import Score, leading_side
from tournament.rulesets import (
    ScoreRules,
    asks_game_order,
    default_games,
    draws_in_bracket,
    score_rules,
    wins_needed,
)


@dataclass(frozen=True, slots=True)
class Slip:
    """A match's result as it is handed in.

    winner      "a", "b" or ""; of a forfeit only
    unfinished  a game was not finished when time ran out
    drops       the sides that drop: "", "a", "b" or "ab"
    order       who won each game in turn, such as "abd", where the ruleset needs it
    """

    result: str = "played"
    a: int = 0
    b: int = 0
    drawn: int = 0
    winner: str = ""
    unfinished: bool = False
    drops: str = ""
    score: Score | None = None
    order: str = ""

    @property
    def games(self) -> tuple[int, int, int]:
        """Wins of a, wins of b, drawn games; an unfinished game is a drawn one (DCI rules of 1999)."""
        return (self.a, self.b, self.drawn + (1 if self.unfinished else 0))


@dataclass(frozen=True, slots=True)
class MatchRules:
    """What a slip is checked against."""

    best_of: int = 3
    draws: bool = True
    intentional: bool = True
    elimination: bool = False
    scores: ScoreRules | None = None
    order: bool = False  # it matters who won which game
    void_unfinished: bool = False  # a game unfinished when time ran out does not count

    @property
    def to_win(self) -> int:
        """How many games win the match."""
        return wins_needed(self.best_of)

    @property
    def by_score(self) -> bool:
        """Whether the score says who won, so that no games are entered."""
        return self.scores is not None and self.scores.decides


def match_rules_of(profile: dict[str, Any], best_of: int, *, swiss: bool) -> MatchRules:
    """What a slip of a match of that length is checked against."""
    allowed = profile["draws_allowed"]
    return MatchRules(
        best_of=best_of,
        draws=bool(allowed["match"]) if swiss else draws_in_bracket(profile),
        intentional=bool(allowed["intentional"]) and swiss,
        elimination=not swiss,
        scores=score_rules(profile, best_of),
        order=swiss and asks_game_order(profile),
        void_unfinished=profile.get("unfinished_games") == "void",
    )


def apply_rules(slip: Slip, rules: MatchRules) -> Slip:
    """The slip as its ruleset counts it: an unfinished game may not count, and 0-0-3 is an intentional draw."""
    if rules.void_unfinished:
        slip = replace(slip, unfinished=False)
    agreed = slip.result == "played" and slip.games == (0, 0, 3) and rules.best_of == 3
    return replace(slip, result="intentional_draw", drawn=0) if agreed and rules.intentional else slip


def plain_slip(slip: Slip, rules: MatchRules) -> Slip:
    """The slip in the one form that all slips with its result share."""
    slip = apply_rules(slip, rules)
    order = game_order_of(slip) if rules.order else ""
    return replace(slip, drawn=slip.games[2], unfinished=False, order=order)


def turn_slip(slip: Slip) -> Slip:
    """The same slip with the other player listed first."""
    turn = str.maketrans("ab", "ba")
    return replace(
        slip,
        a=slip.b,
        b=slip.a,
        winner=slip.winner.translate(turn),
        drops="".join(sorted(slip.drops.translate(turn))),
        score=slip.score and (slip.score[1], slip.score[0]),
        order=slip.order.translate(turn),
    )


def slip_of_score(score: Score) -> Slip:
    """The slip of a match of one game, won by the side with more points."""
    winner = leading_side(score)
    return Slip("played", int(winner == "a"), int(winner == "b"), int(not winner), score=score)


def slip_of_order(order: str) -> Slip:
    """The slip of games won in that order, such as "aba"."""
    return Slip("played", order.count("a"), order.count("b"), order.count("d"), order=order)


def usual_draw(rules: MatchRules) -> Slip:
    """The most common drawn match: 1-1 in best of 3, one drawn game in best of 1."""
    even = rules.to_win - 1
    return Slip("played", even, even, 0 if even else 1)


def usual_slips(rules: MatchRules) -> list[Slip]:
    """The most common scores, best for a first: the buttons on a row. None where points are recorded."""
    if rules.scores is not None:
        return []
    to_win = rules.to_win
    games_lost = [0] if rules.best_of % 2 == 0 else list(range(to_win))
    wins = [Slip("played", to_win, lost) for lost in games_lost]
    drawn = [usual_draw(rules)] if rules.draws else []
    if rules.order and drawn:
        drawn = [slip_of_order("ab"), slip_of_order("ba")]
    return wins + drawn + [Slip("played", slip.b, slip.a) for slip in reversed(wins)]


def reported_slips(rules: MatchRules) -> list[Slip]:
    """What a player reports by one button, best for the player first: the usual scores, no game won, agreed."""
    slips = usual_slips(rules)
    if slips and rules.draws and rules.to_win > 1 and not rules.order:
        slips.append(Slip(drawn=1))
    return slips + ([Slip("intentional_draw")] if rules.intentional else [])


def game_order_of(slip: Slip) -> str:
    """Who won each game in turn, where the slip says it or its games leave no doubt; else ""."""
    if slip.order or slip.result != "played":
        return slip.order
    runs = [letter * count for letter, count in zip("abd", slip.games, strict=True) if count]
    return runs[0] if len(runs) == 1 else ""


def winner_of(result: str | None, games: Sequence[int] | None, winner: str = "") -> str:
    """ "a", "b", or "" for a drawn or undecided match. `winner`: of a forfeit."""
    if result == "forfeit":
        return winner
    if result == "played" and games and games[0] != games[1]:
        return "a" if games[0] > games[1] else "b"
    return ""


def recorded_games(slip: Slip, profile: dict[str, Any]) -> list[int] | None:
    """The games as the log keeps them; None where the ruleset gives them. Raises ValueError for an unknown result."""
    if slip.result == "played":
        return list(slip.games)
    default_games(profile, slip.result, slip.winner or None)
    return None
