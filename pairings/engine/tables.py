"""Vary tables: no player twice in a row at the same table, top matches first. An assignment problem, solved exactly."""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from pairings.engine.matching import heaviest_matching

Cost = tuple[int, ...]
_NEARBY = 8  # places around its own where a match is looked for at first


def spread_tables(
    groups: Sequence[object], tables: Sequence[int], before: Sequence[Collection[int]]
) -> list[int]:
    """Return the table of each match. `tables` are in the order of the matches.

    groups  per match, a sort key such as points: neighboring matches with equal keys may swap tables freely
    before  per match, the tables at which its players sat in the previous round

    Minimizes, in this order: players at the same table as before; the total distance (in places) outside the own
    group's tables; the total distance from the original order.
    """
    costs = _Costs(groups, tables, before)
    size = len(tables)
    places = list(range(size))
    least = costs.sum_of(places)
    if least > (0, 0, 0):
        near = ((i, j) for i in places for j in range(max(0, i - _NEARBY), min(size, i + _NEARBY + 1)))
        least = min(least, costs.sum_of(_cheapest(costs, near)))
        places = _cheapest(costs, costs.worth_a_look(least))
    return [tables[place] for place in places]


class _Costs:
    """Costs of seating match i at the table in place j, as levels compared from the left."""

    def __init__(
        self, groups: Sequence[object], tables: Sequence[int], before: Sequence[Collection[int]]
    ) -> None:
        self.size = len(tables)
        self.group: list[tuple[int, int]] = []  # the first and last place of each match's group
        for _key, run in groupby(groups):
            count = len(list(run))
            first = len(self.group)
            self.group += [(first, first + count - 1)] * count
        place_at = {table: place for place, table in enumerate(tables)}
        self.before = [[place_at[table] for table in sat if table in place_at] for sat in before]

    def of(self, i: int, j: int) -> Cost:
        first, last = self.group[i]
        return self.before[i].count(j), max(first - j, j - last, 0), abs(i - j)

    def sum_of(self, places: Sequence[int]) -> Cost:
        costs = [self.of(i, j) for i, j in enumerate(places)]
        return tuple(map(sum, zip(*costs, strict=True)))

    def worth_a_look(self, found: Cost) -> Iterable[tuple[int, int]]:
        """Yield the (match, place) moves that an optimal assignment can contain, given one of cost `found`.

        An optimal one repeats no more tables and leaves its groups no farther. If all matches stay in their groups,
        none moves farther than half of the total, because moves up and down add up equally.
        """
        again, out, moved = found
        for i in range(self.size):
            first, last = (0, self.size - 1) if again else self.group[i]
            reach = self.size if again or out else moved // 2
            for j in range(max(first - out, i - reach, 0), min(last + out, i + reach, self.size - 1) + 1):
                if again or j not in self.before[i]:
                    yield i, j


def _cheapest(costs: _Costs, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the place of each match in a cheapest assignment; `edges` must include each match's present place."""
    size = costs.size
    unit = size * size + 1  # more than all matches together can cost on a level
    levels = [(i, j, costs.of(i, j)) for i, j in edges]
    folded = [(i, j, (again * unit + out) * unit + moved) for i, j, (again, out, moved) in levels]
    ceiling = max(weight for _i, _j, weight in folded) + 1
    matching = heaviest_matching(2 * size, [(i, size + j, ceiling - weight) for i, j, weight in folded])
    return [place - size for _match, place in matching]
