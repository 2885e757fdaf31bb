"""The JSON object that records how a round was paired. Unknown values are preserved (`docs/archive.md`)."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import msgspec
from msgspec import Struct, field

from tournament.schemas.kinds import Replaceable

Value = int | tuple[int, ...]  # of a criterion: one number, or one number per score group from the top
Pair = tuple[str, str]
Lock = tuple[str, str | None]  # a kept table; (player, None) is the bye


class Stored(Replaceable, Struct, frozen=True, omit_defaults=True):
    """A value stored as a JSON object that omits default fields."""

    def to_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain


class CriterionLine(Stored, frozen=True):
    """A line of the certificate (`pairings.engine.Criterion`). `proof`: a code; in older rounds a sentence."""

    criterion: str
    value: Value
    bound: Value
    optimal: bool
    proof: str
    size: int = 0


class CostChange(NamedTuple):
    criterion: str
    before: Value
    after: Value


class Edit(Stored, frozen=True):
    """A draft edited by hand, or a correction of who really sat at some tables ("seats")."""

    kind: str  # "swap", "first" (mover at a table), "coin" (all movers), "table" (of a match) or "seats"
    players: tuple[str, ...]
    tables: tuple[int | None, ...]  # the tables concerned; None is the bye
    reason: str  # the organizer's own words, public; "" for a coin toss, a table and seats
    cost: tuple[CostChange, ...] | None = None  # of a swap: changed criteria, points counted in units
    unit: int = 1  # real points × unit are whole numbers


class PairingRun(Stored, frozen=True):
    attempt: int | None = None
    engine: str | None = None
    digest: str | None = None


class RepairMade(Stored, frozen=True, rename={"added": "in", "removed": "out", "finished": "stood"}):
    """A published round that was re-paired, with the players `added` to it and `removed` from it."""

    option: str  # "keep" (as many tables as possible) or "anew" (all unfinished tables)
    tables: tuple[int | None, ...]  # the tables it seated; None is the bye
    added: tuple[str, ...]
    removed: tuple[str, ...]
    finished: tuple[Lock, ...]  # the tables it was made around
    gone: tuple[Lock, ...]  # the pairs whose tables it took away
    before: PairingRun  # the run whose pairings it replaced
    reason: str = ""
    revision: int | None = None  # of the event when it was made


class PairingRecord(Stored, frozen=True, rename={"prohibited_pairs": "forbidden", "locks": "locked"}):
    """A round's record of its pairing; `PairingRecord()` for a round paired elsewhere."""

    engine: str = ""
    digest: str = ""
    certificate: tuple[CriterionLine, ...] = ()
    reasons: dict[str, Any] | None = None  # {entry code: codes of reasons, or a sentence in older rounds}
    prohibited_pairs: tuple[Pair, ...] | None = None  # when the round was paired; None if unknown
    locks: tuple[Lock, ...] = ()  # tables the organizer locked before the round was paired again
    unit: int = 1  # real points × unit are whole numbers, in which the certificate counts
    attempt: int | None = None  # number of the run: each has its own seed; None: the first, in older files
    revision: int | None = None  # of the event when it was paired
    seed: str = ""  # hexadecimal, if the event had none
    edits: tuple[Edit, ...] = ()
    repairs: tuple[RepairMade, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)  # unknown keys, and values to be written as read

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> Self:
        """Build the record from a JSON object; values of an unexpected type become defaults."""
        known: dict[str, Any] = {}
        extra = {}
        for key, value in (data or {}).items():
            if key == "reasons" and isinstance(value, dict):
                known[key] = value  # unchecked: large, and each reason is free
                continue
            try:
                part = msgspec.convert({key: value}, cls) if key in NAMES else cls()
            except msgspec.ValidationError:
                part = cls()
            if key in NAMES:
                known[NAMES[key]] = getattr(part, NAMES[key])
            if part.to_json() != {key: value}:
                extra[key] = value
        return cls(**known, extra=extra)

    def to_json(self) -> dict[str, Any]:
        data = super(PairingRecord, self.replace(extra={})).to_json()
        if self.extra:
            read = self.from_json({key: value for key, value in self.extra.items() if key in NAMES})
            for key, value in self.extra.items():
                if key not in NAMES or getattr(read, NAMES[key]) == getattr(self, NAMES[key]):
                    data[key] = value
        return data

    @property
    def run_number(self) -> int:
        return self.attempt or 1

    @property
    def last_repair(self) -> RepairMade | None:
        return self.repairs[-1] if self.repairs else None

    @property
    def kept_tables(self) -> tuple[Lock, ...]:
        """The tables that the pairing did not touch: the locked ones or, in a repair, those already finished."""
        return self.last_repair.finished if self.last_repair else self.locks


# {JSON key: field} of a record.
NAMES = {f.encode_name: f.name for f in msgspec.structs.fields(PairingRecord) if f.name != "extra"}
