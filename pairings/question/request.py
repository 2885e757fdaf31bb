"""A request to the pairing engine: one round's entrants, policy, seed and fixed facts.

Also of a round that is seated already, so that it can be paired once more, asked why two players are not paired,
weighed with two players swapped, or repaired. Reads the archive's plain values; no Django here.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pairings.engine import Entrant, Option, Pairing, Policy, pair, repair
from pairings.engine.field import Field, digest_of
from pairings.engine.types import Question
from pairings.question.field import codes_to_pair, field_of, given_byes
from pairings.question.history import event_before
from pairings.question.next_round import NoRound, next_round_of
from pairings.question.policy import policy_of
from pairings.question.seats import paired_codes
from tournament.event.pairing_record import Lock, Pair
from tournament.event.types import NO_SEED, Event, Match, Round, Stage


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """One request. The entrants' points are the real ones above `lowest` (0, or less), times `unit`.

    locks  tables that stand, whoever meets there; (player, None) is the bye
    """

    entrants: Sequence[Entrant]
    policy: Policy
    seed: int
    locks: tuple[Lock, ...]
    prohibited_pairs: tuple[Pair, ...]
    unit: int
    lowest: Fraction

    def pairing(self) -> Pairing:
        """The engine's answer. Raises as `pairings.engine.pair`.

        Where all others sit out there is nothing to choose: the last player has the bye.
        """
        if len(self.entrants) < 2:
            return Pairing(pairs=(), bye=next((entrant.id for entrant in self.entrants), None))
        return pair(
            self.entrants,
            self.policy,
            seed=self.seed,
            locked=self.locks,
            forbidden=self.prohibited_pairs,
            waived=self.locks,  # a lock is the organizer's decision, also where it makes a rematch
        )

    def repair_options(self, published: Sequence[Lock]) -> tuple[Option, Option, Option]:
        """Leave the `published` tables, keep as many as possible, or pair anew. Raises as `pairings.engine.repair`."""
        return repair(
            self.entrants,
            published,
            self.policy,
            seed=self.seed,
            locked=self.locks,
            forbidden=self.prohibited_pairs,
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the request, as the engine writes it into its answer."""
        return digest_of(
            Field(
                Question(self.entrants, self.policy, self.seed, self.locks, self.prohibited_pairs, self.locks)
            )
        )

    @property
    def points(self) -> dict[Any, Fraction]:
        """{entry code: points before the round}."""
        return {entrant.id: Fraction(entrant.points, self.unit) + self.lowest for entrant in self.entrants}

    def seating_of(self, round_: Round) -> Pairing:
        """The round as it is seated, in the engine's shape."""
        tables = [match for match in round_.matches if match.b is not None]
        byes = [match.a for match in round_.matches if match.result == "bye"]
        return Pairing(
            pairs=tuple((match.a, match.b) for match in tables),
            bye=byes[0] if byes else None,
            first=tuple(match.first or "a" for match in tables) if self.policy.sides else (),
            seed=self.seed,
        )

    def same_label_matches(self, round_: Round) -> list[Match]:
        """The matches of two players who share a label, in a round that is to keep such players apart."""
        if self.policy.round > self.policy.labels_apart_until_round:
            return []
        labels = {entrant.id: entrant.labels for entrant in self.entrants}
        return [match for match in round_.matches if match.b and labels[match.a] & labels[match.b]]


def new_request(
    event: Event, stage: Stage, number: int, codes: Sequence[str], seed: int, locks: tuple[Lock, ...] = ()
) -> PairingRequest:
    """The request for round `number`, to seat the entries with these codes."""
    entrants, unit, lowest = field_of(event, stage, number, codes)
    policy = policy_of(event, stage, number)
    return PairingRequest(entrants, policy, seed, locks, event.forbidden, unit, lowest)


def next_request(
    event: Event, *, seed_hex: str | None = None, attempt: int = 1, house: str | None = None
) -> PairingRequest:
    """The request for the event's next Swiss round; `house` is the code of a house opponent who plays in it.

    `seed_hex` replaces the event's own seed. Raises NoRound where there is no round to pair.
    """
    stage, number = next_round_of(event)
    codes = codes_to_pair(event, stage, number) + ([house] if house else [])
    if len(codes) + len(given_byes(event, stage, number)) < 2:
        raise NoRound("too_few")
    return new_request(event, stage, number, codes, round_seed(seed_hex or event.seed, number, attempt))


def request_of(event: Event, round_: Round, codes: Sequence[str] | None = None) -> PairingRequest:
    """The request that a seated round answers, for the entries with these `codes` (None: those it seats)."""
    record, number = round_.pairing, round_.number
    before = event_before(event, number)
    seed = round_seed(record.seed or event.seed, number, record.run_number)
    seated = paired_codes(round_) if codes is None else codes
    request = new_request(before, before.stage(round_.stage), number, seated, seed, record.kept_tables)
    # A draft is judged by the pairs prohibited now, a published round by those of when it was paired.
    if round_.status == "draft" or record.prohibited_pairs is None:
        return request
    return replace(request, prohibited_pairs=record.prohibited_pairs)


def round_seed(seed_hex: str | None, number: int, attempt: int = 1) -> int:
    """The seed of one run: SHA-256 of the ASCII text "seed:round:attempt", read as one big-endian number.

    Raises ValueError where the seed is not hexadecimal.
    """
    seed = (seed_hex or NO_SEED).lower()
    if set(seed) - set("0123456789abcdef"):
        raise ValueError(f"a seed must be hexadecimal digits, not {seed_hex!r}")
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}:{attempt}".encode("ascii")).digest(), "big")
