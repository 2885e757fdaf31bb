"""Messages from players to staff, and marking them done."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import STAFF
from tournament.models import Tournament
from tournament.players.player_messages import player_messages_of
from tournament.services.player_messages import settle_message
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_action, report_success, staff_view


@staff_view("GET", roles=STAFF)
def player_messages(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The messages to review, and those already done."""
    context = {
        "tournament": tournament,
        "player_messages": player_messages_of(tournament),
        "done": player_messages_of(tournament, done=True),
    }
    return render(request, "tournament/player_messages/player_messages.html", context)


@staff_view("POST", roles=STAFF)
def message_done(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Mark a message done."""
    settle_message(tournament, number, **read_action(request))
    message = _("Message %(number)s is done.") % {"number": number}
    return report_success(request, message, "player-messages", tournament.slug)
