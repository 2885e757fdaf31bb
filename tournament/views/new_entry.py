from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.access.fetch import entries_run_by
from tournament.access.permissions import DESK
from tournament.errors import NotFound, Refused
from tournament.event.profile import ruleset_in_force
from tournament.event.teams import members_elsewhere
from tournament.forms.entries import LateEntryForm, PlayerForm
from tournament.models import Action, Entry, Tournament
from tournament.progress.next_step import Progress, build_progress
from tournament.results.wording import late_entry_words
from tournament.services.entries import ON_WAITLIST, add_entry, free_spots
from tournament.services.imports import carried_fields, find_known_players
from tournament.text import name_key
from tournament.web.staff_pages import (
    StaffRequest,
    form_data,
    read_number,
    report_success,
    service_fields,
    staff_view,
)

LONGEST_SEARCH = 80  # characters
MOST_WARNED = 5


@staff_view("GET", "POST", roles=DESK)
def add_player(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    letters = _letters(request)
    form = _form(tournament, form_data(request), {"name": letters})
    if form.submit(add_entry, tournament, actor=request.user):
        return _added(request, tournament, form.cleaned_data["name"], form, form.result)
    return _page(request, form, letters)


@staff_view("GET", "POST", roles=DESK)
def known_players(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: known players with these letters in their `name`. POST: register the chosen one."""
    known = entries_run_by(request)
    if request.method == "POST":
        chosen = known.filter(pk=_read_pk(request)).first()
        if chosen is None:
            raise NotFound(_("No such player in the events you run."))
        return _add_known(request, tournament, chosen)
    letters = _letters(request)
    context = {"words": letters, "known_players": find_known_players(known, tournament, letters)}
    return render(request, "tournament/entries/_known_players.html", context)


def _add_known(request: StaffRequest, tournament: Tournament, known: Entry) -> HttpResponse:
    sent = LateEntryForm(request.POST)
    try:
        fields = carried_fields(known, team=tournament.team)
        action = add_entry(tournament, *fields, **service_fields(request, sent))
        return _added(request, tournament, known.name, sent, action)
    except Refused as error:
        typed = {"name": known.name, "reason": request.POST.get("reason", "")}
        return _page(request, _form(tournament, None, typed), known.name, error)


def _form(tournament: Tournament, data: Any, initial: dict[str, str]) -> PlayerForm:
    offers = reverse("known-players", args=[tournament.slug])
    return PlayerForm(data, initial=initial, offers=offers, teams=tournament.team)


def _page(
    request: StaffRequest, form: PlayerForm, letters: str, refusal: Refused | None = None
) -> HttpResponse:
    tournament = request.tournament
    progress = build_progress(tournament)
    chosen = read_number(request, "session") or form["session"].value()
    context = {
        "progress": progress,
        "form": form,
        **late_entry_context(tournament, progress, form, chosen),
        "words": letters,
        "known_players": find_known_players(entries_run_by(request), tournament, letters),
        "message": refusal,
    }
    status = refusal.status if refusal else form.status
    return render(request, "tournament/entries/new_entry.html", context, status=status)


def _added(
    request: StaffRequest, tournament: Tournament, name: str, form: LateEntryForm, action: Action | None
) -> HttpResponse:
    address = to_session(reverse("add-player", args=[tournament.slug]), form)
    response = report_success(request, _("%(name)s added.") % {"name": name}, address, undo=action)
    warn_of_waitlist(request, tournament)
    names = tournament.entries.exclude(status=Entry.Status.MERGED).values_list("name", flat=True)
    count = sum(name_key(other) == name_key(name) for other in names)
    if count > 1:
        warning = _("%(count)s players are now called %(name)s. If it is the same person, remove one.")
        messages.warning(request, warning % {"count": count, "name": name})
    warn_of_members(request, tournament, action)
    return response


def _letters(request: StaffRequest) -> str:
    return request.GET.get("name", "")[:LONGEST_SEARCH].replace("\x00", "")


def _read_pk(request: StaffRequest) -> int:
    text = request.POST.get("regular", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def to_session(address: str, form: LateEntryForm) -> str:
    number = form.cleaned_data["session"]
    return f"{address}?session={number}" if number else address


def late_entry_context(
    tournament: Tournament, progress: Progress, form: LateEntryForm, chosen: int | None = None
) -> dict[str, Any]:
    facts, missed_as = progress.facts, late_entry_words(ruleset_in_force(tournament))
    form.offer(facts, chosen=chosen, missed_as=missed_as)
    return {
        "late": 0 if facts.flights else facts.missed_rounds,
        "missed_as": missed_as,
        "free": free_spots(tournament),
        "waitlisted": tournament.entries.filter(ON_WAITLIST).count(),
    }


def warn_of_waitlist(request: HttpRequest, tournament: Tournament) -> None:
    if waiting := tournament.entries.filter(ON_WAITLIST).count():
        text = ngettext(
            "%(count)s player is still on the waitlist. The players you added play ahead of the waitlist.",
            "%(count)s players are still on the waitlist. The players you added play ahead of the waitlist.",
            waiting,
        )
        messages.warning(request, text % {"count": waiting})


def warn_of_members(request: HttpRequest, tournament: Tournament, action: Action | None) -> None:
    codes = {change["fact"].removeprefix("entries/") for change in action.changes} if action else ()
    for sentence in members_elsewhere(tournament, codes)[:MOST_WARNED]:
        messages.warning(request, sentence)
