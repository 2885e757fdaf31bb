"""A slip as the fields of its match."""

from typing import Any

from tournament.actionlog.match_facts import Fact
from tournament.results.slip import MatchRules, Slip, apply_rules, game_order_of, recorded_games, winner_of
from tournament.results.slip_checks import check_slip


def fields_of_slip(slip: Slip, rules: MatchRules, profile: dict[str, Any]) -> Fact:
    """What a slip says of its match, as the log writes it. Raises Refused for a slip that cannot be."""
    check_slip(slip, rules)
    slip = apply_rules(slip, rules)
    check_slip(slip, rules)
    return {
        "result": slip.result,
        "games": recorded_games(slip, profile),
        "winner": winner_of(slip.result, slip.games, slip.winner),
        "score": list(slip.score) if slip.score else None,
        "game_order": game_order_of(slip) if rules.order else "",
        "odd": False,
    }
