"""The record of how a round was paired: the engine's answer, and later changes by people.

The one codec for the JSON object of databases, logs and archives (`docs/archive.md`). Unknown and unchanged values are
written back as they were read. No Django here.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import msgspec
from msgspec import Struct, field

from tournament.schemas.kinds import Replaceable

Value = int | tuple[int, ...]  # of a criterion: one number, or one number per score group from the top
Pair = tuple[str, str]
Lock = tuple[str, str | None]  # a table that stands; (player, None) is the bye


class Stored(Replaceable, Struct, frozen=True, omit_defaults=True):
    """A value kept as a JSON object, without the fields that have their default."""

    def to_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return plain


class CriterionLine(Stored, frozen=True):
    """One line of the certificate, as the engine returned it (`pairings.engine.Criterion`).

    proof, size  the code and the size of its proof; a sentence in older rounds
    """

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
    """A draft edited by hand, or a round in which other players really sat at some tables.

    kind    "swap" (two players swapped), "first" (who moves first at a table), "coin" (at all of them), "table" (a
            match moved from one table to another) or "seats" (who really sat there, corrected afterwards)
    tables  the tables concerned; None is the bye
    reason  the organizer's own words, public; "" for a coin toss, a table and seats
    cost    of a swap: what it changed in the criteria, points counted in units
    unit    real points × unit are whole numbers
    """

    kind: str
    players: tuple[str, ...]
    tables: tuple[int | None, ...]
    reason: str
    cost: tuple[CostChange, ...] | None = None
    unit: int = 1


class PairingRun(Stored, frozen=True):
    """One run of the engine, with everything needed to recognize it."""

    attempt: int | None = None
    engine: str | None = None
    digest: str | None = None


class RepairMade(Stored, frozen=True, rename={"added": "in", "removed": "out", "finished": "stood"}):
    """A published round re-paired.

    option          "keep" (as many tables as possible) or "anew" (all unfinished tables)
    tables          the tables it seated; None is the bye
    added, removed  players who came into the round, or left it
    finished        the tables it was made around
    gone            the pairs whose tables it took away
    before          the run whose pairings it replaced
    revision        of the event when it was made
    """

    option: str
    tables: tuple[int | None, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    finished: tuple[Lock, ...]
    gone: tuple[Lock, ...]
    before: PairingRun
    reason: str = ""
    revision: int | None = None


class PairingRecord(Stored, frozen=True, rename={"prohibited_pairs": "forbidden", "locks": "locked"}):
    """A round's record of its pairing; `PairingRecord()` for a round paired elsewhere.

    reasons           {entry code: codes of why it is seated there}; a sentence in older rounds
    prohibited_pairs  as they were when the round was paired; None if unknown
    locks             tables the organizer locked before the round was paired again
    unit              real points × unit are whole numbers, in which the certificate counts
    attempt           the number of the run: each has its own seed; None for the first in some older files
    revision          of the event when it was paired
    seed              hexadecimal, if the event had none
    extra             keys this version does not know, and values it would write in another way
    """

    engine: str = ""
    digest: str = ""
    certificate: tuple[CriterionLine, ...] = ()
    reasons: dict[str, Any] | None = None
    prohibited_pairs: tuple[Pair, ...] | None = None
    locks: tuple[Lock, ...] = ()
    unit: int = 1
    attempt: int | None = None
    revision: int | None = None
    seed: str = ""
    edits: tuple[Edit, ...] = ()
    repairs: tuple[RepairMade, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None) -> Self:
        """Build the record from a JSON object; None and values of another shape become defaults."""
        known: dict[str, Any] = {}
        extra = {}
        for key, value in (data or {}).items():
            if key == "reasons" and isinstance(value, dict):
                known[key] = value  # as it is: of a large round it is large, and each reason is free
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
        """The tables the pairing was made around: locked ones or, once re-paired, those finished by then."""
        return self.last_repair.finished if self.last_repair else self.locks


# {JSON key: field} of a record.
NAMES = {f.encode_name: f.name for f in msgspec.structs.fields(PairingRecord) if f.name != "extra"}
