from collections import Counter
from itertools import islice
from typing import Any

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from standings.bracket.cut import drop_request_context
from standings.engine.records import Outcomes
from standings.table.places import rank_final_places
from standings.table.prizes import build_prize_list
from standings.table.swiss import count_open_rounds
from standings.words.formats import format_record
from standings.words.rules import rule_changes_in_words
from tournament.event.display_names import names_in
from tournament.event.prizes import place_words
from tournament.event.types import Event
from tournament.models import Tournament

register = template.Library()


@register.filter
def record(outcomes: Outcomes) -> SafeString | str:
    """Return a record, with rounds not played in a separate element that may start a new line."""
    text = format_record(outcomes)
    played, comma, not_played = text.partition(",")
    return format_html('{},<span class="soft">{}</span>', played, not_played) if comma else text


@register.inclusion_tag("standings/rules/_changes.html")
def rule_changes(tournament: Tournament) -> dict[str, Any]:
    """Return the context of the rule changes made during the event, with their reasons."""
    return {"changes": rule_changes_in_words(tournament.profile or {})}


@register.inclusion_tag("standings/bracket_desk/_drop_requests.html", takes_context=True)
def drop_requests(context: Context) -> dict[str, Any]:
    """Return the context of unsettled requests to leave the bracket, and what each drop would change. Polled."""
    return drop_request_context(context["tournament"])


SHOWN = 16  # final places


@register.inclusion_tag("standings/prizes/_final_places.html")
def final_places(tournament: Tournament, event: Event) -> dict[str, Any]:
    """Return the context of the final places and the prize list by every result so far."""
    counted, names = count_open_rounds(event), names_in(event)
    places = rank_final_places(counted)
    sharing = Counter(place.place for place in places)
    return {
        "tournament": tournament,
        "places": [
            (place_words(place.place, place.place + sharing[place.place] - 1), names[place.entry])
            for place in islice(places, SHOWN)
        ],
        "more": max(len(places) - SHOWN, 0),
        "list": build_prize_list(counted, names) if event.prizes else None,
    }
