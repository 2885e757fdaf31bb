"""Results at the desk: on a row, and in the one box. Refused and conflicting ones come back with their words."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.results import BoxForm, BoxLine, SlipForm
from tournament.models import Action, Match, Round, Tournament
from tournament.results import game_points
from tournament.results.desk_sheet import DeskRow, desk_sheet_of, slip_words
from tournament.results.shorthand import parse_slip
from tournament.results.slip import Slip
from tournament.services.results import clear_result, match_at, record_result, rules_of, slip_drops_of
from tournament.services.rounds import extend_table, round_of
from tournament.views.rounds import action_words, changed_parts, round_address, round_context, row_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """GET: the slip of one table as a page. POST: enter it, and give back the row (or go back to it)."""
    match = match_at(tournament, number, table)
    if request.method != "POST":
        return slip_page(request, tournament, match)
    form = SlipForm(request.POST, rules=rules_of(match, profile_of(tournament)))
    if not form.is_valid():
        return refused_slip_page(request, tournament, match, form, first_error(form), 422)
    slip = form.cleaned_data["read"]
    try:
        action = enter_slip(request, tournament, match, slip, form.cleaned_data)
    except Conflict as error:
        return conflict_page(request, tournament, match, slip, str(error))
    except Refused as error:
        return refused_slip_page(request, tournament, match, form, str(error), error.status)
    if not request.htmx:
        messages.success(request, action_words(tournament, action) or _("Already entered."))
        return see_other(round_address(tournament, number, table))
    context = changed_parts(tournament, match.round, seen=form.cleaned_data["seen"] or 0, but=table)
    row = row_of(context["sheet"], table)
    return render(request, "tournament/results/_row_saved.html", {**context, "row": row, "new": True})


def enter_slip(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, data: dict[str, Any]
) -> Action | None:
    """Record the slip, or clear the table where there is none."""
    about = {"actor": request.user, "key": data["key"]}
    number, table, version = match.round.number, match.table, data["version"]
    if slip is None:
        return clear_result(tournament, number, table, version, **about)
    return record_result(tournament, number, table, slip, version, **about)


def slip_context(tournament: Tournament, round_: Round, table: int) -> dict[str, Any]:
    """What the slip of one table shows."""
    sheet = desk_sheet_of(tournament, round_)
    row = row_of(sheet, table)
    games = row.fact.games or (None, None, None)
    match = match_at(tournament, round_.number, table)
    drops = slip_drops_of(match)
    initial = {
        "a_drops": "a" in drops,
        "b_drops": "b" in drops,
        "a": games[0],
        "b": games[1],
        "drawn": games[2],
        "order": row.fact.game_order,
        "version": row.version,
        "seen": sheet.revision,
    }
    if row.fact.score:
        initial["score_a"], initial["score_b"] = map(game_points.points_text, row.fact.score)
    rules = rules_of(match, profile_of(tournament))
    names = (row.a.name, row.b.name if row.b else "")
    form = SlipForm(initial=initial, rules=rules, names=names)
    return {
        "tournament": tournament,
        "round": round_,
        "row": row,
        "form": form,
        "sheet": sheet,
        "rules": rules,
        "names": names,
    }


def slip_page(request: StaffRequest, tournament: Tournament, match: Match) -> HttpResponse:
    """The slip of one table on a page of its own."""
    assert match.table is not None
    return render(request, "tournament/results/slip.html", slip_context(tournament, match.round, match.table))


@staff_view("GET", roles=DESK)
def slip(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """The slip of one table in place of its row."""
    context = slip_context(tournament, round_of(tournament, number), table)
    return render(request, "tournament/results/_slip.html", context)


def refused_slip_page(
    request: StaffRequest, tournament: Tournament, match: Match, form: SlipForm, message: str, status: int
) -> HttpResponse:
    """The slip with what was filled in and why it was refused; the version is the one they saw."""
    assert match.table is not None
    context = slip_context(tournament, match.round, match.table)
    named = SlipForm(request.POST, rules=form.rules, names=context["names"])
    context |= {"form": named, "message": message}
    template = "tournament/results/_slip.html" if request.htmx else "tournament/results/slip.html"
    return render(request, template, context, status=status)


def conflict_page(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, message: str
) -> HttpResponse:
    """Both values side by side: keep what is saved, or enter the other over it."""
    assert match.table is not None
    tournament.refresh_from_db()
    context = slip_context(tournament, match.round, match.table)
    row: DeskRow = context["row"]
    context |= {
        "message": message,
        "theirs": row.words or _("no result"),
        "yours": slip_words(slip, row) if slip else _("no result"),
        "resend": slip_fields(slip),
    }
    template = "tournament/results/_conflict.html" if request.htmx else "tournament/results/conflict.html"
    return render(request, template, context, status=409)


def slip_fields(slip: Slip | None) -> dict[str, Any]:
    """A slip as the form's hidden fields."""
    if slip is None:
        return {"slip": "clear"}
    fields = {f"{side}_drops": "on" for side in slip.drops}
    if slip.score:
        fields["score_a"], fields["score_b"] = map(game_points.points_text, slip.score)
    if slip.order:
        fields["order"] = slip.order
    if slip.result == "played":
        games = dict(zip(("a", "b", "drawn"), slip.games, strict=True))
        return {**games, **fields}
    absent = {"a": "ns2", "b": "ns1", "": "ns"}[slip.winner]
    return {"outcome": {"intentional_draw": "id", "double_loss": "ll"}.get(slip.result, absent), **fields}


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """One line of the one box. Answers what was saved, and brings the page up to now."""
    round_ = round_of(tournament, number)
    form = BoxForm(request.POST)
    if not form.is_valid():
        return refused_line_response(request, tournament, round_, first_error(form), 422, form=form)
    line, data = form.line, form.cleaned_data
    if not line.what:
        return see_other(next_outstanding_address(tournament, round_))
    try:
        action = apply_line(request, tournament, round_, line, data)
    except Conflict as error:
        match = match_at(tournament, number, line.table)
        slip = parse_slip(line.text, rules_of(match, profile_of(tournament))) if line.what == "slip" else None
        if request.htmx:
            return refused_line_response(
                request, tournament, round_, str(error), 409, conflict=(line, slip), data=data
            )
        return conflict_page(request, tournament, match, slip, str(error))
    except Refused as error:
        return refused_line_response(request, tournament, round_, str(error), error.status, form=form)
    return saved_line_response(request, tournament, round_, line, action, data)


def apply_line(
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


def next_outstanding_address(tournament: Tournament, round_: Round) -> str:
    """The row of the next table that is out."""
    out = round_.matches.filter(result=None, table__isnull=False).order_by("table").first()
    return round_address(tournament, round_.number, out.table if out else None)


def saved_line_response(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    line: BoxLine,
    action: Action | None,
    data: dict,
) -> HttpResponse:
    """What was saved (or shown), with its undo, and every row that changed meanwhile."""
    context = changed_parts(tournament, round_, seen=data["seen"] or 0)
    row = row_of(context["sheet"], line.table)
    if row not in context["changed"] and line.what == "extend":
        context["changed"].append(row)  # more minutes are no new version of the match
    sentence = action_words(tournament, action)
    if not request.htmx:
        between = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        messages.success(request, sentence or _("Table %(table)s: ") % {"table": row.table} + between)
        return see_other(f"{round_address(tournament, round_.number)}#box")
    quiet = action is None and line.what != "show"
    return render(
        request,
        "tournament/results/_line_saved.html",
        {**context, "row": row, "done": action, "quiet": quiet, "sentence": sentence},
    )


def refused_line_response(
    request: StaffRequest, tournament: Tournament, round_: Round, message: str, status: int, **more: Any
) -> HttpResponse:
    """What was refused, and why; the text stays in the box."""
    if not request.htmx:
        context = {**round_context(tournament, round_), "message": message, "box": more.get("form")}
        return render(request, "tournament/rounds/round.html", context, status=status)
    context = {"message": message, "tournament": tournament, "round": round_}
    if more.get("conflict"):
        tournament.refresh_from_db()
        line, slip = more["conflict"]
        row = row_of(desk_sheet_of(tournament, round_), line.table)
        context |= {
            "row": row,
            "theirs": row.words or _("no result"),
            "line": line,
            "seen": tournament.revision,
        }
        context["yours"] = slip_words(slip, row) if slip else _("no result")
    return render(request, "tournament/results/_line_refused.html", context, status=status)
