"""Ties nothing decides: the owner orders them by hand, with a reason everybody can read."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.event.swiss import count_open_rounds, standings_of, tied_groups
from standings.forms.stages import OrderForm
from standings.stages.decisions import set_manual_order
from standings.table.cache import event_for_staff
from standings.table.manual_order import decisions_of
from tournament.access.fetch import OWNER
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.manual_order import clear_manual_order
from tournament.web.staff_pages import first_error, read_action, see_other, staff_view

MOST_SHOWN = 50  # tied groups on the page, best first
LARGEST = 64  # players of a group that are ordered on the page


@staff_view("GET", "POST", roles=OWNER)
def ties(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: the tied groups, and the orders by hand. POST: order one group, or (`what=clear`) take an order back."""
    codes = request.POST.getlist("code")
    if request.method != "POST":
        return _page(request, tournament)
    if request.POST.get("what") == "clear":
        return _clear(request, tournament, codes)
    form = OrderForm(request.POST, codes=codes[:LARGEST])
    if not form.is_valid():
        return _page(request, tournament, codes, form, first_error(form), 422)
    data = form.cleaned_data
    try:
        set_manual_order(
            tournament, data["order"], reason=data["reason"].strip(), actor=request.user, key=data["key"]
        )
    except Refused as error:
        return _page(request, tournament, codes, form, str(error), error.status)
    messages.success(request, _("The manual order is in force. Everyone can read the reason."))
    return see_other(reverse("ties", args=[tournament.slug]))


def _clear(request: HttpRequest, tournament: Tournament, codes: list[str]) -> HttpResponse:
    try:
        clear_manual_order(tournament, sorted(codes), **read_action(request))
    except Refused as error:
        return _page(request, tournament, message=str(error), status=error.status)
    messages.success(request, _("The manual order is removed."))
    return see_other(reverse("ties", args=[tournament.slug]))


def _page(
    request: HttpRequest,
    tournament: Tournament,
    codes: list[str] | None = None,
    form: OrderForm | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    event, names = event_for_staff(tournament)
    ranking = standings_of(count_open_rounds(event))
    groups: list[dict[str, Any]] = []
    for group in tied_groups(event)[:MOST_SHOWN]:
        mine = form if form is not None and set(codes or ()) == set(group) else None
        given = {code: mine.data.get(f"place-{code}", "") for code in group} if mine else {}
        order = sorted(group, key=lambda code: ranking.row(code).rank)
        groups.append(
            {
                "rank": min(ranking.row(code).rank for code in group),
                "rows": [(code, names[code], given.get(code, "")) for code in order],
                "reason": mine.data.get("reason", "") if mine else "",
                "message": message if mine else "",
                "form": OrderForm(),
                "orderable": len(group) <= LARGEST,
            }
        )
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "groups": groups,
        "decisions": decisions_of(tournament, event, ranking, names),
        "begun": bool(event.rounds),
        "message": "" if any(group["message"] for group in groups) else message,
    }
    return render(request, "standings/ties.html", context, status=status)
