"""Match slips as plain values: their checks, and the results they record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament import rulesets
from tournament.actionlog.match_facts import Fact
from tournament.errors import Refused
from tournament.event.types import Event, Match, Stage
from tournament.results.game_points import Score, check_score, leading_side, score_text

MOST_DRAWN = 9


@dataclass(frozen=True, slots=True)
class Slip:
    result: str = "played"
    a: int = 0
    b: int = 0
    drawn: int = 0
    winner: str = ""  # "a", "b" or ""; of a forfeit only
    unfinished: bool = False  # a game was not finished when time ran out
    drops: str = ""  # the sides that drop: "", "a", "b" or "ab"
    score: Score | None = None
    order: str = ""  # who won each game in turn, such as "abd", if the ruleset needs it

    @property
    def games(self) -> tuple[int, int, int]:
        """Wins of a, wins of b, drawn games; an unfinished game is a drawn one (DCI rules of 1999)."""
        return (self.a, self.b, self.drawn + (1 if self.unfinished else 0))


@dataclass(frozen=True, slots=True)
class MatchRules:
    best_of: int = 3
    draws: bool = True
    intentional: bool = True
    double_loss: bool = True  # possible when time runs out
    elimination: bool = False
    scores: rulesets.ScoreRules | None = None
    order: bool = False  # it matters who won which game
    void_unfinished: bool = False  # a game unfinished when time ran out does not count

    @property
    def to_win(self) -> int:
        return rulesets.wins_needed(self.best_of)

    @property
    def by_score(self) -> bool:
        return self.scores is not None and self.scores.decides


def games_words(games: Sequence[int] | None) -> str:
    """Return 2–1, or 1–1–1 with a drawn game; empty without games."""
    if games is None:
        return ""
    return "–".join(str(number) for number in (games if games[2] else games[:2]))


def build_match_rules(profile: dict[str, Any], best_of: int, *, swiss: bool) -> MatchRules:
    allowed = profile["draws_allowed"]
    return MatchRules(
        best_of=best_of,
        draws=bool(allowed["match"]) if swiss else rulesets.draws_in_bracket(profile),
        intentional=bool(allowed["intentional"]) and swiss,
        double_loss=bool(allowed["double_loss"]),
        elimination=not swiss,
        scores=rulesets.score_rules(profile, best_of),
        order=swiss and rulesets.asks_game_order(profile),
        void_unfinished=profile.get("unfinished_games") == "void",
    )


def apply_rules(slip: Slip, rules: MatchRules) -> Slip:
    """Return the slip by its ruleset: an unfinished game may not count, and 0-0-3 is an intentional draw."""
    if rules.void_unfinished:
        slip = replace(slip, unfinished=False)
    agreed = slip.result == "played" and slip.games == (0, 0, 3) and rules.best_of == 3
    return replace(slip, result="intentional_draw", drawn=0) if agreed and rules.intentional else slip


def plain_slip(slip: Slip, rules: MatchRules) -> Slip:
    """Return the canonical one of the slips that record the same result."""
    slip = apply_rules(slip, rules)
    order = infer_game_order(slip) if rules.order else ""
    return replace(slip, drawn=slip.games[2], unfinished=False, order=order)


def turn_slip(slip: Slip) -> Slip:
    """Return the slip with the other player listed first."""
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
    winner = leading_side(score)
    return Slip("played", int(winner == "a"), int(winner == "b"), int(not winner), score=score)


def slip_of_order(order: str) -> Slip:
    return Slip("played", order.count("a"), order.count("b"), order.count("d"), order=order)


def usual_draw(rules: MatchRules) -> Slip:
    """Return the most common drawn match: 1-1 in best of 3, one drawn game in best of 1."""
    even = rules.to_win - 1
    return Slip("played", even, even, 0 if even else 1)


def usual_slips(rules: MatchRules) -> list[Slip]:
    """Return the most common scores, best for a first: a row's buttons. Empty if points are recorded."""
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
    """Return the slips a player reports by one button, best first: the usual scores, no game won, agreed draw."""
    slips = usual_slips(rules)
    if slips and rules.draws and rules.to_win > 1 and not rules.order:
        slips.append(Slip(drawn=1))
    return slips + ([Slip("intentional_draw")] if rules.intentional else [])


def infer_game_order(slip: Slip) -> str:
    """Return the winner of each game in turn, if stated or implied by the score; else ""."""
    if slip.order or slip.result != "played":
        return slip.order
    runs = [letter * count for letter, count in zip("abd", slip.games, strict=True) if count]
    return runs[0] if len(runs) == 1 else ""


def find_match_winner(result: str | None, games: Sequence[int] | None, winner: str = "") -> str:
    """Return "a", "b", or "" for a drawn or undecided match. `winner`: of a forfeit."""
    if result == "forfeit":
        return winner
    if result == "played" and games and games[0] != games[1]:
        return "a" if games[0] > games[1] else "b"
    return ""


def recorded_games(slip: Slip, profile: dict[str, Any]) -> list[int] | None:
    """Return the games as logged; None if the ruleset sets them. Raises ValueError for an unknown result."""
    if slip.result == "played":
        return list(slip.games)
    rulesets.default_games(profile, slip.result, slip.winner or None)
    return None


def check_slip(slip: Slip, rules: MatchRules) -> None:
    if slip.result == "played":
        check_games(slip, rules)
    elif slip.result == "intentional_draw" and not rules.intentional:
        raise Refused(_("This ruleset does not allow intentional draws."))
    elif slip.result not in ("intentional_draw", "double_loss", "forfeit"):
        raise Refused(_("“%(result)s” is not a match result."), result=slip.result)
    played_on = rules.draws and slip.result == "played"  # a repeat game or a decision follows
    lost_by_both = slip.result in ("double_loss", "forfeit")  # then no one advances
    ends = played_on or lost_by_both or find_match_winner(slip.result, slip.games, slip.winner)
    if rules.elimination and not ends:
        raise Refused(_("A bracket match needs a winner. Play on, or enter who advances."))
    _check_points(slip, rules)
    _check_order(slip, rules)


def check_games(slip: Slip, rules: MatchRules) -> None:
    """Raise Refused if a match of that length cannot end with these games under these rules."""
    a, b, drawn = slip.games
    values: dict[str, Any] = {
        "score": games_words(slip.games),
        "best_of": rules.best_of,
        "to_win": rules.to_win,
    }
    if min(a, b, drawn) < 0 or drawn > MOST_DRAWN:
        raise Refused(_("%(score)s is not a valid score."), **values)
    if max(a, b) > rules.to_win:
        text = ngettext(
            "%(score)s is impossible in a best of %(best_of)s: the match ends at %(to_win)s win.",
            "%(score)s is impossible in a best of %(best_of)s: the match ends at %(to_win)s wins.",
            rules.to_win,
        )
        raise Refused(text, **values)
    if rules.best_of % 2 == 0 and sum(slip.games) > rules.best_of:
        raise Refused(_("%(score)s is impossible: exactly %(best_of)s games are played."), **values)
    if a == b == rules.to_win:
        text = ngettext(
            "%(score)s is impossible: only one player can win %(to_win)s game.",
            "%(score)s is impossible: only one player can win %(to_win)s games.",
            rules.to_win,
        )
        raise Refused(text, **values)
    if a == b == drawn == 0:
        raise Refused(_("0-0 means that nothing was played: enter a draw (0-0-1), “id”, a no-show or “ll”."))
    if slip.unfinished and max(a, b) == rules.to_win:
        raise Refused(_("%(score)s: the match was over, no game can have been unfinished."), **values)
    if a == b and not rules.draws and not rules.elimination:  # brackets have their own error
        text = _("This ruleset does not allow draws. Play on until someone wins.")
        if rules.double_loss:
            text = _(
                "This ruleset does not allow draws. If time ran out with no winner, enter “ll” (double loss)."
            )
        raise Refused(text)


def _check_points(slip: Slip, rules: MatchRules) -> None:
    if rules.scores is None:
        if slip.score is not None:
            raise Refused(_("This ruleset does not record points. Enter the games won."))
        return
    if slip.score is None:
        if slip.result == "played":
            line = _("12 412 388") if rules.by_score else _("12 21 412 388")
            text = _("Enter both players' points: type the table and the points, such as %(line)s.")
            raise Refused(text, line=line)
        return
    check_score(slip.score, rules.scores)
    won = find_match_winner(slip.result, slip.games)
    if rules.by_score and slip.result == "played" and won != leading_side(slip.score):
        text = _("%(score)s does not match the winner: the player with more points wins.")
        raise Refused(text, score=score_text(slip.score))


def _check_order(slip: Slip, rules: MatchRules) -> None:
    if not rules.order:
        if slip.order:
            raise Refused(_("This ruleset does not record who won which game."))
        return
    if slip.result != "played":
        return
    order = infer_game_order(slip)
    if not order:
        text = _(
            "This ruleset needs to know who won each game. Type it in order, such as 12 ab (a: "
            "first-listed player, d: drawn game)."
        )
        raise Refused(text)
    if tuple(order.count(letter) for letter in "abd") != slip.games:
        raise Refused(_("The games do not match who won each of them."))


def fields_of_slip(slip: Slip, rules: MatchRules, profile: dict[str, Any]) -> Fact:
    """Return the match fields of a slip, as logged. Raises Refused for an impossible slip."""
    check_slip(slip, rules)
    slip = apply_rules(slip, rules)
    check_slip(slip, rules)
    return {
        "result": slip.result,
        "games": recorded_games(slip, profile),
        "winner": find_match_winner(slip.result, slip.games, slip.winner),
        "score": list(slip.score) if slip.score else None,
        "game_order": infer_game_order(slip) if rules.order else "",
        "odd": False,
    }


def is_odd(event: Event, stage: Stage, place: int, match: Match) -> bool:
    """Whether this match has games that no slip can record. `place`: its round's place in the stage, from 1."""
    if match.b is None or match.games is None:
        return False
    best_of = rulesets.match_length(event.match_length(stage, place, match.slot))
    rules = build_match_rules(event.profile, best_of, swiss=stage.kind == "swiss")
    if match.result != "played":
        return min(match.games[:2]) >= rules.to_win
    try:
        check_games(Slip("played", *match.games), rules)
    except Refused:
        return True
    return False
