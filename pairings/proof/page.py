"""How a published round was paired, in words for everyone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairings.proof.certificate import PairingCertificate, certificate_of
from pairings.proof.rows import TableRow, rows_of
from pairings.question.request import request_of
from pairings.question.seats import paired_codes
from pairings.words.edits import edit_words
from pairings.words.lists import pairs_words
from pairings.words.reasons import public_reasons_in
from pairings.words.repair import repair_words
from tournament.event.pairing_record import PairingRecord, PairingRun
from tournament.event.read import event_of
from tournament.models import Tournament
from tournament.text.display_names import public_names_in


@dataclass(frozen=True, slots=True)
class ProofPage:
    """The public page of a round's pairing.

    rows      tables whose pairing needs a reason
    finished  how many tables the last repair was made around
    changes   what people locked, edited and repaired, in words
    replaced  the runs of the engine whose pairings were replaced by repairs
    seed      the event's seed, once it is public; else ""
    """

    certificate: PairingCertificate
    rows: list[TableRow]
    finished: int
    changes: list[str]
    replaced: list[PairingRun]
    seed: str
    record: PairingRecord


def proof_page(tournament: Tournament, number: int) -> ProofPage:
    """The page of a published round, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == number)
    names = public_names_in(event)
    record = round_.pairing
    rows: list[TableRow] = []
    if paired_codes(round_):
        rows = rows_of(event, round_, request_of(event, round_), names, public_reasons_in(round_))
    else:
        round_ = round_.replace(pairing=PairingRecord())
    return ProofPage(
        certificate=certificate_of(round_, rows, names),
        rows=[row for row in rows if row.reasons],
        finished=len(round_.pairing.kept_tables) if record.repairs else 0,
        changes=_changes_words(record, names),
        replaced=[made.before for made in record.repairs if made.before != PairingRun()],
        seed=tournament.seed if tournament.state == "finished" else "",
        record=record,
    )


def _changes_words(record: PairingRecord, names: Mapping[str, str]) -> list[str]:
    """Locks, edits (the certificate tells those of a round without a repair) and repairs."""
    locks = [
        _("Locked before pairing: %(pair)s") % {"pair": pairs_words([pair], names)}
        for pair in record.locks
        if pair[0] in names
    ]
    edits = [edit_words(edit, names) for edit in record.edits] if record.repairs else []
    return locks + edits + [repair_words(made, names) for made in record.repairs]
