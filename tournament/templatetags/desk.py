"""Parts of pages: buttons with their hidden fields, cards, folds, table heads and rows, clocks, team members."""

from collections.abc import Sequence
from copy import copy
from typing import Any
from urllib.parse import urlencode

from crispy_forms.utils import render_crispy_form
from django import forms, template
from django.contrib.messages.storage.base import Message
from django.forms.utils import flatatt
from django.shortcuts import resolve_url
from django.template import Context
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tournament.event import teams
from tournament.event.clock import RoundClock, round_clock, turns_after_time
from tournament.event.formats import points_in_words
from tournament.models import Round, Tournament
from tournament.paper.paper_list import text_width
from tournament.progress.next_step import load_progress_facts
from tournament.progress.rail import Rail, build_rail
from tournament.results.desk_rows import DeskRow
from tournament.services.undo import is_personal, may_undo
from tournament.views.clock import clock_context
from tournament.web.keyed_forms import ButtonForm
from tournament.web.staff_pages import page_wanted

register = template.Library()
register.filter("points_in_words", points_in_words)


@register.simple_tag(takes_context=True)
def button_fields(context: Context, **values: object) -> SafeString:
    """Render the hidden fields of a button: the CSRF token, a fresh key and the non-empty `values`."""
    form = ButtonForm(**{name: value for name, value in values.items() if value not in (None, "")})
    return format_html_join("", "{}", [(CsrfTokenNode().render(context),), *((field,) for field in form)])


@register.simple_tag(takes_context=True)
def post_form(
    context: Context, form: forms.BaseForm, *to: Any, css: str = "", **attributes: Any
) -> SafeString:
    """Render a whole form, sent to a URL or to the page with a URL name; by default to the page it is on."""
    helper = copy(form.helper)  # type: ignore[attr-defined]
    helper.form_tag, helper.form_action, helper.form_class = True, resolve_url(*to) if to else "", css
    helper.attrs = helper.attrs | {name.replace("_", "-"): value for name, value in attributes.items()}
    return SafeString(render_crispy_form(form, helper, context))


@register.simple_block_tag(takes_context=True)
def post_button(
    context: Context, content: str, *to: Any, css: str = "", look: str = "", **fields: Any
) -> SafeString:
    """Render a form that is one button; `to`: see `post_form`. `label` and `pressed`: for screen readers."""
    attributes = {"class": f"btn {look}".strip(), "aria-label": fields.pop("label", None) or None}
    attributes["aria-pressed"] = fields.pop("pressed", None)
    form = {"method": "post", "action": resolve_url(*to) if to else None, "class": css or None}
    return format_html(
        "<form{}>{}<button{}>{}</button></form>",
        flatatt(form),
        button_fields(context, **fields),
        flatatt(attributes),
        SafeString(conditional_escape(content).strip()),
    )


@register.simple_block_tag
def card(content: str, id: str, title: str, css: str = "card pad") -> SafeString:
    """Render a part of a page under a heading, which has this `id`."""
    return format_html(
        '<section class="{}" aria-labelledby="{}"><h2 id="{}">{}</h2>{}</section>',
        css,
        id,
        id,
        title,
        SafeString(content),
    )


@register.simple_block_tag
def fold(
    content: str,
    title: str,
    value: object = "",
    *,
    css: str = "fold",
    opened: object = False,
    **attributes: str,
) -> SafeString:
    """Render a fold: a line with its title and present value. `opened`: whether, or the `id` of the fold that is."""
    summary: Any = title
    if value not in ("", None):
        summary = format_html('<span>{}</span><span class="val">{}</span>', title, value)
    is_open = opened == attributes.get("id") if isinstance(opened, str) else bool(opened)
    about = flatatt({"class": css or None, **attributes, "open": is_open})
    return format_html("<details{}><summary>{}</summary>{}</details>", about, summary, SafeString(content))


@register.simple_tag
def columns(*titles: str, css: str = "", roles: bool = False, **kinds: str) -> SafeString:
    """Render the head of a table. `kinds`: by CSS class, the numbers of the columns that have it.

    `roles`: spelled out, for a table whose rows become two lines on a phone.
    """
    kind_of = {int(number): kind for kind, numbers in kinds.items() for number in numbers.split()}
    group, row, cell = ({"role": role if roles else None} for role in ("rowgroup", "row", "columnheader"))
    cells = [
        format_html("<th{}>{}</th>", flatatt({**cell, "scope": "col", "class": kind_of.get(number)}), title)
        if title
        else SafeString("<td></td>")
        for number, title in enumerate(titles, 1)
    ]
    head = format_html_join("", "{}", ((each,) for each in cells))
    attributes = flatatt({**group, "class": css or None}), flatatt(row)
    return format_html("<thead{}><tr{}>{}</tr></thead>", *attributes, head)


@register.simple_tag(takes_context=True)
def undo_button(context: Context, message: Message) -> SafeString | str:
    """Render the button to undo the action that a message reports and return here; "" if this user may not here."""
    tournament, (pk, _space, number) = context.get("tournament"), str(message.extra_tags or "").partition(" ")
    if tournament is None or str(tournament.pk) != pk or not hasattr(tournament, "role"):
        return ""  # another event's page, or one without a role, may come first
    action = tournament.actions.filter(number=number).first()
    if action is None or is_personal(action) or not may_undo(action, tournament.role):
        return ""
    here = context["request"].get_full_path()
    return post_button(context, _("Undo"), "undo", tournament.slug, look="s text", number=number, next=here)


@register.simple_tag(takes_context=True)
def next_query(context: Context) -> str:
    """Return "?next=" and the page to return to after sign-in; "" if there is none."""
    wanted = page_wanted(context["request"]) if "request" in context else ""
    return f"?{urlencode({'next': wanted}, safe='/')}" if wanted else ""


@register.inclusion_tag("tournament/_place.html", takes_context=True)
def place(
    context: Context, to: str, words: str, *, at: str = "", pages: str = "", calls: str = ""
) -> dict[str, Any]:
    """Render the link to a place of the event's desk, marked if the page is there.

    at     the place in the rail that the page belongs to
    pages  the URL names of the place's pages, instead of `at`
    calls  the CSS class of the number of open calls; "" shows none
    """
    here = {"tournament": context["tournament"], "rail": rail(context)}
    return here | {"to": to, "words": words, "at": at, "pages": pages, "calls": calls}


@register.simple_tag(takes_context=True)
def rail(context: Context) -> Rail:
    """Return the page's rail, read only once for all parts of the frame."""
    request = context["request"]
    if not hasattr(request, "rail"):
        progress = context.get("progress")
        facts = progress.facts if progress else load_progress_facts(context["tournament"])
        request.rail = build_rail(facts, request.path, request.resolver_match.url_name)
    return request.rail


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
    return round_clock(round_)


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
    """Return the CSS class with which a name of any length fits its row on paper."""
    if len(name) <= SHORT:
        return ""
    width = text_width(name)
    return next((size for most, size in SIZES if width <= most), "tiny")
