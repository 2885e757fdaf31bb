"""The engine's answer as the round keeps it."""

from __future__ import annotations

from pairings.engine import Criterion, Pairing
from pairings.question.codes import reasons_to_json
from pairings.question.request import PairingRequest
from tournament.event.pairing_record import CriterionLine, PairingRecord


def record_of(pairing: Pairing, request: PairingRequest) -> PairingRecord:
    """What a round keeps of this answer: anybody can run it again once the seed is shown.

    The certificate counts points in units: real ones × `unit`, squares × unit².
    """
    return PairingRecord(
        engine=pairing.engine,
        digest=pairing.digest,
        certificate=tuple(line_of(criterion) for criterion in pairing.certificate),
        reasons={str(code): reasons_to_json(reasons) for code, reasons in pairing.reasons.items()},
        prohibited_pairs=request.prohibited_pairs,
        locks=request.locks,
        unit=request.unit,
    )


def line_of(criterion: Criterion) -> CriterionLine:
    """A line of the engine's certificate as it is kept."""
    return CriterionLine(
        criterion=criterion.criterion,
        value=criterion.value,
        bound=criterion.bound,
        optimal=criterion.optimal,
        proof=criterion.proof.code,
        size=criterion.proof.size,
    )
