"""Which marks a change moves: who is shown what it says."""

from collections.abc import Mapping

from django.db import models

from tournament.actionlog.facts import TO_STAFF
from tournament.actionlog.match_facts import Fact
from tournament.models import Match, Round

SEAT_FIELDS = {"a", "b", "waived"}  # of a match: these change by `Log.reseat`
PAIRING_FIELDS = {*SEAT_FIELDS, "first"}  # a posted pairing changed if one of these did
# Facts that public standings and bracket pages show; of an entry only what standings rank or filter by.
PUBLIC_FACTS = ("tournament", "stages/", "penalties/")
RANKED_BY = frozenset("status lot manual house late start rating seed_rank labels".split())
ANNOUNCED = {"announcement", "announcement_until"}  # in the mark of every public page anyway


def others_sit(seats: Mapping[str, Fact]) -> bool:
    """Whether more than waivers change."""
    return any(not fields.keys() <= {"waived"} for fields in seats.values())


def is_at_one_table(key: str, before: Fact | None, after: Fact | None, row: models.Model | None) -> bool:
    """Whether a change is a result of a Swiss round in progress, a report or what a player sends to staff.

    Decklists that everyone may read change only with a reason.
    """
    if isinstance(row, Match):
        still_there = before and after and not PAIRING_FIELDS & set(after)
        return bool(still_there and row.round.swiss and row.round.state == Round.State.PUBLISHED)
    return key.startswith(TO_STAFF) or "/reports/" in key


def is_public(key: str, before: Fact | None, after: Fact | None) -> bool:
    """Whether public standings and bracket pages show what a change says."""
    whole = before is None or after is None
    if key.startswith("entries/"):
        return whole or bool(RANKED_BY & set(after or ()))
    return key.startswith(PUBLIC_FACTS) and (whole or not set(after or ()) <= ANNOUNCED)
