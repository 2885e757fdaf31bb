from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.http import trigger_client_event

from tournament.access.permissions import DESK
from tournament.errors import Conflict, NeedsConfirmation, NotFound, Refused
from tournament.event.profile import ruleset_in_force
from tournament.event.round_names import round_name
from tournament.forms.results import BoxForm, PointsForm, SlipForm, slip_fields
from tournament.models import Action, Match, Round, Tournament
from tournament.results import game_points
from tournament.results.desk_rows import DeskPlayer, DeskRow, DeskSheet, slip_words, touched_since
from tournament.results.desk_sheet import LONGEST_LINE, BoxLine, load_desk_sheet, parse_line
from tournament.results.slip import MatchRules, Slip
from tournament.services.drops import drop_from_table
from tournament.services.results import (
    clear_result,
    find_slip_drops,
    match_rules,
    record_points,
    record_result,
)
from tournament.services.rounds import extend_table, find_round, match_at
from tournament.views.rounds import action_words, changed_parts, round_address, round_context, sheet_at
from tournament.web.keyed_forms import ButtonForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import (
    confirmation,
    first_error,
    form_data,
    report_success,
    see_other,
    staff_view,
)


@staff_view("GET", "POST", results=True)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    match = match_at(tournament, number, table)
    if request.method != "POST":
        return render(request, "tournament/results/slip.html", slip_context(tournament, match))
    form = _form(match, match_rules(match, ruleset_in_force(tournament)), request.POST)
    if not form.submit(enter_slip, tournament, match, actor=request.user):
        if isinstance(form.refusal, Conflict):
            return conflict_page(request, tournament, match, form.cleaned_data["read"], form.refusal)
        # The slip as filled in, and why it was refused. The version is the one the person saw.
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
    context = slip_context(tournament, match_at(tournament, number, table))
    answer = render(request, f"tournament/results/{'_slip' if request.htmx else 'slip'}.html", context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


def enter_slip(
    tournament: Tournament, match: Match, slip: Slip | None, version: int, **about: Any
) -> Action | None:
    number, table = match.round.number, match.table
    if slip is None:
        return clear_result(tournament, number, table, version, **about)
    return record_result(tournament, number, table, slip, version, **about)


def _form(match: Match, rules: MatchRules, data: Any = None, **kwargs: Any) -> SlipForm:
    return SlipForm(data, rules=rules, auto_id=f"slip-{match.table}-%s", **kwargs)


def slip_context(tournament: Tournament, match: Match, form: SlipForm | None = None) -> dict[str, Any]:
    assert match.table is not None
    sheet = load_desk_sheet(tournament, match.round)
    row = sheet.row(match.table)
    if form is None:
        rules = match_rules(match, ruleset_in_force(tournament))
        form = _form(match, rules, initial=initial_slip(row, match) | {"seen": sheet.revision})
    form.name_players(row)
    return {"tournament": tournament, "round": match.round, "row": row, "form": form}


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


def conflict_page(
    request: StaffRequest,
    tournament: Tournament,
    match: Match,
    slip: Slip | None,
    error: Conflict,
    line: str = "",
    seen: int = 0,
) -> HttpResponse:
    """Show both values, to keep the saved one or overwrite it. `line`: as typed in the box at revision `seen`."""
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
        "seen": tournament.revision,
    }
    template = "conflict.html" if not request.htmx else "_line_refused.html" if line else "_conflict.html"
    return render(request, f"tournament/results/{template}", context, status=409)


@staff_view("GET", "POST", roles=DESK)
def game_points_page(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    round_ = find_round(tournament, number)
    row = _row_alone(tournament, round_, code)
    points = game_points.points_text(row.fact.score[0]) if row.fact.score else ""
    form = PointsForm(form_data(request), initial={"version": row.version, "points": points})
    if form.submit(record_points, tournament, number, code, actor=request.user):
        message = _("%(name)s: saved.") % {"name": row.a.name}
        return report_success(request, message, round_address(tournament, number))
    context = {"tournament": tournament, "round": round_, "row": row, "form": form}
    return render(request, "tournament/results/game_points.html", context, status=form.status)


def _row_alone(tournament: Tournament, round_: Round, code: str) -> DeskRow:
    for row in load_desk_sheet(tournament, round_).alone:
        if row.a.code == code:
            return row
    name = round_name(round_).phrase
    raise NotFound(_("%(code)s does not sit out %(round)s."), code=code, round=name)


@staff_view("POST", roles=DESK)
def box(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    sheet = sheet_at(tournament, number)
    round_ = sheet.round
    form, line = BoxForm(request.POST), BoxLine("")
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        data = form.cleaned_data
        line = _parse(data["text"], data["line"], sheet)
        if not line.what:
            return _name_next(request, tournament, sheet, data["after"] or 0)
        if line.what == "scan" and not request.htmx:
            return see_other(_page(tournament, number, line=line.table))
        before = sheet.row(line.table)
        action = _apply(request, tournament, before, line, form.cleaned_data)
    except Conflict as error:
        match = match_at(tournament, number, line.table)
        return conflict_page(request, tournament, match, line.slip, error, data["text"], data["seen"] or 0)
    except NeedsConfirmation:
        raise
    except Refused as error:
        return _refused(request, tournament, round_, error, form.cleaned_data)
    return _saved(request, tournament, round_, before, line, action, form.cleaned_data["seen"] or 0)


def _parse(text: str, named: int | None, sheet: DeskSheet) -> BoxLine:
    if named and text.strip():
        try:
            return parse_line(f"{sheet.row(named).table_name} {text}", sheet)
        except Refused:
            if text.strip().isdigit():
                raise
    return parse_line(text, sheet)


def _apply(
    request: StaffRequest, tournament: Tournament, row: DeskRow, line: BoxLine, data: dict[str, Any]
) -> Action | None:
    number, table, seen = row.round, line.table, data["seen"]
    version = row.version if seen is None or row.version <= seen else seen
    about: dict[str, Any] = {"actor": request.user, "key": data["key"], **confirmation(request)}
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


def _name_next(request: StaffRequest, tournament: Tournament, sheet: DeskSheet, after: int) -> HttpResponse:
    number = sheet.round.number
    if row := sheet.next_outstanding(after):
        return see_other(_page(tournament, number, line=row.table))
    return report_success(request, _("Every table has a result."), _page(tournament, number))


def _page(tournament: Tournament, number: int, **state: Any) -> str:
    """Return the round's URL without a fragment, because browsers do not focus the box if there is one."""
    return f"{round_address(tournament, number)}{'?' if state else ''}{urlencode(state)}"


def _saved(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    before: DeskRow,
    line: BoxLine,
    action: Action | None,
    seen: int,
) -> HttpResponse:
    quiet = action is None and line.what not in ("show", "scan")
    if not request.htmx:
        sheet = sheet_at(tournament, round_.number, action)
        row, sentence = sheet.row(line.table), action_words(tournament, action, sheet)
        result = f"{row.a.name} – {row.b.name if row.b else ''}: {row.words or _('no result')}"
        message = sentence or _("Table %(table)s: ") % {"table": row.table_name} + result
        if quiet:
            message = f"{_('Already entered.')} {message}"
        return report_success(request, message, _page(tournament, round_.number, after=line.table))
    context = changed_parts(tournament, round_, seen=seen, done=action)
    sheet, last = context["sheet"], context["last"]
    newest = action is not None and last is not None and last.number == action.number
    row = sheet.row(line.table)
    sentence = last.sentence if newest else action_words(tournament, action, sheet)
    context |= {
        "row": row,
        "done": action,
        "quiet": quiet,
        "sentence": sentence,
        "dropped": _dropped(tournament, before, row, line, action),
    }
    answer = render(request, "tournament/results/_line_saved.html", context)
    if line.what == "scan":
        trigger_client_event(answer, "put-line", {"table": row.table_name})
    return answer


def _dropped(
    tournament: Tournament, before: DeskRow, row: DeskRow, line: BoxLine, action: Action | None
) -> list[DeskPlayer]:
    """Return the players whose drop the response mentions: all at a table shown on the page, else only new ones."""
    gone = [player for player in (row.a, row.b) if player and player.gone]
    if not gone or line.what in ("show", "scan"):
        return gone
    if action is None:
        return []
    news = touched_since(tournament, action.number - 1 if before.out else before.version)
    return [player for player in gone if f"entries/{player.code}" in news]


def _refused(
    request: StaffRequest, tournament: Tournament, round_: Round, error: Refused, data: dict[str, Any]
) -> HttpResponse:
    context = {"message": str(error), "tournament": tournament, "round": round_}
    if request.htmx:
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    text = request.POST.get("text", "")[:LONGEST_LINE]
    context |= round_context(
        tournament, round_, text=text, line=data.get("line"), after=data.get("after") or 0
    )
    return render(request, "tournament/rounds/round.html", context, status=error.status)
