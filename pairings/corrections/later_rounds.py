"""The rounds that were paired before a correction: at which tables others would have met."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from pairings.engine import NoPairing
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import is_paired
from tournament.event.pairing_record import Lock
from tournament.event.types import Event, Round


class LaterRound(NamedTuple):
    """A published Swiss round that was paired from points a correction changes.

    open    whether tables are outstanding
    tables  those that would have been paired otherwise, as few as possible: of the first round that was paired from
            the correction's points and of one that is being played; None for others, and where it is not known
    """

    number: int
    open: bool
    tables: list[int] | None


def later_rounds_of(event: Event, corrected: Event, number: int) -> list[LaterRound]:
    """The published Swiss rounds after round `number`, each with the tables that would have been other ones."""
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    later = [
        round_
        for round_ in corrected.rounds
        if round_.number > number and round_.stage in swiss and round_.status in ("published", "complete")
    ]
    return [
        LaterRound(
            round_.number,
            any(match.result is None for match in round_.matches),
            _other_tables(event, corrected, round_)
            if round_ is later[0] or round_.status == "published"
            else None,
        )
        for round_ in later
    ]


def _other_tables(event: Event, corrected: Event, round_: Round) -> list[int] | None:
    """The tables of a round that a pairing by the corrected facts would not seat, as few as possible.

    Tables that would be paired otherwise by the uncorrected facts too, such as those swapped by hand, are none.
    """
    if not round_.pairing.digest:
        return None  # paired elsewhere
    tables = _unlike_best(corrected, round_)
    return sorted(tables - (_unlike_best(event, round_) if tables else set()))


def _unlike_best(event: Event, round_: Round) -> set[int]:
    request = request_of(event, round_)
    published = tuple((m.a, m.b) for m in round_.matches if is_paired(m))
    pairs = _nearest_pairs(replace(request, entrants=tuple(request.entrants)), published)
    tables = {m.table for m in round_.matches if m.b and m.table and frozenset((m.a, m.b)) not in pairs}
    return tables if pairs else set()


# Kept: what is worked out for one correction is what the next one is compared with.
@lru_cache(maxsize=8)
def _nearest_pairs(request: PairingRequest, published: tuple[Lock, ...]) -> frozenset[frozenset[str]]:
    """The pairs of the best round that keeps most of the `published` ones; none where there is no round."""
    try:
        keep = request.repair_options(published)[1]
    except NoPairing:
        return frozenset()
    return frozenset(map(frozenset, keep.pairing.pairs)) if keep.pairing else frozenset()
