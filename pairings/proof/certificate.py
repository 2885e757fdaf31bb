"""The pairing certificate of a round: what was proven when it was paired, and what people changed afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pairings.proof.rows import TableRow
from pairings.words.certificate import (
    CertificateRow,
    certificate_rows,
    certificate_words,
    criterion_words,
)
from pairings.words.edits import edit_words
from pairings.words.repair import kept_tables_words
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Round


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


def certificate_of(round_: Round, rows: list[TableRow], names: Mapping[str, str]) -> PairingCertificate:
    """The certificate of a round with these rows; of a re-paired one that of its last repair.

    What was locked or edited before the repair does not matter to it.
    """
    record = round_.pairing
    repaired = record.last_repair is not None
    edits = () if repaired else record.edits
    pair_downs = [(row.a.points, row.b.points) for row in rows if row.b and row.pair_down]
    alone = any(row.alone for row in rows)
    house = any(row.house for row in rows)
    by_hand = any(edit.kind == "swap" for edit in edits)
    sentence = certificate_words(
        record.certificate,
        pair_downs,
        rematches=sum(row.rematch for row in rows),
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
        edits=[edit_words(edit, names) for edit in edits],
        record=record,
    )
