from typing import Any

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from standings.bracket.cut import drop_request_context
from standings.engine.records import Outcomes
from standings.paper.paper_list import text_width
from standings.words.formats import format_record, points_in_words
from standings.words.rules import rule_changes_in_words
from tournament.models import Tournament

register = template.Library()
register.filter("points_in_words", points_in_words)

# Up to so many halves of an em: one line, two lines; beyond: three small ones.
SIZES = ((30, ""), (84, "small"))
SHORT = 12  # letters that fit one line, whatever they are


@register.filter
def name_size(name: str) -> str:
    """Return the CSS class by which a name of any length fits its row on paper."""
    if len(name) <= SHORT:
        return ""
    width = text_width(name)
    return next((size for most, size in SIZES if width <= most), "tiny")


@register.filter
def record(outcomes: Outcomes) -> SafeString | str:
    """Return a record; rounds not played are in a separate element, which may start a new line."""
    text = format_record(outcomes)
    played, comma, not_played = text.partition(",")
    return format_html('{},<span class="soft">{}</span>', played, not_played) if comma else text


@register.inclusion_tag("standings/rules/_changes.html")
def rule_changes(tournament: Tournament) -> dict[str, Any]:
    """Return the context of the rule changes made during the event, with their reasons."""
    return {"changes": rule_changes_in_words(tournament.profile or {})}


@register.inclusion_tag("standings/bracket_desk/_drop_requests.html", takes_context=True)
def drop_requests(context: Context) -> dict[str, Any]:
    """Return the context of unsettled requests to leave the bracket, with what each drop would change; polled."""
    return drop_request_context(context["tournament"])
