"""The venue's tables by name: blocks such as A 1–16, and feature tables.

A match stores the number of its table, which is unique in a round. The table's name is for people. The plan is one line
of text:

    101-164          tables with these numbers, which are also their names
    A 1-16           A1 to A16, numbered after the block before; tables after a gap (A 1-3, A 5-16) keep their numbers
    B 1-16: 201      B1 to B16, with the numbers 201 to 216
    Feature 1: 65    a single table, with number 65 or any: only for feature matches, which are moved there by hand

Numbers missing in the plan are not used. Tables after its last number are named by their numbers. No Django here.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count, islice
from typing import Any, NamedTuple

LAST_TABLE = 9999  # the highest number in a URL
_PART = re.compile(
    r"(?P<name>[^\W\d_](?:[^:\d]*[^:\d\s-])?)? ?"
    r"(?:(?P<low>\d{1,4})(?: ?- ?(?P<high>\d{1,4}))?)?"
    r"(?: ?: ?(?P<start>[1-9]\d{0,3}))?"
)
_LONGEST_NAME = 24
_LONGEST_TYPED = 40
FIRST_FEATURE = 9001  # of feature tables without a number, above all others
_SHORT = 2  # block names of up to so many letters are written without a space: A12


class PlanError(ValueError):
    """An invalid plan. `code`: "part", "number", "name" or "last"; `values`: to insert in its sentence."""

    def __init__(self, code: str, text: str, **values: Any) -> None:
        super().__init__(text % values)
        self.code, self.values = code, values


@dataclass(frozen=True)
class TablePlan:
    order: tuple[int, ...] = ()  # numbers of the tables for every match, in the order they are used
    features: tuple[int, ...] = ()  # numbers of those for feature matches only
    names: dict[int, str] = field(default_factory=dict)  # {number: name} if the name is not the number
    after: int = 1  # the number that follows the plan

    def numbers(self) -> Iterator[int]:
        yield from self.order
        yield from count(self.after)

    def name(self, number: int | None) -> str:
        return self.names.get(number) or str(number) if number else ""

    @cached_property
    def numbers_by_name(self) -> dict[str, int]:
        """{typed name or initials, in lower case without spaces: table number}."""
        by_initials = {text: number for number, text in self.initials.items()}
        return by_initials | {_squeezed(name): number for number, name in self.names.items()}

    @cached_property
    def initials(self) -> dict[int, str]:
        """{table number: unambiguous initials and number, such as "f1" for "Feature 1"}."""
        initials = {number: _initials(name) for number, name in self.names.items()}
        times = Counter([*initials.values(), *map(_squeezed, self.names.values())])
        return {number: text for number, text in initials.items() if text and times[text] == 1}


NO_PLAN = TablePlan()


def round_table_plan(venue: Any, round_: Any = None) -> TablePlan:
    """Return the plan a round was published with, by default the event's (`venue`)."""
    text = round_.table_plan if round_ else None
    return parse_plan(venue.table_plan if text is None else text)


def table_name(venue: Any, number: int | None, round_: Any = None) -> str:
    return round_table_plan(venue, round_).name(number)


def find_table(plan: TablePlan, text: str) -> tuple[int, str] | None:
    """Split a typed line such as "a12 20" or "feature 1 20" into (table, rest); None if it names no table."""
    numbers = plan.numbers_by_name
    for end in range(min(len(text), _LONGEST_TYPED), 0, -1) if numbers else ():
        if not text[end : end + 1].isalnum() and (number := numbers.get(_squeezed(text[:end]))):
            return number, text[end:].strip()
    return None


@lru_cache(maxsize=256)
def parse_plan(text: str) -> TablePlan:
    blocks = [_parse_block(part) for part in re.split(r"[,;\n]", text.replace("–", "-")) if part.strip()]
    ranges = {block.key for block in blocks if block.high}
    order: list[int] = []
    features: list[int] = []
    names: dict[int, str] = {}
    offsets: dict[str, int] = {}  # {name of a block: what to add to a table's own number}
    for block in blocks:
        own_kind = order if block.key in ranges or not block.name else features
        after = max(own_kind, default=FIRST_FEATURE - 1 if own_kind is features else 0) + 1
        offset = block.start - block.low if block.start else offsets.get(block.key, after - block.low)
        offset = offset if block.name else 0
        offsets[block.key] = offset
        for own in range(block.low, (block.high or block.low) + 1):
            number = own + offset
            if not 1 <= number <= LAST_TABLE:
                text = "%(part)s: table numbers go from 1 to %(last)s"
                raise PlanError("last", text, part=block.part, last=LAST_TABLE)
            own_kind.append(number)
            if block.name:
                names[number] = block.table(own)
    if twice := _twice([*order, *features]):
        raise PlanError("number", "two tables have the number %(number)s", number=twice)
    if twice := _twice([_squeezed(name) for name in names.values()]):
        raise PlanError("name", "two tables have the name %(name)s", name=twice.upper())
    return TablePlan(tuple(order), tuple(features), names, max(order, default=0) + 1)


class _Block(NamedTuple):
    part: str
    name: str
    low: int
    high: int
    start: int

    @property
    def key(self) -> str:
        return self.name.lower()

    def table(self, own: int) -> str:
        if not own:
            return self.name
        return f"{self.name}{own}" if len(self.name) <= _SHORT else f"{self.name} {own}"


def _parse_block(part: str) -> _Block:
    words = _PART.fullmatch(" ".join(part.split()))
    if words:
        low, high, start = (int(words[group] or 0) for group in ("low", "high", "start"))
        block = _Block(part.strip(), words["name"] or "", low, high, start)
        whole = (low or (block.name and not words["low"])) and (low <= high or not words["high"])
        if whole and len(block.name) <= _LONGEST_NAME and (block.name or not start):
            return block
    raise PlanError("part", "“%(part)s” is not a block of tables", part=part.strip()[:40])


def _initials(name: str) -> str:
    """Abbreviate "Main Hall 12" as "mh12"."""
    words, number = re.fullmatch(r"(.*?)(\d*)", name).groups()  # type: ignore[union-attr]
    return "".join(word[0] for word in words.lower().split()) + number if number else ""


def _squeezed(name: str) -> str:
    return "".join(name.split()).lower()


def _twice(items: Sequence[Any]) -> Any:
    return next((item for item, times in Counter(items).items() if times > 1), None)


Pair = tuple[str, str]


def table_numbers(plan: TablePlan, skip: Collection[int] = ()) -> Iterator[int]:
    """Yield the venue's tables in order, without feature tables and tables to `skip`."""
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
    """Return the table of each pair, in the order of `pairs`.

    plan    the venue's tables in order
    skip    tables to leave empty
    fixed   {player: table} for players who cannot change tables. If two of them meet, they use the lower number; the
            other table stays empty, and so does the one they would have had in order
    locked  {index of a pair: table it keeps}; these are assigned first

    A fixed table may be one to skip, or beyond the last. If two pairs claim one table, the first gets it and the other
    is seated in order.
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
