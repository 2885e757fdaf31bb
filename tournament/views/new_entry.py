"""Players added one after the other, known players of earlier events offered by letters."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK, entries_run_by
from tournament.errors import NotFound, Refused
from tournament.event.profile import profile_of
from tournament.forms.entries import PlayerForm
from tournament.models import Entry, Tournament
from tournament.players.known_players import carried_fields, find_known_players
from tournament.progress.next_step import progress_of
from tournament.results.wording import late_entry_words
from tournament.services.entries import add_entry
from tournament.services.waitlist import free_spots
from tournament.text.display_names import fold_name
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import (
    form_data,
    read_action,
    read_number,
    read_session,
    see_other,
    staff_view,
)

LONGEST_SEARCH = 80  # characters


@staff_view("GET", "POST", roles=DESK)
def add_player(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the form; with `name`, the known players it may mean. POST: register one, and on to the next."""
    letters = _letters(request)
    form = _form(tournament, form_data(request), initial={"name": letters})
    status = 422 if form.is_bound else 200
    if form.is_valid():
        data = form.cleaned_data
        about = {"actor": request.user, "key": data["key"], "reason": data["reason"]}
        known, personal = form.known_and_personal()
        try:
            add_entry(tournament, known, personal, stage=data["session"], **about)
            return _added(request, tournament, personal["name"], data["session"])
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return _page(request, tournament, form, letters, status)


@staff_view("GET", "POST", roles=DESK)
def known_players(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the known players whom the letters in `name` may mean. POST: register the chosen one."""
    known = entries_run_by(request)
    if request.method == "POST":
        chosen = known.filter(pk=_read_pk(request)).first()
        if chosen is None:
            raise NotFound(_("No such player in the events you run."))
        return _add_known(request, tournament, chosen)
    letters = _letters(request)
    context = {
        "tournament": tournament,
        "words": letters,
        "known_players": find_known_players(known, tournament, letters),
    }
    return render(request, "tournament/entries/_known_players.html", context)


def _add_known(request: StaffRequest, tournament: Tournament, known: Entry) -> HttpResponse:
    """Register a known player; if that is refused, show the form with what was typed."""
    try:
        session = read_session(request)
        add_entry(tournament, *carried_fields(known), stage=session, **read_action(request))
        return _added(request, tournament, known.name, session)
    except Refused as error:
        typed = {"name": known.name, "reason": request.POST.get("reason", "")}
        form = _form(tournament, None, initial=typed)
        return _page(request, tournament, form, known.name, error.status, str(error))


def _form(tournament: Tournament, data: Any, *, initial: dict[str, str]) -> PlayerForm:
    return PlayerForm(data, initial=initial, offers=reverse("known-players", args=[tournament.slug]))


def _page(
    request: StaffRequest,
    tournament: Tournament,
    form: PlayerForm,
    letters: str,
    status: int,
    message: str = "",
) -> HttpResponse:
    progress = progress_of(tournament)
    missed_as = late_entry_words(profile_of(tournament))
    chosen = read_number(request, "session") or form["session"].value()
    form.offer(progress.facts, chosen=chosen, missed_as=missed_as)
    context = {
        "tournament": tournament,
        "progress": progress,
        "form": form,
        "words": letters,
        "known_players": find_known_players(entries_run_by(request), tournament, letters),
        "late": 0 if progress.facts.flights else progress.facts.missed_rounds,
        "missed_as": missed_as,
        "free": free_spots(tournament),
        "message": message,
    }
    return render(request, "tournament/entries/new_entry.html", context, status=status)


def _added(request: StaffRequest, tournament: Tournament, name: str, session: int | None) -> HttpResponse:
    """On to the next player, with a warning where several have this name now."""
    messages.success(request, _("%(name)s added.") % {"name": name})
    names = tournament.entries.values_list("name", flat=True)
    count = sum(fold_name(other) == fold_name(name) for other in names)
    if count > 1:
        warning = _("%(count)s players are now called %(name)s. If it is the same person, remove one.")
        messages.warning(request, warning % {"count": count, "name": name})
    query = f"?session={session}" if session else ""
    return see_other(reverse("add-player", args=[tournament.slug]) + query)


def _letters(request: StaffRequest) -> str:
    return request.GET.get("name", "")[:LONGEST_SEARCH].replace("\x00", "")


def _read_pk(request: StaffRequest) -> int:
    text = request.POST.get("regular", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
