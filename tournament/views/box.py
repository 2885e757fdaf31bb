"""The one box of the desk: each line is done at once, and the page brought up to now."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.box import LONGEST_LINE, BoxForm, BoxLine
from tournament.models import Action, Round, Tournament
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.shorthand import parse_slip
from tournament.services.results import clear_result, record_result, rules_of
from tournament.services.rounds import extend_table, match_at, round_of
from tournament.views.results import both_values, conflict_page
from tournament.views.rounds import action_words, changed_parts, round_address, round_context
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, see_other, staff_view


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Do one line. Answers what was saved, and brings the page up to now."""
    round_ = round_of(tournament, number)
    form = BoxForm(request.POST)
    if not form.is_valid():
        return _refused(request, tournament, round_, first_error(form), 422)
    line, data = form.line, form.cleaned_data
    if not line.what:
        return see_other(_next_outstanding(tournament, round_))
    try:
        action = _apply(request, tournament, round_, line, data)
    except Conflict as error:
        return _conflict(request, tournament, round_, line, str(error))
    except Refused as error:
        return _refused(request, tournament, round_, str(error), error.status)
    return _saved(request, tournament, round_, line, action, data)


def _apply(
    request: StaffRequest, tournament: Tournament, round_: Round, line: BoxLine, data: dict[str, Any]
) -> Action | None:
    """Do what the line says. The version is that of the row the page showed."""
    match = match_at(tournament, round_.number, line.table)
    about: dict[str, Any] = {"actor": request.user, "key": data["key"]}
    if line.what == "show":
        return None
    if line.what == "extend":
        return extend_table(tournament, round_.number, line.table, line.minutes, **about)
    seen = data["seen"]
    version = match.version if seen is None or match.version <= seen else seen
    if line.what == "clear":
        return clear_result(tournament, round_.number, line.table, version, **about)
    slip = parse_slip(line.text, rules_of(match, profile_of(tournament)))
    return record_result(tournament, round_.number, line.table, slip, version, **about)


def _next_outstanding(tournament: Tournament, round_: Round) -> str:
    """The address of the next table without a result."""
    match = round_.matches.filter(result=None, table__isnull=False).order_by("table").first()
    return round_address(tournament, round_.number, match.table if match else None)


def _saved(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    line: BoxLine,
    action: Action | None,
    data: dict[str, Any],
) -> HttpResponse:
    """What was saved (or shown), with its undo, and every row that changed meanwhile."""
    context = changed_parts(tournament, round_, seen=data["seen"] or 0)
    row = context["sheet"].row(line.table)
    if row not in context["changed"] and line.what == "extend":
        context["changed"].append(row)  # a time extension is no new version of the match
    sentence = action_words(tournament, action)
    if not request.htmx:
        result = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        messages.success(request, sentence or _("Table %(table)s: ") % {"table": row.table} + result)
        return see_other(f"{round_address(tournament, round_.number)}#box")
    quiet = action is None and line.what != "show"
    context |= {"row": row, "done": action, "quiet": quiet, "sentence": sentence}
    return render(request, "tournament/results/_line_saved.html", context)


def _refused(
    request: StaffRequest, tournament: Tournament, round_: Round, message: str, status: int
) -> HttpResponse:
    """Why the line was refused; its text stays in the box."""
    context: dict[str, Any] = {"message": message, "tournament": tournament, "round": round_}
    if request.htmx:
        return render(request, "tournament/results/_line_refused.html", context, status=status)
    text = request.POST.get("text", "")[:LONGEST_LINE]
    context |= round_context(tournament, round_, text)
    return render(request, "tournament/rounds/round.html", context, status=status)


def _conflict(
    request: StaffRequest, tournament: Tournament, round_: Round, line: BoxLine, message: str
) -> HttpResponse:
    """Both values side by side, and a button that enters the line over what is saved."""
    match = match_at(tournament, round_.number, line.table)
    slip = parse_slip(line.text, rules_of(match, profile_of(tournament))) if line.what == "slip" else None
    if not request.htmx:
        return conflict_page(request, tournament, match, slip, message)
    tournament.refresh_from_db()
    row = desk_sheet_of(tournament, round_).row(line.table)
    context = {
        "message": message,
        "tournament": tournament,
        "round": round_,
        "row": row,
        **both_values(row, slip),
        "line": f"{line.table} {line.text}",
        "seen": tournament.revision,
    }
    return render(request, "tournament/results/_line_refused.html", context, status=409)
