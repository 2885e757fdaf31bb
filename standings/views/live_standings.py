"""Standings for staff: live, with every result entered so far; manual orders of unbroken ties; all exports."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.bracket.tree import build_event_tree, render_bracket_csv
from standings.forms.standings import ManualOrderForm, OrderRemovalForm
from standings.table.manual_order import list_manual_orders, set_manual_order
from standings.table.sheet import load_staff_event, rank_live
from standings.table.swiss import tied_groups
from tournament.access.permissions import DESK, OWNER, may_read_decks
from tournament.archive.load import dump_event
from tournament.exports import decklists_csv, pairings_csv, players_csv
from tournament.models import Tournament
from tournament.services.entries import clear_manual_order
from tournament.views.exports import is_owner, saved_as
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import StaffRequest, first_error, report_success, staff_view


@staff_view("GET")
def standings(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    event, names = load_staff_event(tournament)
    live = rank_live(event, names)
    open_rounds = [round_ for round_ in event.rounds if round_.status == "published"]
    sheet = live.build_sheet()
    context = {
        "tournament": tournament,
        "sheet": sheet,
        "cut": live.find_cut_line(sheet),
        "manual_orders": list_manual_orders(tournament, live),
        "out": sum(match.result is None for round_ in open_rounds for match in round_.matches),
    }
    return render(request, "standings/live_standings/live_standings.html", context)


@staff_view("GET")
def as_csv(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    text = rank_live(*load_staff_event(tournament)).render_csv()
    return saved_as(f"{tournament.slug}-standings.csv", text, "text/csv")


MOST_GROUPS = 50  # tied groups on the page, best first
MOST_PLAYERS = 64  # of a group that can be ordered on the page


@staff_view("GET", "POST", roles=OWNER)
def manual_order(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Show the tied groups and the manual orders; POST orders a group, or removes an order (`what=clear`)."""
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
    live = rank_live(*load_staff_event(tournament))
    ranking, names = live.ranking, live.names
    groups = []
    for codes in tied_groups(live.event)[:MOST_GROUPS]:
        best_first = sorted(codes, key=lambda code: ranking.row(code).rank)
        rank = ranking.row(best_first[0]).rank
        groups.append((rank, len(codes), _order_form(rank, best_first, names, form)))
    orders = list_manual_orders(tournament, live)
    context = {
        "tournament": tournament,
        "groups": groups,
        "manual_orders": [
            (order, OrderRemovalForm(auto_id=False, initial={"code": order.codes})) for order in orders
        ],
        "begun": bool(live.event.rounds),
        "refused": first_error(form),
    }
    status = form.status if form else 200
    return render(request, "standings/manual_order/manual_order.html", context, status=status)


def _order_form(
    rank: int, codes: Sequence[str], names: Mapping[str, str], refused: KeyedForm | None
) -> ManualOrderForm | None:
    if isinstance(refused, ManualOrderForm) and set(refused.codes) == set(codes):
        return refused
    if len(codes) > MOST_PLAYERS:
        return None
    return ManualOrderForm(players={code: names[code] for code in codes}, auto_id=f"rank-{rank}-%s")


@staff_view("GET", roles=DESK)
def bundle(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Download a zip of all exports, with full names and without the secret seed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in _export_files(tournament):
            packed.writestr(f"{tournament.slug}/{name}", text)
    return saved_as(f"{tournament.slug}.zip", file.getvalue(), "application/zip")


def _export_files(tournament: Tournament) -> Iterator[tuple[str, str]]:
    event, names = load_staff_event(tournament)
    live = rank_live(event, names)
    yield "archive.json", dump_event(tournament)
    yield "players.csv", players_csv(tournament, in_confidence=is_owner(tournament))
    yield "standings.csv", live.render_csv()
    yield "standings.json", live.render_json()
    if tree := build_event_tree(event, names):
        yield "bracket.csv", render_bracket_csv(tree)
    for round_ in tournament.rounds.order_by("number").defer("pairing"):
        yield f"round-{round_.number}.csv", pairings_csv(tournament, round_)
    if may_read_decks(tournament) and tournament.decklists.exists():
        yield "decklists.csv", decklists_csv(tournament)
