"""Results that other programs recorded and these rules do not have, such as 2-2 in a best of 3.

They stand as recorded, marked as odd; no one can enter one here.
"""

from tournament.errors import Refused
from tournament.event.types import Event, Match, Stage
from tournament.results.slip import Slip, match_rules_of
from tournament.results.slip_checks import check_games
from tournament.rulesets import match_length


def is_odd(event: Event, stage: Stage, place: int, match: Match) -> bool:
    """Whether no slip of this match could say its games. `place`: of its round in the stage, from 1."""
    if match.b is None or match.games is None:
        return False
    best_of = match_length(event.match_length(stage, place, match.slot))
    rules = match_rules_of(event.profile, best_of, swiss=stage.kind == "swiss")
    if match.result != "played":
        return min(match.games[:2]) >= rules.to_win
    try:
        check_games(Slip("played", *match.games), rules)
    except Refused:
        return True
    return False
