"""What an event's ruleset asks of the pairing of a round."""

from pairings.engine import Policy
from pairings.engine.types import CRITERIA
from pairings.question.next_round import planned_rounds, position_of
from tournament.event.types import Event, Stage

WITHIN = {
    "random_in_score_group": "random",
    "top_half_vs_bottom_half": "fold",
    "adjacent_by_rank": "adjacent",
}
FIRST_ROUND = {"random": "random", "rating_halves": "fold", "seed": "fold"}
BYE_RULES = {"lowest_score_group_random": "random", "lowest_rank": "lowest_rank"}


def policy_of(event: Event, stage: Stage, number: int) -> Policy:
    """The ruleset's policy for round `number` (counted over all stages)."""
    rules = event.profile.get("pairing") or {}
    position = position_of(event, stage, number)
    within = WITHIN.get(rules.get("method", ""), "random")
    if position == 1:
        within = FIRST_ROUND.get(rules.get("first_round", ""), within)
    bye_rule = BYE_RULES.get((event.profile.get("bye") or {}).get("to", ""), "lowest_group")
    if bye_rule == within == "random":
        bye_rule = "lowest_group"  # where all is random, so is the bye
    criteria = rules.get("criteria") or CRITERIA
    return Policy(
        objective=rules.get("objective") or "balance",
        within=within,  # type: ignore[arg-type]
        repeats=rules.get("repeats") or "last_resort",
        criteria=tuple(name for name in criteria if name not in ("fold", "adjacent") or name == within),
        round=position,
        planned_rounds=planned_rounds(event, stage),
        sides=bool(rules.get("colours")),
        labels_apart_until_round=int(rules.get("labels_apart_until_round") or 0),
        bye_rule=bye_rule,  # type: ignore[arg-type]
    )
