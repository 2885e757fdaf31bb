"""Three ways on from a published round, weighed against the best, each as the tables it would change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import chain

from django.utils.translation import gettext as _

from pairings.engine import Option, Pairing, verify
from pairings.question.history import earlier_meetings, event_before
from pairings.question.record import line_of, record_of
from pairings.question.request import PairingRequest
from pairings.question.tables import fixed_tables, tables_elsewhere
from pairings.words import certificate
from pairings.words.repair import TableChange, kept_tables_words, seats_words
from standings.words.formats import format_number
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import WrongState
from tournament.event.pairing_record import PairingRecord, PairingRun, RepairMade
from tournament.event.table_numbers import table_numbers
from tournament.event.types import Event, Match, Round
from tournament.services.reseating import Reseating


@dataclass(frozen=True, slots=True)
class RepairOption:
    """One way on. `plan`: what a form sends back to say that this is what was seen; "" where there is nothing to do.

    cost   against the best there is, "" where no table changes
    proof  the certificate in one sentence, "" where it is impossible
    """

    name: str
    possible: bool
    cost: str
    proof: str
    moved: tuple[TableChange, ...]
    plan: str
    change: Reseating | None = None

    @property
    def title(self) -> str:
        """What it is called on the page."""
        return {
            "leave": _("Keep the round as it is"),
            "keep": _("Change as few tables as possible"),
            "anew": _("Re-pair all open tables"),
        }[self.name]


def options_of(
    event: Event,
    round_: Round,
    request: PairingRequest,
    names: dict[str, str],
    marks: tuple[int, int],
    into: tuple[str, ...],
    out: tuple[str, ...],
) -> tuple[RepairOption, ...]:
    published = [(m.a, m.b) for m in round_.matches if m.b or m.result == "bye"]
    try:
        options = request.repair_options(published)
    except ValueError as error:
        raise WrongState(_("This cannot be paired: %(reason)s.") % {"reason": error}) from None
    best = options[2]
    return tuple(_way(event, round_, request, names, marks, into, out, option, best) for option in options)


def _way(
    event: Event,
    round_: Round,
    request: PairingRequest,
    names: dict[str, str],
    marks: tuple[int, int],
    into: tuple[str, ...],
    out: tuple[str, ...],
    option: Option,
    best: Option,
) -> RepairOption:
    if option.pairing is None:
        if option.name != "leave":
            reason = _("no complete round is left around the finished tables")
        elif who := ", ".join(names[code] for code in out):
            reason = _("it seats players who are gone: %(names)s") % {"names": who}
        else:
            reason = _("it breaks a rule")
        return RepairOption(option.name, False, _("Impossible: %(reason)s.") % {"reason": reason}, "", (), "")
    more = [
        (name, old, new) for (name, old), (_n, new) in zip(best.cost, option.cost, strict=True) if old != new
    ]
    cost = ", ".join(certificate.change_words(name, old, new, request.unit) for name, old, new in more)
    if option.name == "leave":
        return RepairOption("leave", True, cost or _("as good as the best possible"), "", (), "")
    wrong = verify(request.entrants, option.pairing, request.policy, forbidden=request.prohibited_pairs)
    stands = {code for pair in request.locks for code in pair}
    if any(problem.severity == "error" and not stands & set(problem.entrants) for problem in wrong):
        return RepairOption(option.name, False, _("Impossible: it failed its check."), "", (), "")
    tables, going = _seated(event, round_, option.pairing)
    if not tables:
        return RepairOption(option.name, True, "", "", (), "")
    change = Reseating(
        number=round_.number,
        marks=marks,
        pairing=_record(round_, request, option, into, out, tables, going),
        leaving=frozenset(code for match in going for code in (match.a, match.b) if code),
        tables=tuple(tables),
        into=into,
        out=out,
    )
    return RepairOption(
        name=option.name,
        possible=True,
        cost=cost or _("as good as the best possible"),
        proof=_proof(request, option),
        moved=tuple(_moved(round_, tables, going, names)),
        plan=_digest(change),
        change=change,
    )


def _seated(event: Event, round_: Round, pairing: Pairing) -> tuple[list[MatchFact], list[Match]]:
    """(new tables, matches that go): kept pairs keep table and first move, new ones take the tables that are free."""
    wanted = {frozenset(both): index for index, both in enumerate(pairing.pairs)}
    alone = pairing.bye
    going = [
        match
        for match in round_.matches
        if (match.b and frozenset((match.a, match.b)) not in wanted)
        or (match.b is None and match.result == "bye" and match.a != alone)
    ]
    there = {frozenset((match.a, match.b)) for match in round_.matches if match.b}
    met, byes = earlier_meetings(event_before(event, round_.number))
    new = [(both, index) for both, index in wanted.items() if both not in there]
    numbers = _numbers(event, round_, going, [pairing.pairs[index] for _both, index in new])
    tables = []
    for (both, index), table in zip(new, numbers, strict=True):
        a, b = pairing.pairs[index]
        waived = {"rule": "repeat", "reason": _("no better pairing was possible")} if both in met else None
        first = pairing.first[index] if pairing.first else ""
        tables.append(MatchFact(a=a, b=b, table=table, first=first, waived=waived))
    if alone is not None and not any(m.a == alone and m.result == "bye" for m in round_.matches):
        waived = {"rule": "bye", "reason": _("no better pairing was possible")} if alone in byes else None
        tables.append(MatchFact(a=alone, result="bye", waived=waived))
    return tables, going


def _numbers(event: Event, round_: Round, going: list[Match], pairs: list[tuple]) -> list[int]:
    """Tables for new pairs: a fixed one that is free, else those that became free, else further ones of the hall."""
    seated = [(match.a, match.b) for match in round_.matches if match.b]
    fixed = fixed_tables(event, [*seated, *pairs])
    left = {match.table for match in going}
    stand = {match.table for match in round_.matches if match.table not in left}
    given: dict[int, int] = {}
    for index, pair in enumerate(pairs):
        own = sorted(fixed[code] for code in pair if code in fixed)
        free = [table for table in own if table not in stand and table not in given.values()]
        if free:
            given[index] = free[0]
    busy = tables_elsewhere(event, event.stage(round_.stage))
    closed = stand | set(fixed.values()) | busy
    freed = sorted(match.table for match in going if match.table and match.table not in closed)
    hall = table_numbers(event.first_table, event.skip_tables)
    further = (number for number in hall if number not in closed and number not in freed)
    numbers = chain(freed, further)
    return [given[index] if index in given else next(numbers) for index in range(len(pairs))]


def _record(
    round_: Round,
    request: PairingRequest,
    option: Option,
    into: tuple[str, ...],
    out: tuple[str, ...],
    tables: list[MatchFact],
    going: list[Match],
) -> PairingRecord:
    """What the round keeps: how it stands now, and what it takes to draw the repair again."""
    pairing = option.pairing
    assert pairing is not None
    old, new = round_.pairing, record_of(pairing, request)
    stands = {code for pair in request.locks for code in pair if code}
    kept = {code: why for code, why in old.reasons.items() if code in stands}
    fresh = {code: why for code, why in new.reasons.items() if code not in stands}
    made = RepairMade(
        option=option.name,
        tables=tuple(table.table for table in tables),
        added=into,
        removed=out,
        finished=request.locks,
        gone=tuple((match.a, match.b) for match in going),
        before=PairingRun(old.attempt, old.engine, old.digest) if old.digest else PairingRun(),
    )
    return replace(
        old,
        engine=new.engine,
        digest=new.digest,
        certificate=new.certificate,
        prohibited_pairs=new.prohibited_pairs,
        attempt=next_attempt(round_),
        reasons=kept | fresh,
        unit=new.unit,
        repairs=(*old.repairs, made),
    )


def next_attempt(round_: Round) -> int:
    """The number of the drawing that mends it: another seed than those before."""
    return round_.pairing.attempt + 1


def _proof(request: PairingRequest, option: Option) -> str:
    pairing = option.pairing
    assert pairing is not None
    points = request.points
    known = {entrant.id: entrant for entrant in request.entrants}
    said = certificate.in_one_sentence(
        [line_of(criterion) for criterion in pairing.certificate],
        [
            (format_number(points[a]), format_number(points[b]))
            for a, b in pairing.pairs
            if points[a] != points[b] and not (known[a].house or known[b].house)
        ],
        repeats=sum(b in known[a].opponents for a, b in pairing.pairs),
        locked=0,
        by_hand=False,
        house=any(entrant.house for entrant in request.entrants),
    )
    return kept_tables_words(said, len(request.locks))


def _moved(
    round_: Round, tables: list[MatchFact], going: list[Match], names: dict[str, str]
) -> list[TableChange]:
    """Every table that changes, in order; one that is left empty too."""
    before = {match.table: match for match in going}
    after = {table.table: table for table in tables}
    return [
        TableChange(number, _said(before.get(number), names), _said(after.get(number), names, first=True))
        for number in sorted({*before, *after}, key=lambda number: (number is None, number or 0))
    ]


def _said(match: Match | MatchFact | None, names: dict[str, str], *, first: bool = False) -> str:
    if match is None:
        return _("no one")
    fact = {"a": match.a, "b": match.b, "first": match.first, "result": "bye"}
    return seats_words(fact, names, first=first)


def _digest(change: Reseating) -> str:
    """The tables, and the question they answer: other facts are another plan even where it seats alike."""
    text = repr([(t.table, t.a, t.b, t.first) for t in change.tables]) + repr((change.into, change.out))
    return hashlib.sha256((text + change.pairing.digest).encode()).hexdigest()[:32]
