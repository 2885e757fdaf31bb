"""Buttons with their hidden fields, links that remember the page they are on, rows, clocks, members of a team."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.contrib.messages.storage.base import Message
from django.template import Context
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from tournament.event import teams
from tournament.event.clock import RoundClock, clock_of, turns_after_time
from tournament.event.numbers import points_in_words
from tournament.models import Round, Tournament
from tournament.paper.paper_list import text_width
from tournament.progress.next_step import Step, progress_facts_of, steps_of
from tournament.results.desk_rows import DeskRow
from tournament.views.rounds import clock_context
from tournament.web.keyed_forms import ButtonForm
from tournament.web.sign_in import page_wanted

register = template.Library()
register.filter("points_in_words", points_in_words)


@register.simple_tag(takes_context=True)
def button_fields(context: Context, **values: object) -> SafeString:
    """Render the hidden fields of a button: the CSRF token, a fresh key and the non-empty `values`."""
    form = ButtonForm(**{name: value for name, value in values.items() if value not in (None, "")})
    return format_html_join("", "{}", [(CsrfTokenNode().render(context),), *((field,) for field in form)])


@register.inclusion_tag("tournament/log/_undo_button.html", takes_context=True)
def undo_button(context: Context, message: Message) -> dict[str, Any]:
    address, _space, number = str(message.extra_tags or "").partition(" ")
    return {"address": address, "number": number, "csrf_token": context.get("csrf_token", "")}


@register.simple_tag(takes_context=True)
def next_query(context: Context) -> str:
    """Return "?next=" and the page to come back to after sign-in; "" if there is none."""
    wanted = page_wanted(context["request"]) if "request" in context else ""
    return f"?{urlencode({'next': wanted}, safe='/')}" if wanted else ""


@register.simple_tag(takes_context=True)
def event_steps(context: Context) -> list[Step]:
    if progress := context.get("progress"):
        return progress.steps
    return steps_of(progress_facts_of(context["tournament"]))


@register.simple_tag(takes_context=True)
def match_row(context: Context, row: DeskRow) -> SafeString:
    """Render a table's row on its round's page; cached until it changes."""
    known = {name: context[name] for name in ("tournament", "open", "desk_url")}
    how = (known["open"], known["tournament"].role == "judge")
    drawn = context["sheet"].drawn
    before, html = drawn.get((row.table, how), (None, ""))
    if before is not row:
        template = context.template.engine.get_template("tournament/rounds/_match_row.html")  # type: ignore[union-attr]
        html = template.render(context.new({**known, "row": row}))
        drawn[row.table, how] = (row, html)
    return SafeString(html)


@register.filter
def clock(round_: Round) -> RoundClock:
    return clock_of(round_)


@register.filter
def turns(tournament: Tournament) -> int:
    return turns_after_time(tournament)


@register.filter
def team_words(members: Sequence[str], captain: int | None) -> str:
    return teams.team_words(members or (), captain)


@register.inclusion_tag("tournament/clock/_controls.html", takes_context=True)
def clock_controls(context: Context, round_: Round) -> dict[str, Any]:
    return clock_context(context["tournament"], round_)


@register.simple_tag
def bracket_rounds_in_progress(tournament: Tournament) -> list[Round]:
    rounds = tournament.rounds.filter(swiss=False, state=Round.State.PUBLISHED)
    return list(rounds.select_related("stage", "tournament").defer("pairing"))


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
