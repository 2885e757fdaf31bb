"""A round paired once more from the facts it was paired from: what anybody does to check it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pairings.engine import ENGINE, Pairing
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import is_paired
from tournament.event.types import Event, Round


@dataclass(frozen=True, slots=True)
class Rerun:
    """A round paired once more.

    pairing       the engine's answer now
    same_request  whether its digest is the one kept with the round; None where none is kept, or another engine's
    same_seats    whether the round has the same pairs and the same bye
    """

    pairing: Pairing
    same_request: bool | None
    same_seats: bool


def rerun_round(event: Event, round_: Round, seed_hex: str | None = None) -> Rerun:
    """The round, or its last repair, paired once more; `seed_hex` replaces the event's own seed.

    Raises as `pairings.engine.pair`.
    """
    request = request_of(event if seed_hex is None else replace(event, seed=seed_hex.lower()), round_)
    pairing = _rerun(request, round_)
    record = round_.pairing
    recorded = record.digest if record.engine in ("", ENGINE) else ""
    pairs = {frozenset((match.a, match.b)) for match in round_.matches if match.b}
    byes = {match.a for match in round_.matches if match.result == "bye"}
    return Rerun(
        pairing,
        same_request=pairing.digest == recorded if recorded else None,
        same_seats=pairs == {frozenset(pair) for pair in pairing.pairs} and byes == {pairing.bye} - {None},
    )


def _rerun(request: PairingRequest, round_: Round) -> Pairing:
    """The engine's answer; of a repair that kept as many tables as possible, starting from the tables before it."""
    made = round_.pairing.last_repair
    if made is None or made.option != "keep":
        return request.pairing()
    kept = [
        (match.a, match.b) for match in round_.matches if is_paired(match) and match.table not in made.tables
    ]
    keep = request.repair_options([*kept, *made.gone])[1]
    return keep.pairing or request.pairing()  # which raises and says why there is none
