from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.codes import personal_code
from tournament.access.fetch import DESK, may_enter_results
from tournament.actionlog.match_facts import read_match
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.round_names import round_name
from tournament.event.table_plan import table_name
from tournament.exports.qr import draw_qr_code
from tournament.exports.staff_csv import load_player_links
from tournament.models import Round, Tournament
from tournament.paper.everything import render_everything
from tournament.paper.lists import assign_meeting_seats
from tournament.paper.paper_list import (
    EVENT_LISTS,
    EventPaper,
    RoundPaper,
    cut_stack,
    load_round_paper,
    printables_by_url,
)
from tournament.paper.slips import PER_SHEET, QR_MASK, build_slip_sheets
from tournament.progress.posted_rounds import POSTED
from tournament.results.shorthand import check_slip_code, read_slip_code
from tournament.services.rounds import match_at
from tournament.services.self_service import GET_LINKS
from tournament.views.exports import saved_as
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_number, read_words, staff_view


@staff_view("GET")
def print_(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    paper = load_round_paper(tournament, number)
    count, out = len(paper.matches), sum(match.fact.result is None for match in paper.matches)
    context = {
        "tournament": tournament,
        "title": _("Print %(round)s") % {"round": round_name(paper.round, tournament).phrase},
        "round": paper.round,
        "slips": [(per_sheet, -(-count // per_sheet)) for per_sheet in PER_SHEET],
        "slips_url": reverse("print-slips", args=[tournament.slug, number]),
        "outstanding": -(-out // PER_SHEET[0]),
        "lists": [
            (reverse("print-list", args=[tournament.slug, number, key]), kind, kind.make(paper).count)
            for key, kind in printables_by_url(paper).items()
        ],
        "bracket": not paper.round.swiss,
    }
    return render(request, "tournament/paper/print.html", context)


@staff_view("GET")
def slips(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Print the match slips: `?per=` 8, 6 or 4 per sheet, `?open=1` for outstanding tables, `?back=1` with backs."""
    per_sheet = read_number(request, "per") if "per" in request.GET else PER_SHEET[0]
    if per_sheet not in PER_SHEET:
        raise Refused(_("A sheet has 8, 6 or 4 match slips. Choose one of these numbers."))
    paper = load_round_paper(tournament, number)
    sheets = build_slip_sheets(paper, per_sheet, outstanding=bool(read_number(request, "open")))
    context = {
        "tournament": tournament,
        "number": number,
        "title": _("Match slips, %(round)s") % {"round": round_name(paper.round).label},
        "count": len(sheets),
        "sheets": sheets,
        "per_sheet": per_sheet,
        "back": bool(read_number(request, "back")),
    }
    return render(request, "tournament/paper/slips.html", context)


@staff_view("GET")
def list_(
    request: StaffRequest, tournament: Tournament, what: str, number: int | None = None
) -> HttpResponse:
    paper = EventPaper(tournament) if number is None else load_round_paper(tournament, number)
    lists = printables_by_url(paper) if isinstance(paper, RoundPaper) else EVENT_LISTS
    if what not in lists:
        raise NotFound(_("There is no such sheet to print. Choose one on the page “Print”."))
    shown = lists[what].make(paper)
    context = {
        "tournament": tournament,
        "number": number,
        "title": shown.title,
        "count": shown.count,
        "list": shown,
    }
    return render(request, "tournament/paper/list.html", context)


@staff_view("GET")
def event_print(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    paper = EventPaper(tournament)
    posted = tournament.rounds.filter(state__in=POSTED).order_by("-number").values_list("number", "swiss")
    context = {
        "tournament": tournament,
        "title": _("Print"),
        "lists": [
            (reverse("event-print-list", args=[tournament.slug, key]), kind, kind.make(paper).count)
            for key, kind in EVENT_LISTS.items()
        ],
        "links": -(-tournament.entries.filter(house=False, status__in=GET_LINKS).count() // PER_SHEET[0]),
        "cards": -(-len(assign_meeting_seats(paper)) // PER_SHEET[0]),
        "rounds": [number for number, _swiss in posted],
        "bracket": any(not swiss for _number, swiss in posted),
    }
    return render(request, "tournament/paper/print.html", context)


@staff_view("GET", roles=DESK)
def everything(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return saved_as(f"{tournament.slug}-paper.html", render_everything(tournament), "text/html")


@staff_view("GET")
def place_cards(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Print a place card for each seat of the player meeting. Only for desk staff, it includes personal codes."""
    paper, seats = EventPaper(tournament), []
    entries = {entry.code: entry for entry in tournament.entries.all()} if tournament.role in DESK else {}
    for code, table in assign_meeting_seats(paper):
        secret = personal_code(entries[code]) if code in entries else ""
        seats.append((paper.public_names[code], table_name(tournament, table), secret))
    sheets = cut_stack(seats, PER_SHEET[0])
    context = {"tournament": tournament, "title": _("Place cards"), "count": len(sheets), "sheets": sheets}
    return render(request, "tournament/paper/place_cards.html", context)


@staff_view("GET", roles=DESK)
def player_links(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    links = load_player_links(tournament)
    cards = [(link, draw_qr_code(link.address, mask=QR_MASK) if link.address else "") for link in links]
    sheets = cut_stack(cards, PER_SHEET[0])
    context = {
        "tournament": tournament,
        "title": _("Player links"),
        "count": len(sheets),
        "sheets": sheets,
        "missing": sum(not link.has_link for link in links),
    }
    return render(request, "tournament/paper/player_links.html", context)


@staff_view("GET")
def find_slip(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    words = read_words(request.GET, longest=300)  # scanned: a whole address
    context, status = {"tournament": tournament, "words": words, "refusal": ""}, 200
    if words:
        try:
            return _open_slip(tournament, *read_slip_code(words))
        except Refused as refusal:
            context["refusal"], status = str(refusal), refusal.status
    return render(request, "tournament/paper/find_slip.html", context, status=status)


@staff_view("GET")
def scan_slip(
    request: StaffRequest, tournament: Tournament, number: int, table: int, check: str
) -> HttpResponse:
    return _open_slip(tournament, number, table, check.upper())


def _open_slip(tournament: Tournament, number: int, table: int, check: str) -> HttpResponse:
    """Redirect to the match's result form. Raises NotFound, Refused for a wrong code, WrongState for a past round."""
    match = match_at(tournament, number, table)
    fact = read_match(match)
    check_slip_code(tournament.slug, (number, table, check), (fact.a, fact.b))
    if match.round.state in (Round.State.DRAFT, Round.State.COMPLETE):
        text = _("This slip is from %(round)s, table %(table)s. That round is not in progress.")
        name, where = round_name(match.round), table_name(tournament, table, match.round)
        raise WrongState(text, round=name.phrase, table=where)
    if not (may_enter_results(tournament) if match.round.swiss else tournament.role in DESK):
        return redirect("judge-table", tournament.slug, number, table)
    if not match.round.swiss:
        return redirect(f"{reverse('desk-bracket', args=[tournament.slug])}#match-{number}-{table}")
    return redirect("result", tournament.slug, number, table)
