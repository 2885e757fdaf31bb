"""A slip in the words of the player who reports it: I won 2–0."""

from django.utils.translation import gettext as _

from tournament.results.slip import Slip, winner_of
from tournament.results.wording import score_words


def report_words(slip: Slip) -> str:
    """What a player says who reports that slip, the own games first."""
    return _words(
        slip,
        {
            "a": _("I won %(score)s"),
            "b": _("I lost %(score)s"),
            "": _("We drew %(score)s"),
            "draw": _("We drew"),
            "id": _("We agreed to an intentional draw (ID)"),
            "first": _("game 1 to me"),
            "second": _("game 1 to my opponent"),
        },
    )


def result_for_player(slip: Slip) -> str:
    """The same said to the player."""
    return _words(
        slip,
        {
            "a": _("you won %(score)s"),
            "b": _("you lost %(score)s"),
            "": _("you drew %(score)s"),
            "draw": _("you drew"),
            "id": _("intentional draw"),
            "first": _("game 1 to you"),
            "second": _("game 1 to your opponent"),
        },
    )


def _words(slip: Slip, texts: dict[str, str]) -> str:
    if slip.result == "intentional_draw":
        return texts["id"]
    if slip.games == (0, 0, 1) and not slip.score:
        return texts["draw"]
    words = texts[winner_of(slip.result, slip.games)] % {"score": score_words(slip.games, slip.score)}
    if slip.order and slip.a == slip.b:
        words += ", " + texts["first" if slip.order[0] == "a" else "second"]
    return words
