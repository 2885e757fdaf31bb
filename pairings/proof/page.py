"""How a published round was paired, in words for everyone."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairings.proof.rows import TableRow, rows_of
from pairings.question.request import request_of
from pairings.question.seats import paired_codes
from pairings.words.certificate import (
    CertificateRow,
    certificate_rows,
    certificate_words,
    criterion_words,
    total_of,
)
from pairings.words.edits import edit_words
from pairings.words.lists import pairs_words
from pairings.words.reasons import public_reasons_in
from pairings.words.repair import kept_tables_words, repair_words
from tournament.event.pairing_record import Edit, PairingRecord, PairingRun
from tournament.event.read import event_of
from tournament.event.table_plan import TablePlan, plan_of
from tournament.event.types import Round
from tournament.models import Tournament
from tournament.text.display_names import public_names_in


@dataclass(frozen=True, slots=True)
class PairingCertificate:
    """The certificate in words, for staff and the public.

    sentence  all of it in one sentence
    lines     (sentence, whether it is proven) for each criterion; none once a swap by hand made them untrue
    numbers   the same as a table
    edits     edits by hand, in words
    record    what the round keeps: engine, digest, attempt …
    """

    sentence: str
    lines: list[tuple[str, bool]]
    numbers: list[CertificateRow]
    edits: list[str]
    record: PairingRecord


def certificate_of(
    round_: Round, rows: list[TableRow], names: Mapping[str, str], plan: TablePlan
) -> PairingCertificate:
    """The certificate of a round with these rows; of a re-paired one that of its last repair.

    What was locked or edited before the repair does not matter to it; that others really sat somewhere does.
    """
    record = round_.pairing
    repaired = record.last_repair is not None
    edits = _edits_since(record)
    pair_downs = [(row.a.points, row.b.points) for row in rows if row.b and row.pair_down]
    alone = any(row.alone for row in rows)
    house = any(row.house for row in rows)
    by_hand = any(edit.kind in ("swap", "seats") for edit in edits)
    rematches = [total_of(line.value) for line in record.certificate if line.criterion == "repeats"]
    if by_hand or not rematches:  # else those of then: a forfeit may have been corrected since
        rematches = [sum(row.rematch for row in rows)]
    sentence = certificate_words(
        record.certificate,
        pair_downs,
        rematches=rematches[0],
        same_label=sum(row.same_label for row in rows),
        house=house,
        locked=0 if repaired else len(record.locks),
        by_hand=by_hand,
    )
    lines = [(criterion_words(line, pair_downs, alone, house), line.optimal) for line in record.certificate]
    return PairingCertificate(
        sentence=kept_tables_words(sentence, len(record.kept_tables)) if repaired else sentence,
        lines=[] if by_hand else [(text, proven) for text, proven in lines if text],
        numbers=certificate_rows(record.certificate, record.unit),
        edits=[edit_words(edit, names, plan) for edit in edits],
        record=record,
    )


def _edits_since(record: PairingRecord) -> list[Edit]:
    """The edits that the round's certificate does not know of."""
    return [edit for edit in record.edits if edit.kind == "seats" or not record.repairs]


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
        certificate=certificate_of(round_, rows, names, plan_of(tournament)),
        rows=[row for row in rows if row.reasons],
        finished=len(round_.pairing.kept_tables) if record.repairs else 0,
        changes=_changes_words(record, names, plan_of(tournament)),
        replaced=[repair.before for repair in record.repairs if repair.before != PairingRun()],
        seed=tournament.seed if tournament.state == "finished" else "",
        record=record,
    )


def _changes_words(record: PairingRecord, names: Mapping[str, str], plan: TablePlan) -> list[str]:
    """Locks, edits that the certificate does not tell, and repairs."""
    locks = [
        _("Locked before pairing: %(pair)s") % {"pair": pairs_words([pair], names)}
        for pair in record.locks
        if pair[0] in names
    ]
    with_certificate = _edits_since(record)
    edits = [edit_words(edit, names, plan) for edit in record.edits if edit not in with_certificate]
    return locks + edits + [repair_words(repair, names, plan) for repair in record.repairs]
