"""The tables of a round that is being paired: locked and fixed ones, feature matches, no one twice in a row at one."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from pairings.engine.tables import spread_tables
from pairings.question.seats import fixed_tables
from standings.event.rounds import carried_stages_of
from tournament.event.table_numbers import assign_tables, table_numbers
from tournament.event.table_plan import plan_of
from tournament.event.types import Event, Stage

TOP = 4  # matches for each feature table, among which the rotation chooses


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
    """The table of each pair of round `number`, in their order, from the top; never a `busy` one.

    points   {player: points before the round}; pairs that are equal in them have no order among each other
    locked   {pair: table} of pairs that keep theirs, as long as the venue's numbering for this round has it
    by_hand  {pair: table} of pairs that the organizer put there
    """
    plan, skip = plan_of(event), {*event.skip_tables, *busy}
    fixed = fixed_tables(event, pairs)
    usual = {*islice(table_numbers(plan, skip), len(pairs)), *fixed.values(), *plan.features} - {*busy}
    kept: dict[int, int] = {}
    of_venue = {pair: table for pair, table in (locked or {}).items() if table in usual}
    for wanted in (by_hand or {}, of_venue):
        for index, pair in enumerate(pairs):
            table = wanted.get(frozenset(pair))
            if table and table not in {*kept.values(), *busy}:
                kept.setdefault(index, table)
    own = {index for index, pair in enumerate(pairs) if not fixed.keys().isdisjoint(pair)}
    kept |= _feature_matches(event, number, pairs, {*kept, *own}, {*skip, *kept.values()})
    tables = assign_tables(pairs, plan, skip=skip, fixed=fixed, locked=kept)
    free = [index for index in range(len(pairs)) if index not in kept and index not in own]
    if event.vary_tables:
        last = last_tables(event, stage, number)
        seated = spread_tables(
            [sorted((points.get(code, 0) for code in pairs[index]), reverse=True) for index in free],
            [tables[index] for index in free],
            [[last[code] for code in pairs[index] if code in last] for index in free],
        )
        for index, table in zip(free, seated, strict=True):
            tables[index] = table
    return tables


def _feature_matches(
    event: Event, number: int, pairs: Sequence[tuple], seated: Collection[int], taken: Collection[int]
) -> dict[int, int]:
    """{index of a pair: feature table} by the event's rule, for the feature tables that are free.

    "top" are the first pairs that have no table yet. "rotate" takes of the first few those whose players were
    featured least in the rounds before.
    """
    free = [table for table in plan_of(event).features if table not in taken]
    if event.feature_rule == "hand" or not free:
        return {}
    chosen = [index for index in range(len(pairs)) if index not in seated]
    if event.feature_rule == "rotate":
        times = _times_featured(event, number)

        def featured(index: int) -> tuple[int, int]:
            each = [times[code] for code in pairs[index]]
            return max(each), sum(each)

        chosen = sorted(sorted(chosen[: TOP * len(free)], key=featured)[: len(free)])
    return dict(zip(chosen, free, strict=False))


def _times_featured(event: Event, number: int) -> Counter[str]:
    features = set(plan_of(event).features)
    before = [match for round_ in event.rounds if round_.number < number for match in round_.matches]
    return Counter(code for match in before if match.table in features for code in (match.a, match.b) if code)


def last_tables(event: Event, stage: Stage, number: int) -> dict[str, int]:
    """{player: the table in the round before}, of those who sat at one."""
    rounds = event.rounds_of(*carried_stages_of(event, stage.number))
    last = [round_ for round_ in rounds if round_.number < number][-1:]
    matches = [match for round_ in last for match in round_.matches if match.table]
    return {code: match.table or 0 for match in matches for code in (match.a, match.b) if code}
