"""Table numbers for the pairs of a round: fixed, locked and hand-placed tables first, then by the venue's plan."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from pairings.engine.tables import spread_tables
from standings.table.swiss import list_carried_stages
from tournament.event.table_plan import assign_tables, round_table_plan, table_numbers
from tournament.event.types import Event, Stage


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


def assign_table_numbers(
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
    """Return the table of each pair of round `number`, in the order of the pairs; `busy` tables are not used.

    points   {player: points before the round}; pairs with equal points may swap tables
    locked   {pair: table} to keep if the venue's plan for this round has the table
    by_hand  {pair: table} that the organizer chose
    """
    plan = round_table_plan(event)
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
    rounds = event.rounds_of(*list_carried_stages(event, stage.number))
    last = [round_ for round_ in rounds if round_.number < number][-1:]
    matches = [match for round_ in last for match in round_.matches if match.table]
    return {code: match.table or 0 for match in matches for code in (match.a, match.b) if code}
