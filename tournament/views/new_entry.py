"""One player after the other at the registration desk, regulars of earlier events offered."""

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
from tournament.results import wording
from tournament.services.capacity import free_spots
from tournament.services.entries import add_entry
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


@staff_view("GET", "POST", roles=DESK)
def add_player(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the form; with `name`, the regulars it may mean. POST: register one, and on to the next."""
    letters = request.GET.get("name", "")[:80].replace("\x00", "")
    offers = reverse("known-players", args=[tournament.slug])
    form = PlayerForm(form_data(request), initial={"name": letters}, offers=offers)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            known, personal = form.known_and_personal()
            add_entry(
                tournament,
                known,
                personal,
                actor=request.user,
                key=form.cleaned_data["key"],
                reason=form.cleaned_data["reason"],
                stage=form.cleaned_data["session"],
            )
            return _added(request, tournament, personal["name"], form.cleaned_data["session"])
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(
        request,
        "tournament/entries/new_entry.html",
        _context(request, tournament, form, letters),
        status=status,
    )


def _context(request: StaffRequest, tournament: Tournament, form: PlayerForm, letters: str) -> dict[str, Any]:
    progress = progress_of(tournament)
    return {
        "tournament": tournament,
        "progress": progress,
        "form": form,
        "words": letters,
        "regulars": find_known_players(entries_run_by(request), tournament, letters),
        "late": 0 if progress.facts.flights else progress.facts.missed_rounds,
        "missed_as": wording.late_entry_words(profile_of(tournament)),
        "chosen": read_number(request, "session") or form["session"].value(),
        "free": free_spots(tournament),
    }


@staff_view("GET", "POST", roles=DESK)
def known_players_part(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the regulars whom the letters in `name` may mean. POST: register the chosen one."""
    known = entries_run_by(request)
    if request.method == "POST":
        return _add_regular(
            request, tournament, known.filter(pk=_number(request.POST.get("regular", ""))).first()
        )
    letters = request.GET.get("name", "")[:80].replace("\x00", "")
    context = {
        "tournament": tournament,
        "words": letters,
        "regulars": find_known_players(known, tournament, letters),
    }
    return render(request, "tournament/entries/_known_players.html", context)


def _add_regular(request: StaffRequest, tournament: Tournament, regular: Entry | None) -> HttpResponse:
    if regular is None:
        raise NotFound(_("No such player in the events you run."))
    try:
        session = read_session(request)
        add_entry(tournament, *carried_fields(regular), stage=session, **read_action(request))
        return _added(request, tournament, regular.name, session)
    except Refused as error:  # what was typed stays, and the reason that is asked for has its field
        typed = {"name": regular.name, "reason": request.POST.get("reason", "")}
        form = PlayerForm(initial=typed, offers=reverse("known-players", args=[tournament.slug]))
        context = _context(request, tournament, form, regular.name) | {"message": str(error)}
        return render(request, "tournament/entries/new_entry.html", context, status=error.status)


def _added(request: StaffRequest, tournament: Tournament, name: str, session: int | None) -> HttpResponse:
    messages.success(request, _("%(name)s added.") % {"name": name})
    alike = [
        other
        for other in tournament.entries.values_list("name", flat=True)
        if fold_name(other) == fold_name(name)
    ]
    if len(alike) > 1:
        said = _("%(count)s players are now called %(name)s. If it is the same person, remove one.")
        messages.warning(request, said % {"count": len(alike), "name": name})
    again = f"?session={session}" if session else ""
    return see_other(reverse("add-player", args=[tournament.slug]) + again)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
