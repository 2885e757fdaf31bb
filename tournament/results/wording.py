"""Results in words that cannot be misread: a score only between two names, or beside "won", "lost", "drew".

A match is given as the fact `tournament.actionlog.facts.match_facts` reads: a, b, result, games, winner, first …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.results import game_points
from tournament.results.slip import winner_of

Fact = Mapping[str, Any]


class PlayerResult(NamedTuple):
    """A match as one of its players lived it. `outcome`: won, lost, drew, bye, missed, or "" while it is out."""

    outcome: str
    sentence: str


def games_words(games: Sequence[int] | None) -> str:
    """2–1, or 1–1–1 where a game was drawn; empty without games."""
    if games is None:
        return ""
    return "–".join(str(number) for number in (games if games[2] else games[:2]))


def score_words(fact: Fact, side: str = "a") -> str:
    """How a match ended, seen from a side: 2–1, or the points of its one game, 412–388, or both."""
    games, points = fact["games"], fact.get("score")
    if side == "b":
        games = games and (games[1], games[0], games[2])
        points = points and (points[1], points[0])
    if not points:
        return games_words(games)
    told = game_points.score_text(points)
    return told if games is None or sum(games) == 1 else f"{games_words(games)} ({told})"


def winner(fact: Fact) -> str:
    """ "a", "b", or "" where nobody won or nobody knows."""
    return fact["winner"] or winner_of(fact["result"], fact["games"], fact["winner"])


def result_words(fact: Fact) -> str:
    """What stands between the two names of a table; empty while its slip is out."""
    result = fact["result"]
    if result == "played":
        return score_words(fact)
    said = {
        "intentional_draw": _("intentional draw"),
        "double_loss": _("double loss"),
        "forfeit": {"a": _("won by no-show"), "b": _("lost by no-show")}.get(
            winner(fact), _("double no-show")
        ),
    }.get(result or "")
    given = fact.get("score")  # points staff gave
    if said is None:
        own = f" ({game_points.points_text(given[0])})" if given else ""
        return bye_words(result) + own if result else ""
    return f"{said} ({game_points.score_text(given)})" if given else said


def bye_words(result: str) -> str:
    """A round without an opponent."""
    return {
        "bye": _("bye"),
        "awarded_bye": _("awarded bye"),
        "full_bye": _("full-point bye"),
        "half_bye": _("half-point bye"),
        "zero_bye": _("zero-point bye"),
        "missed": _("missed"),
    }.get(result, result)


def late_entry_words(profile: Mapping[str, Any]) -> str:
    """What a round counts as that a late entry was not there for (`late_entry.missed`)."""
    return {"half": _("a half-point bye"), "bye": _("a bye")}.get(
        profile["late_entry"].get("missed", ""), _("a loss")
    )


def player_result(fact: Fact, code: str, other: str) -> PlayerResult:
    """A match in the words of the player `code`, whose opponent's name is `other`."""
    result = fact["result"]
    if fact["b"] is None:
        return PlayerResult("missed" if result == "missed" else "bye", bye_words(result or "bye"))
    if result is None:
        return PlayerResult("", _("against %(name)s, not reported yet") % {"name": other})
    side = "a" if fact["a"] == code else "b"
    outcome = {side: "won", "": "drew"}.get(winner(fact), "lost")
    if result == "double_loss":
        return PlayerResult("lost", _("double loss with %(name)s") % {"name": other})
    if result == "forfeit":
        return _not_played(outcome, other)
    if result == "intentional_draw":
        return PlayerResult("drew", _("intentional draw with %(name)s") % {"name": other})
    return _played(fact, side, outcome, other)


def _not_played(outcome: str, other: str) -> PlayerResult:
    said = {"name": other}
    if outcome == "won":
        return PlayerResult("won", _("won: %(name)s was a no-show") % said)
    if outcome == "lost":
        return PlayerResult("lost", _("lost as a no-show against %(name)s") % said)
    return PlayerResult("lost", _("double no-show with %(name)s") % said)


def _played(fact: Fact, side: str, outcome: str, other: str) -> PlayerResult:
    a, b, drawn = fact["games"] or (0, 0, 0)
    games = (a, b, drawn) if side == "a" else (b, a, drawn)
    said = {"score": score_words(fact, side), "name": other}
    if games[0] == games[1] and outcome != "drew":
        words = _("advanced after %(score)s against %(name)s") if outcome == "won" else None
        return PlayerResult(outcome, (words or _("knocked out after %(score)s against %(name)s")) % said)
    return PlayerResult(
        outcome,
        {
            "won": _("won %(score)s against %(name)s"),
            "lost": _("lost %(score)s against %(name)s"),
            "drew": _("drew %(score)s with %(name)s"),
        }[outcome]
        % said,
    )
