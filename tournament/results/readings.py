"""What the box reads in a short result, for every one that a match's rules allow: the page shows it before Enter."""

from itertools import product

from tournament.errors import Refused
from tournament.results.slip import MatchRules
from tournament.results.slip_checks import read_slip
from tournament.results.wording import words_of_slip

MOST_DRAWN = 3  # drawn games of a result that is read ahead
WORDS = ("d", "id", "ll", "ns", "ns1", "ns2")


def readings_of(rules: MatchRules) -> dict[str, str]:
    """{what is typed: the words between the names}, without drop marks and separators: {"21": "2–1", …}.

    Where the points say who won, and the games are not typed, only the words are in it.
    """
    wins = range(rules.to_win + 1)
    games = [f"{a}{b}{drawn or ''}" for a, b, drawn in product(wins, wins, range(MOST_DRAWN + 1))]
    orders = ["".join(order) for length in (2, 3) for order in product("abd", repeat=length)]
    readings = {}
    for text in (*games, *(f"{game}t" for game in games), *(orders if rules.order else ()), *WORDS):
        try:
            readings[text] = words_of_slip(read_slip(text, rules))
        except Refused:
            continue
    return readings
