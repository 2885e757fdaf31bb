"""The Swiss part of an event: from its facts to records, points and the ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from standings.engine.field import Field
from standings.engine.ranking.chain import Step, chain_of
from standings.engine.ranking.lots import draw
from standings.engine.ranking.rank import Ranking, View, rank_views
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Number, Scoring, exact
from tournament.event.types import ALONE, Event, Match, Round
from tournament.rulesets import default_games

GONE = ("dropped", "disqualified")
BY_HAND = "manual"
LAST_RESORTS = (BY_HAND, "random")
MEASURED = re.compile(r"-?\d{1,9}(\.\d{1,9}|/[1-9]\d{0,8})?", re.ASCII)


class NoSuchRound(ValueError):
    """A round the event does not have; the message names it."""


def session_of(event: Event, stage_number: int) -> list[int]:
    """The stages whose rounds count together: the stage and those it carries from, in the file's order.

    Raises KeyError where the event has no such stage.
    """
    wanted, members = [stage_number], set()
    while wanted:
        stage = event.stage(wanted.pop())
        if stage.number in members:
            continue
        members.add(stage.number)
        if stage.carries:
            wanted += [n for n in stage.sources if event.stage(n).kind == "swiss"]
    return [stage.number for stage in event.stages if stage.number in members]


def counted_rounds(event: Event, after: int | None = None) -> list[Round]:
    """The rounds that count: complete ones, or with `after` the file's first so many, drafts left out.

    Raises NoSuchRound for more rounds than the event has.
    """
    if after is None:
        return [round_ for round_ in event.rounds if round_.status == "complete"]
    if not 0 <= after <= len(event.rounds):
        raise NoSuchRound(f"There is no round {after}: the event has {len(event.rounds)}.")
    return [round_ for round_ in event.rounds[:after] if round_.status != "draft"]


def records_of(event: Event, session: list[int], after: int | None = None) -> dict[str, Record]:
    """Records of everybody in the session's stages, in fresh objects, rounds numbered from 1 within it."""
    records: dict[str, Record] = {}
    for number in session:
        for entry in event.entries_of(event.stage(number)):
            records.setdefault(entry, _blank(event, entry))
    rounds = [round_ for round_ in counted_rounds(event, after) if round_.stage in session]
    numbered = [
        (number, [result for match in round_.matches if (result := _result(event, round_, match))])
        for number, round_ in enumerate(rounds, start=1)
    ]
    for _, results in numbered:
        for result in results:
            for seated in (result.a, result.b):
                if seated is not None and seated not in records:
                    records[seated] = _blank(event, seated)
    return tally(numbered, records, Scoring(event.profile).games_to_win)


def points_of(event: Event, stage_number: int, after: int | None = None) -> dict[str, Fraction]:
    """Match points of every entry of the stage, carried ones included, after the counted rounds."""
    scoring = Scoring(event.profile)
    records = records_of(event, session_of(event, stage_number), after)
    blank = Record("")
    return {
        entry: Fraction(scoring.points(records.get(entry, blank)))
        for entry in event.entries_of(event.stage(stage_number))
    }


def standings_of(event: Event, after: int | None = None, chain: list[Step] | None = None) -> Ranking:
    """The ranking of the whole event after the counted Swiss rounds (None: all complete ones).

    Each entry's values come from its own session; sessions that do not carry into one another are ranked
    together. Entries that are not in the second day keep their values of the first. Where a Swiss stage
    follows another without carrying its points, those in it stand above those who are not. Disqualified,
    waitlisted and house entries have no row, dropped ones as the ruleset says; their results still feed
    their opponents. Raises UnknownMetric and UnknownScoring.
    """
    views = views_of(event, after)
    steps = steps_of_event(event) if chain is None else chain
    return rank_views({entry: view for entry, view in views.items() if _is_ranked(event, entry)}, steps)


def steps_of_event(event: Event) -> list[Step]:
    """The order of the event's ruleset; where an order was set by hand, that goes before the draw of lots.

    Source: RULES, "stored draw of lots + manual override with audit".
    """
    steps = chain_of(event.profile, event.team)
    by_hand = any(entry.manual is not None for entry in event.entries.values())
    if by_hand and steps[-1].key == "random" and BY_HAND not in [step.key for step in steps]:
        steps.insert(-1, Step(BY_HAND, ascending=True))
    return steps


def tied_groups(event: Event, after: int | None = None) -> list[list[str]]:
    """Entries nothing but an order by hand or a draw of lots tells apart, best group first."""
    steps = [step for step in chain_of(event.profile, event.team) if step.key not in LAST_RESORTS]
    groups: dict[int, list[str]] = {}
    for row in standings_of(event, after, steps):
        groups.setdefault(row.rank, []).append(row.entry)
    return [group for group in groups.values() if len(group) > 1]


def standings_json(event: Event, after: int | None = None) -> dict:
    """The standings as the command prints them: exact fractions as strings, rows best first.

    `after_round` counts the rounds of the file; without `after` the last complete Swiss round or 0.
    Raises as `standings_of`, and NoSuchRound.
    """
    ranking = standings_of(event, after)
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    last = max((r.number for r in counted_rounds(event) if r.stage in swiss), default=0)
    return {
        "after_round": last if after is None else after,
        "columns": ranking.columns,
        "rows": rows_json(ranking),
    }


def rows_json(ranking: Ranking) -> list[dict]:
    """The rows of a ranking in plain JSON, exact fractions as strings."""
    return [
        {
            "rank": row.rank,
            "entry": row.entry,
            "values": [str(value) for value in row.values],
            "decided_by": row.decided_by,
        }
        for row in ranking
    ]


def views_of(event: Event, after: int | None = None) -> dict[str, View]:
    """For every entry of a started Swiss stage, the fields its values are read in."""
    scoring = Scoring(event.profile)
    lots = draw(event.seed, {entry.id: entry.lot for entry in event.entries.values()})
    frozen = event.profile.get("tiebreaks_frozen_by_stage", False)
    depths = _depths(event, after)
    deepest = max(depths.values(), default=0)
    views: dict[str, View] = {}
    for last in _last_stages(event, list(depths)):
        session = session_of(event, last)
        field = Field(records_of(event, session, after), scoring, lots)
        then = _frozen_fields(event, session, after, field) if frozen else {}
        for entry in field.records:
            tier = deepest - max(depths.get(n, 0) for n in session)
            if entry not in views or tier < views[entry].tier:
                views[entry] = View(field, then.get(entry, field), tier)
    return views


def _started(event: Event, after: int | None) -> list[int]:
    """Swiss stages with a counted round, in order; the first one where none has begun."""
    swiss = [stage.number for stage in event.stages if stage.kind == "swiss"]
    begun = {round_.stage for round_ in counted_rounds(event, after)}
    return [number for number in swiss if number in begun] or swiss[:1]


def _depths(event: Event, after: int | None) -> dict[int, int]:
    """{started Swiss stage: how many Swiss stages it follows without carrying their points}."""
    depths: dict[int, int] = {}
    for number in _started(event, after):
        stage = event.stage(number)
        before = [depths[n] + (not stage.carries) for n in stage.sources if n in depths]
        depths[number] = max(before, default=0)
    return depths


def _last_stages(event: Event, started: list[int]) -> list[int]:
    """Started stages that no other started stage carries on."""
    carried = {n for number in started for n in session_of(event, number) if n != number}
    return [number for number in started if number not in carried]


def _frozen_fields(event: Event, session: list[int], after: int | None, whole: Field) -> dict[str, Field]:
    """{entry: field of the rounds up to the end of the last stage it played in}, where it left earlier."""
    numbers = [round_.stage for round_ in counted_rounds(event, after) if round_.stage in session]
    fields: dict[int, Field] = {}
    then = {}
    for entry, record in whole.records.items():
        if not record.rounds:
            continue
        last = numbers[record.rounds[-1].number - 1]
        upto = session_of(event, last)
        if set(upto) == set(numbers):
            continue
        if last not in fields:
            fields[last] = Field(records_of(event, upto, after), whole.scoring, whole.lots)
        then[entry] = fields[last]
    return then


def _is_ranked(event: Event, entry_id: str) -> bool:
    entry = event.entries[entry_id]
    if entry.house or entry.status not in ("playing", "dropped"):
        return False
    return entry.status == "playing" or event.profile["drop"].get("stays_in_standings", True)


def _blank(event: Event, entry_id: str) -> Record:
    entry = event.entries[entry_id]
    return Record(
        entry_id,
        left=entry.status in GONE,
        house=entry.house,
        lot=entry.lot,
        manual=entry.manual,
        rating=entry.rating,
        start=exact(entry.start or 0),
        late=entry.late,
        seed=entry.seed_rank,
        external=outside_values(entry.labels),
    )


def outside_values(labels: Iterable[str]) -> dict[str, Number]:
    """Values measured outside the matches, read from labels such as "DSC cm=199.6"; other labels are none."""
    values = {}
    for label in labels:
        name, sign, number = label.partition("=")
        if sign and MEASURED.fullmatch(number.strip()):
            values[name.strip()] = exact(number.strip())
    return values


def _result(event: Event, round_: Round, match: Match) -> Result | None:
    """The match as the engine reads it; None without a result, and for a bye given after the entry left."""
    if match.result is None:
        return None
    if match.result in ALONE:
        left_after = event.entries[match.a].dropped_after
        if left_after is not None and round_.number > left_after:
            return None
    games = match.games
    if games is None:
        games = default_games(event.profile, match.result, match.winner, event.best_of)
    if games is None:
        raise ValueError(f"The match of {match.a} and {match.b} in round {round_.number} has no games.")
    score = None if match.score is None else (Fraction(match.score[0]), Fraction(match.score[1]))
    return Result(match.a, match.b, match.result, games, match.winner, match.first, score, match.game_order)


def last_swiss_round(event: Event) -> int:
    """The number of the last complete Swiss round; 0 before there is one."""
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    return max((r.number for r in event.rounds if r.status == "complete" and r.stage in swiss), default=0)


def count_open_rounds(event: Event) -> Event:
    """The same event with results of published rounds counted too: standings as they are now, for staff."""
    for round_ in event.rounds:
        if round_.status in ("published", "repairing"):
            round_.status = "complete"
    return event
