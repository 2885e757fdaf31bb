"""Results on the slip of one table. Refused and conflicting ones come back with their reason."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.results import SlipForm, slip_fields
from tournament.models import Action, Match, Tournament
from tournament.results import game_points
from tournament.results.desk_sheet import DeskRow, desk_sheet_of, slip_words
from tournament.results.slip import MatchRules, Slip
from tournament.services.results import clear_result, record_result, rules_of, slip_drops_of
from tournament.services.rounds import match_at
from tournament.views.rounds import action_words, changed_parts, round_address
from tournament.web.keyed_forms import ButtonForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """GET: the slip of one table as a page. POST: enter it, and answer its row (or go back to it)."""
    match = match_at(tournament, number, table)
    if request.method != "POST":
        return render(request, "tournament/results/slip.html", slip_context(tournament, match))
    form = _form(match, rules_of(match, profile_of(tournament)), request.POST)
    if not form.is_valid():
        return _refused_slip(request, tournament, match, form, 422)
    slip = form.cleaned_data["read"]
    try:
        action = _enter_slip(request, tournament, match, slip, form.cleaned_data)
    except Conflict as error:
        return conflict_page(request, tournament, match, slip, str(error))
    except Refused as error:
        form.add_error(None, str(error))
        return _refused_slip(request, tournament, match, form, error.status)
    if not request.htmx:
        messages.success(request, action_words(tournament, action) or _("Already entered."))
        return see_other(round_address(tournament, number, table))
    context = changed_parts(tournament, match.round, seen=form.cleaned_data["seen"] or 0, but=table)
    row = context["sheet"].row(table)
    return render(request, "tournament/results/_row_saved.html", {**context, "row": row, "new": True})


@staff_view("GET", roles=DESK)
def slip(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """The slip of one table in place of its row."""
    context = slip_context(tournament, match_at(tournament, number, table))
    return render(request, "tournament/results/_slip.html", context)


def _enter_slip(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, data: dict[str, Any]
) -> Action | None:
    """Record the slip, or clear the table where there is none."""
    about = {"actor": request.user, "key": data["key"]}
    number, table, version = match.round.number, match.table, data["version"]
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
        form = _form(match, rules, initial=_initial(row, match) | {"seen": sheet.revision})
    form.name_players(row)
    return {"tournament": tournament, "round": match.round, "row": row, "form": form}


def _initial(row: DeskRow, match: Match) -> dict[str, Any]:
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


def _refused_slip(
    request: StaffRequest, tournament: Tournament, match: Match, form: SlipForm, status: int
) -> HttpResponse:
    """The slip with what was filled in and why it was refused; the version is the one they saw."""
    template = "tournament/results/_slip.html" if request.htmx else "tournament/results/slip.html"
    return render(request, template, slip_context(tournament, match, form), status=status)


def conflict_page(
    request: StaffRequest, tournament: Tournament, match: Match, slip: Slip | None, message: str
) -> HttpResponse:
    """Both values side by side: keep what is saved, or enter the other over it."""
    assert match.table is not None
    tournament.refresh_from_db()
    row = desk_sheet_of(tournament, match.round).row(match.table)
    context = {
        "tournament": tournament,
        "round": match.round,
        "row": row,
        "message": message,
        **both_values(row, slip),
        "own_slip": ButtonForm(version=row.version, **slip_fields(slip)),
    }
    template = "tournament/results/_conflict.html" if request.htmx else "tournament/results/conflict.html"
    return render(request, template, context, status=409)


def both_values(row: DeskRow, slip: Slip | None) -> dict[str, str]:
    """The result that is saved, and the one that was refused, in words."""
    return {
        "theirs": row.words or _("no result"),
        "yours": slip_words(slip, row) if slip else _("no result"),
    }
