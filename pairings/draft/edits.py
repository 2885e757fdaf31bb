"""A draft changed by hand: players swapped, tables locked, first moves set. Each edit stays visible on the round.

Every edit names the draft it was made on by `seen`, the round's revision on the page: Conflict where someone
changed the draft since, Refused where a rule or a missing reason is against it. Reasons are public.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.swaps import OpenDraft, open_draft, swap_of, waiver_of
from pairings.question.public_reason import clean_reason
from pairings.question.request import PairingRequest, request_of
from tournament.actionlog.change import repeated_action
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import Refused, WrongState
from tournament.event.pairing_record import CostChange, Edit
from tournament.event.types import Match, Round
from tournament.models import Action, Tournament
from tournament.services.reseating import Reseating, change_draft
from tournament.services.rounds import check_seen


def swap_players(
    tournament: Tournament,
    number: int,
    a: str,
    b: str,
    *,
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Swap two players of the draft."""
    body = {"number": number, "swap": [a, b], "seen": seen}
    if done := _repeated_edit(tournament, key, body, reason):
        return done
    draft = _draft_seen(tournament, number, seen)
    swap = swap_of(draft, a, b)
    if swap.refusals:
        raise WrongState(" ".join(swap.refusals))
    public = clean_reason(reason)
    edit = Edit(
        kind="swap",
        players=(a, b),
        tables=tuple(table.table for table in swap.tables),
        reason=public,
        cost=tuple(CostChange(item.criterion, item.before, item.after) for item in swap.changes),
        unit=swap.unit,
    )
    tables = []
    for match in swap.matches:
        rule, _about = waiver_of(draft, match)
        tables.append(_table_of(match, {"rule": rule, "reason": public} if rule else None))
    return _save(tournament, draft, edit, tables, body, actor=actor, key=key, reason=reason)


def set_first_move(
    tournament: Tournament,
    number: int,
    player: str,
    *,
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Let this player move first at the table where the draft seats them."""
    body = {"number": number, "first": player, "seen": seen}
    if done := _repeated_edit(tournament, key, body, reason):
        return done
    draft = _draft_seen(tournament, number, seen)
    match = draft.match_of(player)
    if not match.first:
        raise WrongState(_("This ruleset does not say who moves first."))
    side = "a" if match.a == player else "b"
    if side == match.first:
        raise WrongState(_("%(name)s already moves first.") % {"name": draft.names[player]})
    edit = Edit("first", (player,), (match.table,), clean_reason(reason))
    tables = [_table_of(match, match.waived, side)]
    return _save(tournament, draft, edit, tables, body, actor=actor, key=key, reason=reason)


def enter_coin_toss(
    tournament: Tournament, number: int, side: str, *, seen: int, actor: Any = "", key: str = ""
) -> Action | None:
    """Enter the organizer's own coin toss for the first table; the other tables alternate from there.

    `side`: "a" or "b" of the first table. Locked tables are set too. Source: ClineCON, round 1.
    """
    body = {"number": number, "coin": side, "seen": seen}
    if done := _repeated_edit(tournament, key, body, ""):
        return done
    draft = _draft_seen(tournament, number, seen)
    if not takes_coin_toss(draft.round, request_of(draft.event, draft.round)):
        raise WrongState(
            _("The coin toss applies only to round 1, under a ruleset that tracks who moves first.")
        )
    matches = sorted((match for match in draft.round.matches if match.b), key=lambda match: match.table or 0)
    start = "ab".index(side)
    sides = ["ab"[(start + place) % 2] for place in range(len(matches))]
    tables = [
        _table_of(match, match.waived, first)
        for match, first in zip(matches, sides, strict=True)
        if match.first != first
    ]
    first_player = matches[0].a if side == "a" else matches[0].b or ""
    edit = Edit("coin", (first_player,), (matches[0].table,), reason="")
    return _save(tournament, draft, edit, tables, body, actor=actor, key=key)


def takes_coin_toss(round_: Round, request: PairingRequest) -> bool:
    """Whether a coin toss decides the first moves of this round: sides count, and no one has had one yet."""
    matches = [match for match in round_.matches if match.b]
    return (
        bool(matches)
        and request.policy.sides
        and all(match.first for match in matches)
        and not any(entrant.sides.strip("-") for entrant in request.entrants)
    )


def lock_table(
    tournament: Tournament, number: int, player: str, *, seen: int, actor: Any = "", key: str = ""
) -> Action | None:
    """Lock the table of this player, or unlock it: pairing again leaves locked tables as they are."""
    body = {"number": number, "lock": player, "seen": seen}
    if done := _repeated_edit(tournament, key, body, ""):
        return done
    draft = _draft_seen(tournament, number, seen)
    match = draft.match_of(player)
    locks = tuple(lock for lock in draft.record.locks if set(lock) != {match.a, match.b})
    if not draft.is_locked(match):
        if match.b is None and match.result != "bye":
            raise Refused(_("This bye was awarded or requested, so it stays. It does not need a lock."))
        locks = (*locks, (match.a, match.b))
    reseating = Reseating(number, draft.marks, draft.record.replace(locks=locks))
    return change_draft(tournament, reseating, body, actor=actor, key=key)


def _repeated_edit(tournament: Tournament, key: str, body: dict[str, Any], reason: str) -> Action | None:
    """The action this form made when it was first sent: by now the draft it saw has changed."""
    return repeated_action(tournament, "edit draft", key, [{"form": body}, reason])


def _draft_seen(tournament: Tournament, number: int, seen: int) -> OpenDraft:
    draft = open_draft(tournament, number)
    check_seen(draft.marks[0], seen)
    return draft


def _table_of(match: Match, waived: dict | None, first: str | None = None) -> MatchFact:
    return MatchFact(
        a=match.a,
        b=match.b,
        table=match.table,
        result=match.result,
        first=first or match.first or "",
        waived=waived,
    )


def _save(
    tournament: Tournament,
    draft: OpenDraft,
    edit: Edit,
    tables: list[MatchFact],
    body: dict[str, Any],
    **sent: Any,
) -> Action | None:
    """Seat these tables and record the edit; a swap takes away the engine's reasons for the players concerned."""
    codes = frozenset(code for table in tables for code in (table.a, table.b) if code)
    record = draft.record.replace(edits=(*draft.record.edits, edit))
    if edit.kind == "swap":
        reasons = {code: reason for code, reason in (record.reasons or {}).items() if code not in codes}
        record = record.replace(reasons=reasons)
    reseating = Reseating(draft.round.number, draft.marks, record, leaving=codes, tables=tuple(tables))
    return change_draft(tournament, reseating, body, **sent)
