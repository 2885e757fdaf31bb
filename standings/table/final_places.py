"""Final places with what they came from: the round of the bracket, or the Swiss order."""

from __future__ import annotations

from django.utils.translation import gettext as _

from standings.engine.bracket.tree import THIRD_PLACE
from standings.event.playoff import bracket_of_event, final_places_of
from standings.words.bracket import round_title
from tournament.event.types import Event


def finals_of(event: Event) -> dict[str, tuple[int, str]]:
    """{code: (final place, where it is from)}; empty before there is a bracket."""
    bracket = bracket_of_event(event)
    if bracket is None:
        return {}
    how = {entry: _("still in the bracket") for entry in bracket.lines if entry is not None}
    for match in bracket.matches.values():
        for entry in (match.a, match.b):
            if entry is None or not match.done:
                continue
            if match.slot == THIRD_PLACE:
                how[entry] = _("third-place match")
            elif entry != match.winner:
                how[entry] = round_title(match.round, bracket.rounds)
    if bracket.champion is not None:
        how[bracket.champion] = _("champion")
    return {row.entry: (row.place, how.get(row.entry, _("Swiss rank"))) for row in final_places_of(event)}
