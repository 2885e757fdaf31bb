"""Undo at a table by a judge: only what this judge did there, and may still do."""

from typing import Any

from django.utils.translation import gettext as _

from tournament.access.fetch import DESK, may
from tournament.errors import Forbidden
from tournament.models import Action, Tournament
from tournament.results.desk_rows import DeskRow
from tournament.services.undo import check_may_undo, undo_action
from tournament.services.undo_obstacles import undone_numbers

# Kinds of actions at a table, and what of it the event's settings let judges do.
JUDGE_KINDS = {
    "extend": "extensions",
    "penalty": "penalties",
    "deck check": "deck_checks",
    "end deck check": "deck_checks",
    "result": "results",
}
LOOKED_AT = 200  # actions: an older change of a table is undone from the log


def last_action_at(tournament: Tournament, row: DeskRow) -> Action | None:
    """The last of these actions at a table that is not undone; None where it is long ago."""
    key = row.fact.key_in(row.round)
    players = {player.code for player in (row.a, row.b) if player}
    undone = undone_numbers(tournament)
    actions = tournament.actions.filter(kind__in=JUDGE_KINDS).exclude(number__in=undone)
    for action in actions.order_by("-number")[:LOOKED_AT]:
        for change in action.changes:
            fact = change["fact"]
            about = (change.get("after") or {}).get("entry") in players and fact.startswith(
                ("penalties/", "deck-checks/")
            )
            if about or fact in (key, f"{key}/extension"):
                return action
    return None


def may_undo_at_table(tournament: Tournament, action: Action, user: Any) -> bool:
    """Whether this member of the staff may undo such an action: a judge only an own one."""
    if tournament.role in DESK:
        return True
    own = action.actor == str(user) and action.kind in JUDGE_KINDS
    return own and may(tournament, JUDGE_KINDS[action.kind])


def undo_at_table(tournament: Tournament, number: int, *, actor: Any, key: str = "") -> Action | None:
    """Undo an action at a table. Raises Forbidden for a judge who did not do it or may not, and as `undo_action`."""
    if tournament.role in DESK:
        check_may_undo(tournament, number, tournament.role)
    else:
        action = tournament.actions.filter(number=number).first()
        if action is not None and not may_undo_at_table(tournament, action, actor):
            raise Forbidden(_("A judge can undo only what this judge did."))
    return undo_action(tournament, number, actor=actor, key=key)
