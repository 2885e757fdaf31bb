"""Results in words that cannot be misread: a score only between two names, or beside "won", "lost", "drew"."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact
from tournament.models import Match
from tournament.results.game_points import Score, points_text, score_text
from tournament.results.slip import Slip, find_match_winner, games_words


class PlayerResult(NamedTuple):
    """A match from a player's view. `outcome`: won, lost, drew, bye, missed, or "" without a result."""

    outcome: str
    sentence: str
    score: str = ""  # of a played match, if outcome, opponent and score say all


def score_words(games: Sequence[int] | None, points: Score | None, side: str = "a") -> str:
    """Return the score from a side's view: 2–1, or the points of its one game, 412–388, or both."""
    if side == "b":
        games = games and (games[1], games[0], games[2])
        points = points and (points[1], points[0])
    if not points:
        return games_words(games)
    score = score_text(points)
    return score if games is None or sum(games) == 1 else f"{games_words(games)} ({score})"


def is_one_draw(match: MatchFact) -> bool:
    """Whether the match was one drawn game: a draw in chess, which no one calls 0–0–1."""
    return tuple(match.games or ()) == (0, 0, 1) and not match.score and not winning_side(match)


def winning_side(match: MatchFact) -> str:
    """Return "a", "b", or "" if no one won or the result is missing."""
    return match.winner or find_match_winner(match.result, match.games, match.winner)


def result_words(match: MatchFact) -> str:
    """Return a result in a few words, the first-listed player's first; empty while it is outstanding."""
    if match.result is None:
        return ""
    if match.result == "played":
        return _("draw") if is_one_draw(match) else score_words(match.games, match.score)
    if match.result == "forfeit":
        texts = {"a": _("won by no-show"), "b": _("lost by no-show")}
        words = texts.get(winning_side(match), _("double no-show"))
    elif match.result in ("intentional_draw", "double_loss"):
        words = _("intentional draw") if match.result == "intentional_draw" else _("double loss")
    else:
        words = bye_words(match.result)
        return f"{words} ({points_text(match.score[0])})" if match.score else words
    return f"{words} ({score_text(match.score)})" if match.score else words  # points staff gave


def words_between(match: MatchFact) -> str:
    """Return the text between the two names in a sentence: "2–1", or "won by no-show against"."""
    side = winning_side(match) if match.result == "forfeit" and not match.score else ""
    linked = {"a": _("won by no-show against"), "b": _("lost by no-show to")}.get(side)
    return linked or result_words(match)


def slip_fact(slip: Slip) -> MatchFact:
    """Return the result of a slip, as a match without players."""
    winner = find_match_winner(slip.result, slip.games, slip.winner)
    return MatchFact("", "", 1, slip.result, slip.games, winner, score=slip.score)


def words_of_slip(slip: Slip) -> str:
    return result_words(slip_fact(slip))


def bye_words(result: str) -> str:
    """Name a round without an opponent."""
    return str(dict(Match.Result.choices).get(result, result))


def late_entry_words(profile: Mapping[str, Any]) -> str:
    """Return how each round missed by a late entry counts (`late_entry.missed`)."""
    texts = {"half": _("a half-point bye"), "bye": _("a bye")}
    return texts.get(profile["late_entry"].get("missed", ""), _("a loss"))


def player_result(match: MatchFact, code: str, other: str) -> PlayerResult:
    """Return a match in the words of the player `code`, whose opponent's name is `other`."""
    result = match.result
    if match.b is None:
        return PlayerResult("missed" if result == "missed" else "bye", bye_words(result or "bye"))
    values: dict[str, object] = {"name": other}
    if result is None:
        return PlayerResult("", _("against %(name)s, no result yet") % values)
    if result == "double_loss":
        return PlayerResult("lost", _("double loss with %(name)s") % values)
    if result == "intentional_draw":
        return PlayerResult("drew", _("intentional draw with %(name)s") % values)
    side = "a" if match.a == code else "b"
    outcome = {side: "won", "": "drew"}.get(winning_side(match), "lost")
    values["score"] = score_words(match.games, match.score, side)
    a, b, _drawn = match.games or (0, 0, 0)
    if result == "forfeit" and match.slot and outcome != "drew":  # in a bracket, who leaves loses too
        texts = {"won": _("won by forfeit against %(name)s"), "lost": _("lost by forfeit against %(name)s")}
    elif result == "forfeit":
        texts = {
            "won": _("won: %(name)s was a no-show"),
            "lost": _("lost as a no-show against %(name)s"),
            "drew": _("double no-show with %(name)s"),
        }
    elif a == b and outcome != "drew":  # decided after equal games, by repeat games or otherwise
        texts = {
            "won": _("advanced after %(score)s against %(name)s"),
            "lost": _("knocked out after %(score)s against %(name)s"),
        }
    else:
        texts = {
            "won": _("won %(score)s against %(name)s"),
            "lost": _("lost %(score)s against %(name)s"),
            "drew": _("drew with %(name)s") if is_one_draw(match) else _("drew %(score)s with %(name)s"),
        }
        if not is_one_draw(match):
            return PlayerResult(outcome, texts[outcome] % values, str(values["score"]))
    sentence = texts[outcome] % values
    return PlayerResult("lost" if result == "forfeit" and outcome == "drew" else outcome, sentence)


def report_words(slip: Slip, *, told: bool = False) -> str:
    """Return a slip as its reporter says it, own games first, or as the player is `told` it."""
    texts = {
        "a": (_("I won %(score)s"), _("you won %(score)s")),
        "b": (_("I lost %(score)s"), _("you lost %(score)s")),
        "": (_("We drew %(score)s"), _("you drew %(score)s")),
        "draw": (_("We drew"), _("you drew")),
        "id": (_("We agreed to an intentional draw (ID)"), _("intentional draw")),
        "first": (_("game 1 to me"), _("game 1 to you")),
        "second": (_("game 1 to my opponent"), _("game 1 to your opponent")),
    }
    if slip.result == "intentional_draw":
        return texts["id"][told]
    if slip.games == (0, 0, 1) and not slip.score:
        return texts["draw"][told]
    score = score_words(slip.games, slip.score)
    words = texts[find_match_winner(slip.result, slip.games)][told] % {"score": score}
    if slip.order and slip.a == slip.b:
        words += ", " + texts["first" if slip.order[0] == "a" else "second"][told]
    return words
