"""What players told staff, as the desk shows it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tournament.models import Flag, Seat, Tournament
from tournament.text.display_names import names_of


@dataclass(frozen=True, slots=True)
class PlayerMessage:
    """One message: who, when, about which round (None: none), where that player sat there, and the words."""

    number: int
    code: str
    name: str
    round: int | None
    table: int | None
    at: dt.datetime
    text: str
    done: bool


def player_messages_of(tournament: Tournament, *, done: bool = False) -> list[PlayerMessage]:
    """The open messages, the oldest first, in three queries; those seen to with `done`, the newest first."""
    found = Flag.objects.filter(tournament=tournament, done=done).select_related("entry", "round")
    flags = list(found.order_by("-number" if done else "number")[:200])
    if not flags:
        return []
    names = names_of(tournament)
    seats = Seat.objects.filter(
        entry__in={flag.entry_id for flag in flags if flag.entry_id},
        round__in={flag.round_id for flag in flags if flag.round_id},
        match__table__isnull=False,
    )
    tables: dict[tuple[int | None, int | None], int | None] = {
        (entry, round_): table
        for entry, round_, table in seats.values_list("entry_id", "round_id", "match__table")
    }
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
