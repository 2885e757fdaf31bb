"""Unbroken ties: the organizer sets a manual order, with a reason that everyone can read."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.event.swiss import standings_of, tied_groups
from standings.forms.manual_order import ManualOrderForm, OrderRemovalForm
from standings.table.cache import staff_event_of
from standings.table.manual_order import manual_orders_of, set_manual_order
from tournament.access.fetch import OWNER
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.manual_order import clear_manual_order
from tournament.web.staff_pages import first_error, read_action, see_other, staff_view

MOST_GROUPS = 50  # tied groups on the page, best first
MOST_PLAYERS = 64  # of a group that can be ordered on the page


@dataclass(frozen=True)
class TiedGroup:
    """Players who share a rank; `form` None: too many to order by hand."""

    rank: int
    size: int
    form: ManualOrderForm | None


@staff_view("GET", "POST", roles=OWNER)
def manual_order(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: the tied groups, and the manual orders. POST: order one group, or remove an order (`what=clear`)."""
    if request.method != "POST":
        return _ties_page(request, tournament)
    codes = request.POST.getlist("code")
    if request.POST.get("what") == "clear":
        return _clear(request, tournament, codes)
    names = dict(tournament.entries.filter(code__in=codes).values_list("code", "name"))
    players = {code: names.get(code, code) for code in codes[:MOST_PLAYERS]}
    form = ManualOrderForm(request.POST, players=players)
    if not form.is_valid():
        return _ties_page(request, tournament, form, status=422)
    data = form.cleaned_data
    try:
        set_manual_order(
            tournament, data["order"], reason=data["reason"], actor=request.user, key=data["key"]
        )
    except Refused as error:
        form.add_error(None, str(error))
        return _ties_page(request, tournament, form, status=error.status)
    messages.success(request, _("The manual order is in force. Everyone can read the reason."))
    return see_other(reverse("manual-order", args=[tournament.slug]))


def _clear(request: HttpRequest, tournament: Tournament, codes: list[str]) -> HttpResponse:
    try:
        clear_manual_order(tournament, sorted(codes), **read_action(request))
    except Refused as error:
        return _ties_page(request, tournament, refused=str(error), status=error.status)
    messages.success(request, _("The manual order is removed."))
    return see_other(reverse("manual-order", args=[tournament.slug]))


def _ties_page(
    request: HttpRequest,
    tournament: Tournament,
    form: ManualOrderForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    event, names = staff_event_of(tournament)
    event = count_open_rounds(event)
    ranking = standings_of(event)
    groups = []
    for codes in tied_groups(event)[:MOST_GROUPS]:
        rank = min(ranking.row(code).rank for code in codes)
        best_first = sorted(codes, key=lambda code: ranking.row(code).rank)
        groups.append(TiedGroup(rank, len(codes), _form_of(rank, best_first, names, form)))
    orders = manual_orders_of(tournament, event, ranking, names)
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "groups": groups,
        "manual_orders": [
            (order, OrderRemovalForm(auto_id=False, initial={"code": order.codes})) for order in orders
        ],
        "begun": bool(event.rounds),
        "refused": refused or (first_error(form) if form is not None else ""),
    }
    return render(request, "standings/manual_order/manual_order.html", context, status=status)


def _form_of(
    rank: int, codes: Sequence[str], names: dict[str, str], sent: ManualOrderForm | None
) -> ManualOrderForm | None:
    """The form that orders a group: as it was sent, where it was sent for this group."""
    if sent is not None and set(sent.codes) == set(codes):
        return sent
    if len(codes) > MOST_PLAYERS:
        return None
    return ManualOrderForm(players={code: names[code] for code in codes}, auto_id=f"rank-{rank}-%s")
