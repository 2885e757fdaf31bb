from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.codes import personal_code
from tournament.access.permissions import DESK, OWNER, may_enter_results, may_read_decks
from tournament.actionlog.match_facts import read_match
from tournament.errors import Forbidden, NotFound, Refused, WrongState
from tournament.event.rounds import match_at, round_name
from tournament.event.table_plan import table_name
from tournament.exports import draw_qr_code, load_player_links
from tournament.forms.event_settings import ScreensForm
from tournament.models import Round, Tournament
from tournament.paper.everything import render_everything
from tournament.paper.lists import assign_meeting_seats
from tournament.paper.paper_list import (
    EVENT_LISTS,
    EventPaper,
    PaperKind,
    RoundPaper,
    cut_stack,
    load_round_paper,
    printables_by_url,
)
from tournament.paper.slips import PER_SHEET, QR_MASK, build_slip_sheets
from tournament.progress.posted_rounds import POSTED
from tournament.results.shorthand import check_slip_code
from tournament.services.event_settings import change_settings
from tournament.services.self_service import GET_LINKS
from tournament.views.exports import saved_as
from tournament.views.screens import Faces, Screen
from tournament.web.staff_pages import StaffRequest, form_data, read_number, report_success, staff_view


@staff_view("GET")
def slips(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Print the match slips: `?per=` 8, 6 or 4 per sheet, `?open=1` for outstanding tables, `?back=1` with backs."""
    per_sheet = read_number(request, "per") if "per" in request.GET else PER_SHEET[0]
    if per_sheet not in PER_SHEET:
        raise Refused(_("A sheet has 8, 6 or 4 match slips. Choose one of these numbers."))
    paper = load_round_paper(tournament, number)
    sheets = build_slip_sheets(paper, per_sheet, outstanding=bool(read_number(request, "open")))
    context = {
        "number": number,
        "title": _("Match slips, %(round)s") % {"round": round_name(paper.round).label},
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
        raise NotFound(_("There is no such sheet to print. Choose one on “Print and screens”."))
    shown = lists[what].make(paper)
    context = {"number": number, "title": shown.title, "sheets": shown.sheets, "list": shown}
    return render(request, "tournament/paper/list.html", context)


@staff_view("GET", "POST")
def event_print(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """List everything to print, show and save, for `?round=` or the latest round. POST sets the screens' rotation."""
    if request.method == "POST" and tournament.role not in OWNER:
        raise Forbidden(_("Only an organizer can change the rotation."))
    form = ScreensForm(tournament, form_data(request))
    if form.submit(change_settings, tournament, actor=request.user):
        return report_success(request, _("Saved."), "event-print", tournament.slug)
    rounds = tournament.rounds.order_by("-number").defer("pairing")
    posted = [each for each in rounds if each.state in POSTED]
    wanted = read_number(request, "round")
    round_ = next((each for each in posted if each.number == wanted), posted[0] if posted else None)
    paper = RoundPaper(tournament, round_) if round_ else EventPaper(tournament)
    faces = Faces(tournament)
    context = {
        "form": form,
        "round": round_,
        "rounds": posted,
        **(_round_sheets(paper) if isinstance(paper, RoundPaper) else {}),
        "event_lists": _sheets(paper, "event-print-list", EVENT_LISTS),
        "links": -(-tournament.entries.filter(house=False, status__in=GET_LINKS).count() // PER_SHEET[0]),
        "cards": -(-len(assign_meeting_seats(paper)) // PER_SHEET[0]),
        "bracket": any(not each.swiss for each in posted),
        "screens": Screen.choices,
        "now": [Screen(key).label for key in dict.fromkeys(face.key for face in faces.in_turn())],
        "screen_address": settings.SITE_URL + reverse("screen", args=[tournament.slug]),
        "all_rounds": rounds,
        "decklists": may_read_decks(tournament) and tournament.decklists.exists(),
    }
    return render(request, "tournament/paper/print.html", context, status=form.status)


def _round_sheets(paper: RoundPaper) -> dict[str, Any]:
    count, out = len(paper.matches), sum(match.fact.result is None for match in paper.matches)
    return {
        "slips": count,
        "out": out if out < count else 0,
        "sizes": PER_SHEET,
        "round_lists": _sheets(paper, "print-list", printables_by_url(paper), paper.round.number),
    }


def _sheets(
    paper: EventPaper, page: str, lists: Mapping[str, PaperKind], *of: int
) -> list[tuple[str, PaperKind, int]]:
    return [
        (reverse(page, args=[paper.tournament.slug, *of, key]), kind, kind.make(paper).count)
        for key, kind in lists.items()
    ]


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
    context = {"title": _("Place cards"), "sheets": sheets}
    return render(request, "tournament/paper/place_cards.html", context)


@staff_view("GET", roles=DESK)
def player_links(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    links = load_player_links(tournament)
    cards = [(link, draw_qr_code(link.address, mask=QR_MASK) if link.address else "") for link in links]
    sheets = cut_stack(cards, PER_SHEET[0])
    context = {
        "title": _("Player links"),
        "sheets": sheets,
        "missing": sum(not link.has_link for link in links),
    }
    return render(request, "tournament/paper/player_links.html", context)


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
