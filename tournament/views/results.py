"""Results on the slip of one table, and points of a player without an opponent."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, NotFound
from tournament.event.profile import profile_of
from tournament.forms.results import PointsForm, SlipForm, slip_fields
from tournament.models import Action, Match, Round, Tournament
from tournament.results import game_points
from tournament.results.desk_rows import DeskRow, slip_words
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.slip import MatchRules, Slip
from tournament.services.results import (
    clear_result,
    record_points,
    record_result,
    rules_of,
    slip_drops_of,
)
from tournament.services.rounds import match_at, round_of
from tournament.views.rounds import action_words, changed_parts, round_address, sheet_at
from tournament.web.keyed_forms import ButtonForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, report_success, staff_view


@staff_view("GET", "POST", right="results")
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """GET: the slip of one table as a page. POST: enter it, and answer its row (or go back to it)."""
    match = match_at(tournament, number, table)
    if request.method != "POST":
        return render(request, "tournament/results/slip.html", slip_context(tournament, match))
    form = _form(match, rules_of(match, profile_of(tournament)), request.POST)
    if not form.submit(enter_slip, tournament, match, actor=request.user):
        if isinstance(form.refusal, Conflict):
            return conflict_page(request, tournament, match, form.cleaned_data["read"], form.refusal)
        # The slip with what was filled in and why it was refused; the version is the one they saw.
        template = "tournament/results/_slip.html" if request.htmx else "tournament/results/slip.html"
        return render(request, template, slip_context(tournament, match, form), status=form.status)
    if not request.htmx:
        sheet = sheet_at(tournament, number, form.result)
        message = action_words(tournament, form.result, sheet) or _("Already entered.")
        return report_success(request, message, round_address(tournament, number, table))
    seen = form.cleaned_data["seen"] or 0
    context = changed_parts(tournament, match.round, seen=seen, but=table, done=form.result)
    row = context["sheet"].row(table)
    return render(request, "tournament/results/_row_saved.html", {**context, "row": row, "new": True})


@staff_view("GET", roles=DESK)
def slip(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """The slip of one table: for htmx in place of its row, else a page."""
    context = slip_context(tournament, match_at(tournament, number, table))
    answer = render(request, f"tournament/results/{'_slip' if request.htmx else 'slip'}.html", context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def enter_slip(
    tournament: Tournament, match: Match, slip: Slip | None, version: int, **about: Any
) -> Action | None:
    """Record the slip, or clear the table where there is none."""
    number, table = match.round.number, match.table
    if slip is None:
        return clear_result(tournament, number, table, version, **about)
    return record_result(tournament, number, table, slip, version, **about)


def _form(match: Match, rules: MatchRules, data: Any = None, **kwargs: Any) -> SlipForm:
    return SlipForm(data, rules=rules, auto_id=f"slip-{match.table}-%s", **kwargs)


def slip_context(tournament: Tournament, match: Match, form: SlipForm | None = None) -> dict[str, Any]:
    """The slip of one table: as it is saved, or as a refused `form` has it."""
    assert match.table is not None
    sheet = desk_sheet_of(tournament, match.round)
    row = sheet.row(match.table)
    if form is None:
        rules = rules_of(match, profile_of(tournament))
        form = _form(match, rules, initial=initial_slip(row, match) | {"seen": sheet.revision})
    form.name_players(row)
    return {"tournament": tournament, "round": match.round, "row": row, "form": form}


def initial_slip(row: DeskRow, match: Match) -> dict[str, Any]:
    """The saved result as the fields of a slip."""
    drops = slip_drops_of(match)
    games = dict(zip(("a", "b", "drawn"), row.fact.games or (), strict=False))
    score = row.fact.score
    points = dict(zip(("score_a", "score_b"), map(game_points.points_text, score or ()), strict=False))
    return {
        **games,
        **points,
        "order": row.fact.game_order,
        "version": row.version,
        "a_drops": "a" in drops,
        "b_drops": "b" in drops,
    }


def conflict_page(
    request: StaffRequest,
    tournament: Tournament,
    match: Match,
    slip: Slip | None,
    error: Conflict,
    line: str = "",
    seen: int = 0,
) -> HttpResponse:
    """Both values side by side: keep what is saved, or enter the other over it.

    `line`: as the one box had it, on a page that shows revision `seen`; it is brought up to now.
    """
    assert match.table is not None
    tournament.refresh_from_db()
    context = changed_parts(tournament, match.round, seen=seen)
    row = context["sheet"].row(match.table)
    context |= {
        "row": row,
        "message": str(error),
        "theirs": row.words or _("no result"),
        "yours": slip_words(slip, row) if slip else _("no result"),
        "own_slip": ButtonForm(version=row.version, **slip_fields(slip)),
        "line": line,
        "score": request.POST.get("score", ""),
        "seen": tournament.revision,
    }
    template = "conflict.html" if not request.htmx else "_line_refused.html" if line else "_conflict.html"
    return render(request, f"tournament/results/{template}", context, status=409)


@staff_view("GET", "POST", roles=DESK)
def game_points_page(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    """The game points of a player without an opponent. POST: save them, and back to the round."""
    round_ = round_of(tournament, number)
    row = _row_alone(tournament, round_, code)
    points = game_points.points_text(row.fact.score[0]) if row.fact.score else ""
    form = PointsForm(form_data(request), initial={"version": row.version, "points": points})
    if form.submit(record_points, tournament, number, code, actor=request.user):
        message = _("%(name)s: saved.") % {"name": row.a.name}
        return report_success(request, message, round_address(tournament, number))
    context = {"tournament": tournament, "round": round_, "row": row, "form": form}
    return render(request, "tournament/results/game_points.html", context, status=form.status)


def _row_alone(tournament: Tournament, round_: Round, code: str) -> DeskRow:
    """The row of the player without an opponent. Raises NotFound."""
    for row in desk_sheet_of(tournament, round_).alone:
        if row.a.code == code:
            return row
    raise NotFound(_("%(code)s does not sit out round %(round)s."), code=code, round=round_.number)
