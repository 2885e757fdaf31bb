"""How a round was paired: its tables, its certificate, and why two players do not meet."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _

from pairings.engine.compare import why_not
from pairings.engine.criteria import SIDES
from pairings.engine.types import PairingRequest
from pairings.request.entrants import earlier_pairings, event_before
from pairings.request.pairing_request import (
    list_pair_downs,
    paired_codes,
    players_past_side_limits,
    rebuild_request,
    recorded_pairing,
    round_as_paired,
    same_label_matches,
)
from pairings.words.certificate import (
    certificate_rows,
    certificate_words,
    criterion_words,
    pairs_words,
    sum_value,
)
from pairings.words.edits import edit_words, kept_tables_words, repair_words
from pairings.words.reasons import (
    LOCKED,
    UNSOLVED,
    forfeits_words,
    meetings_words,
    new_pair_downs_words,
    public_reasons_in,
    solved_words,
)
from standings.table.swiss import compute_points
from tournament.errors import Refused
from tournament.event.display_names import load_names, names_in
from tournament.event.formats import format_number
from tournament.event.pairing_record import Edit, PairingRecord, PairingRun
from tournament.event.read import load_event_values
from tournament.event.table_plan import TablePlan, round_table_plan, table_name
from tournament.event.types import Event, Match, Round
from tournament.models import Tournament
from tournament.results import wording


class SeatedPlayer(NamedTuple):
    code: str
    name: str
    points: str
    first: bool = False  # has the first move


class TableRow(NamedTuple):
    """A table of the round, or a player without an opponent (`table` and `b` are None)."""

    table: int | None
    a: SeatedPlayer
    b: SeatedPlayer | None
    alone: str  # why there is no opponent
    house: bool  # one of the two is a house opponent
    pair_down: bool  # the points differ; not set for a house opponent's table
    same_label: bool  # the two share a label, in a round that keeps such players apart
    past_limit: int  # how many of the two have one side too often
    rematch: bool  # they have played before
    locked: bool
    by_hand: bool  # one of them was moved by hand
    reasons: tuple[str, ...]  # sentences on why they are paired

    @property
    def is_notable(self) -> bool:
        return any((
            self.reasons, self.pair_down, self.past_limit, self.rematch, self.locked, self.by_hand, self.alone,
        ))  # fmt: skip

    @property
    def anchor(self) -> str:
        return row_anchor(self.table, self.a.code)


def row_anchor(table: int | None, code: str) -> str:
    return f"table-{table}" if table else f"bye-{code}"


def build_table_rows(
    event: Event, round_: Round, request: PairingRequest, names: Mapping[str, str], reasons: Mapping[str, str]
) -> list[TableRow]:
    """Return the round's tables, players without an opponent last. `reasons`: {entry code: sentences}."""
    points = request.points
    if any(match.a not in points for match in round_.matches):  # awarded byes are not part of the request
        points = compute_points(event_before(event, round_.number), round_.stage) | points
    locked = {frozenset(lock) for lock in round_.pairing.locks}
    by_hand = {code for edit in round_.pairing.edits for code in edit.players}
    same_label = {match.a for match in same_label_matches(request, round_)}
    past_limit = {*players_past_side_limits(request, round_)}
    houses = {entrant.id for entrant in request.entrants if entrant.house}
    earlier = earlier_pairings(event, round_)

    def row_of(match: Match) -> TableRow:
        codes = [code for code in (match.a, match.b) if code]
        players = [
            SeatedPlayer(code, names[code], format_number(points.get(code, Fraction(0))), match.first == side)
            for code, side in zip(codes, "ab", strict=False)
        ]
        house = not houses.isdisjoint(codes)
        notes = [f"{names[code]}: {reasons[code]}" for code in codes if code in reasons]
        before = earlier.get(frozenset((match.a, match.b)), [])
        if forfeits := forfeits_words([place for place, forfeit in before if forfeit], event.profile):
            notes.append(forfeits)
        if match.waived:
            notes.append(_("waived: %(reason)s") % {"reason": match.waived["reason"]})
        return TableRow(
            table=match.table,
            a=players[0],
            b=players[1] if match.b else None,
            alone="" if match.b else wording.bye_words(match.result or "bye"),
            house=house,
            pair_down=not house and len({points.get(code) for code in codes}) > 1,
            same_label=match.a in same_label,
            past_limit=len(past_limit.intersection(codes)),
            rematch=bool(match.waived and match.waived["rule"] == "repeat"),
            locked=frozenset((match.a, match.b)) in locked,
            by_hand=not by_hand.isdisjoint(codes),
            reasons=tuple(notes),
        )

    return [row_of(match) for match in round_.matches]


class PairingCertificate(NamedTuple):
    sentence: str  # all of it in one sentence
    # (sentence, whether it is proven) for each criterion that no edit by hand invalidated.
    lines: list[tuple[str, bool]]
    numbers: list[tuple[str, str, str, str]]  # the same as a table: (criterion, value, bound, proof)
    edits: list[str]  # edits by hand, in words
    record: PairingRecord  # the round's stored record: engine, digest, attempt …


def describe_certificate(
    round_: Round, rows: list[TableRow], names: Mapping[str, str], plan: TablePlan
) -> PairingCertificate:
    """Return the certificate in words for a round with these rows; a repaired round has that of its last repair."""
    record = round_.pairing
    repaired = record.last_repair is not None
    edits = _edits_since(record)
    pair_downs = [(row.a.points, row.b.points) for row in rows if row.b and row.pair_down]
    alone = any(row.alone for row in rows)
    house = any(row.house for row in rows)
    by_hand = any(edit.kind in ("swap", "seats") for edit in edits)
    rematches = [sum_value(line.value) for line in record.certificate if line.criterion == "repeats"]
    if by_hand or not rematches:  # else those of then: a forfeit may have been corrected since
        rematches = [sum(row.rematch for row in rows)]
    sentence = certificate_words(
        record.certificate,
        pair_downs,
        rematches=rematches[0],
        same_label=sum(row.same_label for row in rows),
        past_limit=sum(row.past_limit for row in rows),
        house=house,
        locked=0 if repaired else len(record.locks),
        by_hand=by_hand,
    )
    moved = any(edit.kind == "first" for edit in edits)
    lines = [
        (criterion_words(line, pair_downs, alone, house), line.optimal)
        for line in record.certificate
        if not (moved and line.criterion in SIDES)
    ]
    return PairingCertificate(
        sentence=kept_tables_words(sentence, len(record.kept_tables)) if repaired else sentence,
        lines=[] if by_hand else [(text, proven) for text, proven in lines if text],
        numbers=certificate_rows(record.certificate, record.unit),
        edits=[edit_words(edit, names, plan) for edit in edits],
        record=record,
    )


def _edits_since(record: PairingRecord) -> list[Edit]:
    return [edit for edit in record.edits if edit.kind == "seats" or not record.repairs]


class ProofPage(NamedTuple):
    certificate: PairingCertificate
    rows: list[TableRow]  # tables whose pairing needs a reason
    finished: int  # how many tables the last repair kept as finished
    changes: list[str]  # what people locked, edited and repaired, in words
    replaced: list[PairingRun]  # engine runs whose pairings were replaced by repairs
    seed: str  # the event's seed, once it is public; else ""
    record: PairingRecord


def proof_page(tournament: Tournament, number: int) -> ProofPage:
    event = load_event_values(tournament)
    round_ = next(round_ for round_ in event.rounds if round_.number == number)
    names = names_in(event, public=True)
    record = round_.pairing
    rows: list[TableRow] = []
    if paired_codes(round_):
        request = rebuild_request(event, round_)
        rows = build_table_rows(event, round_, request, names, public_reasons_in(round_))
    else:
        round_ = round_.replace(pairing=PairingRecord())
    return ProofPage(
        certificate=describe_certificate(round_, rows, names, round_table_plan(tournament, round_)),
        rows=[row for row in rows if row.reasons],
        finished=len(round_.pairing.kept_tables) if record.repairs else 0,
        changes=_changes_words(record, names, round_table_plan(tournament, round_)),
        replaced=[repair.before for repair in record.repairs if repair.before != PairingRun()],
        seed=tournament.seed if tournament.state == "finished" else "",
        record=record,
    )


def _changes_words(record: PairingRecord, names: Mapping[str, str], plan: TablePlan) -> list[str]:
    locks = [
        _("Locked before pairing: %(pair)s") % {"pair": pairs_words([pair], names)}
        for pair in record.locks
        if pair[0] in names
    ]
    with_certificate = _edits_since(record)
    edits = [edit_words(edit, names, plan) for edit in record.edits if edit not in with_certificate]
    return locks + edits + [repair_words(repair, names, plan) for repair in record.repairs]


def explain_why_not(tournament: Tournament, number: int, a: str, b: str | None) -> list[str]:
    """Return sentences on why a and b are not paired in this round (b None: the bye). Raises WrongState, Refused."""
    if a == b:
        raise Refused(_("Choose two different players."))
    event, round_ = round_as_paired(tournament, number)
    names = load_names(tournament)
    seated = set(paired_codes(round_))
    for code in filter(None, (a, b)):
        if code not in seated:
            raise Refused(_("%(name)s was not paired in round %(number)s."), name=names[code], number=number)
    request = rebuild_request(event, round_)
    seating = recorded_pairing(request, round_)
    answer = why_not(request, seating, a, b)
    a_name, b_name = names[a], names[b] if b else ""
    if answer.code in UNSOLVED:
        seat = next(match.table for match in round_.matches if a in (match.a, match.b))
        table = table_name(event, seat, round_)
        return [UNSOLVED[answer.code] % {"a": a_name, "b": b_name, "table": table}]
    if answer.code in ("locked_table", "locked_bye"):
        code = answer.entrant if answer.code == "locked_table" else seating.bye
        repaired = round_.pairing.last_repair is not None
        return [LOCKED[code == seating.bye, repaired] % {"name": names[code]}]
    cost = solved_words(answer.code, a_name, b_name, answer.changes, request.unit)
    now = {frozenset(pair) for pair in seating.pairs}
    other = answer.pairing.pairs if answer.pairing and answer.changes else ()
    pair_downs = list_pair_downs(request, [pair for pair in other if frozenset(pair) not in now])
    earlier = earlier_pairings(event, round_).get(frozenset((a, b)), [])
    forfeits = [place for place, forfeit in earlier if forfeit]
    meetings = meetings_words([place for place, forfeit in earlier if not forfeit], bye=b is None)
    if forfeits and len(forfeits) == len(earlier):
        meetings = ""  # the next sentence says it
    sentences = cost, new_pair_downs_words(pair_downs), meetings, forfeits_words(forfeits, event.profile)
    return [sentence for sentence in sentences if sentence]
