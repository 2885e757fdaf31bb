"""Judges' pages on a phone: the round's tables with their state, and one table with its actions."""

from collections import Counter
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK, may_enter_results, may_read_decks
from tournament.event.clock import round_clock
from tournament.event.read import load_event_values
from tournament.event.rounds import find_round, match_at
from tournament.event.table_plan import find_table
from tournament.forms.judges import DeckCheckForm, EndDeckCheckForm, ExtensionForm, UndoAtTableForm
from tournament.history.describe import describe_actions
from tournament.models import Decklist, Round, Tournament
from tournament.paper.paper_list import RoundPaper
from tournament.progress.schedule import minute_version
from tournament.results.desk_rows import DeskPlayer, list_hall_tables
from tournament.results.desk_sheet import DeskSheet, load_desk_sheet
from tournament.services import judging as services
from tournament.services.decklists import load_newest_decklists
from tournament.services.results import extend_table
from tournament.services.standings_hooks import standings
from tournament.services.undo import last_action_at, may_undo_at_table, undo_as_staff
from tournament.text import fold_name
from tournament.views.rounds import action_words
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import (
    StaffRequest,
    confirmation,
    first_error,
    form_data,
    read_action,
    read_number,
    read_words,
    report_success,
    see_other,
    service_fields,
    staff_view,
)

EXTENSIONS = (3, 5, 10)  # minutes
MOST_FOUND = 20  # players


class FoundSeat(NamedTuple):
    name: str
    round: Round
    table: int
    table_name: str


@staff_view("GET")
def judge(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    context = _tables_context(request, tournament)
    context["words"] = words = read_words(request.GET)
    if context["round"] is not None and words:
        # A judge goes to every session: the requested round comes first, then the others in progress.
        others = [round_ for round_ in context["rounds"] if round_ != context["round"]]
        sheets = [context["sheet"], *(load_desk_sheet(tournament, round_.number) for round_ in others)]
        for sheet in sheets:
            number = _table_in(sheet, words)
            if number in {row.table for row in sheet.rows}:
                return see_other("judge-table", tournament.slug, sheet.round.number, number)
        context["seats"] = _find_seats(sheets, fold_name(words))
    return render(request, "tournament/judges/judge.html", context)


@staff_view("GET")
def tables(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Poll the tables; 204 if nothing has changed since `?v=` and it is still the same minute."""
    if request.GET.get("v") == minute_version(tournament):
        return HttpResponse(status=204)
    return render(request, "tournament/judges/_tables.html", _tables_context(request, tournament))


def _round_context(request: StaffRequest, tournament: Tournament) -> dict[str, Any]:
    number = read_number(request, "round")
    rounds = list(tournament.rounds.filter(state=Round.State.PUBLISHED).select_related("stage"))
    round_ = next((each for each in rounds if each.number == number), rounds[-1] if rounds else None)
    query = urlencode({"round": number}) if number else ""
    return {"rounds": rounds, "round": round_, "query": query}


def _tables_context(request: StaffRequest, tournament: Tournament) -> dict[str, Any]:
    mark, now = minute_version(tournament), timezone.now()
    context = _round_context(request, tournament) | {"mark": mark}
    round_ = context["round"]
    if round_ is None:
        return context
    sheet = load_desk_sheet(tournament, round_.number)
    hall = list_hall_tables(sheet, now)
    context |= {
        "sheet": sheet,
        "out": [table for table in hall if table.state != "done"],
        "entered": [table for table in hall if table.state == "done"],
        "calls": services.list_open_calls(tournament, now),  # a judge goes to every session
        "runs_clock": tournament.role in DESK,
    }
    return context


def _table_in(sheet: DeskSheet, words: str) -> int:
    number, rest = find_table(sheet.plan, words) or (int(words) if words.isdecimal() else 0, "")
    return 0 if rest else number


def _find_seats(sheets: list[DeskSheet], sought: str) -> list[FoundSeat]:
    seats = [
        FoundSeat(player.name, sheet.round, row.table, row.table_name)
        for sheet in sheets
        for row in sheet.rows
        for player in (row.a, row.b)
        if player and row.table and sought in fold_name(player.name)
    ]

    def order(seat: FoundSeat) -> tuple[bool, str, int]:
        return not fold_name(seat.name).startswith(sought), seat.name, seat.table

    return sorted(seats, key=order)[:MOST_FOUND]


@staff_view("GET")
def table(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    return _table_page(request, number, table)


@staff_view("POST")
def extend(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    form = ExtensionForm(form_data(request))
    if form.submit(extend_table, tournament, number, table, actor=request.user):
        words = action_words(tournament, form.result)
        return report_success(request, words, "judge-table", tournament.slug, number, table)
    return _table_page(request, number, table, form)


@staff_view("POST")
def undo(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    sent = service_fields(request, UndoAtTableForm(request.POST))
    action = undo_as_staff(tournament, **sent, **confirmation(request))
    words = action_words(tournament, action) or _("Already undone.")
    return report_success(request, words, "judge-table", tournament.slug, number, table)


@staff_view("POST")
def start_check(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    fields = service_fields(request, DeckCheckForm(request.POST))
    action = services.start_deck_check(tournament, number, table, judge=request.user.get_username(), **fields)
    return report_success(
        request, action_words(tournament, action), "judge-table", tournament.slug, number, table
    )


@staff_view("POST")
def end_check(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    form = EndDeckCheckForm(request.POST)
    if form.submit(services.end_deck_check, tournament, number, table, actor=request.user):
        words = action_words(tournament, form.result)
        given = any(change["fact"].endswith("/extension") for change in form.result.changes)
        if form.cleaned_data["minutes"] and not given:
            words += " " + _("The table has its result: no minutes were given back.")
        return report_success(request, words, "judge-table", tournament.slug, number, table)
    return _table_page(request, number, table, form)


@staff_view("POST")
def answer(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    done = "done" in request.POST
    (services.settle_call if done else services.answer_call)(tournament, number, **read_action(request))
    words = _("The call is done.") if done else _("The player sees that you are on the way.")
    return report_success(request, words, "judge", tournament.slug)


@staff_view("GET")
def deck_checks(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    context = _round_context(request, tournament)
    checks = services.list_deck_checks(tournament)
    context |= {"checks": checks, "players": len({row.entry.code for row in checks})}
    if (round_ := context["round"]) is not None:
        sheet = load_desk_sheet(tournament, round_.number)
        points = standings().points_before(load_event_values(tournament, paired=False), round_.number)
        context["suggestions"] = services.suggest_tables(tournament, sheet.outstanding, checks, points)
    return render(request, "tournament/judges/deck_checks.html", context)


def _load_decklists(
    tournament: Tournament, people: list[DeskPlayer]
) -> list[tuple[DeskPlayer, Decklist | None]]:
    if tournament.decklist_rule == Tournament.DecklistRule.OFF or not may_read_decks(tournament):
        return []
    lists = load_newest_decklists(tournament, [player.code for player in people])
    return [(player, lists.get(player.code)) for player in people]


def _table_page(
    request: StaffRequest, number: int, table: int, refused: KeyedForm | None = None
) -> HttpResponse:
    tournament = request.tournament
    round_ = find_round(tournament, number)
    row = load_desk_sheet(tournament, number).row(table)
    match = match_at(tournament, number, table)
    points = RoundPaper(tournament, round_).points
    people = [player for player in (row.a, row.b) if player]
    penalties = services.list_penalties(tournament, [player.code for player in people])
    count = Counter(each.entry.code for each in penalties)
    extension = refused if isinstance(refused, ExtensionForm) else ExtensionForm()
    extension.initial = {"seen": row.extra}
    clock = round_clock(round_).extended(row.extra)
    last, checks = last_action_at(tournament, row), services.open_checks_at(match)
    open_, over = round_.state == Round.State.PUBLISHED, tournament.state == Tournament.State.FINISHED
    context = {
        "round": round_,
        "row": row,
        "decklists": _load_decklists(tournament, people),
        "players": [(player, points.get(player.code, ""), count[player.code]) for player in people],
        "clock": clock,
        "extensions": [(more, clock.extended(more).ends) for more in EXTENSIONS],
        "form": extension,
        "message": first_error(refused),
        "can_extend": open_ and row.out,
        "over": over,
        "can_enter": open_ and round_.swiss and may_enter_results(tournament),
        "start_check": DeckCheckForm.of(people) if open_ and not (over or checks) else None,
        "end_check": EndDeckCheckForm.of(checks[0], timezone.now(), out=row.out)
        if checks and not over
        else None,
        "checks": checks,
        "call": None if over else services.open_call_at(match),
        "last": describe_actions(tournament, [last])[0] if last else None,
        "can_undo": last is not None and not over and may_undo_at_table(tournament, last, request.user),
    }
    template = "_table.html" if request.htmx else "table.html"
    return render(
        request, f"tournament/judges/{template}", context, status=refused.status if refused else 200
    )
