"""The bracket at the desk: results, repeat games, decisions, first moves; each opens what became ready."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.bracket.cut_preview import changed_qualifiers_of
from standings.bracket.results import (
    bracket_match_at,
    choose_first_move,
    decide_match,
    record_bracket_result,
    record_repeat_game,
    time_left,
)
from standings.bracket.tree import tree_of_event
from standings.forms.bracket import BracketFirstMoveForm, BracketForm, BracketSlipForm, DecisionForm
from standings.table.cache import staff_event_of
from standings.views.bracket_rows import bracket_rows_of, refuse
from standings.words.bracket import page_title
from tournament.access.fetch import DESK
from tournament.errors import Forbidden, Refused
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.models import Action, Staff, Tournament
from tournament.results.slip import Slip
from tournament.services.results import rules_of
from tournament.views.rounds import action_words
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, service_fields, staff_view

PAGE, PART = "standings/bracket_desk/desk.html", "standings/bracket_desk/_desk.html"


@staff_view("GET")
def bracket(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The open matches with their buttons, the tree, and the results entered so far."""
    return render(request, PAGE, _bracket_context(tournament))


@staff_view("POST", roles=DESK)
def result(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Enter the result of a bracket match, or its repeat game."""
    match = bracket_match_at(tournament, number, table)

    def record(*place: Any, read: Slip | None, repeat: bool, **more: Any) -> Action | None:
        if read is None:
            raise Refused(_("A bracket result cannot be cleared. Correct or undo it instead."))
        if repeat:
            return record_repeat_game(*place, read, time=time_left(match.round), **more)
        return record_bracket_result(*place, read, **more)

    form = BracketSlipForm(request.POST, rules=rules_of(match, profile_of(tournament)))
    return _save(request, tournament, number, table, form, record)


@staff_view("POST", roles=DESK)
def decision(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Decide a drawn match without a game; between tied finalists only an organizer can."""
    match = bracket_match_at(tournament, number, table)

    def decide(*place: Any, winner: str, **more: Any) -> None:
        if winner and tournament.role != Staff.Role.OWNER:
            raise Forbidden(_("Only an organizer can decide between tied players."))
        decide_match(*place, winner=winner, time=time_left(match.round), **more)

    return _save(request, tournament, number, table, DecisionForm(request.POST), decide)


@staff_view("POST", roles=DESK)
def first(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Record who moves first."""
    bracket_match_at(tournament, number, table)
    return _save(request, tournament, number, table, BracketFirstMoveForm(request.POST), choose_first_move)


def _save(
    request: StaffRequest,
    tournament: Tournament,
    number: int,
    table: int,
    form: BracketForm,
    service: Callable[..., Any],
) -> HttpResponse:
    """Save what a form says of a match; what is refused stands in the match's row."""
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        action = service(tournament, number, table, **service_fields(request, form))
    except Refused as error:
        context = _bracket_context(tournament)
        refuse(context["rows"], number, table, error)
        return render(request, PART if request.htmx else PAGE, context, status=error.status)
    if request.htmx:
        return render(request, PART, _bracket_context(tournament))
    message = _("Saved: bracket table %(table)s.") % {"table": table_name(tournament, table)}
    if action and all("/reports/" in change["fact"] for change in action.changes):  # of two entries
        message = action_words(tournament, action)
    return report_success(request, message, "desk-bracket", tournament.slug)


def _bracket_context(tournament: Tournament) -> dict[str, Any]:
    """The tree, and the rows of every bracket match."""
    tournament.refresh_from_db()
    event, names = staff_event_of(tournament)
    tree = tree_of_event(event, names)
    rows = bracket_rows_of(tournament, tree, profile_of(tournament)["elimination"])
    is_open = any(row.open for row in rows)
    return {
        "tournament": tournament,
        "tree": tree,
        "title": page_title(tree, tournament.name),
        "rows": rows,
        "open": [row for row in rows if row.open],
        "entered": [row for row in reversed(rows) if not row.open],
        "can_enter": tournament.state == Tournament.State.RUNNING and tournament.role in DESK,
        "can_correct": tournament.role in DESK,
        "owner": tournament.role == Staff.Role.OWNER,
        "would_be": changed_qualifiers_of(event, names),
        "unplayed": tree is not None and all(row.at.out for row in rows),
        "over": tree is not None and tree.champion is not None and not is_open,
    }
