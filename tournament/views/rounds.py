"""The desk of one round: its page, and the parts that are updated when others enter results."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page

from tournament.event.clock import clock_of
from tournament.event.table_plan import table_name
from tournament.forms.box import BoxForm
from tournament.forms.fixed_score import FixedScoreForm
from tournament.history.describe import DescribedAction, describe_actions, describe_saved, last_change_of
from tournament.history.public_corrections import corrected_keys, public_corrections_of
from tournament.models import Action, Round, Tournament
from tournament.players.player_messages import player_messages_of
from tournament.progress.facts import progress_facts_of
from tournament.progress.flights import flight_round_words
from tournament.progress.next_step import progress_of
from tournament.progress.turnaround import minute_of, turnaround_of
from tournament.results.deadline_groups import DeadlineGroup, deadline_groups_of
from tournament.results.desk_rows import DeskSheet
from tournament.results.desk_sheet import desk_sheet_of, kept_sheet
from tournament.results.fixed_score import fixed_score_of
from tournament.results.readings import readings_of
from tournament.results.table_ranges import ranges_of
from tournament.services.rounds import round_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_number, staff_view


@staff_view("GET")
@gzip_page  # with random padding: what stands there cannot be guessed from the length of the answer
def desk_round(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The round as a scorekeeper works on it; drafts and brackets have pages of their own."""
    round_ = sheet_at(tournament, number).round
    if round_.state == Round.State.DRAFT:
        return redirect("draft", tournament.slug, number)
    if not round_.swiss:
        return redirect("desk-bracket", tournament.slug)
    text = request.GET.get("line", "")
    text = f"{table_name(tournament, int(text))} " if text.isdecimal() and len(text) <= 4 else ""
    context = round_context(tournament, round_, text, request.GET.get("score"))
    context |= {"with_names": bool(request.GET.get("names"))}
    return render(request, "tournament/rounds/round.html", context)


def round_context(
    tournament: Tournament, round_: Round, text: str = "", score: str | None = None
) -> dict[str, Any]:
    """What the page of a round shows; `text`: what stands in the box, `score`: as `fixed_score_of` takes it."""
    sheet = _sheet_of(tournament, round_)
    progress = progress_of(tournament, round_.stage_id)
    fixed, facts = fixed_score_of(sheet.rules, score), progress.facts
    return {
        **_round_parts(tournament, round_, sheet),
        "progress": progress,
        "open_messages": facts.open_messages,
        "last": last_change_of(tournament, sheet.names, sheet.seats_in),
        "session": flight_round_words(facts.flights, round_),
        "player_messages": player_messages_of(tournament) if facts.open_messages else [],
        "with_names": False,
        "box": BoxForm.shown(sheet.revision, sheet.rules, text, fixed.text if fixed else ""),
        "fixed": fixed,
        "ranges": ranges_of(tournament, sheet),
        "score_form": FixedScoreForm(score or "") if fixed and not fixed.text else None,
        "readings": readings_of(sheet.rules) if sheet.rules else {},
    }


def changed_parts(
    tournament: Tournament, round_: Round, *, seen: int, but: int | None = None, done: Action | None = None
) -> dict[str, Any]:
    """What brings a page that shows revision `seen` up to now; without the row of table `but`.

    `done`: the action that was just saved at one of the round's tables: polls bring the number of messages. The next
    step is found out where it is shown.
    """
    sheet = _sheet_of(tournament, round_, done)
    last: DescribedAction | None
    if done is not None and done.number == tournament.revision == sheet.revision:
        last = describe_saved(tournament, done, sheet.names, sheet.seats_in(done))
    else:
        last = last_change_of(tournament, sheet.names, sheet.seats_in)
    return {
        **_round_parts(tournament, round_, sheet),
        "progress": SimpleLazyObject(lambda: progress_of(tournament, round_.stage_id)),
        "open_messages": None if done else tournament.flags.filter(kind="message", done=False).count(),
        "last": last,
        "box": BoxForm.swapped(sheet.revision),
        "changed": sheet.changed_since(tournament, seen, but) if seen else [],
    }


def sheet_at(tournament: Tournament, number: int, done: Action | None = None) -> DeskSheet:
    """The sheet of the round of that number, after `done`. Raises NotFound."""
    return kept_sheet(tournament, number, done) or desk_sheet_of(tournament, round_of(tournament, number))


def _sheet_of(tournament: Tournament, round_: Round, done: Action | None = None) -> DeskSheet:
    """The round's tables after `done`; those of a complete round say which action corrected them."""
    sheet = kept_sheet(tournament, round_.number, done) or desk_sheet_of(tournament, round_)
    if round_.state == Round.State.COMPLETE:
        return sheet.with_corrected(corrected_keys(public_corrections_of(tournament, {})))
    return sheet


def _round_parts(tournament: Tournament, round_: Round, sheet: DeskSheet) -> dict[str, Any]:
    """What the page of a round and its changed parts have in common."""
    groups = _deadline_groups(sheet)
    return {
        "tournament": tournament,
        "round": round_,
        "open": round_.state == Round.State.PUBLISHED,
        "sheet": sheet,
        "count": sheet.count,
        "title": _title(sheet),
        "mark": _status_mark(sheet, groups),
        "groups": groups,
        "desk_url": round_address(tournament, round_.number),
    }


def _deadline_groups(sheet: DeskSheet) -> list[DeadlineGroup]:
    return deadline_groups_of(clock_of(sheet.round), sheet.outstanding, timezone.now())


def _status_mark(sheet: DeskSheet, groups: Iterable[DeadlineGroup]) -> str:
    """The revision of the sheet, and how many of its tables are past their time: that changes by itself."""
    return f"{sheet.revision}.{sum(len(group.rows) for group in groups if group.past)}"


def _title(sheet: DeskSheet) -> str:
    """The title of a round's desk."""
    values = {"number": sheet.round.number, **sheet.count}
    return _("Round %(number)s · %(out)s of %(all)s tables outstanding") % values


@staff_view("GET")
def turnaround(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The polled start of the next round: 204 within the minute of `?v=`."""
    round_ = round_of(tournament, number)
    if request.GET.get("v") == minute_of(timezone.now()):
        return HttpResponse(status=204)
    context = {
        "tournament": tournament,
        "round": round_,
        "turnaround": turnaround_of(tournament, progress_facts_of(tournament), round_),
    }
    return render(request, "tournament/progress/_turnaround.html", context)


@staff_view("GET")
def status(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The polled counters: 204 while `?v=` is their mark. They fetch the rows that changed."""
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
    """The rows that changed after `?since=`, each to be swapped in its own place."""
    round_ = sheet_at(tournament, number).round
    context = changed_parts(tournament, round_, seen=read_number(request, "since"))
    return render(request, "tournament/rounds/_changes.html", context)


@staff_view("GET")
def row(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """One row, as it is now."""
    sheet = sheet_at(tournament, number)
    context = {"tournament": tournament, "row": sheet.row(table), "open": True}
    context |= {"desk_url": round_address(tournament, number)}
    return render(request, "tournament/rounds/_match_row.html", context)


def round_address(tournament: Tournament, number: int, table: int | None = None) -> str:
    """The round's desk, at a table's row."""
    page = reverse("desk-round", args=[tournament.slug, number])
    return f"{page}#match-{table}" if table else page


def action_words(tournament: Tournament, action: Action | None, sheet: DeskSheet | None = None) -> str:
    """What an action did, in one sentence. `sheet`: of the round at whose tables it was done, if known."""
    if action is None:
        return ""
    names, seats = (sheet.names, sheet.seats_in(action)) if sheet else (None, None)
    return describe_actions(tournament, [action], names, seats)[0].sentence
