"""Check-in with big buttons and search, and dropping all no-shows in one step before round 1."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.players.checkin_list import FILTERS, CheckInList, check_in_list_of
from tournament.progress.facts import flights_by_entry
from tournament.progress.next_step import progress_of
from tournament.services.check_in import check_in_entry, withdraw_no_shows
from tournament.services.drops import reinstate_entry
from tournament.services.entries import change_entry
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_action, read_number, read_session, see_other, staff_view

PAGE, FOUND = 200, 25  # lines on a page; of a search, which more letters narrow and which answers at once


@staff_view("GET", "POST", roles=DESK)
def check_in_page(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: everybody who is expected, to be searched. POST: one player is here, or paid, or not after all."""
    if request.method == "POST":
        return _mark(request, tournament)
    words = request.GET.get("q", "")[:80].replace("\x00", "")
    show = request.GET.get("show", "")
    progress = progress_of(tournament)
    hall = check_in_list_of(tournament, inside=flights_by_entry(progress.facts))
    found = hall.listed(words, show if show in FILTERS else "")
    context = {
        "tournament": tournament,
        "progress": progress,
        "hall": hall,
        "page": Paginator(found, FOUND if words.strip() else PAGE).get_page(request.GET.get("page")),
        "q": words,
        "show": show,
        "kinds": _kinds(hall),
    }
    return render(request, "tournament/check_in/check_in.html", context)


def _kinds(hall: CheckInList) -> list[tuple[str, str]]:
    """What can be listed: (value, label with its count)."""
    return [
        ("", _("everyone (%(count)s)") % {"count": hall.expected}),
        ("missing", _("not checked in (%(count)s)") % {"count": hall.missing}),
        ("unpaid", _("not paid (%(count)s)") % {"count": hall.unpaid}),
        ("out", _("dropped before round 1 (%(count)s)") % {"count": hall.out}),
    ]


def _mark(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """One button: its name says what, its value who. The row as it is now, or the list again."""
    name = next((name for name in ("here", "away", "paid", "unpaid", "again") if name in request.POST), "")
    code = request.POST.get(name, "").replace("\x00", "")
    # Each button says what shall be, not "the other": sent twice it changes nothing, without a key.
    if name in ("here", "away"):
        check_in_entry(tournament, code, name == "here", actor=request.user)
    elif name in ("paid", "unpaid"):
        change_entry(tournament, code, paid=name == "paid", actor=request.user)
    elif name == "again":
        reinstate_entry(tournament, code, actor=request.user)
        check_in_entry(tournament, code, actor=request.user)
    else:
        raise Refused(_("Nothing was selected. Use a button next to a name."))
    if not request.htmx:
        return see_other(f"{request.get_full_path()}#check-{code}")
    hall = check_in_list_of(tournament, inside=flights_by_entry(progress_of(tournament).facts))
    context = {"tournament": tournament, "hall": hall, "person": hall.people[code], "swapped": True}
    return render(request, "tournament/check_in/_row.html", context)


@staff_view("GET", "POST", roles=DESK)
def no_shows(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: who is not checked in, to be looked at. POST: those listed leave before the first round."""
    if request.method == "POST":
        codes = request.POST.get("codes", "").replace("\x00", "").splitlines()
        action = withdraw_no_shows(tournament, codes, stage=read_session(request), **read_action(request))
        count = sum("status" in (item["after"] or {}) for item in action.changes) if action else 0
        said = ngettext("%(count)s no-show dropped.", "%(count)s no-shows dropped.", count)
        messages.success(request, said % {"count": count})
        return see_other(reverse("check-in", args=[tournament.slug]))
    progress = progress_of(tournament)
    asked = read_number(request, "session")
    chosen = next((one for one in progress.facts.flights if one.number == asked), None)
    stage = chosen.stage if chosen else progress.facts.stage
    several = stage is not None and stage.is_swiss and (stage.number > 1 or bool(progress.facts.flights))
    hall = check_in_list_of(tournament, stage.number if stage and several else None)
    context = {
        "tournament": tournament,
        "progress": progress,
        "chosen": stage.number if stage and progress.facts.flights else None,
        "missed": chosen.missed_rounds if chosen else progress.facts.missed_rounds,
        "before_start": not chosen.rounds if chosen else progress.facts.before_start,
        "hall": hall,
        "absent": hall.listed("", "missing"),
    }
    return render(request, "tournament/check_in/no_shows.html", context)
