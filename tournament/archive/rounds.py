from collections.abc import Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Any

from msgspec.structs import asdict

from tournament.archive import format
from tournament.archive.format import ArchiveError, moment_at, repeated_values, zone_at
from tournament.event.pairing_record import PairingRecord
from tournament.event.table_plan import PlanError, parse_plan
from tournament.event.types import ALONE, PAIRED, Clock, Event, Extension, Match, Round, Stage, table_order
from tournament.schemas.kinds import shown


def parse_rounds(items: Sequence[format.Round], event: Event) -> list[Round]:
    rounds: list[Round] = []
    stages = {stage.number: stage for stage in event.stages}
    open_stages: set[int] = set()
    for index, item in enumerate(items):
        path = f"rounds[{index}]"
        stage = stages.get(item.stage)
        if stage is None:
            raise ArchiveError(f"{path}.stage", f"there is no stage {item.stage}")
        if stage.number in open_stages and stage.kind == "swiss":
            raise ArchiveError(path, "an earlier round of this Swiss stage is not complete")
        if item.status != "complete":
            open_stages.add(stage.number)
        rounds.append(_round(item, path, event, stage, index + 1))
    return rounds


def _round(item: format.Round, path: str, event: Event, stage: Stage, number: int) -> Round:
    for index, match in enumerate(item.matches):
        at = f"{path}.matches[{index}]"
        _check_seats(match, at, item, event)
        _check_result(match, at)
        _check_reports(match, at)
    _check_twice(item, path)
    _check_bracket(item, path, stage)
    return Round(
        number=number,
        stage=stage.number,
        status="published" if item.status == "repairing" else item.status,
        matches=[_match(match) for match in sorted(item.matches, key=table_order)],
        extensions=_extensions(item, path),
        clock=_clock(item.clock or Clock(), f"{path}.clock", event),
        pairing=PairingRecord.from_json(item.pairing),
        table_plan=checked_plan(item.table_plan, f"{path}.table_plan"),
    )


def checked_plan(text: str | None, path: str) -> str | None:
    try:
        parse_plan(text or "")
    except PlanError as error:
        raise ArchiveError(path, str(error)) from None
    return text


def _match(item: format.Match) -> Match:
    """Return the match. A winner is given only if the games do not determine it."""
    a, b = item.score or (None, None)
    return Match(
        **{
            **asdict(item),
            "score": None if a is None or b is None else (str(Fraction(a)), str(Fraction(b))),
            "winner": item.winner if item.decided or item.result == "forfeit" else None,
            "replays": tuple(_replay(replay) for replay in item.replays),
            "waived": item.waived and asdict(item.waived),
        }
    )


def _replay(item: format.Replay) -> dict[str, Any]:
    return {"games": list(item.games)} | ({"first": item.first} if item.first else {})


def check_entry(code: str, path: str, event: Event) -> None:
    if code not in event.entries:
        raise ArchiveError(path, f"there is no entry {shown(code)}")
    if event.entries[code].status == "merged":
        raise ArchiveError(path, f"{shown(code)} was merged into {shown(event.entries[code].same_person_as)}")


def _check_seats(match: format.Match, path: str, round_: format.Round, event: Event) -> None:
    for key, code in (("a", match.a), ("b", match.b)):
        if code is not None:
            check_entry(code, f"{path}.{key}", event)
    results = PAIRED if match.b else ALONE
    if match.result is not None and match.result not in results:
        raise ArchiveError(f"{path}.result", f"{shown(match.result)} is not one of {', '.join(results)}")
    if match.a == match.b:
        raise ArchiveError(path, f"{shown(match.a)} cannot meet itself")
    if match.result is None and (match.b is None or round_.status == "complete"):
        raise ArchiveError(f"{path}.result", "a bye, and every match of a complete round, needs a result")


def _check_result(match: format.Match, path: str) -> None:
    """Check that games and a winner are given exactly if the result needs them."""
    if match.result == "played" and match.games is None:
        raise ArchiveError(f"{path}.games", "a played match needs its games")
    if match.result is None and match.games is not None:
        raise ArchiveError(f"{path}.result", "games without a result")
    if match.b is None and match.score and Fraction(match.score[1]):
        raise ArchiveError(f"{path}.score[1]", "there is no opponent to score points")
    if match.decided and not match.winner:
        raise ArchiveError(f"{path}.winner", "a decided match needs its winner")
    free = match.decided or match.result == "forfeit" or _is_ahead(match)
    if match.winner and not free:
        raise ArchiveError(f"{path}.winner", "only a forfeit or a decided match names its winner")


def _is_ahead(match: format.Match) -> bool:
    if match.result != "played" or match.games is None:
        return False
    a, b, _drawn = match.games
    return match.winner == ("a" if a > b else "b" if b > a else None)


def _check_twice(round_: format.Round, path: str) -> None:
    matches = round_.matches
    for place, code in repeated_values(code for match in matches for code in (match.a, match.b)):
        raise ArchiveError(f"{path}.matches[{place // 2}]", f"{shown(code)} is seated twice in this round")
    for index, table in repeated_values(match.table for match in matches):
        raise ArchiveError(f"{path}.matches[{index}].table", f"table {table} appears twice")
    for index, slot in repeated_values(match.slot for match in matches):
        raise ArchiveError(f"{path}.matches[{index}].slot", f"{shown(slot)} appears twice")


def _check_bracket(round_: format.Round, path: str, stage: Stage) -> None:
    if not stage.seeds:
        return
    inside = {*stage.seeds, *stage.alternates}
    for index, match in enumerate(round_.matches):
        for key, code in (("a", match.a), ("b", match.b)):
            if code is not None and code not in inside:
                raise ArchiveError(
                    f"{path}.matches[{index}].{key}",
                    f"{shown(code)} is not a seed or alternate of this stage",
                )


def _clock(item: Clock, path: str, event: Event) -> Clock:
    if item.ends_at and item.seconds_left is not None:
        raise ArchiveError(f"{path}.seconds_left", "a paused clock has no ends_at")
    zone = zone_at(event.time_zone, "tournament.time_zone")
    moments = {
        name: moment_at(getattr(item, name), f"{path}.{name}", zone) for name in ("starts_at", "ends_at")
    }
    return item.replace(**moments)


def _check_reports(match: format.Match, path: str) -> None:
    if match.reports and (match.b is None or match.table is None):
        raise ArchiveError(f"{path}.reports", "only a table with 2 players has reports")
    for index, source in repeated_values(report.source for report in match.reports):
        raise ArchiveError(f"{path}.reports[{index}].source", f"{shown(source)} appears twice")


def _extensions(round_: format.Round, path: str) -> tuple[Extension, ...]:
    tables = {match.table for match in round_.matches}
    for index, item in enumerate(round_.extensions):
        if item.table not in tables:
            raise ArchiveError(
                f"{path}.extensions[{index}].table",
                f"{item.table} is not a table of this round, or appears twice",
            )
        tables.remove(item.table)
    return tuple(sorted(round_.extensions, key=attrgetter("table")))
