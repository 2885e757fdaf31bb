"""Two players of a draft swapped: what that would change and cost, before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from pairings.engine import Change, swap_delta
from pairings.question.history import earlier_meetings, event_before
from pairings.question.request import request_of
from pairings.words.costs import costs_and_savings
from pairings.words.lists import capitalize, tables_words
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.read import event_of
from tournament.event.types import Event, Match, Round
from tournament.models import Tournament
from tournament.services.reseating import marks_of
from tournament.text.display_names import names_in


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft that is being edited.

    marks  (the round's revision, the standings' revision): neither may have moved when the edit is saved
    names  {entry code: name}
    """

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

    def is_locked(self, match: Match) -> bool:
        """Whether the organizer locked this table."""
        return any({match.a, match.b} == set(lock) for lock in self.record.locks)


@dataclass(frozen=True, slots=True)
class TableSwap:
    """One of the two tables of a swap; `table` None is the bye. `before` and `after` are the players in words."""

    table: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Swap:
    """A swap of players `a` and `b`, not done yet.

    seen         the round's revision it was computed at
    tables       the two tables, that of `a` first
    cost, saves  in words: what gets worse and what gets better; "" for nothing
    refusals     why it cannot be done
    waivers      what needs a waiver
    changes      the criteria that change, points counted in units (real ones × `unit`)
    matches      the two tables as they would be
    """

    a: str
    b: str
    seen: int
    tables: tuple[TableSwap, TableSwap]
    cost: str
    saves: str
    refusals: tuple[str, ...]
    waivers: tuple[str, ...]
    changes: tuple[Change, ...]
    matches: tuple[Match, Match]
    unit: int


def open_draft(tournament: Tournament, number: int) -> OpenDraft:
    """The draft of that round. Raises NotFound, WrongState where the round is no draft."""
    marks = marks_of(tournament, number)  # read first: what changes in between is noticed on saving
    event = event_of(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "draft":
        raise WrongState(_("Round %(number)s is already published.") % {"number": number})
    return OpenDraft(event, round_, marks, names_in(event))


def preview_swap(tournament: Tournament, number: int, a: str, b: str) -> Swap:
    """What would happen if these two players of round `number` swapped places. Raises as `open_draft`, `swap_of`."""
    return swap_of(open_draft(tournament, number), a, b)


def swap_of(draft: OpenDraft, a: str, b: str) -> Swap:
    """The swap of these two players.

    Raises Refused where they play each other or one was not paired, WrongState where a table is locked.
    """
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
        if draft.is_locked(match):
            raise WrongState(
                _("%(table)s is locked. Unlock it first.")
                % {"table": capitalize(tables_words([match.table]))}
            )
    delta = swap_delta(
        request.entrants,
        request.seating_of(draft.round),
        request.policy,
        (a, b),
        forbidden=request.prohibited_pairs,
    )
    cost, saves = costs_and_savings(delta.changes, request.unit)
    errors = [problem for problem in delta.problems if problem.severity == "error"]
    new_one, new_other = _at_fixed_tables(draft.event, _swapped(one, a, b), _swapped(other, a, b))
    return Swap(
        a=a,
        b=b,
        seen=draft.marks[0],
        tables=(_table_swap(one, new_one, names), _table_swap(other, new_other, names)),
        cost=cost,
        saves=saves,
        refusals=tuple(_refusal_words(problem.code, problem.entrants, names) for problem in errors),
        waivers=tuple(text for match in (new_one, new_other) if (text := waiver_of(draft, match)[1])),
        changes=delta.changes,
        matches=(new_one, new_other),
        unit=request.unit,
    )


def _swapped(match: Match, a: str, b: str) -> Match:
    place = {a: b, b: a}
    return Match(
        table=match.table,
        a=place.get(match.a, match.a),
        b=place.get(match.b, match.b) if match.b else None,
        result=match.result,
        first=match.first,
    )


def _at_fixed_tables(event: Event, one: Match, other: Match) -> tuple[Match, Match]:
    """The two matches, with their tables exchanged where more players then sit at their fixed tables."""
    exchanged = replace(one, table=other.table), replace(other, table=one.table)

    def seats_at_fixed(matches: tuple[Match, Match]) -> int:
        return sum(event.entries[code].fixed_table == m.table for m in matches for code in (m.a, m.b) if code)

    both_have_tables = one.table and other.table
    return (
        exchanged
        if both_have_tables and seats_at_fixed(exchanged) > seats_at_fixed((one, other))
        else (one, other)
    )


def _table_swap(old: Match, new: Match, names: dict[str, str]) -> TableSwap:
    return TableSwap(old.table, _match_words(old, names), _match_words(new, names))


def _match_words(match: Match, names: dict[str, str]) -> str:
    """The players of a table, and who moves first where sides count."""
    a, b = names[match.a], names[match.b] if match.b else _("bye")
    if match.first == "a":
        a = _("%(name)s (moves first)") % {"name": a}
    elif match.first == "b":
        b = _("%(name)s (moves first)") % {"name": b}
    return f"{a} – {b}"


def _refusal_words(code: str, codes: Sequence[str], names: dict[str, str]) -> str:
    players = {"a": names.get(codes[0], codes[0]), "b": names.get(codes[-1], codes[-1])} if codes else {}
    return {
        "forbidden": _("%(a)s and %(b)s are on the do-not-pair list."),
        "house pair": _("%(a)s and %(b)s are both house opponents."),
        "house bye": _("%(a)s is a house opponent and cannot get the bye."),
        "repeat": _("%(a)s and %(b)s have already played, and this ruleset does not allow rematches."),
    }.get(code, _("%(a)s cannot sit there.")) % ({"a": "", "b": ""} | players)


def waiver_of(draft: OpenDraft, match: Match) -> tuple[str, str]:
    """(rule to waive, what the waiver is about) where this match is a rematch or a repeat bye; else ("", "")."""
    met, had_bye = earlier_meetings(event_before(draft.event, draft.round.number))
    names = draft.names
    if match.b and frozenset((match.a, match.b)) in met:
        return "repeat", _("%(a)s and %(b)s have already played") % {"a": names[match.a], "b": names[match.b]}
    if match.result == "bye" and match.a in had_bye:
        return "bye", _("%(name)s already had a bye") % {"name": names[match.a]}
    return "", ""
