"""What the box reads in a short result, for every one that a match's rules allow: the page shows it before Enter."""

from itertools import product

from tournament.actionlog.match_facts import MatchFact
from tournament.errors import Refused
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MatchRules, apply_rules, winner_of
from tournament.results.slip_checks import check_slip
from tournament.results.wording import result_words

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
            slip = apply_rules(parse_slip(text, rules), rules)
            check_slip(slip, rules)
        except Refused:
            continue
        played = slip.result == "played"
        winner = winner_of(slip.result, slip.games, slip.winner)
        fact = MatchFact("", "", 1, slip.result, slip.games if played else None, winner)
        readings[text] = result_words(fact)
    return readings
