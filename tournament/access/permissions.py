"""What each role may do, as the staff page shows it: one line a right, with the pages it opens.

The sets of roles are those of `tournament.access.fetch`. The test of every address compares `pages` with what those
pages really answer, so that the table stays true.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.access.fetch import DESK, OWNER, STAFF
from tournament.models import Staff

# From the least to the most: an invitation never lowers a role.
RANKS = (Staff.Role.JUDGE, Staff.Role.SCOREKEEPER, Staff.Role.OWNER)


@dataclass(frozen=True)
class Right:
    """One thing to do, and the roles that may. `pages`: names of the addresses that only these roles may use."""

    words: Any
    roles: frozenset[Any]
    pages: tuple[str, ...]


RIGHTS = (
    Right(_("See the desk, players, draft pairings and log"), STAFF, ("desk", "draft", "log")),
    Right(_("Drop a player"), STAFF, ("entry-change",)),
    Right(_("Register players and edit their details"), DESK, ("entries",)),
    Right(
        _("Open registration, set the player limit, give players new links"),
        DESK,
        ("registration", "entry-link"),
    ),
    Right(_("Read player messages and mark them done"), STAFF, ("message-done",)),
    Right(_("Pair, change, publish and repair rounds"), DESK, ("pair", "swap", "publish", "repair")),
    Right(_("Enter results, correct them while the round is open, undo"), DESK, ("result", "box", "undo")),
    Right(
        _("Make the cut, open sessions, run the bracket"),
        DESK,
        ("desk-cut", "stages", "bracket-result"),
    ),
    Right(_("Change the settings and the rules"), OWNER, ("event-settings", "change-rules")),
    Right(_("Set a manual order for unbroken ties"), OWNER, ("manual-order",)),
    Right(_("Reopen a round, finish and reopen the event"), OWNER, ("reopen-round", "finish", "reopen")),
    Right(_("Take, download and restore snapshots"), OWNER, ("snapshots", "snapshot", "restore-new")),
    Right(_("Manage the staff"), OWNER, ("invite-staff", "staff-member", "transfer")),
)


def rights_table() -> list[dict[str, Any]]:
    """One line a right: its words, and whether organizers, scorekeepers and judges have it."""
    roles = tuple(reversed(RANKS))
    return [{"words": right.words, "has": [role in right.roles for role in roles]} for right in RIGHTS]
