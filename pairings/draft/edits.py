"""A draft changed by hand: players swapped, tables locked, first moves set. Each edit stays visible on the round.

Every edit names the draft it was made on by `seen`, the round's revision on the page: Conflict where someone
changed the draft since, Refused where a rule or a missing reason is against it. Reasons are public.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.swaps import OpenDraft, open_draft, swap_of
from pairings.question.public_reason import clean_reason
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import tables_elsewhere
from tournament.actionlog.change import do_once
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import Refused, WrongState
from tournament.event.pairing_record import CostChange, Edit
from tournament.event.table_plan import table_name
from tournament.event.types import Round
from tournament.models import Action, Tournament
from tournament.services.reseating import Reseating, change_draft
from tournament.services.rounds import check_seen


def draft_edit(change: Callable[..., Reseating]) -> Callable[..., Action | None]:
    """Make `change(draft, reason, …)` a service `(tournament, number, …, seen=…, reason="", actor="", key="")`.

    The same form again is done once: by then the draft it saw has changed.
    """

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
    """Swap two players of the draft."""
    swap = swap_of(draft, a, b)
    if swap.refusals:
        raise WrongState(" ".join(swap.refusals))
    public = clean_reason(reason)
    edit = Edit(
        kind="swap",
        players=(a, b),
        tables=tuple(change.table for change in swap.tables),
        reason=public,
        cost=tuple(CostChange(change.criterion, change.before, change.after) for change in swap.changes),
        unit=swap.unit,
    )
    matches = [
        match._replace(waived=match.waived and {**match.waived, "reason": public}) for match in swap.matches
    ]
    # What the engine says of the players concerned no longer holds.
    moved = {code for match in matches for code in (match.a, match.b)}
    reasons = {code: kept for code, kept in (draft.record.reasons or {}).items() if code not in moved}
    return _reseating(draft, edit, matches, reasons=reasons)


@draft_edit
def set_first_move(draft: OpenDraft, reason: str, player: str) -> Reseating:
    """Let this player move first at the table where the draft seats them."""
    match = draft.match_of(player)
    if not match.first:
        raise WrongState(_("This ruleset does not say who moves first."))
    side = "a" if match.a == player else "b"
    if side == match.first:
        raise WrongState(_("%(name)s already moves first."), name=draft.names[player])
    edit = Edit("first", (player,), (match.table,), clean_reason(reason))
    return _reseating(draft, edit, [match._replace(first=side)])


@draft_edit
def move_match(draft: OpenDraft, _reason: str, player: str, table: int) -> Reseating:
    """Move this player's match to another table; a match that is there takes its table. Pairing again keeps both."""
    match, name = draft.match_of(player), table_name(draft.event, table)
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
    """Enter the organizer's own coin toss for the first table; the other tables alternate from there.

    `side`: "a" or "b" of the first table. Locked tables are set too. Source: ClineCON, round 1.
    """
    if not takes_coin_toss(draft.round, request_of(draft.event, draft.round)):
        raise WrongState(
            _("The coin toss applies only to round 1, under a ruleset that tracks who moves first.")
        )
    matches = sorted((match for match in draft.matches if match.b), key=lambda match: match.table or 0)
    sides = [side, "b" if side == "a" else "a"]
    matches_to_set = [
        match._replace(first=sides[place % 2])
        for place, match in enumerate(matches)
        if match.first != sides[place % 2]
    ]
    first = matches[0]
    edit = Edit("coin", ((first.a if side == "a" else first.b) or "",), (first.table,), reason="")
    return _reseating(draft, edit, matches_to_set)


def takes_coin_toss(round_: Round, request: PairingRequest) -> bool:
    """Whether a coin toss decides the first moves of this round: sides count, and no one has had one yet."""
    matches = [match for match in round_.matches if match.b]
    return (
        bool(matches)
        and request.policy.sides
        and all(match.first for match in matches)
        and not any(entrant.sides.strip("-") for entrant in request.entrants)
    )


@draft_edit
def lock_table(draft: OpenDraft, _reason: str, player: str) -> Reseating:
    """Lock the table of this player, or unlock it: pairing again leaves locked tables as they are."""
    match = draft.match_of(player)
    locks = tuple(lock for lock in draft.record.locks if set(lock) != {match.a, match.b})
    if not draft.is_locked(match):
        if match.b is None and match.result != "bye":
            raise Refused(_("This bye was awarded or requested, so it stays. It does not need a lock."))
        locks = (*locks, (match.a, match.b))
    return Reseating(draft.round.number, draft.marks, draft.record.replace(locks=locks))


def _reseating(draft: OpenDraft, edit: Edit, matches: list[MatchFact], **record: Any) -> Reseating:
    """Seat these matches and record the edit; `record`: other changes of the round's record."""
    return Reseating(
        draft.round.number,
        draft.marks,
        draft.record.replace(edits=(*draft.record.edits, edit), **record),
        leaving=frozenset(code for match in matches for code in (match.a, match.b) if code),
        tables=tuple(matches),
    )
