"""Penalties on record, as the desk, judges and paper show them."""

from collections.abc import Collection
from typing import NamedTuple

from tournament.models import Penalty, Tournament
from tournament.players.tables import table_then
from tournament.text.display_names import names_of

MOST_SHOWN = 2000


class PenaltyRow(NamedTuple):
    """A penalty and its player's name; `table`: where the player sat in the round it was given in, or None."""

    penalty: Penalty
    name: str
    table: int | None


def penalties_of(tournament: Tournament, codes: Collection[str] | None = None) -> list[PenaltyRow]:
    """The event's penalties, or those of the players with these codes, in the order they were given. Two queries."""
    rows = tournament.penalties.select_related("entry", "round").annotate(table=table_then())
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    penalties = list(rows.order_by("number")[:MOST_SHOWN])
    names = names_of(tournament) if penalties else {}
    return [PenaltyRow(row, names[row.entry.code], row.table) for row in penalties]
