"""The seeding of a Swiss stage: who is in it, in which order, and whether the order can still change."""

from dataclasses import dataclass

from pairings.request.entrants import seed_ranks
from tournament.event.read import event_of
from tournament.event.types import Entry, Event, Stage
from tournament.models import Tournament
from tournament.progress.next_step import Progress
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class Seeding:
    """The seeding of a stage."""

    flight: int | None  # its number, if several stages run side by side
    codes: list[str]  # the players, best seed first
    begun: bool  # whether round 1 is paired, which fixes the order
    entries: dict[str, Entry]  # {entry code: entry} of the event
    names: dict[str, str]  # {entry code: name}

    @property
    def by_hand(self) -> bool:
        return any(self.entries[code].seed_rank is not None for code in self.codes)


def seeding_of(tournament: Tournament, progress: Progress, flight: str = "") -> Seeding:
    """Return the seeding of the stage that takes entries, or of the last stage.

    Among stages side by side: the stage with number `flight`, or the first that has not begun.
    """
    event = event_of(tournament)
    stage = _stage_of(event, progress, flight)
    if stage is None:
        return Seeding(None, [], True, event.entries, names_in(event))
    flights, ranks = progress.facts.flights, seed_ranks(event, stage)
    players = [c for c in ranks if not event.entries[c].house and event.entries[c].status == "playing"]
    followed = not flights and stage is not event.stages[-1]  # by a later stage, not one side by side
    return Seeding(
        flight=stage.number if flights else None,
        codes=sorted(players, key=lambda code: ranks[code]),
        begun=followed or bool(event.rounds_of(stage.number)),
        entries=event.entries,
        names=names_in(event),
    )


def _stage_of(event: Event, progress: Progress, flight: str) -> Stage | None:
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if not swiss:
        return None
    if not progress.facts.flights:
        return swiss[-1]
    numbers = {str(one.number): one.number for one in progress.facts.flights}
    usual = progress.facts.stage.number if progress.facts.stage else swiss[-1].number
    return event.stage(numbers.get(flight, usual))
