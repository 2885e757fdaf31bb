"""The venue's tables by name: blocks such as A 1–16, and feature tables.

A match keeps the number of its table, once in a round. Its name is what people read, type and say. The plan is one
line of text:

101-164          tables with these numbers, which are their names
A 1-16           A1 to A16, numbered on from the block before; a gap (A 1-3, A 5-16) keeps the numbers of the others
B 1-16: 201      B1 to B16, with the numbers 201 to 216
Feature 1: 65    a table on its own, with number 65 or any: it takes feature matches only

Tables beyond the plan are numbered on, and their numbers are their names. No Django here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import count
from typing import Any, NamedTuple, Protocol

LAST_TABLE = 9999  # the highest number an address takes
_PART = re.compile(
    r"(?P<name>[^\W\d_](?:[^:\d]*[^:\d\s-])?)? ?"
    r"(?:(?P<low>\d{1,4})(?: ?- ?(?P<high>\d{1,4}))?)?"
    r"(?: ?: ?(?P<start>[1-9]\d{0,3}))?"
)
_LONGEST_NAME = 24
_LONGEST_TYPED = 40
FIRST_FEATURE = 9001  # of feature tables whose number the line leaves open: any number of others fits below
_SHORT = 2  # a block named by so many letters is written before its numbers without a space: A12


class Venue(Protocol):
    """What an event says of its tables; events of the database and of files do."""

    @property
    def first_table(self) -> int: ...
    @property
    def table_plan(self) -> str: ...


class PlanError(ValueError):
    """A plan that cannot be read. `code`: "part", "number", "name" or "last"; `values`: what its sentence names."""

    def __init__(self, code: str, text: str, **values: Any) -> None:
        super().__init__(text % values)
        self.code, self.values = code, values


@dataclass(frozen=True)
class TablePlan:
    """A plan that was read.

    order     numbers of the tables for every match, in the order they are used
    features  numbers of those for feature matches only
    names     {number: name} where the name is not the number
    after     the number that follows the plan
    """

    order: tuple[int, ...] = ()
    features: tuple[int, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    after: int = 1

    def numbers(self) -> Iterator[int]:
        """The tables for every match, then those beyond the plan."""
        yield from self.order
        yield from count(self.after)

    def name(self, number: int) -> str:
        """What people call a table."""
        return self.names.get(number) or str(number)

    @cached_property
    def numbers_by_name(self) -> dict[str, int]:
        """{name in small letters, without spaces: number}"""
        return {_squeezed(name): number for number, name in self.names.items()}


NO_PLAN = TablePlan()


def plan_of(venue: Venue) -> TablePlan:
    """The event's plan; without one the numbers from its first table on."""
    return parse_plan(venue.table_plan, venue.first_table)


def table_name(venue: Venue, number: int | None) -> str:
    """What people call a table of this event; "" for no table."""
    return plan_of(venue).name(number) if number else ""


def find_table(venue: Venue, text: str) -> tuple[int, str] | None:
    """(table, what follows it) where a typed line starts with a table's name; None where it does not.

    Spaces and case do not matter, and the longest name is taken: "a12 20", "A 12 20", "feature 1 20".
    """
    numbers = plan_of(venue).numbers_by_name
    for end in range(min(len(text), _LONGEST_TYPED), 0, -1) if numbers else ():
        if not text[end : end + 1].isalnum() and (number := numbers.get(_squeezed(text[:end]))):
            return number, text[end:].strip()
    return None


@lru_cache(maxsize=256)
def parse_plan(text: str, first: int = 1) -> TablePlan:
    """The plan of such a line. Raises PlanError.

    `first`: the first table's number where the line has feature tables only, or is empty.
    """
    blocks = [_block_of(part) for part in re.split(r"[,;\n]", text.replace("–", "-")) if part.strip()]
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
    return TablePlan(tuple(order), tuple(features), names, max(order, default=first - 1) + 1)


class _Block(NamedTuple):
    """A part of the line; 0 and "" for what it does not say."""

    part: str
    name: str
    low: int
    high: int
    start: int

    @property
    def key(self) -> str:
        return self.name.lower()

    def table(self, own: int) -> str:
        """The name of the block's table with that number of its own."""
        if not own:
            return self.name
        return f"{self.name}{own}" if len(self.name) <= _SHORT else f"{self.name} {own}"


def _block_of(part: str) -> _Block:
    words = _PART.fullmatch(" ".join(part.split()))
    if words:
        low, high, start = (int(words[group] or 0) for group in ("low", "high", "start"))
        block = _Block(part.strip(), words["name"] or "", low, high, start)
        whole = (low or (block.name and not words["low"])) and (low <= high or not words["high"])
        if whole and len(block.name) <= _LONGEST_NAME and (block.name or not start):
            return block
    raise PlanError("part", "“%(part)s” is not a block of tables", part=part.strip()[:40])


def _squeezed(name: str) -> str:
    return "".join(name.split()).lower()


def _twice(items: Sequence[Any]) -> Any:
    """The first item that is there twice; None where none is."""
    return next((item for item, times in Counter(items).items() if times > 1), None)
