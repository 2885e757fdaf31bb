"""The desk of one round: its page, the parts that change when others enter results, its clock."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK
from tournament.event.clock import round_clock, round_length, turns_after_time
from tournament.event.round_names import round_name, round_names
from tournament.event.table_plan import table_name
from tournament.forms.clock import AddForm, ClockForm, LengthForm, ScheduleForm, SetForm, StartForm
from tournament.forms.results import BoxForm
from tournament.history.describe import (
    DescribedAction,
    describe_actions,
    describe_last_change,
    describe_saved,
)
from tournament.history.public_corrections import corrected_keys, list_public_corrections
from tournament.models import Action, Extension, Round, Tournament
from tournament.progress.flights import flight_round_words
from tournament.progress.next_step import build_progress
from tournament.progress.schedule import round_up
from tournament.results.desk_rows import DeadlineGroup, DeskSheet, group_by_deadline, list_disputes
from tournament.results.desk_sheet import kept_sheet, load_desk_sheet
from tournament.results.shorthand import readings_by_text
from tournament.services import clock as services
from tournament.services.judging import list_open_calls
from tournament.services.rounds import find_round
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_number, report_success, staff_view

CHANGES: dict[str, tuple[type[ClockForm], Any]] = {
    "start": (StartForm, services.start_clock),
    "begin": (ClockForm, services.begin_round),
    "schedule": (ScheduleForm, services.schedule_clock),
    "pause": (ClockForm, services.pause_clock),
    "resume": (ClockForm, services.resume_clock),
    "stop": (ClockForm, services.stop_clock),
    "add": (AddForm, services.add_minutes),
    "length": (LengthForm, services.change_length),
    "set": (SetForm, services.set_clock),
}


@staff_view("GET")
def desk_round(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    round_ = sheet_at(tournament, number).round
    if round_.state == Round.State.DRAFT:
        return redirect("draft", tournament.slug, number)
    if not round_.swiss:
        return redirect("desk-bracket", tournament.slug)
    line, after = read_number(request, "line"), read_number(request, "after")
    context = round_context(tournament, round_, line=line, after=line or after)
    context |= {"with_names": bool(request.GET.get("names"))}
    return render(request, "tournament/rounds/round.html", context)


def round_context(tournament: Tournament, round_: Round, **box: Any) -> dict[str, Any]:
    sheet = _load_round_sheet(tournament, round_)
    progress = build_progress(tournament, round_.stage_id)
    facts = progress.facts
    named = next((row for row in sheet.rows if row.table == box.get("line")), None)
    return {
        **_round_parts(tournament, round_, sheet),
        "progress": progress,
        "open_messages": facts.open_messages,
        "calls": list_open_calls(tournament, timezone.now()) if facts.open_calls else [],
        "last": describe_last_change(tournament, sheet.names, sheet.seats_in),
        "session": flight_round_words(facts.flights, round_),
        "with_names": False,
        "box": BoxForm.shown(sheet.revision, sheet.rules, **box | {"line": named and named.table}),
        "named": named,
        "readings": readings_by_text(sheet.rules) if sheet.rules else {},
    }


def changed_parts(
    tournament: Tournament, round_: Round, *, seen: int, but: int | None = None, done: Action | None = None
) -> dict[str, Any]:
    """Return the parts that update a page at revision `seen`, except table `but`. `done`: the action just saved."""
    sheet = _load_round_sheet(tournament, round_, done)
    round_names(tournament).know(round_)
    last: DescribedAction | None
    if done is not None and done.number == tournament.revision == sheet.revision:
        last = describe_saved(tournament, done, sheet.names, sheet.seats_in(done))
    else:
        last = describe_last_change(tournament, sheet.names, sheet.seats_in)
    attention: dict[str, Any] = {}
    if done is None:
        attention["open_messages"] = tournament.flags.filter(kind="message", done=False).count()
        attention["calls"] = list_open_calls(tournament, timezone.now())
    return {
        **_round_parts(tournament, round_, sheet),
        **attention,
        "progress": SimpleLazyObject(lambda: build_progress(tournament, round_.stage_id)),
        "last": last,
        "box": BoxForm.swapped(sheet.revision),
        "changed": sheet.changed_since(tournament, seen, but) if seen else [],
    }


def sheet_at(tournament: Tournament, number: int, done: Action | None = None) -> DeskSheet:
    return kept_sheet(tournament, number, done) or load_desk_sheet(tournament, find_round(tournament, number))


def _load_round_sheet(tournament: Tournament, round_: Round, done: Action | None = None) -> DeskSheet:
    sheet = kept_sheet(tournament, round_.number, done) or load_desk_sheet(tournament, round_)
    if round_.state == Round.State.COMPLETE:
        return sheet.with_corrected(corrected_keys(list_public_corrections(tournament, {})))
    return sheet


def _round_parts(tournament: Tournament, round_: Round, sheet: DeskSheet) -> dict[str, Any]:
    groups = _deadline_groups(sheet)
    last = groups[-1] if groups else None
    return {
        "tournament": tournament,
        "round": round_,
        "open": round_.state == Round.State.PUBLISHED,
        "sheet": sheet,
        "disputes": list_disputes(sheet),
        "count": sheet.count,
        "title": _title(sheet),
        "mark": _status_mark(sheet, groups),
        "groups": groups,
        "can_start": round_up(last.ends) if last and last.ends and not last.past else None,
        "desk_url": round_address(tournament, round_.number),
    }


def _deadline_groups(sheet: DeskSheet) -> list[DeadlineGroup]:
    return group_by_deadline(round_clock(sheet.round), sheet.outstanding, timezone.now())


def _status_mark(sheet: DeskSheet, groups: Iterable[DeadlineGroup]) -> str:
    """Return the sheet's revision with the number of overdue tables, which changes with time."""
    return f"{sheet.revision}.{sum(len(group.rows) for group in groups if group.past)}"


def _title(sheet: DeskSheet) -> str:
    values = {"round": round_name(sheet.round).title, **sheet.count}
    return _("%(round)s · %(out)s of %(all)s tables outstanding") % values


@staff_view("GET")
def status(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Poll the counters; 204 if their version is still `?v=`. The counters then fetch the rows that changed."""
    sheet = sheet_at(tournament, number)
    seen, mark = request.GET.get("v", ""), _status_mark(sheet, _deadline_groups(sheet))
    if seen == mark:
        return HttpResponse(status=204)
    context = {
        "tournament": tournament,
        "round": sheet.round,
        "open": sheet.round.state == Round.State.PUBLISHED,
        "count": sheet.count,
        "title": _title(sheet),
        "mark": mark,
        "fetch_since": read_number(request, "v"),
    }
    return render(request, "tournament/rounds/_status.html", context)


@staff_view("GET")
def rows(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    round_ = sheet_at(tournament, number).round
    context = changed_parts(tournament, round_, seen=read_number(request, "since"))
    return render(request, "tournament/rounds/_changes.html", context)


@staff_view("GET")
def row(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    sheet = sheet_at(tournament, number)
    context = {"tournament": tournament, "row": sheet.row(table), "open": True}
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


@staff_view("GET")
def clock(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    return _clock_page(request, tournament, find_round(tournament, number))


@staff_view("GET")
def clock_controls(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    context = clock_context(tournament, find_round(tournament, number))
    if request.GET.get("v") == context["mark"]:
        return HttpResponse(status=204)
    context |= {"page": request.GET.get("page")}
    return render(request, "tournament/clock/_controls.html", context)


@staff_view("POST", roles=DESK)
def change_clock(request: StaffRequest, tournament: Tournament, number: int, what: str) -> HttpResponse:
    if what not in CHANGES:
        raise Http404
    make, service = CHANGES[what]
    form = make(request.POST)
    done = form.submit(service, tournament, number, actor=request.user)
    round_ = find_round(tournament, number)
    if request.htmx:
        context = clock_context(tournament, round_, "" if done else first_error(form))
        return render(
            request, "tournament/clock/_controls.html", context, status=200 if done else form.status
        )
    if not done:
        return _clock_page(request, tournament, round_, what, form)
    words = action_words(tournament, form.result) or _("Nothing changed.")
    own = reverse("desk-clock", args=[tournament.slug, number])
    to = own if request.POST.get("page") == "clock" else round_address(tournament, number)
    return report_success(request, words, to)


def clock_context(tournament: Tournament, round_: Round, message: str = "") -> dict[str, Any]:
    shown = round_clock(round_)
    state = shown.state(timezone.now())
    open_ = round_.state == Round.State.PUBLISHED
    return {
        "tournament": tournament,
        "round": round_,
        "clock": shown,
        "state": state,
        "minutes": round_length(round_),
        "turns": turns_after_time(tournament),
        "may": open_ and tournament.role in DESK,
        "begun": not round_.swiss and shown.has_started(timezone.now()),
        "seen": services.clock_version(round_),
        "mark": f"{round_.state[0]}{state[0]}{shown.mark or shown.starts}.{round_length(round_)}",
        "message": message,
    }


def _clock_page(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    what: str = "",
    refused: KeyedForm | None = None,
) -> HttpResponse:
    context = clock_context(tournament, round_, first_error(refused) if refused else "")
    start = {"minutes": context["minutes"], "seen": context["seen"]}
    forms: dict[str, KeyedForm] = {}
    if context["state"] in ("off", "scheduled"):
        forms |= {"start": StartForm(initial=start), "schedule": ScheduleForm(initial=start)}
    forms |= {"length": LengthForm(initial=start), "set": SetForm(initial=start)}
    if refused and what in forms:
        refused.initial = {**refused.initial, **start}
        forms[what] = refused
        context["message"] = ""  # shown by the form
    extended = Extension.objects.filter(match__round=round_).select_related("match").order_by("match__table")
    rows = [
        (table_name(tournament, row.match.table, round_), row, context["clock"].extended(row.minutes))
        for row in extended
    ]
    context |= {"forms": list(forms.values()) if context["may"] else [], "extended": rows, "page": "clock"}
    return render(request, "tournament/clock/clock.html", context, status=refused.status if refused else 200)
