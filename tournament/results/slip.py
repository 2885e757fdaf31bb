"""What players hand in, read and checked: plain values, no database.

A slip says games won by a and b and drawn games, or that the match was not decided by games; where the ruleset
records them also the points made inside the match, and who won which game. As text: `tournament.results.shorthand`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.errors import Refused
from tournament.results.game_points import Score, check_score, leading_side, score_text
from tournament.rulesets import (
    ScoreRules,
    asks_game_order,
    default_games,
    draws_in_bracket,
    score_rules,
    wins_needed,
)

MOST_DRAWN = 9


@dataclass(frozen=True, slots=True)
class Slip:
    """A match's result as it is handed in. `winner` ("a"/"b"/"") matters only for a forfeit."""

    result: str = "played"
    a: int = 0
    b: int = 0
    drawn: int = 0
    winner: str = ""
    unfinished: bool = False
    drops: str = ""  # "", "a", "b" or "ab"
    score: Score | None = None
    order: str = ""  # who won each game in turn, such as "abd", where that is asked for

    @property
    def games(self) -> tuple[int, int, int]:
        """Wins of a, wins of b, drawn games; an unfinished game is a drawn one (DCI 1999)."""
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
    void_unfinished: bool = False  # a game unfinished when time ran out is none, not a drawn one

    @property
    def to_win(self) -> int:
        return wins_needed(self.best_of)

    @property
    def by_score(self) -> bool:
        """The score says who won: games are not asked for."""
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
    """The slip as its ruleset counts it: an unfinished game is a drawn one, or none at all."""
    return replace(slip, unfinished=False) if rules.void_unfinished else slip


def slip_of_score(score: Score) -> Slip:
    """The slip of a match of one game, won by who made more points."""
    winner = leading_side(score)
    return Slip("played", int(winner == "a"), int(winner == "b"), int(not winner), score=score)


def slip_of_order(order: str) -> Slip:
    """The slip of games won in that order, such as "aba"."""
    return Slip("played", order.count("a"), order.count("b"), order.count("d"), order=order)


def usual_draw(rules: MatchRules) -> Slip:
    """The drawn match a desk sees most: 1-1 in best of 3, one drawn game in best of 1."""
    even = rules.to_win - 1
    return Slip("played", even, even, 0 if even else 1)


def check_slip(slip: Slip, rules: MatchRules) -> None:
    """Refuse what cannot be, in the organizer's words."""
    if slip.result == "played":
        _check_games(slip, rules)
    elif slip.result == "intentional_draw" and not rules.intentional:
        raise Refused(_("This ruleset does not allow intentional draws."))
    elif slip.result not in ("intentional_draw", "double_loss", "forfeit"):
        raise Refused(_("“%(result)s” is not a match result.") % {"result": slip.result})
    drawn = rules.draws and slip.result == "played"  # a repeat game or a decision follows
    if rules.elimination and not drawn and not winner_of(slip.result, slip.games, slip.winner):
        raise Refused(_("A bracket match needs a winner. Play on, or enter who advances."))
    _check_score(slip, rules)
    _check_order(slip, rules)


def _check_score(slip: Slip, rules: MatchRules) -> None:
    """Points where they are recorded, none where they are not, and no other winner than the points say."""
    if rules.scores is None:
        if slip.score is not None:
            raise Refused(_("This ruleset does not record points. Enter the games won."))
        return
    if slip.score is None:
        if slip.result == "played":
            needed = _("12 412 388") if rules.by_score else _("12 21 412 388")
            raise Refused(
                _("Enter both players' points: type the table and the points, such as %(line)s.")
                % {"line": needed}
            )
        return
    check_score(slip.score, rules.scores)
    if rules.by_score and slip.result == "played":
        won = winner_of(slip.result, slip.games)
        if won != leading_side(slip.score):
            raise Refused(
                _("%(score)s does not match the winner: the player with more points wins.")
                % {"score": score_text(slip.score)}
            )


def game_order_of(slip: Slip) -> str:
    """Who won each game in turn, where the slip says it or its games leave no doubt; else empty."""
    if slip.order or slip.result != "played":
        return slip.order
    words = [letter * count for letter, count in zip("abd", slip.games, strict=True) if count]
    return words[0] if len(words) == 1 else ""


def _check_order(slip: Slip, rules: MatchRules) -> None:
    if not rules.order:
        if slip.order:
            raise Refused(_("This ruleset does not record who won which game."))
        return
    if slip.result != "played":
        return
    order = game_order_of(slip)
    if not order:
        raise Refused(
            _(
                "This ruleset needs to know who won each game. Type it in order, such as 12 ab (a: "
                "first-listed player, d: drawn game)."
            )
        )
    if tuple(order.count(letter) for letter in "abd") != slip.games:
        raise Refused(_("The games do not match who won each of them."))


def _check_games(slip: Slip, rules: MatchRules) -> None:
    a, b, drawn = slip.games
    shown = "-".join(str(number) for number in ((a, b, drawn) if drawn else (a, b)))
    said = {"score": shown, "best_of": rules.best_of, "to_win": rules.to_win}
    if min(a, b, drawn) < 0 or drawn > MOST_DRAWN:
        raise Refused(_("%(score)s is not a valid score.") % said)
    if max(a, b) > rules.to_win:
        raise Refused(
            ngettext(
                "%(score)s is impossible in a best of %(best_of)s: %(to_win)s win ends it.",
                "%(score)s is impossible in a best of %(best_of)s: %(to_win)s wins end it.",
                rules.to_win,
            )
            % said
        )
    if rules.best_of % 2 == 0 and sum(slip.games) > rules.best_of:
        raise Refused(_("%(score)s is impossible: exactly %(best_of)s games are played.") % said)
    if a == b == rules.to_win:
        raise Refused(
            ngettext(
                "%(score)s is impossible: only one player can win %(to_win)s game.",
                "%(score)s is impossible: only one player can win %(to_win)s games.",
                rules.to_win,
            )
            % said
        )
    if a == b == drawn == 0:
        raise Refused(_("0-0 says that nothing was played: enter a draw (0-0-1), “id”, a no-show or “ll”."))
    if slip.unfinished and max(a, b) == rules.to_win:
        raise Refused(_("%(score)s: the match was over, no game can have been unfinished.") % said)
    if a == b and not rules.draws and not rules.elimination:  # a bracket's refusal has words of its own
        raise Refused(
            _("This ruleset does not allow draws. If time ran out with no winner, enter “ll” (double loss).")
        )


def winner_of(result: str | None, games: tuple[int, int, int] | list[int] | None, winner: str = "") -> str:
    """ "a", "b", or "" for a drawn or undecided match."""
    if result == "forfeit":
        return winner
    if result == "played" and games and games[0] != games[1]:
        return "a" if games[0] > games[1] else "b"
    return ""


def usual_slips(rules: MatchRules) -> list[Slip]:
    """The scores a desk sees most, best for a first: the buttons on a row."""
    to_win = rules.to_win
    if rules.scores is not None:  # no points are usual
        return []
    lost_games = [0] if rules.best_of % 2 == 0 else list(range(to_win))
    wins = [Slip("played", to_win, lost) for lost in lost_games]
    drawn = [usual_draw(rules)] if rules.draws else []
    if rules.order and drawn:
        drawn = [slip_of_order("ab"), slip_of_order("ba")]
    return wins + drawn + [Slip("played", slip.b, slip.a) for slip in reversed(wins)]


def games_fact(slip: Slip, profile: dict) -> list[int] | None:
    """The games as the log keeps them: None where the ruleset gives them."""
    if slip.result == "played":
        return list(slip.games)
    default_games(profile, slip.result, slip.winner or None)  # refuses an unknown result
    return None
