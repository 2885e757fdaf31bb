"""How a posted round was paired, in words for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from pairings.draft.page import DraftRow, Proof, proof_of, rows_of
from pairings.question.request import request_of
from pairings.question.seats import paired_codes
from pairings.words import certificate
from pairings.words.repair import around, public_reasons_in, repair_words
from tournament.event.pairing_record import PairingRecord, PairingRun
from tournament.event.read import event_of
from tournament.event.types import Round
from tournament.models import Tournament
from tournament.text.display_names import public_names_in


@dataclass(frozen=True, slots=True)
class ProofPage:
    """What everybody sees of a round's pairing. `seed`: the tournament's, once it is shown.

    finished  tables the last repair was made around
    set_by    what people changed or locked, in words
    before    attempt, engine and digest of each drawing that a repair replaced
    """

    proof: Proof
    noted: list[DraftRow]
    finished: int
    set_by: list[str]
    before: list[PairingRun]
    seed: str
    record: PairingRecord


def proof_page(tournament: Tournament, number: int) -> ProofPage:
    """The page of a posted round, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == number)
    names = public_names_in(event)
    record = round_.pairing
    if not paired_codes(round_):
        round_ = replace(round_, pairing=PairingRecord())
    said = replace(round_, pairing=replace(record, reasons=public_reasons_in(round_)))
    rows = rows_of(event, said, request_of(event, round_), names) if paired_codes(round_) else []
    repairs = record.repairs
    edits = [certificate.edit_words(edit, names) for edit in record.edits] if repairs else []
    locked = [
        _("Locked before pairing: %(pair)s") % {"pair": f"{names[a]} – {names[b] if b else _('bye')}"}
        for a, b in record.locks
        if a in names
    ]
    return ProofPage(
        proof=_proof(round_, rows, names),
        noted=[row for row in rows if row.reasons],
        finished=len(round_.pairing.kept_tables) if repairs else 0,
        set_by=locked + edits + [repair_words(repair, names) for repair in repairs],
        before=[repair.before for repair in repairs if repair.before != PairingRun()],
        seed=tournament.seed if tournament.state == "finished" else "",
        record=record,
    )


def _proof(round_: Round, rows: list[DraftRow], names: Mapping[str, str]) -> Proof:
    """The certificate; of a round that was re-paired it is the repair's, whatever was locked or changed before."""
    record = round_.pairing
    if record.last_repair is None:
        return proof_of(round_, rows, names)
    proof = proof_of(replace(round_, pairing=replace(record, edits=(), locks=())), rows, names)
    return replace(proof, sentence=around(proof.sentence, len(record.kept_tables)))
