"""The engine's answer as stored with a round: reasons and proofs as JSON, and the organizer's own reason.

Rounds paired by older versions hold English sentences instead of codes. Those are never rewritten.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from pairings.engine import Criterion, Pairing, Proof, Reason
from pairings.request.pairing_request import RoundRequest
from tournament.errors import Refused
from tournament.event.pairing_record import CriterionLine, PairingRecord

# What `pair --json` and `verify --json` print, and what older rounds keep: fixed texts, in no other language.
PROOF_TEXTS = {
    "bound": "bound reached",
    "kernel": "exact matching on a kernel of {size}",
    "whole_graph": "exact matching on the whole graph",
    "blocks": "exact matching of every block of score groups",
    "exhaustive": "exhaustive search",
    "branches": "exact search that keeps later rounds possible",
    "none": "not proved",
}
_CODES = {text: code for code, text in PROOF_TEXTS.items()}


def record_of(pairing: Pairing, request: RoundRequest) -> PairingRecord:
    """Return what a round stores of this answer, enough for anyone to run it again once the seed is public.

    The certificate counts points in units: points × `unit`, squares × unit².
    """
    return PairingRecord(
        engine=pairing.engine,
        digest=pairing.digest,
        certificate=tuple(line_of(criterion) for criterion in pairing.certificate),
        reasons={str(code): reasons_to_json(reasons) for code, reasons in pairing.reasons.items()},
        prohibited_pairs=request.prohibited_pairs,
        locks=request.locked,
        unit=request.unit,
    )


def line_of(criterion: Criterion) -> CriterionLine:
    proof = criterion.proof
    return CriterionLine(
        criterion.criterion, criterion.value, criterion.bound, criterion.optimal, proof.code, proof.size
    )


def reasons_to_json(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    return [{"code": reason.code, **reason.params} for reason in reasons]


def reasons_from_json(kept: Any) -> str | tuple[Reason, ...]:
    """Return a player's reasons, or the sentence an older version stored; () for anything else."""
    if isinstance(kept, str):
        return kept
    if not isinstance(kept, list):
        return ()
    return tuple(_reason(item) for item in kept if isinstance(item, Mapping) and "code" in item)


def _reason(item: Mapping[str, Any]) -> Reason:
    params = {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}
    return Reason(str(params.pop("code")), params)


def plain_value(value: int | tuple[int, ...]) -> int | list[int]:
    return list(value) if isinstance(value, tuple) else value


def proof_text(proof: Proof) -> str:
    return PROOF_TEXTS.get(proof.code, proof.code).format(size=proof.size)


def proof_from_json(kept: str, size: int = 0) -> Proof:
    """Return the proof of a certificate line: a code with its size or, in older rounds, a text."""
    if kept in PROOF_TEXTS:
        return Proof(kept, size)
    general = re.sub(r"\d+$", "{size}", kept)
    digits = re.search(r"\d+$", kept)
    return Proof(_CODES.get(general, kept), int(digits.group()) if digits else 0)


LONGEST_REASON = 200


def shorten_reason(reason: str) -> str:
    """Return the reason with single spaces, at most `LONGEST_REASON` characters."""
    return " ".join(reason.split())[:LONGEST_REASON]


def require_reason(reason: str) -> str:
    text = shorten_reason(reason)
    if not text:
        raise Refused(_("Enter a reason. It is shown with the round."))
    return text
