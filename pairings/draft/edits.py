"""Edits of a draft by hand: swap players, lock tables, set first moves. Each edit is shown on the round."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from pairings.engine.compare import Change, swap_delta
from pairings.engine.types import PairingRequest
from pairings.request.entrants import earlier_pairings, earlier_tables, event_before
from pairings.request.pairing_request import (
    rebuild_request,
    recorded_pairing,
    shorten_reason,
    tables_elsewhere,
)
from pairings.words.certificate import costs_and_savings
from pairings.words.edits import TableChange, seats_words
from pairings.words.reasons import problem_words
from tournament.actionlog.change import do_once
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.display_names import names_in
from tournament.event.pairing_record import CostChange, Edit
from tournament.event.read import load_event_values
from tournament.event.table_plan import table_name
from tournament.event.types import Event, Round
from tournament.event.waivers import waiver
from tournament.models import Action, Tournament
from tournament.services.rounds import check_seen
from tournament.services.seats import Reseating, change_draft, pairing_versions


@dataclass(frozen=True)
class OpenDraft:
    event: Event
    round: Round
    # (the round's revision, the standings' revision): neither may have moved when the edit is saved.
    marks: tuple[int, int]
    names: dict[str, str]  # {entry code: name}

    @cached_property
    def matches(self) -> list[MatchFact]:
        matches = self.round.matches
        return [MatchFact(m.a, m.b, m.table, m.result, first=m.first or "", waived=m.waived) for m in matches]

    def match_with(self, code: str) -> MatchFact:
        for match in self.matches:
            if code in (match.a, match.b):
                return match
        raise NotFound(_("%(name)s is not in these pairings."), name=self.names.get(code, code))

    def is_locked(self, match: MatchFact) -> bool:
        return any({match.a, match.b} == set(lock) for lock in self.round.pairing.locks)


class Swap(NamedTuple):
    seen: int  # the round's revision it was computed at
    tables: list[TableChange]  # the two tables, the first player's first
    matches: tuple[MatchFact, MatchFact]  # the two matches after the swap; a waiver still lacks its reason
    cost: str  # what gets worse and what gets better, in words; "" for nothing
    saves: str
    refusals: list[str]  # reasons why it is impossible
    waivers: list[str]  # rules it needs a waiver for
    changes: tuple[Change, ...]  # the criteria that change, in engine units (points × `unit`)
    unit: int


def open_draft(tournament: Tournament, number: int) -> OpenDraft:
    """Load the draft of that round. Raises NotFound, or WrongState if the round is not a draft."""
    marks = pairing_versions(tournament, number)  # read first: what changes in between is noticed on saving
    event = load_event_values(tournament)
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or round_.status != "draft":
        raise WrongState(_("Round %(number)s is already published."), number=number)
    return OpenDraft(event, round_, marks, names_in(event))


def plan_swap(draft: OpenDraft, a: str, b: str) -> Swap:
    """Plan the swap. Raises Refused if they play each other or one was not paired, WrongState for a locked table."""
    old, names = (draft.match_with(a), draft.match_with(b)), draft.names
    if old[0] is old[1]:
        text = _("%(a)s and %(b)s play each other, so there is nothing to swap.")
        raise Refused(text, a=names[a], b=names[b])
    request = rebuild_request(draft.event, draft.round)
    for code, match in zip((a, b), old, strict=True):
        if code not in request.points:
            raise Refused(_("%(name)s has a bye that was awarded or requested."), name=names[code])
        if draft.is_locked(match) and match.table:
            table = table_name(draft.event, match.table)
            raise WrongState(_("Table %(table)s is locked. Unlock it first."), table=table)
        if draft.is_locked(match):
            raise WrongState(_("The bye is locked. Unlock it first."))
    delta = swap_delta(request, recorded_pairing(request, draft.round), (a, b))
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


def draft_edit(change: Callable[..., Reseating]) -> Callable[..., Action | None]:
    """Make `change(draft, reason, …)` a service `(tournament, number, …, seen=…, reason="", actor="", key="")`."""

    @wraps(change)
    def run(
        tournament: Tournament,
        number: int,
        *args: str | int,
        seen: int,
        reason: str = "",
        actor: Any = "",
        key: str = "",
        **choice: str | int,
    ) -> Action | None:
        form = {"edit": change.__name__, "number": number, "chosen": [*args, *choice.values()], "seen": seen}

        def edit() -> Action | None:
            draft = open_draft(tournament, number)
            check_seen(draft.marks[0], seen)
            reseating = change(draft, reason, *args, **choice)
            return change_draft(tournament, reseating, form, actor=actor, key=key, reason=reason)

        return do_once(tournament, "edit draft", key, [{"form": form}, reason], edit)

    return run


@draft_edit
def swap_players(draft: OpenDraft, reason: str, a: str, b: str) -> Reseating:
    swap = plan_swap(draft, a, b)
    if swap.refusals:
        raise WrongState(" ".join(swap.refusals))
    public = shorten_reason(reason)
    waiver_reason = public or _("swapped by hand")
    edit = Edit(
        kind="swap",
        players=(a, b),
        tables=tuple(change.table for change in swap.tables),
        reason=public,
        cost=tuple(CostChange(change.criterion, change.before, change.after) for change in swap.changes),
        unit=swap.unit,
    )
    matches = [
        match._replace(waived=match.waived and {**match.waived, "reason": waiver_reason})
        for match in swap.matches
    ]
    # What the engine says of the players concerned no longer holds.
    moved = {code for match in matches for code in (match.a, match.b)}
    reasons = {code: kept for code, kept in (draft.round.pairing.reasons or {}).items() if code not in moved}
    return _reseating(draft, edit, matches, reasons=reasons)


@draft_edit
def set_first_move(draft: OpenDraft, reason: str, player: str) -> Reseating:
    match = draft.match_with(player)
    if not match.first:
        raise WrongState(_("This ruleset does not say who moves first."))
    side = "a" if match.a == player else "b"
    if side == match.first:
        raise WrongState(_("%(name)s already moves first."), name=draft.names[player])
    edit = Edit("first", (player,), (match.table,), shorten_reason(reason))
    reasons = dict(draft.round.pairing.reasons or {})
    for code in (match.a, match.b or ""):
        # What the engine says of their sides no longer holds.
        if left := [reason for reason in reasons.pop(code, ()) if reason["code"] != "side_limit"]:
            reasons[code] = left
    return _reseating(draft, edit, [match._replace(first=side)], reasons=reasons)


@draft_edit
def move_match(draft: OpenDraft, _reason: str, player: str, table: int) -> Reseating:
    """Move this player's match to another table; a match already there takes the old table. Both survive re-pairing."""
    match, name = draft.match_with(player), table_name(draft.event, table)
    if match.b is None or match.table is None:
        raise Refused(_("%(name)s has no opponent and needs no table."), name=draft.names[player])
    if match.table == table:
        raise WrongState(_("%(name)s is at table %(table)s already."), name=draft.names[player], table=name)
    if table in tables_elsewhere(draft.event, draft.event.stage(draft.round.stage)):
        raise WrongState(_("Table %(table)s is used by another session."), table=name)
    moved = [match._replace(table=table)]
    moved += [other._replace(table=match.table) for other in draft.matches if other.table == table]
    edit = Edit("table", (match.a, match.b), (match.table, table), reason="")
    return _reseating(draft, edit, moved)


@draft_edit
def enter_coin_toss(draft: OpenDraft, _reason: str, side: str) -> Reseating:
    """Enter the toss: the `side` ("a" or "b") of the first table; the others alternate. Source: ClineCON, round 1."""
    if not takes_coin_toss(draft.round, rebuild_request(draft.event, draft.round)):
        text = _("The coin toss applies only to round 1, under a ruleset that tracks who moves first.")
        raise WrongState(text)
    matches = sorted((match for match in draft.matches if match.b), key=lambda match: match.table or 0)
    sides = [side, "b" if side == "a" else "a"]
    tossed = [match._replace(first=sides[place % 2]) for place, match in enumerate(matches)]
    first = matches[0]
    edit = Edit("coin", ((first.a if side == "a" else first.b) or "",), (first.table,), reason="")
    return _reseating(draft, edit, [match for match in tossed if match not in matches])


def takes_coin_toss(round_: Round, request: PairingRequest) -> bool:
    matches = [match for match in round_.matches if match.b]
    return (
        bool(matches)
        and request.policy.sides
        and all(match.first for match in matches)
        and not any(entrant.sides.strip("-") for entrant in request.entrants)
    )


@draft_edit
def lock_table(draft: OpenDraft, _reason: str, player: str) -> Reseating:
    """Lock or unlock this player's table: pairing again does not change locked tables."""
    match = draft.match_with(player)
    locks = tuple(lock for lock in draft.round.pairing.locks if set(lock) != {match.a, match.b})
    if not draft.is_locked(match):
        if match.b is None and match.result != "bye":
            raise Refused(_("This bye was awarded or requested, so it stays. It does not need a lock."))
        locks = (*locks, (match.a, match.b))
    return Reseating(draft.round.number, draft.marks, draft.round.pairing.replace(locks=locks))


def _reseating(draft: OpenDraft, edit: Edit, matches: list[MatchFact], **record: Any) -> Reseating:
    return Reseating(
        draft.round.number,
        draft.marks,
        draft.round.pairing.replace(edits=(*draft.round.pairing.edits, edit), **record),
        leaving=frozenset(code for match in matches for code in (match.a, match.b) if code),
        tables=tuple(matches),
    )
