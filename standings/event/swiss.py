"""The Swiss part of an event: its records in the fields they count in, and the ranking."""

from fractions import Fraction
from itertools import groupby

from standings.engine.field import Field
from standings.engine.ranking.chain import RankingStep, chain_of
from standings.engine.ranking.rank import Ranking, View, rank_views
from standings.engine.scoring import Scoring
from standings.event.records import points_of, records_of
from standings.event.rounds import carried_stages_of, event_after, last_swiss_round
from tournament.event.lots import lots_of
from tournament.event.types import Event

MANUAL = "manual"
LAST_RESORTS = (MANUAL, "random")


def standings_of(event: Event, after: int | None = None, chain: list[RankingStep] | None = None) -> Ranking:
    """Return the ranking of the whole event as it was after the counted Swiss rounds (None: all complete ones).

    Each entry's values come from its own stage and those it carries points from; flights are ranked together. Entries
    that are not in the second day keep their values of the first. If a Swiss stage follows another without carrying
    its points, its entries rank above the others. Disqualified, waitlisted and house entries have no row, dropped
    ones as the ruleset says; their results still count for their opponents. Raises UnknownMetric and UnknownScoring.
    """
    event = event_after(event, after)
    views = _views_of(event)
    steps = _steps_of(event) if chain is None else chain
    return rank_views({entry: view for entry, view in views.items() if is_ranked(event, entry)}, steps)


def _steps_of(event: Event) -> list[RankingStep]:
    """Return the order of the event's ruleset; a manual order, if one was set, comes before the random tiebreaker."""
    steps = chain_of(event.profile, event.team)
    has_manual_order = any(entry.manual is not None for entry in event.entries.values())
    if has_manual_order and steps[-1].key == "random" and MANUAL not in [step.key for step in steps]:
        steps.insert(-1, RankingStep(MANUAL, ascending=True))
    return steps


def tied_groups(event: Event, after: int | None = None) -> list[list[str]]:
    """List entries separated only by a manual order or the random tiebreaker, best group first."""
    steps = [step for step in chain_of(event.profile, event.team) if step.key not in LAST_RESORTS]
    ranked = groupby(standings_of(event, after, steps), lambda row: row.rank)
    groups = [[row.entry for row in rows] for _, rows in ranked]
    return [group for group in groups if len(group) > 1]


def standings_json(event: Event, after: int | None = None) -> dict:
    """Return the standings as the command prints them: exact fractions as strings, rows best first.

    `after_round` counts the rounds of the file; without `after` the last complete Swiss round or 0.
    Raises like `standings_of`, and NoSuchRound.
    """
    ranking = standings_of(event, after)
    return {
        "after_round": last_swiss_round(event) if after is None else after,
        "columns": ranking.columns,
        "rows": rows_json(ranking),
    }


def rows_json(ranking: Ranking) -> list[dict]:
    return [row._asdict() | {"values": [str(value) for value in row.values]} for row in ranking]


def points_before(event: Event, number: int) -> dict[str, Fraction]:
    """Return the match points players bring into a round, also late entries; into a bracket, their Swiss points."""
    stage = event.stage(event.rounds[number - 1].stage)
    if stage.kind == "swiss":
        return points_of(event, stage.number, number - 1)
    views = _views_of(event_after(event, number - 1))
    return {code: view.now.column("match_points").exact(code) for code, view in views.items()}


def _views_of(event: Event) -> dict[str, View]:
    """Return, for every entry of a started Swiss stage, the fields its values are read in. All rounds count."""
    scoring = Scoring(event.profile)
    lots = lots_of(event.seed, {entry.id: entry.lot for entry in event.entries.values()})
    frozen = event.profile.get("tiebreaks_frozen_by_stage", False)
    depths = _depths(event)
    deepest = max(depths.values(), default=0)
    views: dict[str, View] = {}
    for last in _last_stages(event, list(depths)):
        stages = carried_stages_of(event, last)
        field = Field(records_of(event, stages), scoring, lots)
        then = _frozen_fields(event, stages, field) if frozen else {}
        for entry in field.records:
            tier = deepest - max(depths.get(n, 0) for n in stages)
            if entry not in views or tier < views[entry].tier:
                views[entry] = View(field, then.get(entry, field).at_drop_of(entry), tier)
    return views


def _started_stages(event: Event) -> list[int]:
    swiss = [stage.number for stage in event.stages if stage.kind == "swiss"]
    begun = {round_.stage for round_ in event.rounds}
    return [number for number in swiss if number in begun] or swiss[:1]


def _depths(event: Event) -> dict[int, int]:
    depths: dict[int, int] = {}
    for number in _started_stages(event):
        stage = event.stage(number)
        before = [depths[n] + (not stage.carries) for n in stage.sources if n in depths]
        depths[number] = max(before, default=0)
    return depths


def _last_stages(event: Event, started: list[int]) -> list[int]:
    carried = {n for number in started for n in carried_stages_of(event, number) if n != number}
    return [number for number in started if number not in carried]


def _frozen_fields(event: Event, stages: list[int], whole: Field) -> dict[str, Field]:
    """Return {entry that left early: field of the rounds up to the end of its last stage}."""
    numbers = [round_.stage for round_ in event.rounds if round_.stage in stages]
    fields: dict[int, Field] = {}
    then = {}
    for entry, record in whole.records.items():
        if not record.rounds:
            continue
        last = numbers[record.rounds[-1].number - 1]
        upto = carried_stages_of(event, last)
        if set(upto) == set(numbers):
            continue
        if last not in fields:
            fields[last] = Field(records_of(event, upto), whole.scoring, whole.lots)
        then[entry] = fields[last]
    return then


def is_ranked(event: Event, entry_id: str) -> bool:
    entry = event.entries[entry_id]
    stays = event.profile["drop"].get("stays_in_standings", True)
    return not entry.house and (entry.status == "playing" or (entry.status == "dropped" and stays))
