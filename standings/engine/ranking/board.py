"""The input of a ranking: each entry's values, computed when needed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from standings.engine.field import Column, Field
from standings.engine.metrics.registry import METRICS
from standings.engine.ranking.chain import RankingStep
from standings.engine.scoring import Number


class View(NamedTuple):
    """An entry's value sources: points in `now`, tiebreaks in `then` (the same field unless frozen)."""

    now: Field
    then: Field
    # Entries of a lower tier rank above all of a higher one (a later Swiss stage without carried points).
    tier: int = 0


class Board:
    """The views of the entries, and the steps they are compared by.

    A step's values are computed when entries are still tied there, or when its reader (`readers`, one a step)
    is called. `places`: for each step that orders tied groups, {entry: its place inside its group}.
    """

    def __init__(self, views: Mapping[str, View], steps: Sequence[RankingStep]):
        self.views = views
        self.steps = tuple(steps)
        self.places: list[dict[str, int]] = [{} for _ in steps]
        self.readers = [self._reader(i) for i in range(len(steps))]
        self._fields = [{getattr(view, place): None for view in views.values()} for place in ("now", "then")]

    def comparison(self, i: int) -> Callable[[str], Number]:
        """Return a function from entry to the number a step compares, all over one denominator."""
        columns = self._columns(i)
        if len(columns) == 1:
            return columns.popitem()[1].comparison[0].__getitem__
        common = lcm(*(column.comparison[1] for column in columns.values()))
        factors = {field: common // column.comparison[1] for field, column in columns.items()}

        def scaled(entry: str) -> Number:
            field = self._field(i, entry)
            return columns[field].comparison[0][entry] * factors[field]

        return scaled

    def _reader(self, i: int) -> Callable[[str], Fraction]:
        if METRICS[self.steps[i].key].group:
            return lambda entry: Fraction(self.places[i].get(entry, 1))
        columns: dict[Field, Column] = {}

        def read(entry: str) -> Fraction:
            if not columns:
                columns.update(self._columns(i))
            return columns[self._field(i, entry)].exact(entry)

        return read

    def _field(self, i: int, entry: str) -> Field:
        return self.views[entry].then if i else self.views[entry].now

    def _columns(self, i: int) -> dict[Field, Column]:
        step = self.steps[i]
        return {field: field.column(step.key, step.params) for field in self._fields[i > 0]}


class Values(Sequence):
    """The exact values of an entry, in the order of the ranking's steps, each computed when it is read.

    Compares, hashes and prints like a tuple of fractions.
    """

    __slots__ = ("_board", "_entry")

    def __init__(self, board: Board, entry: str):
        self._board, self._entry = board, entry

    def __len__(self) -> int:
        return len(self._board.steps)

    def __getitem__(self, i):
        return tuple(self)[i] if isinstance(i, slice) else self._board.readers[i](self._entry)

    def __iter__(self) -> Iterator[Fraction]:
        return (read(self._entry) for read in self._board.readers)

    def __eq__(self, other) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | Values) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
