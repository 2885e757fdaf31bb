"""The desk of one round: its page, the box for results, the parts that change when others enter them."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django_htmx.http import trigger_client_event

from tournament.access.permissions import DESK
from tournament.errors import Conflict, NeedsConfirmation, Refused
from tournament.event.clock import round_clock
from tournament.event.rounds import round_name, round_names
from tournament.forms.results import CLEAR, BoxForm
from tournament.history.describe import (
    DescribedAction,
    describe_actions,
    describe_last_change,
    describe_saved,
)
from tournament.history.public_corrections import corrected_keys, list_public_corrections
from tournament.models import Action, Round, Tournament
from tournament.progress.flights import flight_round_words
from tournament.progress.next_step import build_progress
from tournament.progress.schedule import round_up
from tournament.results.box_line import LONGEST_LINE, BoxLine, Unclear, parse_line
from tournament.results.desk_rows import (
    DeskPlayer,
    DeskRow,
    DeskSheet,
    group_by_deadline,
    list_disputes,
    slip_words,
    touched_since,
)
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.shorthand import slip_shorthand
from tournament.results.slip import Slip
from tournament.services.judging import list_open_calls
from tournament.services.results import enter_line
from tournament.web.keyed_forms import ButtonForm
from tournament.web.staff_pages import (
    StaffRequest,
    first_error,
    read_number,
    report_success,
    see_other,
    staff_view,
)


@staff_view("GET")
def desk_round(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    sheet = load_desk_sheet(tournament, number)
    if sheet.round.state == Round.State.DRAFT:
        return redirect("draft", tournament.slug, number)
    if not sheet.round.swiss:
        return redirect("desk-bracket", tournament.slug)
    line, after = read_number(request, "line"), read_number(request, "after")
    context = round_context(tournament, sheet, line=line, after=line or after)
    context |= {"with_names": bool(request.GET.get("names"))}
    return render(request, "tournament/rounds/round.html", context)


def round_context(tournament: Tournament, sheet: DeskSheet, **box: Any) -> dict[str, Any]:
    progress = build_progress(tournament, sheet.round.stage_id)
    facts = progress.facts
    named = next((row for row in sheet.rows if row.table == box.get("line")), None)
    return {
        **_round_parts(tournament, sheet),
        "progress": progress,
        "open_messages": facts.open_messages,
        "calls": list_open_calls(tournament, timezone.now()) if facts.open_calls else [],
        "last": describe_last_change(tournament, sheet.names, sheet.seats_in),
        "session": flight_round_words(facts.flights, sheet.round),
        "with_names": False,
        "box": BoxForm.shown(sheet.revision, sheet.rules, **box | {"line": named and named.table}),
        "named": named,
    }


def changed_parts(
    tournament: Tournament, sheet: DeskSheet, *, seen: int | None, but: int = 0, done: Action | None = None
) -> dict[str, Any]:
    """Return the parts that update a page at revision `seen`, except table `but`. `done`: the action just saved."""
    parts = _round_parts(tournament, sheet)
    parts |= {
        "progress": SimpleLazyObject(lambda: build_progress(tournament, sheet.round.stage_id)),
        "box": BoxForm.swapped(sheet.revision),
        "changed": parts["sheet"].changed_since(tournament, seen, but) if seen else [],
    }
    if done is None:
        parts["open_messages"] = tournament.flags.filter(kind="message", done=False).count()
        parts["calls"] = list_open_calls(tournament, timezone.now())
    round_names(tournament).know(sheet.round)
    last: DescribedAction | None
    if done is not None and done.number == tournament.revision == sheet.revision:
        last = describe_saved(tournament, done, sheet.names, sheet.seats_in(done))
    else:
        last = describe_last_change(tournament, sheet.names, sheet.seats_in)
    is_newest = done is not None and last is not None and last.number == done.number
    sentence = last.sentence if last and is_newest else action_words(tournament, done, sheet)
    return parts | {"last": last, "sentence": sentence}


def _round_parts(tournament: Tournament, sheet: DeskSheet) -> dict[str, Any]:
    if sheet.round.state == Round.State.COMPLETE:
        sheet = sheet.with_corrected(corrected_keys(list_public_corrections(tournament, {})))
    parts = _counters(sheet)
    last = parts["groups"][-1] if parts["groups"] else None
    return parts | {
        "sheet": sheet,
        "disputes": lambda: list_disputes(sheet),  # read only where a report is shown
        "can_start": round_up(last.ends) if last and last.ends and not last.past else None,
        "desk_url": round_address(tournament, sheet.round.number),
    }


def _counters(sheet: DeskSheet) -> dict[str, Any]:
    """Return what the round's counters show, with the sheet's revision and how many tables are overdue as `mark`."""
    groups = group_by_deadline(round_clock(sheet.round), sheet.outstanding, timezone.now())
    values = {"round": round_name(sheet.round).title, **sheet.count}
    return {
        "round": sheet.round,
        "open": sheet.round.state == Round.State.PUBLISHED,
        "count": sheet.count,
        "title": _("%(round)s · %(out)s of %(all)s tables outstanding") % values,
        "mark": f"{sheet.revision}.{sum(len(group.rows) for group in groups if group.past)}",
        "groups": groups,
    }


@staff_view("GET")
def status(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Poll the counters; 204 if their version is still `?v=`. The counters then fetch the rows that changed."""
    context = _counters(load_desk_sheet(tournament, number))
    if request.GET.get("v", "") == context["mark"]:
        return HttpResponse(status=204)
    context |= {"fetch_since": read_number(request, "v")}
    return render(request, "tournament/rounds/_status.html", context)


@staff_view("GET")
def rows(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    sheet = load_desk_sheet(tournament, number)
    context = changed_parts(tournament, sheet, seen=read_number(request, "since"))
    return render(request, "tournament/rounds/_changes.html", context)


@staff_view("GET")
def row(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    sheet = load_desk_sheet(tournament, number)
    context = {"row": sheet.row(table), "open": True}
    context |= {"desk_url": round_address(tournament, number)}
    return render(request, "tournament/rounds/_match_row.html", context)


def round_address(tournament: Tournament, number: int, table: int | None = None) -> str:
    page = reverse("desk-round", args=[tournament.slug, number])
    return f"{page}#match-{table}" if table else page


def action_words(tournament: Tournament, action: Action | None, sheet: DeskSheet | None = None) -> str:
    """Return an action as one sentence. `sheet`: the round it happened in, if known."""
    if action is None:
        return ""
    names, seats = (sheet.names, sheet.seats_in(action)) if sheet else (None, None)
    if sheet:
        round_names(tournament).know(sheet.round)
    return describe_actions(tournament, [action], names, seats)[0].sentence


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    sheet, form = load_desk_sheet(tournament, number), BoxForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        return _enter(request, tournament, sheet, form.cleaned_data)
    except NeedsConfirmation:
        raise
    except Refused as error:
        return _refused(request, tournament, sheet, error, form.cleaned_data)


@staff_view("GET", roles=DESK)
def box_reading(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Say what a line in the box means, before it is sent."""
    sheet, text = load_desk_sheet(tournament, number), request.GET.get("text", "")[:LONGEST_LINE]
    context: dict[str, Any]
    try:
        line = parse_line(text, sheet, read_number(request, "line"))
        context = {"line": line, "row": line and line.row}
    except Unclear as error:
        context = {"unclear": error.text, "row": error.row}
    except Refused as error:
        context = {"message": str(error)}
    return render(request, "tournament/rounds/_reading.html", context)


def _enter(
    request: StaffRequest, tournament: Tournament, sheet: DeskSheet, data: dict[str, Any]
) -> HttpResponse:
    line, seen = parse_line(data["text"], sheet, data["line"]), data["seen"]
    if line is None:
        return _name_next(request, tournament, sheet, data["after"] or 0)
    number, table = line.row.round, line.row.table or 0
    if line.what == "scan" and not request.htmx:
        return see_other(_page(tournament, number, line=table))
    about = {"actor": request.user, "key": data["key"], "expects": data["expects"]}
    try:
        action = enter_line(tournament, line, seen, replaces=data["replace"], **about)
    except Conflict as error:
        return conflict_page(request, tournament, number, table, line.slip, error, data["text"], seen)
    sheet = load_desk_sheet(tournament, number, action)
    row = sheet.row(table)
    quiet = action is None and line.what not in ("show", "scan")
    if not request.htmx:
        result = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        message = (
            action_words(tournament, action, sheet)
            or _("Table %(table)s: ") % {"table": row.table_name} + result
        )
        if quiet:
            message = f"{_('Already entered.')} {message}"
        return report_success(request, message, _page(tournament, number, after=table))
    dropped = _list_dropped(tournament, line, row, action)
    context = changed_parts(tournament, sheet, seen=seen, done=action)
    context |= {"row": row, "done": action, "quiet": quiet, "dropped": dropped}
    answer = render(request, "tournament/results/_line_saved.html", context)
    if line.what == "scan":
        trigger_client_event(answer, "put-line", {"table": row.table_name})
    return answer


def _name_next(request: StaffRequest, tournament: Tournament, sheet: DeskSheet, after: int) -> HttpResponse:
    number = sheet.round.number
    if row := sheet.next_outstanding(after):
        return see_other(_page(tournament, number, line=row.table))
    return report_success(request, _("Every table has a result."), _page(tournament, number))


def _page(tournament: Tournament, number: int, **state: Any) -> str:
    """Return the round's URL without a fragment, because browsers do not focus the box if there is one."""
    return f"{round_address(tournament, number)}{'?' if state else ''}{urlencode(state)}"


def _list_dropped(
    tournament: Tournament, line: BoxLine, row: DeskRow, action: Action | None
) -> list[DeskPlayer]:
    """Return the players whose drop the response mentions: all at a table shown on the page, else only new ones."""
    gone = [player for player in row.players if player.gone]
    if not gone or line.what in ("show", "scan"):
        return gone
    if action is None:
        return []
    news = touched_since(tournament, action.number - 1 if line.row.out else line.row.version)
    return [player for player in gone if f"entries/{player.code}" in news]


def _refused(
    request: StaffRequest, tournament: Tournament, sheet: DeskSheet, error: Refused, data: dict[str, Any]
) -> HttpResponse:
    context = {"message": str(error), "round": sheet.round}
    if request.htmx:
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    text = request.POST.get("text", "")[:LONGEST_LINE]
    # Read again: somebody else may have entered what was refused.
    sheet = load_desk_sheet(tournament, sheet.round.number)
    context |= round_context(
        tournament, sheet, text=text, line=data.get("line"), after=data.get("after") or 0
    )
    return render(request, "tournament/rounds/round.html", context, status=error.status)


def conflict_page(
    request: StaffRequest,
    tournament: Tournament,
    number: int,
    table: int,
    slip: Slip | None,
    error: Conflict,
    line: str = "",
    seen: int | None = None,
) -> HttpResponse:
    """Show both values, to keep the saved one or overwrite it. `line`: as typed in the box at revision `seen`."""
    tournament.refresh_from_db()
    context = changed_parts(tournament, load_desk_sheet(tournament, number), seen=seen)
    row = context["sheet"].row(table)
    context |= {
        "row": row,
        "message": str(error),
        "theirs": row.words or _("no result"),
        "yours": slip_words(slip, row) if slip else _("no result"),
        "own_slip": ButtonForm(version=row.version, slip=slip_shorthand(slip, row.rules) if slip else CLEAR),
        "line": line,
        "seen": tournament.revision,
    }
    template = "conflict.html" if not request.htmx else "_line_refused.html" if line else "_conflict.html"
    return render(request, f"tournament/results/{template}", context, status=409)
