from collections import Counter
from itertools import islice

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.event.bracket import final_places_of
from standings.event.swiss import count_open_rounds
from standings.forms.prizes import PrizesForm
from standings.table.prizes import prize_list_of
from standings.table.sheet import public_event_of, staff_event_of, standings_mark_of
from standings.views.public_parts import Context
from tournament.access.fetch import OWNER, public_tournament
from tournament.event.settings import Prize
from tournament.models import Tournament
from tournament.players.judging import player_messages_of
from tournament.progress.next_step import progress_of
from tournament.progress.posted_rounds import nav_of
from tournament.public import responses
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.text.prizes import place_words, prize_words
from tournament.web.keyed_forms import SureForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import cleaned_fields, form_data, read_action, report_success, staff_view


@require_safe
def prizes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the prizes and, once the event is finished, their winners; hidden with the standings."""
    tournament = public_tournament(slug)
    shown = tournament.state == Tournament.State.FINISHED and not tournament.hold_standings

    def context() -> Context:
        words = [prize_words(Prize(**prize), tournament.prize_currency) for prize in tournament.prizes]
        context = {"tournament": tournament, "structure": words, "nav": nav_of(tournament)}
        return context | ({"list": prize_list_of(*public_event_of(tournament))} if shown else {})

    mark = standings_mark_of(tournament)
    return responses.page(request, tournament, "prizes", mark, "standings/prizes/prizes.html", context)


@staff_view("GET", "POST", roles=OWNER)
def desk(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Show the prize structure and the current winners; POST saves the structure."""
    form = PrizesForm(tournament, form_data(request))
    if form.submit(change_settings, tournament, actor=request.user):
        return report_success(request, _("Saved."), "desk-prizes", tournament.slug)
    tournament.refresh_from_db()
    context = {"tournament": tournament, "form": form}
    if tournament.prizes and tournament.profile:
        event, names = staff_event_of(tournament)
        context["list"] = prize_list_of(count_open_rounds(event), names)
    return render(request, "standings/prizes/desk.html", context, status=form.status)


SHOWN = 16  # final places


@staff_view("GET", "POST", roles=OWNER)
def finish(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Show what finishing means now; POST finishes, and asks first if player messages are open or prizes are set."""
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
