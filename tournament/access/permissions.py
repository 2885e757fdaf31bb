"""Roles and rights: who may enter results, who may read decklists, and the staff page's table of all rights.

A test compares the `pages` of each right with the real responses of every URL.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.models import Staff, Tournament

OWNER = frozenset({Staff.Role.OWNER})
DESK = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER})
STAFF = frozenset({Staff.Role.OWNER, Staff.Role.SCOREKEEPER, Staff.Role.JUDGE})
DECK_READERS = frozenset({Staff.Role.OWNER, Staff.Role.JUDGE})  # of decklists before they are public
# From the least to the most: an invitation never lowers a role.
RANKS = (Staff.Role.JUDGE, Staff.Role.SCOREKEEPER, Staff.Role.OWNER)


def role_rank(role: str) -> int:
    return RANKS.index(Staff.Role(role))


def may_enter_results(tournament: Tournament) -> bool:
    return tournament.role in DESK or (tournament.role == Staff.Role.JUDGE and tournament.judge_results)


def may_read_decks(tournament: Tournament) -> bool:
    return tournament.role in DECK_READERS


@dataclass(frozen=True)
class Right:
    """An action, its roles, and the URL names only they may use. `with_results`: also judges who may enter results."""

    words: Any
    roles: frozenset[Any]
    pages: tuple[str, ...] = ()
    with_results: bool = False

    def has(self, role: Any, tournament: Tournament) -> bool:
        if self.with_results and role == Staff.Role.JUDGE:
            return tournament.judge_results
        return role in self.roles


RIGHTS = (
    Right(_("See the desk, players, draft pairings and log"), STAFF, ("desk", "draft", "log")),
    Right(_("Drop a player"), STAFF, ("entry-change",)),
    Right(_("Give time extensions"), STAFF, ("extension",)),
    Right(_("Give penalties, up to a match loss"), STAFF, ("penalty",)),
    Right(_("Disqualify a player"), DESK),
    Right(_("Record deck checks"), STAFF, ("start-deck-check",)),
    Right(
        _("Read and enter decklists before they are public"), DECK_READERS, ("decklist", "export-decklists")
    ),
    Right(_("Register players and edit their details"), DESK, ("entries",)),
    Right(
        _("Open registration, set the player limit, give players new links"),
        DESK,
        ("registration", "entry-link"),
    ),
    Right(_("Read player messages, answer judge calls"), STAFF, ("message-done", "answer-call")),
    Right(_("Pair, change, publish and repair rounds"), DESK, ("pair", "swap", "publish", "repair")),
    Right(_("Enter results and correct them while the round is open"), DESK, ("result",), with_results=True),
    Right(_("Start, pause and set the clock"), DESK, ("change-clock",)),
    Right(_("Use the box, undo"), DESK, ("box", "undo")),
    Right(_("Make the cut, open sessions, run the bracket"), DESK, ("desk-cut", "stages", "bracket-result")),
    Right(_("Change the settings and the rules"), OWNER, ("event-settings", "change-rules")),
    Right(_("Make decklists public"), OWNER, ("release-decklists",)),
    Right(_("Set a manual order for unbroken ties"), OWNER, ("manual-order",)),
    Right(_("Reopen a round, finish and reopen the event"), OWNER, ("reopen-round", "finish", "reopen")),
    Right(_("Take, download and restore snapshots"), OWNER, ("snapshots", "snapshot", "restore-new")),
    Right(_("Manage the staff"), OWNER, ("invite-staff", "staff-member", "transfer")),
)


def rights_table(tournament: Tournament) -> list[dict[str, Any]]:
    """Return one line per right: its words, and whether organizers, scorekeepers and judges have it."""
    roles = tuple(reversed(RANKS))
    return [
        {"words": right.words, "has": [right.has(role, tournament) for role in roles]} for right in RIGHTS
    ]
