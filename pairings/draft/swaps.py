"""An exchange of two players in a draft, weighed before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from pairings.engine import Change, swap_delta
from pairings.question.history import earlier_meetings, event_before
from pairings.question.request import request_of
from pairings.words import certificate
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.read import event_of
from tournament.event.types import Event, Match, Round
from tournament.models import Tournament
from tournament.services.reseating import marks_of
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class Opened:
    """A draft as it is edited: its facts, and the marks that must not have moved when the edit is saved."""

    event: Event
    round: Round
    marks: tuple[int, int]
    names: dict[str, str]

    @property
    def record(self) -> PairingRecord:
        """How the draft was paired and edited."""
        return self.round.pairing

    def match_of(self, code: str) -> Match:
        """Where a player sits. Raises NotFound."""
        for match in self.round.matches:
            if code in (match.a, match.b):
                return match
        raise NotFound(_("%(name)s is not in these pairings.") % {"name": self.names.get(code, code)})


@dataclass(frozen=True, slots=True)
class Swap:
    """An exchange of two players, before it is done.

    cost, saves  what gets worse and what gets better; refused: why it cannot be; waive: what needs a waiver
    """

    a: str
    b: str
    seen: int
    tables: tuple[int | None, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    cost: str
    saves: str
    refused: tuple[str, ...] = ()
    waive: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    matches: tuple[Match, ...] = ()
    unit: int = 1


def opened(tournament: Tournament, number: int) -> Opened:
    """The draft of that number. Raises NotFound, WrongState for a round that is no draft."""
    marks = marks_of(
        tournament, number
    )  # before the facts: what moves in between is noticed when it is saved
    event = event_of(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "draft":
        raise WrongState(_("Round %(number)s is already published.") % {"number": number})
    names = names_in(event)
    return Opened(event, round_, marks, names)


def weigh_swap(tournament: Tournament, number: int, a: str, b: str) -> Swap:
    """What it would do if these two changed places. Raises Refused in words where that makes no sense."""
    return weighed(opened(tournament, number), a, b)


def weighed(draft: Opened, a: str, b: str) -> Swap:
    one, other = draft.match_of(a), draft.match_of(b)
    names = draft.names
    if one is other:
        raise Refused(
            _("%(a)s and %(b)s play each other, so there is nothing to swap.")
            % {"a": names[a], "b": names.get(b, b)}
        )
    request = request_of(draft.event, draft.round)
    for code, match in ((a, one), (b, other)):
        if code not in request.points:
            raise Refused(_("%(name)s has a bye that was awarded or requested.") % {"name": names[code]})
        if is_locked(draft.round, match):
            raise WrongState(
                _("%(table)s is locked. Unlock it first.")
                % {"table": certificate.capital(certificate.tables_words([match.table]))}
            )
    delta = swap_delta(
        request.entrants,
        request.seating_of(draft.round),
        request.policy,
        (a, b),
        forbidden=request.prohibited_pairs,
    )
    cost, saves = certificate.costs_and_savings(delta.changes, request.unit)
    errors = [problem for problem in delta.problems if problem.severity == "error"]
    matches = _at_fixed(draft.event, *(_exchanged(match, a, b) for match in (one, other)))
    return Swap(
        a=a,
        b=b,
        seen=draft.marks[0],
        tables=(one.table, other.table),
        before=tuple(_said(match, names) for match in (one, other)),
        after=tuple(_said(match, names) for match in matches),
        cost=cost,
        saves=saves,
        refused=tuple(_refusal(problem.code, problem.entrants, names) for problem in errors),
        waive=tuple(text for match in matches if (text := exception_of(draft, match)[1])),
        changes=delta.changes,
        matches=matches,
        unit=request.unit,
    )


def _exchanged(match: Match, a: str, b: str) -> Match:
    place = {a: b, b: a}
    return Match(
        table=match.table,
        a=place.get(match.a, match.a),
        b=place.get(match.b, match.b) if match.b else None,
        result=match.result,
        first=match.first,
    )


def _at_fixed(event: Event, one: Match, other: Match) -> tuple[Match, Match]:
    """These two, with their numbers exchanged where more players then sit at their fixed tables."""
    turned = replace(one, table=other.table), replace(other, table=one.table)

    def obeyed(matches: tuple[Match, Match]) -> int:
        return sum(event.entries[code].fixed_table == m.table for m in matches for code in (m.a, m.b) if code)

    both_seated = one.table and other.table
    return turned if both_seated and obeyed(turned) > obeyed((one, other)) else (one, other)


def _said(match: Match, names: dict[str, str]) -> str:
    """A table; who moves first there is said where that counts."""
    a, b = names[match.a], names[match.b] if match.b else _("bye")
    if match.first == "a":
        a = _("%(name)s (moves first)") % {"name": a}
    elif match.first == "b":
        b = _("%(name)s (moves first)") % {"name": b}
    return f"{a} – {b}"


def _refusal(kind: str, who: Sequence[str], names: dict[str, str]) -> str:
    said = {"a": names.get(who[0], who[0]), "b": names.get(who[-1], who[-1])} if who else {"a": "", "b": ""}
    return {
        "forbidden": _("%(a)s and %(b)s are on the do-not-pair list."),
        "house pair": _("%(a)s and %(b)s are both house opponents."),
        "house bye": _("%(a)s is a house opponent and cannot get the bye."),
        "repeat": _("%(a)s and %(b)s have already played, and this ruleset does not allow rematches."),
    }.get(kind, _("%(a)s cannot sit there.")) % said


def exception_of(draft: Opened, match: Match) -> tuple[str, str]:
    """(rule, what the waiver is about) where this match is a repeat or a second bye; else two empty texts."""
    met, byes = earlier_meetings(event_before(draft.event, draft.round.number))
    names = draft.names
    if match.b and frozenset((match.a, match.b)) in met:
        said = {"a": names[match.a], "b": names[match.b]}
        return "repeat", _("%(a)s and %(b)s have already played") % said
    if match.result == "bye" and match.a in byes:
        return "bye", _("%(name)s already had a bye") % {"name": names[match.a]}
    return "", ""


def is_locked(round_: Round, match: Match) -> bool:
    return any({match.a, match.b} == {a, b} for a, b in round_.pairing.locks)
