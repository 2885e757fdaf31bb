"""Table numbers for the pairs of a round: fixed, locked and hand-placed tables first, then by the venue's plan."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from pairings.engine import Pairing, PairingRequest
from pairings.engine.tables import spread_tables
from pairings.request.entrants import earlier_tables
from pairings.request.pairing_request import tables_elsewhere
from standings.table.swiss import list_carried_stages
from tournament.actionlog.match_facts import MatchFact
from tournament.event.pairing_record import Edit
from tournament.event.table_plan import assign_tables, round_table_plan, table_numbers
from tournament.event.types import Event, Round, Stage
from tournament.event.waivers import waiver


def fixed_tables(event: Event, pairs: Iterable[tuple]) -> dict[str, int]:
    return {code: table for pair in pairs for code in pair if (table := event.entries[code].fixed_table)}


UNAVOIDABLE = "no legal pairing without it"  # the stored reason of a waiver that the pairing needed


def seat_pairs(
    event: Event,
    stage: Stage,
    number: int,
    request: PairingRequest,
    pairing: Pairing,
    replaced: Round | None,
    moves: Collection[Edit],
) -> list[MatchFact]:
    """Number the pairs, add waivers for unavoidable rematches and repeat byes, and end with the bye.

    Locked tables keep number and first move from the `replaced` draft; matches moved by hand keep their number.
    """
    earlier = earlier_tables(event)
    locks = {frozenset(lock) for lock in request.locked}
    draft = {frozenset((match.a, match.b)): match for match in (replaced.matches if replaced else ())}
    by_hand = [frozenset(edit.players) for edit in moves]
    locked = {pair: match for pair, match in draft.items() if pair in locks and match.table}
    numbers = assign_table_numbers(
        event,
        stage,
        number,
        pairing.pairs,
        request.points,
        locked={pair: match.table for pair, match in locked.items()},
        by_hand={pair: draft[pair].table for pair in by_hand},
        busy=tables_elsewhere(event, stage),
    )
    tables = []
    for index, (a, b) in enumerate(pairing.pairs):
        first = pairing.first[index] if pairing.first else ""
        if match := locked.get(frozenset((a, b))):
            a, b, first, waived = match.a, match.b, match.first or first, match.waived
        else:
            waived = waiver(a, b, earlier, UNAVOIDABLE)
        tables.append(MatchFact(a, b, first=first, table=numbers[index], waived=waived))
    tables.sort(key=lambda table: table.table or 0)
    if (bye := pairing.bye) is not None:
        tables.append(MatchFact(bye, result="bye", waived=waiver(bye, None, earlier, UNAVOIDABLE)))
    return tables


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
