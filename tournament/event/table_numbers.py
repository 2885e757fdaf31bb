"""Which table each pair of a round sits at."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from tournament.event.table_plan import NO_PLAN, TablePlan

Pair = tuple[str, str]
MOST_FIRST = 5000  # leaves 5,000 tables, for 10,000 players, below the highest number an address takes


def table_numbers(plan: TablePlan, skip: Collection[int] = ()) -> Iterator[int]:
    """The numbers of the venue's tables in order, without those to skip and those for feature matches."""
    closed = {*skip, *plan.features}
    return (number for number in plan.numbers() if number not in closed)


def assign_tables(
    pairs: Sequence[Pair],
    plan: TablePlan = NO_PLAN,
    *,
    skip: Collection[int] = (),
    fixed: Mapping[str, int] | None = None,
    locked: Mapping[int, int] | None = None,
) -> list[int]:
    """The table of each pair, in the order of `pairs`.

    plan    the venue's tables in order
    skip    tables that no one is sent to
    fixed   {player: the table this player always has}, for players who cannot change tables; of two that meet
            the lower number is theirs and the other stays empty, and so does the table such a pair would have
            had by its place in the order
    locked  {index of a pair: the number it keeps}; these come first

    A fixed table may be one to skip, or beyond the last: it was given on purpose. Where two pairs claim one
    table, the first has it and the other sits by its order.
    """
    fixed = fixed or {}
    tables = dict(locked or {})
    usual = list(islice(table_numbers(plan, skip), len(pairs)))
    closed = set(tables.values())
    empty = set()
    for index, pair in enumerate(pairs):
        own = sorted(fixed[player] for player in pair if player in fixed)
        empty.update(own)
        free = [number for number in own if number not in closed]
        if index not in tables and free:
            tables[index] = free[0]
            closed.add(free[0])
            empty.add(usual[index])
    closed |= empty
    others = (number for number in table_numbers(plan, skip) if number not in closed)
    return [tables[index] if index in tables else next(others) for index in range(len(pairs))]
