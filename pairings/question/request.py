"""What the engine was asked for a round that is seated already, so that it can be asked again.

To draw it once more, to say why two do not meet, what an exchange costs, how to mend it. Reads the archive's
plain values; no Django here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pairings.engine import ENGINE, Entrant, Pairing, Policy, pair, repair
from pairings.engine.field import Field, digest
from pairings.question.field import field_seated, policy_of, round_seed
from tournament.event.types import Event, Match, Round


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the engine. Its points are the real ones above `lowest` (0, or less) × `unit`."""

    entrants: list[Entrant]
    policy: Policy
    seed: int
    locked: tuple[tuple[str, str | None], ...]
    forbidden: tuple[tuple[str, str], ...]
    unit: int
    lowest: Fraction

    def draw(self) -> Pairing:
        """The engine's answer. Raises as `pair`."""
        return pair(
            self.entrants,
            self.policy,
            seed=self.seed,
            locked=self.locked,
            forbidden=self.forbidden,
            waived=self.locked,  # who locked them took that upon themselves
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the question, as the engine writes it into its answer."""
        field = Field(self.entrants, self.policy, self.locked, self.forbidden, waived=self.locked)
        return digest(field, self.seed)

    @property
    def points(self) -> dict[Any, Fraction]:
        """{entrant: points before the round}."""
        return {entrant.id: Fraction(entrant.points, self.unit) + self.lowest for entrant in self.entrants}


def paired(match: Match) -> bool:
    """Whether the pairing made this match: two players, or the bye it gave."""
    return match.b is not None or match.result == "bye"


def seated_in(round_: Round) -> list[str]:
    """Codes of everybody the pairing gave a place, house entries included."""
    return [code for match in round_.matches if paired(match) for code in (match.a, match.b) if code]


def alike_in(round_: Round, asked: Asked) -> list[Match]:
    """The matches of two with a label in common, in a round that is to keep such players apart."""
    if asked.policy.round > asked.policy.labels_apart_until_round:
        return []
    labels = {entrant.id: entrant.labels for entrant in asked.entrants}
    return [match for match in round_.matches if match.b and labels[match.a] & labels[match.b]]


def seating_of(round_: Round, asked: Asked) -> Pairing:
    """The round as it is seated, in the engine's shape."""
    tables = [match for match in round_.matches if match.b is not None]
    byes = [match.a for match in round_.matches if match.result == "bye"]
    return Pairing(
        pairs=tuple((match.a, match.b) for match in tables),
        bye=byes[0] if byes else None,
        first=tuple(match.first or "a" for match in tables) if asked.policy.sides else (),
        seed=asked.seed,
    )


def asked_of(event: Event, round_: Round, seated: Iterable[str] | None = None) -> Asked:
    """The question whose answer stands in the round, for those `seated` (None: who sits there)."""
    record = round_.pairing
    before = event_before(event, round_.number)
    stage = before.stage(round_.stage)
    codes = list(seated_in(round_) if seated is None else seated)
    entrants, unit, lowest = field_seated(before, stage, round_.number, codes)
    # A draft is judged by what is forbidden now, a posted round by what was when it was paired.
    forbidden = record.prohibited_pairs if round_.status != "draft" else None
    return Asked(
        entrants=entrants,
        policy=policy_of(before, stage, round_.number),
        seed=round_seed(record.seed or event.seed, round_.number, record.attempt),
        locked=record.kept_tables,
        forbidden=event.forbidden if forbidden is None else forbidden,
        unit=unit,
        lowest=lowest,
    )


def event_before(event: Event, number: int) -> Event:
    """The event as far as it matters to the pairing of round `number`: who had come, what had been played."""
    there = [code for code, entry in event.entries.items() if (entry.joined_round or 1) <= number]
    return _of(event, there, [round_ for round_ in event.rounds if round_.number < number])


def _of(event: Event, codes: list[str], rounds: list[Round]) -> Event:
    known = set(codes)
    stages = [
        stage
        if stage.entries is None
        else replace(stage, entries=tuple(code for code in stage.entries if code in known))
        for stage in event.stages
    ]
    kept = [
        replace(round_, matches=[m for m in round_.matches if m.a in known and (m.b is None or m.b in known)])
        for round_ in rounds
    ]
    return replace(event, entries={code: event.entries[code] for code in codes}, stages=stages, rounds=kept)


@dataclass(frozen=True, slots=True)
class Again:
    """A round drawn again.

    pairing          the engine's answer now
    asked_the_same   its digest is the one kept with the round; None where none is kept, or another engine's
    seated_the_same  the same pairs and bye stand in the round
    """

    pairing: Pairing
    asked_the_same: bool | None
    seated_the_same: bool


def drawn_again(event: Event, round_: Round, seed_hex: str | None = None) -> Again:
    """The round drawn from the facts before it, or its last repair; `seed_hex` in place of the event's seed.

    Raises as `pair`.
    """
    asked = asked_of(event if seed_hex is None else replace(event, seed=seed_hex.lower()), round_)
    pairing = drawn(asked, round_)
    stored = round_.pairing.digest if round_.pairing.engine in ("", ENGINE) else ""
    seats = {frozenset((match.a, match.b)) for match in round_.matches if match.b}
    byes = {match.a for match in round_.matches if match.result == "bye"}
    return Again(
        pairing,
        pairing.digest == stored if stored else None,
        seats == {frozenset(pair) for pair in pairing.pairs} and byes == ({pairing.bye} - {None}),
    )


def drawn(asked: Asked, round_: Round) -> Pairing:
    """The engine's answer; of a repair that kept as many tables as possible, from the tables before it."""
    made = round_.pairing.last_repair
    if made is None or made.option != "keep":
        return asked.draw()
    kept = [
        (match.a, match.b) for match in round_.matches if paired(match) and match.table not in made.tables
    ]
    before = [*kept, *made.gone]
    ways = repair(
        asked.entrants, before, asked.policy, seed=asked.seed, locked=asked.locked, forbidden=asked.forbidden
    )
    return ways[1].pairing or asked.draw()  # which says why there is none
