"""The one box of the desk: each line is done at once, and the page brought up to now."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_htmx.http import trigger_client_event

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.table_plan import table_name
from tournament.forms.box import LONGEST_SCORE, BoxForm
from tournament.models import Action, Round, Tournament
from tournament.results.box_line import LONGEST_LINE, BoxLine, parse_line
from tournament.results.desk_rows import DeskPlayer, DeskRow, touched_since
from tournament.services.drops import drop_from_table
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import extend_table, match_at
from tournament.views.results import conflict_page
from tournament.views.rounds import action_words, changed_parts, round_address, round_context, sheet_at
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, see_other, staff_view


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Do one line. Answers what was saved, and brings the page up to now."""
    sheet = sheet_at(tournament, number)
    round_ = sheet.round
    form, line = BoxForm(request.POST), BoxLine("")
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        data = form.cleaned_data
        line = parse_line(data["text"], sheet, data["score"])
        if not line.what and not data["score"]:
            return see_other(_next_outstanding(tournament, round_))
        if not line.what or (line.what == "scan" and not request.htmx):
            return see_other(_page(tournament, number, line=line.table, score=data["score"]))
        before = sheet.row(line.table)
        action = _apply(request, tournament, before, line, form.cleaned_data)
    except Conflict as error:
        match = match_at(tournament, number, line.table)
        return conflict_page(request, tournament, match, line.slip, error, data["text"], data["seen"] or 0)
    except Refused as error:
        return _refused(request, tournament, round_, error)
    return _saved(request, tournament, round_, before, line, action, form.cleaned_data["seen"] or 0)


def _apply(
    request: StaffRequest, tournament: Tournament, row: DeskRow, line: BoxLine, data: dict[str, Any]
) -> Action | None:
    """Do what the line says. The version is that of the row the page showed."""
    number, table, seen = row.round, line.table, data["seen"]
    version = row.version if seen is None or row.version <= seen else seen
    about: dict[str, Any] = {"actor": request.user, "key": data["key"]}
    if line.what == "extend":
        return extend_table(tournament, number, table, line.minutes, line.why, **about)
    if line.what == "drop":
        return drop_from_table(tournament, number, table, line.sides, **about)
    if line.what == "clear":
        return clear_result(tournament, number, table, version, **about)
    if line.slip is None:
        return None
    about |= {"replaces": data["replace"], "keeps_drops": True}
    return record_result(tournament, number, table, line.slip, version, **about)


def _next_outstanding(tournament: Tournament, round_: Round) -> str:
    """The round's page with the next table without a result in the box."""
    match = round_.matches.filter(result=None, table__isnull=False).order_by("table").first()
    return (
        _page(tournament, round_.number, line=match.table)
        if match
        else round_address(tournament, round_.number)
    )


def _page(tournament: Tournament, number: int, **state: Any) -> str:
    """The round's page at its box; `state`: the table in the box, the score that is fixed, where there are any."""
    query = urlencode({name: value for name, value in state.items() if value})
    return f"{round_address(tournament, number)}{'?' if query else ''}{query}#box"


def _saved(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    before: DeskRow,
    line: BoxLine,
    action: Action | None,
    seen: int,
) -> HttpResponse:
    """What was saved (or shown), and every row that changed since revision `seen`. `before`: as the table was."""
    if not request.htmx:
        sheet = sheet_at(tournament, round_.number, action)
        row, sentence = sheet.row(line.table), action_words(tournament, action, sheet)
        result = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        message = sentence or _("Table %(table)s: ") % {"table": table_name(tournament, row.table)} + result
        page = _page(tournament, round_.number, score=request.POST.get("score", ""))
        return report_success(request, message, page)
    context = changed_parts(tournament, round_, seen=seen, done=action)
    sheet, last = context["sheet"], context["last"]
    newest = action is not None and last is not None and last.number == action.number
    row = sheet.row(line.table)
    sentence = last.sentence if newest else action_words(tournament, action, sheet)
    quiet = action is None and line.what not in ("show", "scan")
    context |= {
        "row": row,
        "done": action,
        "quiet": quiet,
        "sentence": sentence,
        "dropped": _dropped(tournament, before, row, line, action),
    }
    answer = render(request, "tournament/results/_line_saved.html", context)
    if line.what == "scan":
        trigger_client_event(answer, "put-line", {"table": table_name(tournament, line.table)})
    return answer


def _dropped(
    tournament: Tournament, before: DeskRow, row: DeskRow, line: BoxLine, action: Action | None
) -> list[DeskPlayer]:
    """Whose drop the answer says: a shown table's; else what came with the line, or since the result it replaced."""
    gone = [player for player in (row.a, row.b) if player and player.gone]
    if not gone or line.what in ("show", "scan"):
        return gone
    if action is None:
        return []
    news = touched_since(tournament, action.number - 1 if before.out else before.version)
    return [player for player in gone if f"entries/{player.code}" in news]


def _refused(request: StaffRequest, tournament: Tournament, round_: Round, error: Refused) -> HttpResponse:
    """Why the line was refused; its text stays in the box."""
    context = {"message": str(error), "tournament": tournament, "round": round_}
    if request.htmx:
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    text = request.POST.get("text", "")[:LONGEST_LINE]
    context |= round_context(tournament, round_, text, request.POST.get("score", "")[:LONGEST_SCORE])
    return render(request, "tournament/rounds/round.html", context, status=error.status)
