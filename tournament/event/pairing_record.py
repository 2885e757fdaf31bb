"""How a round was paired, as the round keeps it: the engine's answer, and what people changed around it.

One codec between these values and the JSON object of databases, logs and archives (`docs/archive.md`). What it
does not know, and what nobody changed, is written back exactly as it was read. No Django here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeVar

Value = int | tuple[int, ...]  # of a criterion: one number, or one number per score group from the top
Pair = tuple[str, str]
Lock = tuple[str, str | None]  # a table that stands; (player, None) is the bye
V = TypeVar("V", bound="Stored")


class CostChange(NamedTuple):
    """A criterion's value before and after a change by hand."""

    criterion: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Stored:
    """A value kept as a JSON object; `source` is the object it was read from."""

    source: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False, kw_only=True)

    READERS: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}
    KEYS: ClassVar[Mapping[str, str]] = {}  # where the JSON has another name than the field
    ALWAYS: ClassVar[frozenset[str]] = frozenset()

    @property
    def always(self) -> frozenset[str]:
        """Fields that are written even while they are the default."""
        return self.ALWAYS

    @classmethod
    def from_json(cls: type[V], data: Mapping[str, Any] | None) -> V:
        """The value of a JSON object; None and what has another shape than expected read as the defaults."""
        source = {} if data is None else _mapping(data)
        known = {}
        for name, read in cls.READERS.items():
            key = cls.KEYS.get(name, name)
            if key in source:
                try:
                    known[name] = read(source[key])
                except (AttributeError, TypeError, ValueError):
                    continue
        return cls(**known, source=source)

    def to_json(self) -> dict[str, Any]:
        """The JSON object: unknown and unchanged parts of `source` as they were, the rest as it is now."""
        data = dict(self.source)
        as_read = self.from_json(self.source)
        empty = type(self)()
        for name in self.READERS:
            key, value = self.KEYS.get(name, name), getattr(self, name)
            if self.source and value == getattr(as_read, name):
                continue
            if value != getattr(empty, name) or name in self.always:
                data[key] = _plain(value)
            else:
                data.pop(key, None)
        return data


def _plain(value: Any) -> Any:
    """Tuples as lists, values as their objects."""
    if isinstance(value, Stored):
        return value.to_json()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _text(raw: Any) -> str:
    if not isinstance(raw, str):
        raise TypeError(raw)
    return raw


def _whole(raw: Any) -> int:
    if type(raw) is not int:
        raise TypeError(raw)
    return raw


def _flag(raw: Any) -> bool:
    if type(raw) is not bool:
        raise TypeError(raw)
    return raw


def _mapping(raw: Any) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise TypeError(raw)
    return raw


def _value(raw: Any) -> Value:
    return tuple(map(_whole, raw)) if isinstance(raw, list | tuple) else _whole(raw)


def _tuple_of(read: Callable[[Any], Any]) -> Callable[[Any], tuple]:
    def read_all(raw: Any) -> tuple:
        if not isinstance(raw, list | tuple):
            raise TypeError(raw)
        return tuple(read(item) for item in raw)

    return read_all


def _maybe(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda raw: None if raw is None else read(raw)


def _pair(raw: Any) -> Pair:
    a, b = raw
    return _text(a), _text(b)


def _lock(raw: Any) -> Lock:
    a, b = raw
    return _text(a), None if b is None else _text(b)


def _cost_change(raw: Any) -> CostChange:
    criterion, before, after = raw
    return CostChange(_text(criterion), _value(before), _value(after))


_texts = _tuple_of(_text)
_locks = _tuple_of(_lock)
_tables = _tuple_of(_maybe(_whole))


@dataclass(frozen=True, slots=True)
class CriterionLine(Stored):
    """One line of the certificate, as the engine answered it (`pairings.engine.Criterion`).

    proof, size  the proof's code and its number; in older rounds an English text alone
    """

    criterion: str = ""
    value: Value = 0
    bound: Value = 0
    optimal: bool = False
    proof: str = ""
    size: int = 0

    READERS = {
        "criterion": _text,
        "value": _value,
        "bound": _value,
        "optimal": _flag,
        "proof": _text,
        "size": _whole,
    }
    ALWAYS = frozenset({"criterion", "value", "bound", "optimal", "proof"})


@dataclass(frozen=True, slots=True)
class Edit(Stored):
    """A draft changed by hand.

    kind    "swap" (two players changed places), "first" (who moves first at a table) or "coin" (at all of them)
    tables  the tables concerned; None is the bye
    reason  the organizer's own words, public; "" for a coin toss
    cost    of a swap: what it changed in the criteria, points counted in units
    unit    real points × unit are whole numbers
    """

    kind: str = ""
    players: tuple[str, ...] = ()
    tables: tuple[int | None, ...] = ()
    reason: str = ""
    cost: tuple[CostChange, ...] | None = None
    unit: int = 1

    READERS = {
        "kind": _text,
        "players": _texts,
        "tables": _tables,
        "reason": _text,
        "cost": _tuple_of(_cost_change),
        "unit": _whole,
    }
    ALWAYS = frozenset({"kind", "players", "tables", "reason"})


@dataclass(frozen=True, slots=True)
class PairingRun(Stored):
    """One run of the engine: what anybody needs to recognize it."""

    attempt: int | None = None
    engine: str | None = None
    digest: str | None = None

    READERS = {"attempt": _whole, "engine": _text, "digest": _text}


@dataclass(frozen=True, slots=True)
class RepairMade(Stored):
    """A published round re-paired.

    option          "keep" (as few tables as possible) or "anew" (all unfinished tables)
    tables          the tables it seated; None is the bye
    added, removed  players who came into the round, or left it
    finished        the tables it was made around
    gone            the pairs whose tables it took away
    before          the run whose pairings it replaced
    revision        of the event when it was made
    """

    option: str = ""
    tables: tuple[int | None, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    finished: tuple[Lock, ...] = ()
    gone: tuple[Lock, ...] = ()
    before: PairingRun = PairingRun()
    reason: str = ""
    revision: int | None = None

    READERS = {
        "option": _text,
        "tables": _tables,
        "added": _texts,
        "removed": _texts,
        "finished": _locks,
        "gone": _locks,
        "before": PairingRun.from_json,
        "reason": _text,
        "revision": _whole,
    }
    KEYS = {"added": "in", "removed": "out", "finished": "stood"}
    ALWAYS = frozenset({"option", "tables", "added", "removed", "finished", "gone", "before"})


@dataclass(frozen=True, slots=True)
class PairingRecord(Stored):
    """What a round keeps about its pairing; `PairingRecord()` of a round that was paired elsewhere.

    attempt           the number of the run, from 1: each has its own seed
    revision          of the event when it was paired
    seed              where the event had none: the one used instead, hexadecimal
    unit              real points × unit are whole numbers, in which the certificate counts
    reasons           {entry code: why it is seated there}: codes with numbers; a sentence in older rounds
    prohibited_pairs  as they were when the round was paired; None where that is not known
    locks             tables the organizer locked before the round was paired again
    """

    engine: str = ""
    digest: str = ""
    certificate: tuple[CriterionLine, ...] = ()
    reasons: Mapping[str, Any] = field(default_factory=dict)
    prohibited_pairs: tuple[Pair, ...] | None = None
    locks: tuple[Lock, ...] = ()
    unit: int = 1
    attempt: int = 1
    revision: int | None = None
    seed: str = ""
    edits: tuple[Edit, ...] = ()
    repairs: tuple[RepairMade, ...] = ()

    READERS = {
        "engine": _text,
        "digest": _text,
        "certificate": _tuple_of(CriterionLine.from_json),
        "reasons": _mapping,
        "prohibited_pairs": _tuple_of(_pair),
        "locks": _locks,
        "unit": _whole,
        "attempt": _whole,
        "revision": _whole,
        "seed": _text,
        "edits": _tuple_of(Edit.from_json),
        "repairs": _tuple_of(RepairMade.from_json),
    }
    KEYS = {"prohibited_pairs": "forbidden", "locks": "locked"}

    @property
    def always(self) -> frozenset[str]:
        if not self.engine:
            return frozenset()
        return frozenset({"attempt", "reasons"} if self.certificate else {"attempt"})

    @property
    def last_repair(self) -> RepairMade | None:
        """How the round was re-paired last; None while it stands as it was first published."""
        return self.repairs[-1] if self.repairs else None

    @property
    def kept_tables(self) -> tuple[Lock, ...]:
        """The tables the pairing was made around: the locked ones or, once re-paired, those finished by then."""
        return self.last_repair.finished if self.last_repair else self.locks
