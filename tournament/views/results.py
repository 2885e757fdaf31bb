from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK
from tournament.errors import Conflict, NotFound
from tournament.event.profile import ruleset_in_force
from tournament.event.rounds import find_round, match_at, round_name
from tournament.forms.results import PointsForm, SlipForm
from tournament.models import Match, Round, Tournament
from tournament.results import game_points
from tournament.results.desk_rows import DeskRow
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.slip import MatchRules
from tournament.services.results import enter_slip, find_slip_drops, match_rules, record_points
from tournament.views.rounds import action_words, changed_parts, conflict_page, round_address
from tournament.web.staff_pages import StaffRequest, form_data, report_success, staff_view


@staff_view("GET", "POST", results=True)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = match_at(tournament, number, table)
    if request.method != "POST":
        return render(request, "tournament/results/slip.html", slip_context(tournament, match))
    form = _form(match, match_rules(match, ruleset_in_force(tournament)), request.POST)
    if not form.submit(enter_slip, tournament, number, table, actor=request.user):
        if isinstance(form.refusal, Conflict):
            return conflict_page(request, tournament, number, table, form.cleaned_data["read"], form.refusal)
        # The slip as filled in, and why it was refused. The version is the one the person saw.
        template = "tournament/results/_slip.html" if request.htmx else "tournament/results/slip.html"
        return render(request, template, slip_context(tournament, match, form), status=form.status)
    sheet = load_desk_sheet(tournament, number, form.result)
    if not request.htmx:
        message = action_words(tournament, form.result, sheet) or _("Already entered.")
        return report_success(request, message, round_address(tournament, number, table))
    context = changed_parts(tournament, sheet, seen=form.cleaned_data["seen"], but=table, done=form.result)
    context |= {"row": context["sheet"].row(table), "new": True}
    return render(request, "tournament/results/_row_saved.html", context)


@staff_view("GET", roles=DESK)
def slip(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    context = slip_context(tournament, match_at(tournament, number, table))
    answer = render(request, f"tournament/results/{'_slip' if request.htmx else 'slip'}.html", context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def _form(match: Match, rules: MatchRules, data: Any = None, **kwargs: Any) -> SlipForm:
    return SlipForm(data, rules=rules, auto_id=f"slip-{match.table}-%s", **kwargs)


def slip_context(tournament: Tournament, match: Match, form: SlipForm | None = None) -> dict[str, Any]:
    assert match.table is not None
    sheet = load_desk_sheet(tournament, match.round.number)
    row = sheet.row(match.table)
    if form is None:
        rules = match_rules(match, ruleset_in_force(tournament))
        form = _form(match, rules, initial=initial_slip(row, match) | {"seen": sheet.revision})
    form.name_players(row)
    return {"round": match.round, "row": row, "form": form}


def initial_slip(row: DeskRow, match: Match) -> dict[str, Any]:
    drops = find_slip_drops(match)
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


@staff_view("GET", "POST", roles=DESK)
def game_points_page(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    round_ = find_round(tournament, number)
    row = _row_alone(tournament, round_, code)
    points = game_points.points_text(row.fact.score[0]) if row.fact.score else ""
    form = PointsForm(form_data(request), initial={"version": row.version, "points": points})
    if form.submit(record_points, tournament, number, code, actor=request.user):
        message = _("%(name)s: saved.") % {"name": row.a.name}
        return report_success(request, message, round_address(tournament, number))
    context = {"round": round_, "row": row, "form": form}
    return render(request, "tournament/results/game_points.html", context, status=form.status)


def _row_alone(tournament: Tournament, round_: Round, code: str) -> DeskRow:
    for row in load_desk_sheet(tournament, round_.number).alone:
        if row.a.code == code:
            return row
    name = round_name(round_).phrase
    raise NotFound(_("%(code)s does not sit out %(round)s."), code=code, round=name)
