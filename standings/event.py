"""From an event's facts to records and points: the adapter between the archive's values and the engine."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Scoring
from tournament.archive.types import ALONE, Event, Match, Round
from tournament.rulesets import default_games

GONE = ("dropped", "disqualified")


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
    """The rounds that count: complete ones, or with `after` the first so many of the file, drafts left out."""
    if after is None:
        return [round_ for round_ in event.rounds if round_.status == "complete"]
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
            for entry in (result.a, result.b):
                if entry is not None and entry not in records:
                    records[entry] = _blank(event, entry)
    return tally(numbered, records)


def points_of(event: Event, stage_number: int, after: int | None = None) -> dict[str, Fraction]:
    """Match points of every entry of the stage, carried ones included, after the counted rounds."""
    scoring = Scoring(event.profile)
    records = records_of(event, session_of(event, stage_number), after)
    blank = Record("")
    return {
        entry: Fraction(scoring.points(records.get(entry, blank)))
        for entry in event.entries_of(event.stage(stage_number))
    }


def _blank(event: Event, entry_id: str) -> Record:
    entry = event.entries[entry_id]
    return Record(entry_id, left=entry.status in GONE, house=entry.house, lot=entry.lot, manual=entry.manual)


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
    score = None if match.score is None else (Fraction(match.score[0]), Fraction(match.score[1]))
    return Result(match.a, match.b, match.result, tuple(games), match.winner, match.first, score)
