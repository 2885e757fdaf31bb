"""A draft as the organizer checks it: rows with points and reasons, the certificate, the list before publishing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.edits import takes_coin
from pairings.draft.preflight import Check, checks_of
from pairings.engine.gc_pause import uncollected
from pairings.question.history import event_before
from pairings.question.request import PairingRequest, request_of
from pairings.words import certificate as words
from pairings.words.repair import reasons_in
from standings.event.records import points_of
from standings.words.formats import format_number
from tournament.event.pairing_record import PairingRecord
from tournament.event.read import event_of
from tournament.event.types import Event, Match, Round
from tournament.models import Tournament
from tournament.results import wording
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody at a table. `first`: moves first."""

    code: str
    name: str
    points: str
    first: bool = False


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A line of the draft.

    alone   why there is no opponent
    house   one of the two is a house opponent
    across  the points differ, those of a house opponent left out
    alike   they have a label in common, in a round that keeps such players apart
    """

    table: int | None
    a: Player
    b: Player | None
    alone: str
    house: bool
    across: bool
    alike: bool
    repeat: bool
    locked: bool
    by_hand: bool
    reasons: tuple[str, ...]

    @property
    def noted(self) -> bool:
        """Whether there is something to look at."""
        return bool(self.reasons or self.across or self.repeat or self.locked or self.by_hand or self.alone)

    @property
    def anchor(self) -> str:
        """What an address ends with to lead to the row, at its lock."""
        return anchor_of(self.table, self.a.code)

    @property
    def lockable(self) -> bool:
        """Whether the pairing chose this table: an awarded bye stays anyway."""
        return self.b is not None or self.alone == wording.bye_words("bye")


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved about a round, for staff and everybody.

    sentence  all of it at once; lines: (sentence, proved) each; numbers: the same as a table
    edits     what was changed by hand since, in words
    """

    sentence: str
    lines: list[tuple[str, bool]]
    numbers: list[dict[str, Any]]
    edits: list[str]
    record: PairingRecord


@dataclass
class DraftPage:
    """All that the page of a draft shows."""

    round: Round
    rows: list[DraftRow]
    proof: Proof
    checks: list[Check]
    revision: int
    players: list[tuple[str, str]]
    forbidden: list[tuple[str, str, str, str]] = field(default_factory=list)
    house: str | None = None  # code of the house opponent who plays
    coin: bool = False
    sides: bool = False
    editable: bool = True  # by this member of staff

    @property
    def ready(self) -> bool:
        return all(check.level != "bad" for check in self.checks)

    @property
    def open_items(self) -> int:
        """How many lines of the list stop the round."""
        return sum(check.level == "bad" for check in self.checks)


def anchor_of(table: int | None, code: str) -> str:
    """Where on the draft's page a table is, or whoever has none."""
    return f"table-{table}" if table else f"bye-{code}"


@uncollected()
def draft_page(tournament: Tournament, round_number: int, revision: int) -> DraftPage:
    """The page of the draft of that round, seen at its `revision`, from one consistent read."""
    event = event_of(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == round_number)
    names = names_in(event)
    request = request_of(event, round_)
    rows = rows_of(event, round_, request, names)
    seated = [player.code for row in rows for player in (row.a, row.b) if player]
    return DraftPage(
        round=round_,
        rows=rows,
        proof=proof_of(round_, rows, names),
        checks=checks_of(tournament, event, round_, request, names),
        revision=revision,
        players=[(code, names[code]) for code in seated],
        forbidden=[(a, names.get(a, a), b, names.get(b, b)) for a, b in event.forbidden],
        house=next((code for code in seated if event.entries[code].house), None),
        coin=takes_coin(round_, request),
        sides=any(match.first for match in round_.matches),
    )


def rows_of(event: Event, round_: Round, request: PairingRequest, names: Mapping[str, str]) -> list[DraftRow]:
    """The round's tables with points and reasons; those without an opponent last."""
    points = request.points
    if any(match.a not in points for match in round_.matches):  # awarded byes: no part of the question
        points = points_of(event_before(event, round_.number), round_.stage) | points
    record = round_.pairing
    reasons = reasons_in(round_)
    locked = {frozenset(pair) for pair in record.locks}
    by_hand = {code for edit in record.edits for code in edit.players}
    alike = {match.a for match in request.same_label_matches(round_)}
    houses = {str(entrant.id) for entrant in request.entrants if entrant.house}
    return [_row(match, points, names, reasons, locked, by_hand, alike, houses) for match in round_.matches]


def _row(
    match: Match,
    points: Mapping[str, Fraction],
    names: Mapping[str, str],
    reasons: Mapping[str, str],
    locked: set[frozenset],
    by_hand: set[str],
    alike: set[str],
    houses: set[str],
) -> DraftRow:
    a, b = (
        Player(code, names[code], format_number(points.get(code, Fraction(0))), match.first == side)
        if code
        else None
        for code, side in ((match.a, "a"), (match.b, "b"))
    )
    assert a is not None
    both = [player for player in (a, b) if player]
    house = not houses.isdisjoint(player.code for player in both)
    repeat = bool(match.waived and match.waived["rule"] == "repeat")
    said = [f"{player.name}: {reasons[player.code]}" for player in both if player.code in reasons]
    if match.waived:
        said.append(_("waived: %(reason)s") % {"reason": match.waived["reason"]})
    return DraftRow(
        table=match.table,
        a=a,
        b=b,
        alone="" if b else wording.bye_words(match.result or "bye"),
        house=house,
        across=b is not None and not house and points.get(match.a, 0) != points.get(match.b or "", 0),
        alike=match.a in alike,
        repeat=repeat,
        locked=frozenset((match.a, match.b)) in locked,
        by_hand=any(player.code in by_hand for player in both),
        reasons=tuple(said),
    )


def proof_of(round_: Round, rows: list[DraftRow], names: Mapping[str, str]) -> Proof:
    """The certificate of a round in words and numbers, and what people changed after it."""
    record = round_.pairing
    certificate = record.certificate
    by_hand = any(edit.kind == "swap" for edit in record.edits)
    across = [(row.a.points, row.b.points) for row in rows if row.b and row.across]
    alone = any(row.alone for row in rows)
    house = any(row.house for row in rows)
    lines = [
        (sentence, line.optimal)
        for line in certificate
        if (sentence := words.sentence_of(line, across, alone, house))
    ]
    return Proof(
        sentence=words.in_one_sentence(
            certificate,
            across,
            repeats=sum(row.repeat for row in rows),
            alike=sum(row.alike for row in rows),
            house=house,
            locked=len(record.locks),
            by_hand=by_hand,
        ),
        lines=[] if by_hand else lines,
        numbers=words.numbers_of(certificate, record.unit),
        edits=[words.edit_words(edit, names) for edit in record.edits],
        record=record,
    )
