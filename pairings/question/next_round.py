"""Which Swiss round comes next: its stage, its number, and its place among the rounds that count together."""

from collections.abc import Sequence

from standings.event.rounds import carried_stages_of
from tournament.event.types import Event, Round, Stage
from tournament.rulesets import rounds_and_cut

UNSETTLED = ("draft", "repairing")  # states of a round that is being paired: its matches do not count yet


class NoRound(ValueError):
    """No Swiss round can follow.

    code    "bracket" (it has begun), "not_complete" (round `number` is still being played), "no_session" or
            "session_over" (of the session `number`), "too_few" players, or "no_stage"
    """

    def __init__(self, code: str, number: int = 0) -> None:
        super().__init__(code, number)
        self.code, self.number = code, number


def next_round_of(event: Event, flight: int | None = None) -> tuple[Stage, int]:
    """The Swiss stage of the next round, and that round's number over all stages.

    `flight` is the number of a stage: of stages side by side each is paired by itself. Without it, the stage is
    that of `following_stage`. A stage's own draft does not count as a round. Raises NoRound where no Swiss
    round can follow: a round of the stage is still being played, another stage carries its points over, or the
    bracket has begun.
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
    """The Swiss stage of that number. Raises NoRound where there is none, or its points were carried over."""
    stage = next((s for s in event.stages if (s.number, s.kind) == (number, "swiss")), None)
    if stage is None:
        raise NoRound("no_session", number)
    if any(other.carries and number in other.sources for other in event.stages):
        raise NoRound("session_over", number)
    return stage


def following_stage(event: Event, rounds: Sequence[Round]) -> Stage:
    """The stage that follows these rounds.

    It is the last one started or, where its planned rounds are played or the next Swiss stage carries its points
    over, that next one. Raises NoRound for an event without a Swiss stage.
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
    """Swiss rounds planned for the stage: the event's own number, or its ruleset's for that many players."""
    if event.rounds_planned is not None:
        return event.rounds_planned
    players = sum(not event.entries[code].house for code in event.entries_of(stage))
    return rounds_and_cut(event.profile, players)[0] or None


def position_of(event: Event, stage: Stage, number: int) -> int:
    """Which round, from 1, round `number` is among those that count together with its stage."""
    stages = carried_stages_of(event, stage.number)
    return 1 + sum(round_.stage in stages and round_.number < number for round_ in event.rounds)
