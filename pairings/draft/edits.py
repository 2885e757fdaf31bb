"""A draft changed by hand: players exchanged, tables locked, first moves set. Each edit stays visible on the round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.swaps import Opened, exception_of, is_locked, opened, weighed
from pairings.question.public_reason import clean_reason
from pairings.question.request import PairingRequest, request_of
from tournament.actionlog.change import digest_of, repeated_action
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import Refused, WrongState
from tournament.event.pairing_record import CostChange, Edit
from tournament.event.types import Match, Round
from tournament.models import Action, Tournament
from tournament.services.reseating import Reseating, change_draft
from tournament.services.rounds import check_seen


def swap(
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
    """Exchange two players of the draft `seen` (the round's revision); the reason is public.

    Raises Refused where a rule forbids it or the reason is missing, Conflict where the draft changed since.
    """
    asked = {"number": number, "swap": [a, b], "seen": seen}
    if done := sent_before(tournament, key, asked, reason):
        return done
    draft = opened(tournament, number)
    check_seen(draft.marks[0], seen)
    planned = weighed(draft, a, b)
    if planned.refused:
        raise WrongState(" ".join(planned.refused))
    why = clean_reason(reason)
    cost = tuple(CostChange(change.criterion, change.before, change.after) for change in planned.changes)
    edit = Edit("swap", (a, b), planned.tables, why, cost, planned.unit)
    tables = []
    for match in planned.matches:
        rule, _text = exception_of(draft, match)
        tables.append(_table(match, {"rule": rule, "reason": why} if rule else None))
    return _save(tournament, draft, edit, tables, asked, actor=actor, key=key, reason=reason)


def set_first(
    tournament: Tournament,
    number: int,
    player: str,
    *,
    seen: int,
    reason: str,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """This player moves first at the table where the draft seats them."""
    asked = {"number": number, "first": player, "seen": seen}
    if done := sent_before(tournament, key, asked, reason):
        return done
    draft = opened(tournament, number)
    check_seen(draft.marks[0], seen)
    match = draft.match_of(player)
    if not match.first:
        raise WrongState(_("This ruleset does not say who moves first."))
    side = "a" if match.a == player else "b"
    if side == match.first:
        raise WrongState(_("%(name)s already moves first.") % {"name": draft.names[player]})
    edit = Edit("first", (player,), (match.table,), clean_reason(reason))
    tables = [_table(match, match.waived, side)]
    return _save(tournament, draft, edit, tables, asked, actor=actor, key=key, reason=reason)


def enter_coin(
    tournament: Tournament, number: int, side: str, *, seen: int, actor: Any = "", key: str = ""
) -> Action | None:
    """The director's real coin for the first table; the others alternate from there (ClineCON, round 1).

    `side`: "a" or "b" of the first table. Locked tables are set too: the coin is the rule.
    """
    asked = {"number": number, "coin": side, "seen": seen}
    if done := sent_before(tournament, key, asked, ""):
        return done
    draft = opened(tournament, number)
    check_seen(draft.marks[0], seen)
    boards = sorted((m for m in draft.round.matches if m.b), key=lambda m: m.table or 0)
    if not takes_coin(draft.round, request_of(draft.event, draft.round)):
        raise WrongState(
            _("The coin toss applies only to round 1, under a ruleset that tracks who moves first.")
        )
    start = "ab".index(side)
    tables = [
        _table(match, match.waived, "ab"[(start + place) % 2])
        for place, match in enumerate(boards)
        if match.first != "ab"[(start + place) % 2]
    ]
    first = boards[0].a if side == "a" else boards[0].b
    edit = Edit("coin", (first or "",), (boards[0].table,))
    return _save(tournament, draft, edit, tables, asked, actor=actor, key=key)


def takes_coin(round_: Round, request: PairingRequest) -> bool:
    """Whether the first moves of this round follow a coin: sides count and nobody has had one yet."""
    tables = [match for match in round_.matches if match.b]
    return (
        bool(tables)
        and request.policy.sides
        and all(match.first for match in tables)
        and not any(entrant.sides.strip("-") for entrant in request.entrants)
    )


def lock_table(
    tournament: Tournament, number: int, player: str, *, seen: int, actor: Any = "", key: str = ""
) -> Action | None:
    """Lock the table of this player, or unlock it: pairing again leaves locked tables as they are."""
    asked = {"number": number, "lock": player, "seen": seen}
    if done := sent_before(tournament, key, asked, ""):
        return done
    draft = opened(tournament, number)
    check_seen(draft.marks[0], seen)
    match = draft.match_of(player)
    locks = [(a, b) for a, b in draft.record.locks if {a, b} != {match.a, match.b}]
    if not is_locked(draft.round, match):
        if match.b is None and match.result != "bye":
            raise Refused(_("This bye was awarded or requested, so it stays. It does not need a lock."))
        locks.append((match.a, match.b))
    change = Reseating(number, draft.marks, replace(draft.record, locks=tuple(locks)))
    return change_draft(tournament, change, asked, actor=actor, key=key)


def sent_before(tournament: Tournament, key: str, asked: Any, reason: str) -> Action | None:
    """The action this form made when it was first sent: by now the draft it saw has changed."""
    return repeated_action(
        tournament, "edit draft", key, digest_of([{"asked": asked}, reason]) if key else ""
    )


def _table(match: Match, waived: dict | None, first: str | None = None) -> MatchFact:
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
    draft: Opened,
    edit: Edit,
    tables: list[MatchFact],
    asked: Any,
    **sent: Any,
) -> Action | None:
    """Save one edit: reseat these tables, record the edit on the round, and drop the engine's reasons for them."""
    here = frozenset(code for table in tables for code in (table.a, table.b) if code)
    record = replace(draft.record, edits=(*draft.record.edits, edit))
    if edit.kind == "swap":
        reasons = {code: reason for code, reason in record.reasons.items() if code not in here}
        record = replace(record, reasons=reasons)
    change = Reseating(draft.round.number, draft.marks, record, leaving=here, tables=tuple(tables))
    return change_draft(tournament, change, asked, **sent)
