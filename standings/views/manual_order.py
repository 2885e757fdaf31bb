"""Unbroken ties: the organizer sets a manual order, with a reason that everyone can read."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.event.swiss import standings_of, tied_groups
from standings.forms.manual_order import ManualOrderForm, OrderRemovalForm
from standings.table.cache import staff_event_of
from standings.table.manual_order import manual_orders_of, set_manual_order
from tournament.access.fetch import OWNER
from tournament.models import Tournament
from tournament.services.manual_order import clear_manual_order
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, staff_view

MOST_GROUPS = 50  # tied groups on the page, best first
MOST_PLAYERS = 64  # of a group that can be ordered on the page


@staff_view("GET", "POST", roles=OWNER)
def manual_order(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the tied groups, and the manual orders. POST: order one group, or remove an order (`what=clear`)."""
    if request.method != "POST":
        return _ties_page(request, tournament)
    form: KeyedForm
    if request.POST.get("what") == "clear":
        form, service = OrderRemovalForm(request.POST), clear_manual_order
        message = _("The manual order is removed.")
    else:
        codes = request.POST.getlist("code")[:MOST_PLAYERS]
        names = dict(tournament.entries.filter(code__in=codes).values_list("code", "name"))
        form = ManualOrderForm(request.POST, players={code: names.get(code, code) for code in codes})
        service = set_manual_order
        message = _("The manual order is in force. Everyone can read the reason.")
    if form.submit(service, tournament, actor=request.user):
        return report_success(request, message, "manual-order", tournament.slug)
    return _ties_page(request, tournament, form)


def _ties_page(request: StaffRequest, tournament: Tournament, form: KeyedForm | None = None) -> HttpResponse:
    """`form`: as it was sent and refused."""
    event, names = staff_event_of(tournament)
    event = count_open_rounds(event)
    ranking = standings_of(event)
    groups = []
    for codes in tied_groups(event)[:MOST_GROUPS]:
        best_first = sorted(codes, key=lambda code: ranking.row(code).rank)
        rank = ranking.row(best_first[0]).rank
        groups.append((rank, len(codes), _form_of(rank, best_first, names, form)))
    orders = manual_orders_of(tournament, event, ranking, names)
    context = {
        "tournament": tournament,
        "groups": groups,
        "manual_orders": [
            (order, OrderRemovalForm(auto_id=False, initial={"code": order.codes})) for order in orders
        ],
        "begun": bool(event.rounds),
        "refused": form and first_error(form),
    }
    status = form.status if form else 200
    return render(request, "standings/manual_order/manual_order.html", context, status=status)


def _form_of(
    rank: int, codes: Sequence[str], names: dict[str, str], refused: KeyedForm | None
) -> ManualOrderForm | None:
    """The form that orders a group: the refused one, where it was sent for this group; None for too many players."""
    if isinstance(refused, ManualOrderForm) and set(refused.codes) == set(codes):
        return refused
    if len(codes) > MOST_PLAYERS:
        return None
    return ManualOrderForm(players={code: names[code] for code in codes}, auto_id=f"rank-{rank}-%s")
