"""Messages from players to staff, as the desk shows them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tournament.models import Flag, Seat, Tournament
from tournament.text.display_names import names_of

MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class PlayerMessage:
    """One message. `round`: the number of the round it is about, and `table` where its player sat there; or None."""

    number: int
    code: str
    name: str
    round: int | None
    table: int | None
    at: dt.datetime
    text: str
    done: bool


def player_messages_of(tournament: Tournament, *, done: bool = False) -> list[PlayerMessage]:
    """The messages to review, oldest first; with `done` those marked done, newest first. Three queries."""
    rows = Flag.objects.filter(tournament=tournament, done=done).select_related("entry", "round")
    flags = list(rows.order_by("-number" if done else "number")[:MOST_SHOWN])
    if not flags:
        return []
    names = names_of(tournament)
    tables = _tables_of(flags)
    return [
        PlayerMessage(
            number=flag.number,
            code=flag.entry.code if flag.entry else "",
            name=names[flag.entry.code] if flag.entry else "",
            round=flag.round.number if flag.round else None,
            table=tables.get((flag.entry_id, flag.round_id)),
            at=flag.at,
            text=flag.text,
            done=flag.done,
        )
        for flag in flags
    ]


def _tables_of(flags: list[Flag]) -> dict[tuple[int | None, int | None], int | None]:
    """{(entry, round): table} of the players and rounds of these messages."""
    seats = Seat.objects.filter(
        entry__in={flag.entry_id for flag in flags if flag.entry_id},
        round__in={flag.round_id for flag in flags if flag.round_id},
        match__table__isnull=False,
    )
    return {
        (entry, round_): table
        for entry, round_, table in seats.values_list("entry_id", "round_id", "match__table")
    }
