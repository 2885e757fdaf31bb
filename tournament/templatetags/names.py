"""Names of pages, rounds and tables, built in to every template by `tournament.config.settings`."""

import re

from django import template
from django.template import Context
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.utils.html import conditional_escape, format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe

from tournament.event import table_plan
from tournament.event.display_names import drop_full_stop
from tournament.event.formats import day_words, moment_words
from tournament.event.rounds import RoundName, round_name, round_names
from tournament.models import Round, Tournament

register = template.Library()
register.filter("drop_full_stop", drop_full_stop)
register.filter("day", day_words, expects_localtime=True)
register.filter("when", moment_words, expects_localtime=True)

LONGEST_NUMBER = 4


@register.simple_tag(takes_context=True)
def page_title(context: Context) -> SafeString:
    """Return the text of the page's `heading` block and the event's name, unless the heading has it.

    A page without that block has the site's title.
    """
    heading = context.render_context[BLOCK_CONTEXT_KEY].get_block("heading")
    if heading is None:
        return context["site_title"]
    html = heading.render(context).replace('<span class="count">', "· ")
    text = mark_safe(" ".join(strip_tags(html).split()))  # noqa: S308 escaped by the template
    event = conditional_escape(context["tournament"].name) if context.get("tournament") else ""
    named = re.search(rf"(?<!\w){re.escape(event)}(?!\w)", text)
    return text if named or not event else format_html("{} · {}", text, event)


@register.filter
def round_title(round_: Round | int, tournament: Tournament) -> str:
    """Return the name as a heading, "Round 5". Use `round_phrase` in a sentence, `round_label` after a comma."""
    return _find_round_name(round_, tournament).title


@register.filter
def round_phrase(round_: Round | int, tournament: Tournament) -> str:
    return _find_round_name(round_, tournament).phrase


@register.filter
def round_label(round_: Round | int, tournament: Tournament) -> str:
    return _find_round_name(round_, tournament).label


def _find_round_name(round_: Round | int, tournament: Tournament) -> RoundName:
    if isinstance(round_, Round):
        return round_name(round_, tournament)
    return round_names(tournament)[round_]


@register.filter
def table_name(number: int | None, venue: Tournament | Round) -> str:
    """Return a table's name by the plan of an event or round, such as "A12"; "" for no table."""
    event, round_ = (venue.tournament, venue) if isinstance(venue, Round) else (venue, None)
    return table_plan.table_name(event, number, round_)


@register.filter
def table_size(name: str) -> str:
    """Return the CSS class of a table name in large print: "words" if it is longer than a number."""
    return "words" if len(name) > LONGEST_NUMBER else ""
