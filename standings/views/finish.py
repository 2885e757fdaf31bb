"""The end of an event: what is still missing, the final places and the prizes, before it is finished."""

from collections import Counter
from itertools import islice

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from standings.event.bracket import final_places_of
from standings.event.rounds import count_open_rounds
from standings.table.cache import staff_event_of
from standings.table.prizes import prize_list_of
from standings.views.public_parts import Context
from tournament.access.fetch import OWNER
from tournament.models import Tournament
from tournament.players.player_messages import player_messages_of
from tournament.progress.next_step import progress_of
from tournament.services.events import finish_tournament
from tournament.text.prizes import place_words
from tournament.web.keyed_forms import SureForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import cleaned_fields, read_action, report_success, staff_view

SHOWN = 16  # final places


@staff_view("GET", "POST", roles=OWNER)
def finish(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: what finishing means now. POST: finish; while player messages are open or prizes are set, ask first."""
    running = tournament.state == Tournament.State.RUNNING
    if request.method != "POST":
        return render(request, "standings/finish/finish.html", _context(tournament))
    action, sure = read_action(request), cleaned_fields(SureForm(request.POST))["sure"]
    if running and not sure and (tournament.prizes or player_messages_of(tournament)):
        return render(request, "standings/finish/finish.html", _context(tournament))
    finish_tournament(tournament, **action)
    return report_success(request, _("The event is finished."), "desk", tournament.slug)


def _context(tournament: Tournament) -> Context:
    event, names = staff_event_of(tournament)
    counted = count_open_rounds(event)
    places = final_places_of(counted)
    sharing = Counter(place.place for place in places)
    outstanding = [
        (round_.number, sum(match.b is not None and match.result is None for match in round_.matches))
        for round_ in event.rounds
        if round_.status != "draft"
    ]
    return {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "player_messages": player_messages_of(tournament),
        "outstanding": [(number, count) for number, count in outstanding if count],
        "drafts": [round_.number for round_ in event.rounds if round_.status == "draft"],
        "places": [
            (place_words(place.place, place.place + sharing[place.place] - 1), names[place.entry])
            for place in islice(places, SHOWN)
        ],
        "more": max(len(places) - SHOWN, 0),
        "list": prize_list_of(counted, names) if event.prizes else None,
    }
