"""Results of one key: the digits as a keypad has them, the first-listed player's wins on the left."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.results.shorthand import slip_shorthand
from tournament.results.slip import MatchRules, Slip, slip_of_order, usual_draw
from tournament.results.slip_checks import check_slip
from tournament.results.wording import words_of_slip

LEFT, MIDDLE, RIGHT = "147", "258", "369"  # from the bottom row up, the most usual result first
ROWS = ("789", "456", "123")
CLEAR_KEY = "0"


class Key(NamedTuple):
    """A key of the keypad: what is sent as the slip, and what is read."""

    digit: str
    slip: str = ""  # "" for a key without a result
    words: str = ""


def keypad_of(rules: MatchRules) -> list[list[Key]]:
    """The rows of the keypad, the top one first; none where points must be typed.

    Best of 3: 1 is 2–0, 4 is 2–1, 7 is 1–0; 2 is 1–1, 5 is 1–1–1, 8 an intentional draw; 3, 6 and 9 are the second
    player's. Best of 1: 1, 2 and 3 are won, drawn and lost, 8 an intentional draw.
    """
    keys = {} if rules.scores else dict(_results(rules))
    rows = [
        [
            Key(digit, slip_shorthand(keys[digit], rules), _words(keys[digit]))
            if digit in keys
            else Key(digit)
            for digit in row
        ]
        for row in ROWS
    ]
    return [row for row in rows if any(key.slip for key in row)]


def _words(slip: Slip) -> str:
    return _("ID") if slip.result == "intentional_draw" else words_of_slip(slip)


def _results(rules: MatchRules) -> Iterator[tuple[str, Slip]]:
    """(digit, result) of each key that the rules allow."""
    to_win, draw = rules.to_win, usual_draw(rules)
    wins = [(to_win, lost) for lost in range(to_win)] + [(to_win - 1, 0)]  # the last: time ran out in game 2
    if rules.order:
        draws = [slip_of_order("ab"), slip_of_order("ba")]
    else:
        draws = [draw, Slip("played", draw.a, draw.b, draw.drawn + 1)] if to_win > 1 else [draw]
    columns = (
        (LEFT, [Slip("played", won, lost) for won, lost in wins]),
        (MIDDLE, draws),
        (MIDDLE[2], [Slip("intentional_draw")]),
        (RIGHT, [Slip("played", lost, won) for won, lost in wins]),
    )
    for digits, slips in columns:
        for digit, slip in zip(digits, slips, strict=False):
            try:
                check_slip(slip, rules)
            except Refused:
                continue
            yield digit, slip
