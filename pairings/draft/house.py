"""House opponents: they play where the number of players is odd, so that no one sits out.

Never ranked, cut or given a bye. Source: ClineCON.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from pairings.draft.compute import with_rounds_complete
from pairings.question.field import codes_to_pair
from pairings.question.next_round import next_round_of
from tournament.actionlog.service import service
from tournament.errors import NotFound, WrongState
from tournament.event.read import event_of
from tournament.models import Entry, StageEntry, Tournament
from tournament.text.clean import clean_name


def needs_house_choice(tournament: Tournament, flight: int | None = None) -> bool:
    """Whether the next round's number of players is odd and the ruleset allows a house opponent instead of the bye."""
    try:
        event = with_rounds_complete(event_of(tournament), flight)
        stage, number = next_round_of(event, flight)
    except (WrongState, ValueError):
        return False  # no Swiss round follows: pairing says why
    odd = len(codes_to_pair(event, stage, number)) % 2 == 1
    return odd and bool(event.profile["bye"].get("house_opponent"))


@service("house")
def add_house_opponent(log: Any, name: str, flight: int | None = None) -> None:
    """Register a house opponent, in the Swiss stage of that number (None: the last stage).

    Raises WrongState for an empty name, NotFound where there is no such stage.
    """
    name = clean_name(name)
    if not name:
        raise WrongState(_("Who is the house opponent? Enter a name."))
    stage = log.tournament.stages.filter(**({"number": flight} if flight else {})).last()
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event.") % {"number": flight})
    number = log.tournament.entries.filter(house=True).count() + 1
    code = f"H{number:02d}"
    log.add(Entry, f"entries/{code}", {"house": True}, {"name": name})
    log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
