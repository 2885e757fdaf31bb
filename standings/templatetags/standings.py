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
from standings.table.sheet import Sheet, load_ranked_event
from standings.table.swiss import count_open_rounds
from standings.words.formats import format_record
from standings.words.rules import rule_changes_in_words, rules_in_brief
from tournament.event.display_names import names_in
from tournament.event.prizes import place_words
from tournament.event.types import Event
from tournament.models import Tournament
from tournament.progress.posted_rounds import list_player_matches, posted_rounds

register = template.Library()
register.filter("rules_in_brief", rules_in_brief)


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


@register.inclusion_tag("standings/player/_summary.html", takes_context=True)
def player_summary(context: Context) -> dict[str, Any]:
    """Return the context of a player's rank and matches, as the desk shows them."""
    tournament, entry = context["tournament"], context["entry"]
    matches = list_player_matches(entry, posted_rounds(tournament), context["names"])
    shown = {"tournament": tournament, "entry": entry, "judge": context["judge"], "matches": matches[::-1]}
    ranked = load_ranked_event(tournament)
    if not ranked.after_round or entry.code not in ranked.ranking:
        return shown
    return shown | {
        "rank": ranked.ranking.row(entry.code).rank,
        "points": ranked.format_points(entry.code),
        "outcomes": ranked.find_outcomes(entry.code),
        "ranks": [rank for rank in ranked.ranks_by_round.get(entry.code, []) if rank],
    }


TOP = 8  # players on the event page


@register.simple_tag
def top_players(tournament: Tournament) -> Sheet | None:
    """Return the first lines of the standings or, after the end, of the final ones; None while they are hidden."""
    if tournament.hold_standings or not tournament.standings_revision:
        return None
    ranked = load_ranked_event(tournament)
    finals = ranked.final_places if tournament.state == Tournament.State.FINISHED else {}
    order = [code for code in finals if code in ranked.ranking] or ranked.ranking.order
    lines = [ranked.build_line(code) for code in order[:TOP]]
    for line in lines:
        line.place, line.how = finals[line.code] if finals else (line.rank, "")
    return Sheet(ranked.after_round, [], lines) if ranked.after_round else None


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
