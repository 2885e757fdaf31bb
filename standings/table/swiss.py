"""The Swiss part of an event: the rounds that count, records, and the ranking."""

import re
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import partial
from itertools import groupby

from standings.engine.field import Field
from standings.engine.ranking import LAST_RESORTS, Ranking, RankingStep, View, build_chain, rank_views
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Number, Scoring, exact
from tournament.event.lots import compute_lots
from tournament.event.types import ALONE, LEFT_THE_EVENT, Entry, Event, Match, Round, Stage
from tournament.rulesets import default_games

OPEN = ("published", "repairing")
NOT_ADMITTED = ("registered", "waitlisted", "merged")


class NoSuchRound(ValueError):
    pass


def list_carried_stages(event: Event, stage_number: int) -> list[int]:
    """Return the stage and those it carries points from, in the file's order. Raises KeyError for an unknown stage."""
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
    """Return the complete rounds; with `after`, all rounds up to it except drafts. Raises NoSuchRound."""
    if after is None:
        return [round_ for round_ in event.rounds if round_.status == "complete"]
    if not 0 <= after <= len(event.rounds):
        raise NoSuchRound(f"There is no round {after}: the event has {len(event.rounds)}.")
    return [round_ for round_ in event.rounds[:after] if round_.status != "draft"]


def last_swiss_round(event: Event) -> int:
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    return max((r.number for r in counted_rounds(event) if r.stage in swiss), default=0)


def event_after(event: Event, after: int | None = None) -> Event:
    """Return the event as it was after its counted Swiss rounds, all of them complete. Raises NoSuchRound.

    Removes later rounds, and any late entry, drop, disqualification or manual order of a later or open round, or the
    bracket.
    """
    swiss = [stage.number for stage in event.stages if stage.kind == "swiss"]
    rounds = [round_ for round_ in counted_rounds(event, after) if round_.stage in swiss]
    has_happened = _has_happened(event, rounds, after)
    inside = {code for n in _started_stages(event, rounds) for code in event.entries_of(event.stage(n))}
    met = {code for round_ in rounds for match in round_.matches if match.b for code in (match.a, match.b)}
    left, entries = last_rounds(event), {}
    # A player may have dropped before the disqualification.
    disqualified = {p.entry: p.round or 0 for p in event.penalties if p.kind == "disqualification"}
    for code, entry in event.entries.items():
        joined = (entry.joined_round or 1) == 1 or has_happened(code, entry.joined_round or 1)
        if code in met or (code in inside and joined and entry.status not in NOT_ADMITTED):
            last = left.get(code, 0)
            out = max(last, disqualified.get(code, 0))
            entries[code] = _entry_after(entry, last, out, partial(has_happened, code))
    for i, round_ in enumerate(rounds):
        matches = [match for match in round_.matches if match.a in entries]
        rounds[i] = round_.replace(status="complete", matches=matches)
    return event.replace(entries=entries, stages=stages_with(event, entries), rounds=rounds)


def last_rounds(event: Event) -> dict[str, int]:
    """Return {player who left: last round}: the stored one, else the last round with a seat (0: none)."""
    departed = [entry for entry in event.entries.values() if entry.status in LEFT_THE_EVENT]
    seated: dict[str | None, int] = {}
    if any(entry.dropped_after is None for entry in departed):
        for round_ in event.rounds:
            for match in round_.matches:
                seated[match.a] = seated[match.b] = round_.number
    return {
        entry.id: seated.get(entry.id, 0) if entry.dropped_after is None else entry.dropped_after
        for entry in departed
    }


def _has_happened(event: Event, rounds: list[Round], after: int | None) -> Callable[[str, int], bool]:
    last = max((round_.number for round_ in rounds), default=0)
    # Stages can run side by side: one may have completed a later round than the one another is playing.
    open_ = [
        (round_.number, set(event.entries_of(event.stage(round_.stage))))
        for round_ in event.rounds
        if round_.number < last and round_.status in OPEN and after is None
    ]
    return lambda code, number: (
        number <= last and not any(first <= number and code in codes for first, codes in open_)
    )


def stages_with(event: Event, codes: Collection[str]) -> list[Stage]:
    stages = list(event.stages)
    for i, stage in enumerate(stages):
        if stage.entries is not None:
            stages[i] = stage.replace(entries=tuple(code for code in stage.entries if code in codes))
    return stages


def _entry_after(entry: Entry, left: int, out: int, has_happened: Callable[[int], bool]) -> Entry:
    """Return the entry without a drop (after round `left`), disqualification or manual order yet to happen."""
    changes: dict = {}
    if entry.status == "disqualified" and not has_happened(out):
        changes["status"] = "dropped"
    if entry.status in LEFT_THE_EVENT and not has_happened(left):
        changes |= {"status": "playing", "dropped_after": None}
    if entry.manual_after is not None and not has_happened(entry.manual_after):
        changes |= {"manual": None, "manual_after": None}
    return entry.replace(**changes) if changes else entry


def count_open_rounds(event: Event, stage: int | None = None) -> Event:
    """Return a copy whose open rounds (all, or one stage's) count as complete, to rank by every result so far."""
    rounds = list(event.rounds)
    for i, round_ in enumerate(rounds):
        if round_.status in OPEN and stage in (None, round_.stage):
            rounds[i] = round_.replace(status="complete")
    return event.replace(rounds=rounds)


NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9}|/[1-9]\d{0,8})?", re.ASCII)


def tally_records(event: Event, stages: list[int], after: int | None = None) -> dict[str, Record]:
    """Return new records of all entries of the stages; rounds are numbered from 1 over these stages."""
    counted = counted_rounds(event, after)
    rounds = [round_ for round_ in counted if round_.stage in stages]
    numbered = [
        (number, [result for match in round_.matches if (result := read_result(event, round_, match))])
        for number, round_ in enumerate(rounds, start=1)
    ]
    entries = [entry for number in stages for entry in event.entries_of(event.stage(number))]
    seats = [seat for _, results in numbered for result in results for seat in result[:2] if seat]
    completed = _completed(event, counted)
    records = {entry: _blank(event, entry, entry in completed) for entry in dict.fromkeys([*entries, *seats])}
    return tally(numbered, records, Scoring(event.profile).games_to_win)


def compute_points(event: Event, stage_number: int, after: int | None = None) -> dict[str, Fraction]:
    """Return every entry's match points in the stage, including carried ones, after the counted rounds."""
    scoring = Scoring(event.profile)
    records = tally_records(event, list_carried_stages(event, stage_number), after)
    blank = Record("")
    return {
        entry: Fraction(scoring.points(records.get(entry, blank)))
        for entry in event.entries_of(event.stage(stage_number))
    }


def external_values(labels: Iterable[str]) -> dict[str, Number]:
    """Parse values measured outside the matches from labels such as "DSC cm=199.6"; ignores other labels."""
    values = {}
    for label in labels:
        name, sign, number = label.partition("=")
        if sign and NUMBER.fullmatch(number.strip()):
            values[name.strip()] = exact(number.strip())
    return values


def read_result(event: Event, round_: Round, match: Match) -> Result | None:
    """Return the match as the engine's `Result`, or None if its result does not count. Raises ValueError."""
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


def _completed(event: Event, counted: list[Round]) -> set[str]:
    """Return the entries that left after completing every Swiss round, including planned ones."""
    left = last_rounds(event)
    if not left:
        return set()
    swiss = {stage.number: set(event.entries_of(stage)) for stage in event.stages if stage.kind == "swiss"}
    begun = {round_.stage for round_ in counted}
    over = {n for stage in event.stages if stage.carries and stage.number in begun for n in stage.sources}
    completed = set()
    for entry, last in left.items():
        own = [number for number, codes in swiss.items() if entry in codes] or list(swiss)
        together = list_carried_stages(event, own[-1]) if own else []
        missed = any(round_.number > last and round_.stage in own for round_ in counted)
        played = sum(round_.stage in together for round_ in counted)
        if not missed and (played >= (event.rounds_planned or 0) or not over.isdisjoint(own[-1:])):
            completed.add(entry)
    return completed


def _blank(event: Event, entry_id: str, completed: bool) -> Record:
    entry = event.entries[entry_id]
    return Record(
        entry_id,
        left=entry.status in LEFT_THE_EVENT,
        completed=completed,
        house=entry.house,
        lot=entry.lot,
        manual=entry.manual,
        rating=entry.rating,
        start=exact(entry.start or 0),
        late=entry.late,
        seed=entry.seed_rank,
        external=external_values(entry.labels),
    )


MANUAL = "manual"


def compute_standings(
    event: Event, after: int | None = None, chain: list[RankingStep] | None = None
) -> Ranking:
    """Return the ranking of the whole event after the counted Swiss rounds (`after` None: all complete ones).

    Each entry's values come from its own stage and those it carries points from; stages side by side are ranked
    together. If a Swiss stage follows another without carrying its points, its entries rank above the others.
    Disqualified, waitlisted and house entries have no row, but count for their opponents. Raises UnknownMetric and
    UnknownScoring.
    """
    event = event_after(event, after)
    views = _build_views(event)
    steps = _list_steps(event) if chain is None else chain
    return rank_views({entry: view for entry, view in views.items() if is_ranked(event, entry)}, steps)


def ranks_by_round(event: Event) -> dict[str, list[int | None]]:
    """Return {code: rank after round 1, 2, …} (None before it joined); empty if stages do not form one series."""
    swiss = [stage for stage in event.stages if stage.kind == "swiss"]
    if any(not stage.carries for stage in swiss[1:]):
        return {}
    ranks: dict[str, list[int | None]] = {code: [] for code in event.entries}
    for number in range(1, last_swiss_round(event) + 1):
        after = {row.entry: row.rank for row in compute_standings(event, number)}
        for code, line in ranks.items():
            line.append(after.get(code))
    return ranks


def _list_steps(event: Event) -> list[RankingStep]:
    """Return the steps of the event's ruleset. A manual order, if set, comes just before the random tiebreaker."""
    steps = build_chain(event.profile, event.team)
    has_manual_order = any(entry.manual is not None for entry in event.entries.values())
    if has_manual_order and steps[-1].key == "random" and MANUAL not in [step.key for step in steps]:
        steps.insert(-1, RankingStep(MANUAL, ascending=True))
    return steps


def tied_groups(event: Event) -> list[list[str]]:
    """List groups of entries separated only by a manual order or the random tiebreaker, best group first."""
    steps = [step for step in build_chain(event.profile, event.team) if step.key not in LAST_RESORTS]
    ranked = groupby(compute_standings(event, chain=steps), lambda row: row.rank)
    groups = [[row.entry for row in rows] for _, rows in ranked]
    return [group for group in groups if len(group) > 1]


def standings_json(event: Event, after: int | None = None) -> dict:
    """Return the standings as the command prints them, with exact fractions as strings. Raises NoSuchRound."""
    ranking = compute_standings(event, after)
    after_round = last_swiss_round(event) if after is None else after
    return {"after_round": after_round, "columns": ranking.columns, "rows": rows_json(ranking)}


def rows_json(ranking: Ranking) -> list[dict]:
    return [row._asdict() | {"values": [str(value) for value in row.values]} for row in ranking]


def points_before(event: Event, number: int) -> dict[str, Fraction]:
    """Return every player's match points before a round, also late entries'; for a bracket round, the Swiss points."""
    stage = event.stage(event.rounds[number - 1].stage)
    if stage.kind == "swiss":
        return compute_points(event, stage.number, number - 1)
    views = _build_views(event_after(event, number - 1))
    return {code: view.now.column("match_points").exact(code) for code, view in views.items()}


def _build_views(event: Event) -> dict[str, View]:
    """Return, for each entry of a started Swiss stage, the fields that its values are read from. All rounds count."""
    scoring = Scoring(event.profile)
    lots = compute_lots(event.seed, {entry.id: entry.lot for entry in event.entries.values()})
    frozen = event.profile.get("tiebreaks_frozen_by_stage", False)
    depths = _depths(event)
    deepest = max(depths.values(), default=0)
    views: dict[str, View] = {}
    carrying = {number: list_carried_stages(event, number) for number in depths}
    for last, stages in carrying.items():
        if any(last in others for number, others in carrying.items() if number != last):
            continue  # a later stage carries its points
        field = Field(tally_records(event, stages), scoring, lots)
        then = _frozen_fields(event, stages, field) if frozen else {}
        for entry in field.records:
            tier = deepest - max(depths.get(n, 0) for n in stages)
            if entry not in views or tier < views[entry].tier:
                views[entry] = View(field, then.get(entry, field).field_at_drop(entry), tier)
    return views


def _started_stages(event: Event, rounds: Iterable[Round]) -> list[int]:
    swiss = [stage.number for stage in event.stages if stage.kind == "swiss"]
    begun = {round_.stage for round_ in rounds}
    return [number for number in swiss if number in begun] or swiss[:1]


def _depths(event: Event) -> dict[int, int]:
    depths: dict[int, int] = {}
    for number in _started_stages(event, event.rounds):
        stage = event.stage(number)
        before = [depths[n] + (not stage.carries) for n in stage.sources if n in depths]
        depths[number] = max(before, default=0)
    return depths


def _frozen_fields(event: Event, stages: list[int], whole: Field) -> dict[str, Field]:
    """Return {entry that left early: field of the rounds until the end of its last stage}."""
    numbers = [round_.stage for round_ in event.rounds if round_.stage in stages]
    fields: dict[int, Field] = {}
    then = {}
    for entry, record in whole.records.items():
        if not record.rounds:
            continue
        last = numbers[record.rounds[-1].number - 1]
        upto = list_carried_stages(event, last)
        if set(upto) == set(numbers):
            continue
        if last not in fields:
            fields[last] = Field(tally_records(event, upto), whole.scoring, whole.lots)
        then[entry] = fields[last]
    return then


def is_ranked(event: Event, entry_id: str) -> bool:
    entry = event.entries[entry_id]
    stays = event.profile["drop"].get("stays_in_standings", True)
    return not entry.house and (entry.status == "playing" or (entry.status == "dropped" and stays))
