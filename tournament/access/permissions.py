"""What each role may do, as the staff page shows it: one line a right, with the pages it opens.

The sets of roles are those of `tournament.access.fetch`. The test of every address compares `pages` with what those
pages really answer, so that the table stays true.
"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from tournament.access.fetch import DESK, OWNER, STAFF
from tournament.models import Staff, Tournament

# What judges may do only where the event's setting `judge_…` says so.
JUDGE_RIGHTS = ("extensions", "penalties", "disqualifications", "deck_checks", "drops", "clock", "results")
# From the least to the most: an invitation never lowers a role.
RANKS = (Staff.Role.JUDGE, Staff.Role.SCOREKEEPER, Staff.Role.OWNER)


def rank_of(role: str) -> int:
    """How much a role may do beside the others: 0 for the least."""
    return RANKS.index(Staff.Role(role))


@dataclass(frozen=True)
class Right:
    """One thing to do, and the roles that may. `pages`: names of the addresses that only these roles may use.

    `judges`: the one of JUDGE_RIGHTS that says whether judges may, too.
    """

    words: Any
    roles: frozenset[Any]
    pages: tuple[str, ...] = ()
    judges: str = ""

    def has(self, role: Any, tournament: Tournament) -> bool:
        """Whether staff in that role may do it in this event."""
        if self.judges and role == Staff.Role.JUDGE:
            return bool(getattr(tournament, f"judge_{self.judges}"))
        return role in self.roles


RIGHTS = (
    Right(_("See the desk, players, draft pairings and log"), STAFF, ("desk", "draft", "log")),
    Right(_("Drop a player"), DESK, ("entry-change",), judges="drops"),
    Right(_("Give time extensions"), DESK, ("extension",), judges="extensions"),
    Right(_("Give penalties, up to a match loss"), DESK, ("penalty",), judges="penalties"),
    Right(_("Disqualify a player"), DESK, judges="disqualifications"),
    Right(_("Record deck checks"), DESK, ("start-deck-check",), judges="deck_checks"),
    Right(
        _("Read and enter decklists before they are public"),
        OWNER,
        ("decklist", "export-decklists"),
        judges="deck_checks",
    ),
    Right(_("Register players and edit their details"), DESK, ("entries",)),
    Right(
        _("Open registration, set the player limit, give players new links"),
        DESK,
        ("registration", "entry-link"),
    ),
    Right(_("Read player messages, answer judge calls"), STAFF, ("message-done", "answer-call")),
    Right(_("Pair, change, publish and repair rounds"), DESK, ("pair", "swap", "publish", "repair")),
    Right(_("Enter results and correct them while the round is open"), DESK, ("result",), judges="results"),
    Right(_("Start, pause and set the clock"), DESK, ("change-clock",), judges="clock"),
    Right(_("Use the box, undo"), DESK, ("box", "undo")),
    Right(
        _("Make the cut, open sessions, run the bracket"),
        DESK,
        ("desk-cut", "stages", "bracket-result"),
    ),
    Right(_("Change the settings and the rules"), OWNER, ("event-settings", "change-rules")),
    Right(_("Make decklists public"), OWNER, ("release-decklists",)),
    Right(_("Set a manual order for unbroken ties"), OWNER, ("manual-order",)),
    Right(_("Reopen a round, finish and reopen the event"), OWNER, ("reopen-round", "finish", "reopen")),
    Right(_("Take, download and restore snapshots"), OWNER, ("snapshots", "snapshot", "restore-new")),
    Right(_("Manage the staff"), OWNER, ("invite-staff", "staff-member", "transfer")),
)


def rights_table(tournament: Tournament) -> list[dict[str, Any]]:
    """One line a right: its words, and whether organizers, scorekeepers and judges have it in this event."""
    roles = tuple(reversed(RANKS))
    return [
        {"words": right.words, "has": [right.has(role, tournament) for role in roles]} for right in RIGHTS
    ]
