"""URLs of the pages on which to correct the admin's rows. An `Address` takes the event and the row."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

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


def round_page(event: models.Tournament, row: Any) -> str:
    if isinstance(row, models.Round):
        return round_address(event, row.number)
    return round_address(event, row.match.round.number, row.match.table)


def match_page(event: models.Tournament, row: models.Match | models.Seat) -> str:
    seat = row if isinstance(row, models.Seat) else sort_seats(row)[0]
    match = row_match(row)
    round_ = match.round
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


def action_page(event: models.Tournament, row: models.Action | models.Removal) -> str:
    return log_address(event, row.number)


def list_admin_tools(row: models.Tournament | models.Entry) -> list[tuple[str, Any]]:
    """Return (URL, label) for actions on an event or a player. Closing registration is listed only while it is open."""
    if isinstance(row, models.Entry):
        if row.house or row.status == models.Entry.Status.MERGED:
            return []
        address = [row.tournament.slug, row.code]
        return [
            (reverse("merge-entry", args=address), _("Merge…")),
            (reverse("anonymize", args=address), _("Anonymize…")),
        ]
    archive = _("Take out of the archive…") if row.archived else _("Archive…")
    tools = [(page("archive-event")(row, row), archive)]
    if row.self_registration and row.state == models.Tournament.State.OPEN:
        tools.insert(0, (page("registration")(row, row), _("Close registration…")))
    return tools


def sort_seats(match: models.Match) -> list[models.Seat]:
    return sorted(match.seats.all(), key=lambda seat: seat.side)


def row_match(row: Any) -> models.Match:
    match: models.Match = row if isinstance(row, models.Match) else row.match
    return match
