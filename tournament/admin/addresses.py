"""URLs of the pages on which to correct the admin's rows. An `Address` takes the event and the row."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from tournament import models
from tournament.views.log import log_address
from tournament.views.rounds import round_address

Address = Callable[[models.Tournament, Any], str]


def page(name: str) -> Address:
    return lambda event, row: reverse(name, args=[event.slug])


def entry_page(event: models.Tournament, row: Any) -> str:
    entry = row if isinstance(row, models.Entry) else row.entry
    return reverse("entry", args=[event.slug, entry.code])


def decklist_page(event: models.Tournament, row: models.Decklist) -> str:
    return reverse("decklist", args=[event.slug, row.entry.code])


def round_page(event: models.Tournament, row: models.Round) -> str:
    return round_address(event, row.number)


def match_page(event: models.Tournament, match: models.Match) -> str:
    round_, seat = match.round, sort_seats(match)[0]
    if round_.state == models.Round.State.DRAFT:
        return round_address(event, round_.number)
    if match.table is None and round_.swiss:
        return reverse("correct-bye", args=[event.slug, round_.number, seat.entry.code])
    if match.table is None:
        return entry_page(event, seat)
    if match.result is not None:
        return reverse("correct", args=[event.slug, round_.number, match.table])
    if round_.swiss:
        return round_address(event, round_.number, match.table)
    return f"{reverse('desk-bracket', args=[event.slug])}#match-{round_.number}-{match.table}"


def action_page(event: models.Tournament, row: models.Action) -> str:
    return log_address(event, row.number)


def sort_seats(match: models.Match) -> list[models.Seat]:
    return sorted(match.seats.all(), key=lambda seat: seat.side)
