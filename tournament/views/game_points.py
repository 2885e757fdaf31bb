"""Game points of a player without an opponent, as staff award them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import NotFound, Refused
from tournament.forms.results import PointsForm
from tournament.models import Round, Tournament
from tournament.results import game_points
from tournament.results.desk_sheet import DeskRow, desk_sheet_of
from tournament.services.results import record_points
from tournament.services.rounds import round_of
from tournament.views.rounds import round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def game_points_page(request: StaffRequest, tournament: Tournament, number: int, code: str) -> HttpResponse:
    """GET: the form. POST: save the points, and back to the round."""
    round_ = round_of(tournament, number)
    row = _row(tournament, round_, code)
    if request.method != "POST":
        score = row.fact.score
        initial = {"version": row.version, "points": game_points.points_text(score[0]) if score else ""}
        return _page(request, tournament, round_, row, PointsForm(initial=initial))
    form = PointsForm(request.POST)
    if not form.is_valid():
        return _page(request, tournament, round_, row, form, status=422)
    data = form.cleaned_data
    about = {"actor": request.user, "key": data["key"]}
    try:
        record_points(tournament, number, code, data["points"], data["version"], **about)
    except Refused as error:
        return _page(request, tournament, round_, row, form, str(error), error.status, error.rows())
    messages.success(request, _("%(name)s: saved.") % {"name": row.a.name})
    return see_other(round_address(tournament, number))


def _row(tournament: Tournament, round_: Round, code: str) -> DeskRow:
    """The row of the player without an opponent. Raises NotFound."""
    for row in desk_sheet_of(tournament, round_).alone:
        if row.a.code == code:
            return row
    values = {"code": code, "round": round_.number}
    raise NotFound(_("%(code)s does not sit out round %(round)s.") % values)


def _page(
    request: StaffRequest,
    tournament: Tournament,
    round_: Round,
    row: DeskRow,
    form: PointsForm,
    message: str = "",
    status: int = 200,
    rows: list | None = None,
) -> HttpResponse:
    context = {
        "tournament": tournament,
        "round": round_,
        "row": row,
        "form": form,
        "message": message,
        "rows": rows or [],
    }
    return render(request, "tournament/results/game_points.html", context, status=status)
