"""Which rounds of an event count: complete ones, the first rounds of the file, or open rounds too."""

from tournament.event.types import Event, Round

OPEN = ("published", "repairing")


class NoSuchRound(ValueError):
    """A round the event does not have; the message names it."""


def carried_stages_of(event: Event, stage_number: int) -> list[int]:
    """The stages whose rounds count together: the stage and those it carries points from, in the file's order.

    Raises KeyError where the event has no such stage.
    """
    open_stages, members = [stage_number], set()
    while open_stages:
        stage = event.stage(open_stages.pop())
        if stage.number in members:
            continue
        members.add(stage.number)
        if stage.carries:
            open_stages += [n for n in stage.sources if event.stage(n).kind == "swiss"]
    return [stage.number for stage in event.stages if stage.number in members]


def counted_rounds(event: Event, after: int | None = None) -> list[Round]:
    """The rounds that count: complete ones, or with `after` the file's first ones up to it, drafts left out.

    Raises NoSuchRound for more rounds than the event has.
    """
    if after is None:
        return [round_ for round_ in event.rounds if round_.status == "complete"]
    if not 0 <= after <= len(event.rounds):
        raise NoSuchRound(f"There is no round {after}: the event has {len(event.rounds)}.")
    return [round_ for round_ in event.rounds[:after] if round_.status != "draft"]


def last_swiss_round(event: Event) -> int:
    """The number of the last complete Swiss round; 0 before there is one."""
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    return max((r.number for r in counted_rounds(event) if r.stage in swiss), default=0)


def count_open_rounds(event: Event, stage: int | None = None) -> Event:
    """The event with its published rounds (of that stage alone, if given) as complete ones.

    Standings of it count every result that is in. The event itself stays as it is.
    """
    rounds = [
        round_.replace(status="complete")
        if round_.status in OPEN and stage in (None, round_.stage)
        else round_
        for round_ in event.rounds
    ]
    return event.replace(rounds=rounds)
