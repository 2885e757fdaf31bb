"""The bracket of an event, from its facts, and the final standings."""

from __future__ import annotations

from standings.engine.bracket.drops import BracketDrops
from standings.engine.bracket.final_places import Place, places_in_bracket
from standings.engine.bracket.tree import bracket_of
from standings.engine.bracket.types import Bracket
from standings.event.meetings import meeting_of
from standings.event.qualifiers import elimination_stage_of
from standings.event.swiss import standings_of
from tournament.event.types import Event, Stage

TOP_BYE = "highest_ranked_remaining_gets_bye"


def seeds_of(event: Event, stage: Stage) -> list[str]:
    """An elimination stage's entrants in seed order: as stored, otherwise by the Swiss ranking before it."""
    if stage.seeds:
        return list(stage.seeds)
    entrants = set(event.entries_of(stage))
    first = next((round_.number for round_ in event.rounds if round_.stage == stage.number), None)
    order = standings_of(event, None if first is None else first - 1).order
    ranked = [entry for entry in order if entry in entrants]
    return ranked + sorted(entrants.difference(ranked))


def bracket_of_event(event: Event, stage_number: int | None = None) -> Bracket | None:
    """The bracket of that elimination stage, by default the last; None if the event has none.

    Each meeting's `ref` is (round number, match). Raises KeyError for an unknown stage.
    """
    stage = elimination_stage_of(event) if stage_number is None else event.stage(stage_number)
    if stage is None:
        return None
    seeds = seeds_of(event, stage)
    meetings = [
        meeting_of(event, round_, match, seeds)
        for round_ in event.rounds_of(stage.number)
        if round_.status != "draft"
        for match in round_.matches
    ]
    rules = event.profile["elimination"]
    return bracket_of(
        seeds,
        meetings,
        third_place=bool(rules.get("third_place_match")),
        reseed=bool(rules.get("reseed")),
        drops=drops_of(event, stage),
    )


def drops_of(event: Event, stage: Stage) -> BracketDrops:
    """The entrants that dropped from the bracket, without those that played on, and who gets their byes."""
    earlier = [s.number for s in event.stages[: event.stages.index(stage)]]
    before = max((round_.number for round_ in event.rounds_of(*earlier)), default=0)
    last_played: dict[str | None, int] = {}
    for round_ in event.rounds_of(stage.number):
        for match in round_.matches:
            if match.result is not None:
                last_played[match.a] = last_played[match.b] = round_.number
    after = {
        entry.id: max(entry.dropped_after - before, 0)
        for entry in event.entries.values()
        if entry.status in ("dropped", "disqualified")
        and entry.dropped_after is not None
        and last_played.get(entry.id, 0) <= entry.dropped_after
    }
    return BracketDrops(after, event.profile["drop"].get("walkover") == TOP_BYE)


def final_places_of(event: Event) -> list[Place]:
    """The final places of all entries: those of the bracket, then all others by Swiss rank.

    Disqualified entries have no place, and all below move up; house entries have none either.
    Raises UnknownPlacing, UnknownMetric, UnknownScoring.
    """
    bracket = bracket_of_event(event)
    rows: list[Place] = []
    if bracket is not None:
        gone = {entry.id for entry in event.entries.values() if entry.status == "disqualified"}
        rows = places_in_bracket(bracket, event.profile["elimination"]["placement"], gone)
    inside = set(bracket.seeds) if bracket is not None else set()
    place, rank_above = 0, None
    for row in standings_of(event):
        if row.entry not in inside:
            place = place if row.rank == rank_above else len(rows) + 1
            rank_above = row.rank
            rows.append(Place(place, row.entry))
    return rows
