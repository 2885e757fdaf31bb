"""Two players of a draft swapped: what that would change and cost, before it is done."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from pairings.engine import Change, swap_delta
from pairings.question.history import earlier_pairings, earlier_tables, event_before
from pairings.question.request import request_of
from pairings.words.costs import costs_and_savings
from pairings.words.problems import problem_words
from pairings.words.repair import TableChange, seats_words
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.pairing_record import PairingRecord
from tournament.event.read import event_of
from tournament.event.table_plan import table_name
from tournament.event.types import Event, Round
from tournament.event.waivers import waiver
from tournament.models import Tournament
from tournament.services.reseating import marks_of
from tournament.text.display_names import names_in


@dataclass(frozen=True)
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

    @cached_property
    def matches(self) -> list[MatchFact]:
        """Its tables, as they can be seated again."""
        return [
            MatchFact(m.a, m.b, m.table, m.result, first=m.first or "", waived=m.waived)
            for m in self.round.matches
        ]

    def match_of(self, code: str) -> MatchFact:
        """Where a player sits. Raises NotFound."""
        for match in self.matches:
            if code in (match.a, match.b):
                return match
        raise NotFound(_("%(name)s is not in these pairings."), name=self.names.get(code, code))

    def is_locked(self, match: MatchFact) -> bool:
        """Whether the organizer locked this table."""
        return any({match.a, match.b} == set(lock) for lock in self.record.locks)


@dataclass(frozen=True, slots=True)
class Swap:
    """A swap of two players, not done yet.

    seen         the round's revision it was computed at
    tables       the two tables, that of the first player first
    matches      the same as they would be seated; a waiver still lacks its reason
    cost, saves  in words: what gets worse and what gets better; "" for nothing
    refusals     why it cannot be done
    waivers      what needs a waiver
    changes      the criteria that change, points counted in units (real ones × `unit`)
    """

    seen: int
    tables: list[TableChange]
    matches: tuple[MatchFact, MatchFact]
    cost: str
    saves: str
    refusals: list[str]
    waivers: list[str]
    changes: tuple[Change, ...]
    unit: int


def open_draft(tournament: Tournament, number: int) -> OpenDraft:
    """The draft of that round. Raises NotFound, WrongState where the round is no draft."""
    marks = marks_of(tournament, number)  # read first: what changes in between is noticed on saving
    event = event_of(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "draft":
        raise WrongState(_("Round %(number)s is already published."), number=number)
    return OpenDraft(event, round_, marks, names_in(event))


def preview_swap(tournament: Tournament, number: int, a: str, b: str) -> Swap:
    """What would happen if these two players of round `number` swapped places. Raises as `open_draft`, `swap_of`."""
    return swap_of(open_draft(tournament, number), a, b)


def swap_of(draft: OpenDraft, a: str, b: str) -> Swap:
    """The swap of these two players.

    Raises Refused where they play each other or one was not paired, WrongState where a table is locked.
    """
    old, names = (draft.match_of(a), draft.match_of(b)), draft.names
    if old[0] is old[1]:
        raise Refused(
            _("%(a)s and %(b)s play each other, so there is nothing to swap."), a=names[a], b=names[b]
        )
    request = request_of(draft.event, draft.round)
    for code, match in zip((a, b), old, strict=True):
        if code not in request.points:
            raise Refused(_("%(name)s has a bye that was awarded or requested."), name=names[code])
        if draft.is_locked(match) and match.table:
            raise WrongState(
                _("Table %(table)s is locked. Unlock it first."),
                table=table_name(draft.event, match.table),
            )
        if draft.is_locked(match):
            raise WrongState(_("The bye is locked. Unlock it first."))
    delta = swap_delta(
        request.entrants,
        request.seating_of(draft.round),
        request.policy,
        (a, b),
        forbidden=request.prohibited_pairs,
    )
    cost, saves = costs_and_savings(delta.changes, request.unit)
    new = _swapped(draft, old, a, b)
    return Swap(
        seen=draft.marks[0],
        tables=[
            TableChange(before.table, seats_words(before, names), seats_words(after, names))
            for before, after in zip(old, new, strict=True)
        ],
        matches=new,
        cost=cost,
        saves=saves,
        refusals=[f"{problem_words(p, names)}." for p in delta.problems if p.severity == "error"],
        waivers=[_waiver_words(draft, match) for match in new if match.waived],
        changes=delta.changes,
        unit=request.unit,
    )


def _swapped(
    draft: OpenDraft, old: tuple[MatchFact, MatchFact], a: str, b: str
) -> tuple[MatchFact, MatchFact]:
    """The two matches with these players swapped, and their tables where more then sit at their fixed ones."""
    earlier = earlier_tables(event_before(draft.event, draft.round.number))
    seats: dict[str | None, str] = {a: b, b: a}

    def swap_seats(match: MatchFact) -> MatchFact:
        new = match._replace(a=seats.get(match.a, match.a), b=seats.get(match.b, match.b))
        return new._replace(waived=waiver(new.a, new.b, earlier, reason=""))

    def at_fixed_tables(*matches: MatchFact) -> int:
        entries = draft.event.entries
        return sum(entries[code].fixed_table == m.table for m in matches for code in (m.a, m.b) if code)

    one, other = map(swap_seats, old)
    turned = one._replace(table=other.table), other._replace(table=one.table)
    if one.table and other.table and at_fixed_tables(*turned) > at_fixed_tables(one, other):
        return turned
    return one, other


def _waiver_words(draft: OpenDraft, match: MatchFact) -> str:
    names = draft.names
    if match.b is None:
        return _("%(name)s already had a bye") % {"name": names[match.a]}
    earlier = earlier_pairings(draft.event, draft.round).get(frozenset((match.a, match.b)), [])
    if earlier and all(forfeit for _place, forfeit in earlier):
        text = _("%(a)s and %(b)s were already paired, and a forfeit is a meeting under this ruleset")
    else:
        text = _("%(a)s and %(b)s have already played")
    return text % {"a": names[match.a], "b": names[match.b]}
