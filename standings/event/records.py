"""Build records from an event's facts: each entry's rounds."""

import re
from collections.abc import Iterable
from fractions import Fraction

from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Number, Scoring, exact
from standings.event.rounds import carried_stages_of, counted_rounds, last_rounds
from tournament.event.types import ALONE, LEFT_THE_EVENT, Event, Match, Round
from tournament.rulesets import default_games

NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9}|/[1-9]\d{0,8})?", re.ASCII)


def records_of(event: Event, stages: list[int], after: int | None = None) -> dict[str, Record]:
    """Return records of all entries of the stages, in fresh objects, rounds numbered from 1 over these stages."""
    counted = counted_rounds(event, after)
    rounds = [round_ for round_ in counted if round_.stage in stages]
    numbered = [
        (number, [result for match in round_.matches if (result := result_of(event, round_, match))])
        for number, round_ in enumerate(rounds, start=1)
    ]
    entries = [entry for number in stages for entry in event.entries_of(event.stage(number))]
    seats = [seat for _, results in numbered for result in results for seat in result[:2] if seat]
    completed = _completed(event, counted)
    records = {entry: _blank(event, entry, entry in completed) for entry in dict.fromkeys([*entries, *seats])}
    return tally(numbered, records, Scoring(event.profile).games_to_win)


def points_of(event: Event, stage_number: int, after: int | None = None) -> dict[str, Fraction]:
    """Return every entry's match points in the stage, including carried ones, after the counted rounds."""
    scoring = Scoring(event.profile)
    records = records_of(event, carried_stages_of(event, stage_number), after)
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


def result_of(event: Event, round_: Round, match: Match) -> Result | None:
    """Return the match as the engine reads it; None without a result, or for a bye given after the entry left.

    Raises ValueError for a match without games if the ruleset sets none for such a result.
    """
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
        together = carried_stages_of(event, own[-1]) if own else []
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
