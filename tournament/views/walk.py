"""Walking the list: one table after the other, one key a result."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.results import CLEAR
from tournament.forms.walk import WalkForm
from tournament.models import Action, Match, Round, Tournament
from tournament.results.desk_rows import DeskRow, DeskSheet, slip_words
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.keypad import CLEAR_KEY, keypad_of
from tournament.results.shorthand import parse_slip
from tournament.results.slip import Slip
from tournament.results.slip_code import is_slip_code
from tournament.results.table_ranges import ranges_of, sheet_of_range
from tournament.services.results import clear_result, record_result, rules_of
from tournament.services.rounds import match_at, round_of
from tournament.views.results import conflict_page
from tournament.views.rounds import action_words
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_number, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def walk(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The list with the keys of the table at hand, `?table=`. POST: its result, and on to the next table."""
    round_ = round_of(tournament, number)
    if request.method == "POST":
        return _enter(request, tournament, round_)
    if round_.state != Round.State.PUBLISHED or not round_.swiss:
        return redirect("desk-round", tournament.slug, number)
    context = walk_context(tournament, round_, tables=request.GET.get("tables", ""))
    status = 200
    try:
        context["row"] = _row_at_hand(request, context["sheet"])
    except Refused as refusal:
        context["message"], status = str(refusal), refusal.status
    return render(request, "tournament/hands/walk.html", context, status=status)


@staff_view("GET", roles=DESK)
def walk_rows(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The count, and the rows that changed since `?v=`; 204 while nothing has."""
    seen = read_number(request, "v")
    if seen == tournament.revision:
        return HttpResponse(status=204)
    context = walk_context(tournament, round_of(tournament, number), seen, request.GET.get("tables", ""))
    return render(request, "tournament/hands/_walk_rows.html", context)


def walk_context(
    tournament: Tournament, round_: Round, seen: int = 0, tables: str = "", after: int = 0
) -> dict[str, Any]:
    """What the list shows, of the range `tables` or of all ("").

    changed  the rows that are other than at revision `seen`
    row      the next table without a result, `after` that one
    """
    whole = desk_sheet_of(tournament, round_)
    sheet = sheet_of_range(whole, tables)
    return {
        "tournament": tournament,
        "round": round_,
        "mode": "walk",
        "tables": tables,
        "ranges": ranges_of(tournament, whole) if not seen else [],
        "sheet": sheet,
        "row": _next_outstanding(sheet, after),
        "keypad": keypad_of(sheet.rules) if sheet.rules else [],
        "clear": (CLEAR, CLEAR_KEY),
        "changed": sheet.changed_since(tournament, seen) if seen else [],
    }


def _row_at_hand(request: StaffRequest, sheet: DeskSheet) -> DeskRow | None:
    """The table of `?table=` or of a scanned slip, `?code=`; else the first without a result. Raises Refused."""
    code = request.GET.get("code", "")
    if is_slip_code(code):
        return sheet.row_of_code(code)
    table = read_number(request, "table")
    return sheet.row(table) if table else _next_outstanding(sheet, 0)


def _next_outstanding(sheet: DeskSheet, table: int) -> DeskRow | None:
    """The next table after that one without a result, around the end; after the last result the first table."""
    out = [row for row in sheet.rows if row.out] or sheet.rows
    return next((row for row in out if (row.table or 0) > table), out[0] if out else None)


def _enter(request: StaffRequest, tournament: Tournament, round_: Round) -> HttpResponse:
    form = WalkForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    data = form.cleaned_data
    match = match_at(tournament, round_.number, data["table"])
    slip = None
    try:
        if data["slip"] != CLEAR:
            slip = parse_slip(data["slip"], rules_of(match, profile_of(tournament)))
        action = _record(request, tournament, match, slip, data)
    except Refused as refusal:
        if not request.htmx:
            if isinstance(refusal, Conflict):
                return conflict_page(request, tournament, match, slip, refusal)
            raise
        return _refused(request, tournament, match, slip, refusal)
    if request.htmx:
        context = walk_context(tournament, round_, data["seen"] or 0, data["tables"])
        return render(request, "tournament/hands/_walk_rows.html", context)
    row = walk_context(tournament, round_, tables=data["tables"], after=data["table"])["row"]
    query = {"tables": data["tables"], "table": row and row.table}
    page = reverse("walk", args=[tournament.slug, round_.number])
    message = action_words(tournament, action) or _("Already entered.")
    return report_success(request, message, f"{page}?{urlencode({k: v for k, v in query.items() if v})}")


def _record(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, data: dict[str, Any]
) -> Action | None:
    """Write a key's result, or clear the table where there is none."""
    assert match.table is not None
    about: dict[str, Any] = {"actor": request.user, "key": data["key"]}
    place = (tournament, match.round.number, match.table)
    if slip is None:
        return clear_result(*place, data["version"], **about)
    about |= {"replaces": data["replace"] or not request.htmx, "keeps_drops": True}
    return record_result(*place, slip, data["version"], **about)


def _refused(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, refusal: Refused
) -> HttpResponse:
    """Why a key's result was not saved; both values where the table has another."""
    tournament.refresh_from_db()
    context = walk_context(tournament, match.round, 0, request.POST.get("tables", "")[:60])
    row = desk_sheet_of(tournament, match.round).row(match.table or 0)
    context |= {"changed": [row], "row": row, "message": str(refusal)}
    if isinstance(refusal, Conflict):
        context["theirs"] = row.words or _("no result")
        context["yours"] = slip_words(slip, row) if slip else _("no result")
    return render(request, "tournament/hands/_walk_refused.html", context, status=refusal.status)
