"""Final places with what they came from: the round of the bracket, or the Swiss order."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from standings.engine.bracket.tree import THIRD_PLACE
from standings.event.bracket import bracket_of_event, final_places_of
from standings.words.bracket import round_title
from tournament.event.types import Event


class FinalPlace(NamedTuple):
    """A final place, and where it comes from: a round of the bracket, or the Swiss rank."""

    place: int
    origin: str


def final_place_by_code(event: Event) -> dict[str, FinalPlace]:
    """The final place of every entry, by code; empty before there is a bracket."""
    bracket = bracket_of_event(event)
    if bracket is None:
        return {}
    origins = {entry: _("still in the bracket") for entry in bracket.lines if entry is not None}
    for match in bracket.matches.values():
        for entry in (match.a, match.b):
            if entry is None or not match.done:
                continue
            if match.slot == THIRD_PLACE:
                origins[entry] = _("third-place match")
            elif entry != match.winner:
                origins[entry] = round_title(match.round, bracket.rounds)
    if bracket.champion is not None:
        origins[bracket.champion] = _("champion")
    return {
        row.entry: FinalPlace(row.place, origins.get(row.entry, _("Swiss rank")))
        for row in final_places_of(event)
    }
