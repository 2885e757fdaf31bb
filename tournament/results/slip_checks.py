"""Which match slips a ruleset allows: games, points and the order of games must be possible and fit together."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.errors import Refused
from tournament.results.game_points import check_score, leading_side, score_text
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MatchRules, Slip, apply_rules, game_order_of, winner_of

MOST_DRAWN = 9


def read_slip(text: str, rules: MatchRules) -> Slip:
    """The slip of a short text, as its ruleset counts it. Raises Refused for none, and for one that cannot be."""
    slip = apply_rules(parse_slip(text, rules), rules)
    check_slip(slip, rules)
    return slip


def check_slip(slip: Slip, rules: MatchRules) -> None:
    """Raises Refused for a slip that cannot be, in the scorekeeper's words."""
    if slip.result == "played":
        check_games(slip, rules)
    elif slip.result == "intentional_draw" and not rules.intentional:
        raise Refused(_("This ruleset does not allow intentional draws."))
    elif slip.result not in ("intentional_draw", "double_loss", "forfeit"):
        raise Refused(_("“%(result)s” is not a match result."), result=slip.result)
    drawn = rules.draws and slip.result == "played"  # a repeat game or a decision follows
    if rules.elimination and not drawn and not winner_of(slip.result, slip.games, slip.winner):
        raise Refused(_("A bracket match needs a winner. Play on, or enter who advances."))
    _check_points(slip, rules)
    _check_order(slip, rules)


def check_games(slip: Slip, rules: MatchRules) -> None:
    """Raises Refused for games that no match of that length and these rules ends with."""
    a, b, drawn = slip.games
    shown = "-".join(str(number) for number in ((a, b, drawn) if drawn else (a, b)))
    values: dict[str, Any] = {"score": shown, "best_of": rules.best_of, "to_win": rules.to_win}
    if min(a, b, drawn) < 0 or drawn > MOST_DRAWN:
        raise Refused(_("%(score)s is not a valid score."), **values)
    if max(a, b) > rules.to_win:
        text = ngettext(
            "%(score)s is impossible in a best of %(best_of)s: %(to_win)s win ends it.",
            "%(score)s is impossible in a best of %(best_of)s: %(to_win)s wins end it.",
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
        raise Refused(_("0-0 says that nothing was played: enter a draw (0-0-1), “id”, a no-show or “ll”."))
    if slip.unfinished and max(a, b) == rules.to_win:
        raise Refused(_("%(score)s: the match was over, no game can have been unfinished."), **values)
    if a == b and not rules.draws and not rules.elimination:  # brackets have a refusal of their own
        raise Refused(
            _("This ruleset does not allow draws. If time ran out with no winner, enter “ll” (double loss).")
        )


def _check_points(slip: Slip, rules: MatchRules) -> None:
    """Points where they are recorded, none where they are not, and no other winner than the points say."""
    if rules.scores is None:
        if slip.score is not None:
            raise Refused(_("This ruleset does not record points. Enter the games won."))
        return
    if slip.score is None:
        if slip.result == "played":
            line = _("12 412 388") if rules.by_score else _("12 21 412 388")
            raise Refused(
                _("Enter both players' points: type the table and the points, such as %(line)s."), line=line
            )
        return
    check_score(slip.score, rules.scores)
    won = winner_of(slip.result, slip.games)
    if rules.by_score and slip.result == "played" and won != leading_side(slip.score):
        raise Refused(
            _("%(score)s does not match the winner: the player with more points wins."),
            score=score_text(slip.score),
        )


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
