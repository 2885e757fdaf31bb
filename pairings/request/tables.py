"""Table numbers of a round: fixed and locked tables, other flights' tables, no one twice in a row at the same one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from pairings.engine.tables import spread_tables
from standings.event.rounds import carried_stages_of
from tournament.event.table_plan import assign_tables, plan_of, table_numbers
from tournament.event.types import Event, Match, Round, Stage


def is_paired(match: Match) -> bool:
    """Whether the pairing made this match: two players, or its bye."""
    return match.b is not None or match.result == "bye"


def paired_codes(round_: Round) -> list[str]:
    """List the codes of all entries the pairing seated, including house entries and the bye."""
    return [code for match in round_.matches if is_paired(match) for code in (match.a, match.b) if code]


def paired_round(event: Event, number: int) -> Round | None:
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or event.stage(round_.stage).kind != "swiss" or not paired_codes(round_):
        return None
    return round_


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


def _matches_elsewhere(event: Event, stage: Stage) -> list[Match]:
    others = (r for r in event.rounds if r.status != "complete" and r.stage != stage.number)
    return [match for round_ in others for match in round_.matches]


def codes_elsewhere(event: Event, stage: Stage) -> set[str]:
    return {code for match in _matches_elsewhere(event, stage) for code in (match.a, match.b) if code}


def tables_elsewhere(event: Event, stage: Stage) -> set[int]:
    return {match.table for match in _matches_elsewhere(event, stage) if match.table is not None}


def table_numbers_of(
    event: Event,
    stage: Stage,
    number: int,
    pairs: Sequence[tuple],
    points: Mapping[str, Any],
    *,
    locked: Mapping[frozenset, int | None] | None = None,
    by_hand: Mapping[frozenset, int | None] | None = None,
    busy: Collection[int] = (),
) -> list[int]:
    """Return the table of each pair of round `number`, in the pairs' order; never a `busy` one.

    points   {player: points before the round}; pairs with equal points may swap tables
    locked   {pair: table} of pairs that keep theirs while the venue's plan for this round has it
    by_hand  {pair: table} of pairs the organizer placed
    """
    plan = plan_of(event)
    fixed = fixed_tables(event, pairs)
    usual = {*islice(table_numbers(plan, busy), len(pairs)), *fixed.values(), *plan.features} - {*busy}
    kept: dict[int, int] = {}
    of_venue = {pair: table for pair, table in (locked or {}).items() if table in usual}
    for wanted in (by_hand or {}, of_venue):
        for index, pair in enumerate(pairs):
            table = wanted.get(frozenset(pair))
            if table and table not in {*kept.values(), *busy}:
                kept.setdefault(index, table)
    own = {index for index, pair in enumerate(pairs) if not fixed.keys().isdisjoint(pair)}
    tables = assign_tables(pairs, plan, skip=busy, fixed=fixed, locked=kept)
    free = [index for index in range(len(pairs)) if index not in kept and index not in own]
    if event.varies_tables:
        last = last_tables(event, stage, number)
        seated = spread_tables(
            [sorted((points.get(code, 0) for code in pairs[index]), reverse=True) for index in free],
            [tables[index] for index in free],
            [[last[code] for code in pairs[index] if code in last] for index in free],
        )
        for index, table in zip(free, seated, strict=True):
            tables[index] = table
    return tables


def last_tables(event: Event, stage: Stage, number: int) -> dict[str, int]:
    """Return {player: table in the previous round} for players who had one."""
    rounds = event.rounds_of(*carried_stages_of(event, stage.number))
    last = [round_ for round_ in rounds if round_.number < number][-1:]
    matches = [match for round_ in last for match in round_.matches if match.table]
    return {code: match.table or 0 for match in matches for code in (match.a, match.b) if code}
