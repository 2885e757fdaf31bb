"""Messages from players to staff, as the desk shows them."""

from typing import NamedTuple

from tournament.models import Flag, Tournament
from tournament.players.tables import table_then
from tournament.text.display_names import names_of

MOST_SHOWN = 200


class PlayerMessage(NamedTuple):
    """A message and its player's name; `table`: where the player sat in the round it is about, or None."""

    flag: Flag
    name: str
    table: int | None


def player_messages_of(tournament: Tournament, *, done: bool = False) -> list[PlayerMessage]:
    """The messages to review, oldest first; with `done` those marked done, newest first. Two queries."""
    rows = (
        tournament.flags.filter(kind=Flag.Kind.MESSAGE, done=done)
        .select_related("entry", "round")
        .annotate(table=table_then())
    )
    flags = list(rows.order_by("-number" if done else "number")[:MOST_SHOWN])
    names = names_of(tournament) if flags else {}
    return [PlayerMessage(flag, names[flag.entry.code] if flag.entry else "", flag.table) for flag in flags]
