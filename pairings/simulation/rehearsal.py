"""A rehearsal: a copy of an event with simulated players, for its staff to practice on."""

import random
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from pairings.simulation.demo import player_names
from tournament.models import Staff, Tournament
from tournament.services.entries import add_entries
from tournament.services.event_templates import create_event_from, settings_of

# Nobody finds it, nobody registers for it, and there is a place for everyone.
APART: dict[str, Any] = {"listed": False, "self_registration": False, "capacity": None, "check_in": {}}


def create_rehearsal(
    tournament: Tournament, *, players: int, owner: Any, staff: Sequence[Staff] = (), key: str = ""
) -> Tournament:
    """A rehearsal of the event with that many players. The same form (`key`) twice makes one. Raises Refused."""
    name = _("Rehearsal: %(name)s") % {"name": tournament.name[:100]}
    settings = settings_of(tournament) | APART
    with transaction.atomic():
        copy = create_event_from(settings, name, owner=owner, staff=staff, demo=True, key=key)
        if not copy.entries.exists():
            add_entries(copy, player_names(players, random.Random(players)), actor=owner)  # noqa: S311 (no secret)
    return copy
