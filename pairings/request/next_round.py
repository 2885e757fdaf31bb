"""Find the next Swiss round, and the policy its ruleset sets for pairing it."""

from collections.abc import Sequence
from typing import Any

from pairings.engine import Policy
from pairings.engine.criteria.order import MAIN, TARGETS
from pairings.engine.criteria.sides import SIDES
from pairings.engine.types import CRITERIA
from standings.event.rounds import carried_stages_of
from tournament.event.types import Event, Round, Stage
from tournament.rulesets import rounds_and_cut

UNSETTLED = ("draft", "repairing")  # states of a round that is being paired: its matches do not count yet


class NoRound(ValueError):
    """No Swiss round can follow.

    code    "bracket" (it has begun), "not_complete" (round `number` is still being played), "no_session" or
            "session_over" (of session `number`), "too_few" players, or "no_stage"
    """

    def __init__(self, code: str, number: int = 0) -> None:
        super().__init__(code, number)
        self.code, self.number = code, number


def next_round_of(event: Event, flight: int | None = None) -> tuple[Stage, int]:
    """Return the Swiss stage of the next round, and that round's number over all stages.

    `flight` is a stage's number: stages side by side are paired separately. Without it, the stage is
    `following_stage`. A stage's own draft does not count as a round. Raises NoRound if a round of the stage is still
    being played, another stage carries its points over, or the bracket has begun.
    """
    rounds = [round_ for round_ in event.rounds if round_.status not in UNSETTLED]
    if any(event.stage(round_.stage).kind != "swiss" for round_ in rounds):
        raise NoRound("bracket")
    stage = following_stage(event, rounds) if flight is None else _flight_of(event, flight)
    for round_ in rounds:
        if round_.status != "complete" and flight in (None, round_.stage):
            raise NoRound("not_complete", round_.number)
    taken = (r.number for r in event.rounds if r.stage != stage.number or r.status not in UNSETTLED)
    return stage, max(taken, default=0) + 1


def _flight_of(event: Event, number: int) -> Stage:
    stage = next((s for s in event.stages if (s.number, s.kind) == (number, "swiss")), None)
    if stage is None:
        raise NoRound("no_session", number)
    if any(other.carries and number in other.sources for other in event.stages):
        raise NoRound("session_over", number)
    return stage


def following_stage(event: Event, rounds: Sequence[Round]) -> Stage:
    """Return the stage that follows these rounds.

    That is the last one started or, if its planned rounds are played or the next Swiss stage carries its points over,
    that next one. Raises NoRound for an event without a Swiss stage.
    """
    started = {round_.stage for round_ in rounds}
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        raise NoRound("no_stage")
    last = max((index for index, stage in enumerate(swiss) if stage.number in started), default=0)
    stage = swiss[last]
    if last + 1 < len(swiss) and stage.number in started:
        following = swiss[last + 1]
        played = len([r for r in rounds if r.stage in carried_stages_of(event, stage.number)])
        if following.carries or played >= (planned_rounds(event, stage) or played + 1):
            stage = following
    return stage


def planned_rounds(event: Event, stage: Stage) -> int | None:
    """Return the stage's planned Swiss rounds: the event's own number, or the ruleset's for that many players."""
    if event.rounds_planned is not None:
        return event.rounds_planned
    players = sum(not event.entries[code].house for code in event.entries_of(stage))
    return rounds_and_cut(event.profile, players)[0] or None


def position_of(event: Event, stage: Stage, number: int) -> int:
    """Return round `number`'s position, from 1, among the rounds that count together with its stage."""
    stages = carried_stages_of(event, stage.number)
    return 1 + sum(round_.stage in stages and round_.number < number for round_ in event.rounds)


WITHIN = {
    "top_half_vs_bottom_half": "fold",
    "adjacent_by_rank": "adjacent",
    "fold": "fold",
    "adjacent": "adjacent",
}  # by chance otherwise
FIRST_ROUND = {"random": "random", "rating_halves": "fold", "seed": "fold"}
SIDE_LIMITS = {"max_same_colour_row": "max_same_side", "max_colour_difference": "max_side_difference"}
BYE_RULES = {"lowest_score_group_random": "random", "lowest_rank": "lowest_rank"}


def policy_of(event: Event, stage: Stage, number: int) -> Policy:
    """Return the ruleset's policy for round `number` (counted over all stages)."""
    rules = event.profile.get("pairing") or {}
    position = position_of(event, stage, number)
    within = WITHIN.get(rules.get("method", ""), "random")
    if position == 1:
        within = FIRST_ROUND.get(rules.get("first_round", ""), within)
    bye_rule = BYE_RULES.get((event.profile.get("bye") or {}).get("to", ""), "lowest_group")
    if bye_rule == within == "random":
        bye_rule = "lowest_group"  # where all is random, so is the bye
    planned = planned_rounds(event, stage)
    criteria = [name for name in rules.get("criteria") or CRITERIA if name not in TARGETS or name == within]
    limits = side_limits_of(rules, is_last=position == planned)
    if limits:
        criteria = with_side_limits(criteria, within)
    return Policy(
        objective=rules.get("objective") or "balance",
        within=within,  # type: ignore[arg-type]
        repeats=rules.get("repeats") or "last_resort",
        criteria=tuple(criteria),
        round=position,
        planned_rounds=planned,
        sides=bool(rules.get("colours")),
        labels_apart_until_round=int(rules.get("labels_apart_until_round") or 0),
        bye_rule=bye_rule,  # type: ignore[arg-type]
        **limits,
    )


def side_limits_of(rules: dict[str, Any], is_last: bool) -> dict[str, int]:
    """Return the ruleset's side limits by policy name; empty for the last planned round if lifted there."""
    if not rules.get("colours") or (is_last and rules.get("colour_limits_in_last_round") is False):
        return {}
    return {name: rules[field] for field, name in SIDE_LIMITS.items() if rules.get(field) is not None}


def with_side_limits(criteria: list[str], within: str) -> list[str]:
    """Add the side limits to the criteria, below the score difference unless the ruleset places them.

    Alternation is implied only while no other criterion names sides, so it is added too.
    """
    if not set(SIDES).intersection(criteria):
        fold = [within] if within in TARGETS and within not in criteria else []
        criteria = [*criteria, *fold, "alternate_sides"]
    if "side_limits" in criteria:
        return criteria
    place = 1 + max((place for place, name in enumerate(criteria) if name in MAIN), default=-1)
    return [*criteria[:place], "side_limits", *criteria[place:]]
