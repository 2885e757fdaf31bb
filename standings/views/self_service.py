"""The player's private page: the public page plus what only this player may do."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from standings.views.player import player_part
from tournament.access.fetch import own_entries, own_entry, public_tournament
from tournament.models import Entry, Tournament
from tournament.services.self_service import can_undo_drop, check_in_is_open
from tournament.views.push import push_context
from tournament.views.reports import report_context
from tournament.views.self_service import call_context, device_page, player_context, player_view


@player_view("GET")
def me(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of the one player this device belongs to; with several players their list, with none what to do."""
    tournament = public_tournament(slug)
    mine = own_entries(request, tournament)
    if len(mine) == 1:
        return render(request, "standings/player/me.html", _my_context(tournament, mine[0]))
    return device_page(request, tournament, mine)


@player_view("GET")
def entry(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The page of one of this device's players."""
    tournament, row = own_entry(request, slug, code)
    several = len(own_entries(request, tournament)) > 1
    return render(request, "standings/player/me.html", {**_my_context(tournament, row), "several": several})


def _my_context(tournament: Tournament, row: Entry) -> dict[str, Any]:
    """The public page's context, plus which private buttons to show."""
    playing = row.status in (Entry.Status.PLAYING, Entry.Status.WAITLISTED)
    return {
        **player_part(tournament, row.code).context_with_html("seat"),
        **player_context(tournament, row),
        "can_check_in": row.status == Entry.Status.PLAYING and check_in_is_open(tournament),
        **call_context(tournament, row),
        **report_context(tournament, row),
        **push_context(row),
        "check_in": _check_in_state(tournament),
        "can_leave": playing and tournament.state != Tournament.State.FINISHED,
        "can_undo_drop": can_undo_drop(row),
        "has_decklist": tournament.decklist_rule != "off" and row.decklists.exists(),
        "public": reverse("player", args=[tournament.slug, row.code]),
    }


def _check_in_state(tournament: Tournament) -> str:
    """Whether self check-in is "later" or "over"; empty while it is open, or without times."""
    now = timezone.now()
    if tournament.check_in_from and now < tournament.check_in_from:
        return "later"
    return "over" if tournament.check_in_until and now > tournament.check_in_until else ""
