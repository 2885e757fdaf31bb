"""Verify: slips are typed again, and only what differs lights up. Nothing is written but by a button."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django_htmx.http import trigger_client_event

from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.forms.verification import VerifyForm
from tournament.models import Round, Tournament
from tournament.results.box_line import parse_line
from tournament.results.desk_rows import DeskSheet
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.verification import Verification, read_lines
from tournament.services.results import record_result
from tournament.services.rounds import round_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, form_data, staff_view


@staff_view("GET", "POST", roles=DESK)
def verify(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The page; POST: one more line, or the button that enters what a slip says."""
    round_ = round_of(tournament, number)
    if round_.state == Round.State.DRAFT or not round_.swiss:
        return redirect("desk-round", tournament.slug, number)
    form, sheet = VerifyForm(form_data(request)), desk_sheet_of(tournament, round_)
    context: dict[str, Any] = {"table": 0}
    status = 200
    try:
        if form.is_bound and not form.is_valid():
            raise Refused(first_error(form))
        context |= _take(request, tournament, sheet, form.cleaned_data) if form.is_bound else {}
    except Refused as refusal:
        context, status = {"message": str(refusal)}, refusal.status
    if context.pop("corrected", None):
        sheet = desk_sheet_of(tournament, round_)
    slips = context.pop("slips", None)
    if slips is None:
        slips = _slips_before(form, sheet)
    verification = Verification(sheet, profile_of(tournament), slips, _drops_of(tournament, sheet))
    context |= {
        "tournament": tournament,
        "round": round_,
        "open": round_.state == Round.State.PUBLISHED,
        "mode": "verify",
        "box": VerifyForm(initial={"lines": verification.lines}),
        "verification": verification,
        "difference": verification.difference(context["table"]) if context.get("table") else None,
    }
    template = "_verified.html" if request.htmx else "verify.html"
    answer = render(request, f"tournament/hands/{template}", context, status=status)
    scanned = context.get("scanned")
    return (
        trigger_client_event(answer, "put-line", {"table": table_name(tournament, scanned)})
        if scanned
        else answer
    )


def _take(
    request: StaffRequest, tournament: Tournament, sheet: DeskSheet, data: dict[str, Any]
) -> dict[str, Any]:
    """What a line or a button does: the slips now, and the table it was about. Raises Refused."""
    slips = read_lines(data["lines"], sheet)
    if data["correct"]:
        table, version = map(int, data["correct"].split(":"))
        if table not in slips:
            raise Refused(_("Type this slip again: the page has lost it."))
        about: dict[str, Any] = {"actor": request.user, "key": data["key"]}
        action = record_result(tournament, sheet.round.number, table, slips[table], version, **about)
        return {"slips": slips, "table": table, "corrected": True, "done": action}
    if not data["text"].strip():
        return {"slips": slips}
    line = parse_line(data["text"], sheet)
    if line.what == "scan":
        return {"slips": slips, "scanned": line.table}
    return {"slips": slips | read_lines(data["text"], sheet), "table": line.table}


def _slips_before(form: VerifyForm, sheet: DeskSheet) -> dict[int, Any]:
    """What was typed before a line that was refused."""
    try:
        return read_lines(form.data.get("lines", ""), sheet) if form.is_bound else {}
    except Refused:
        return {}


def _drops_of(tournament: Tournament, sheet: DeskSheet) -> set[str]:
    """Codes of the players whose drop came with the result of their table, in one query."""
    versions = {row.version for row in sheet.rows if row.a.gone or (row.b and row.b.gone)}
    actions = tournament.actions.filter(number__in=versions).values_list("changes", flat=True)
    return {
        change["fact"].removeprefix("entries/")
        for changes in actions
        for change in changes
        if (change.get("after") or {}).get("status") == "dropped"
    }
