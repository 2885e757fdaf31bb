"""A next day of Swiss rounds that carries points over: its players, by the current standings.

Read and computed outside the lock, saved under it only if nothing changed (`tournament.services.stages`).
"""

from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from standings.event.bracket import pick_qualifiers
from standings.event.swiss import count_open_rounds, standings_of
from tournament.errors import Refused
from tournament.event.read import event_of
from tournament.models import Action, Tournament
from tournament.services.stages import add_day


def next_day_players(
    tournament: Tournament, *, size: int | None = None, points: str | None = None
) -> list[str]:
    """Return the codes of the next day's players, best first: the best `size`, those with `points`, or everyone."""
    event = count_open_rounds(event_of(tournament))
    ranking = standings_of(event)
    if not ranking.rows:
        return []
    least = Fraction(points) if points is not None else ranking.rows[-1].values[0]
    order = [row.entry for row in ranking if size is not None or row.values[0] >= least]
    return pick_qualifiers(event, order, len(order) if size is None else size).qualifiers


def add_next_day(
    tournament: Tournament,
    rounds: int,
    *,
    size: int | None = None,
    points: str | None = None,
    minutes: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open rounds and add a day of `rounds` rounds that carries their points over.

    Raises Refused for impossible numbers, WrongState while a table is outstanding or once a bracket is set.
    """
    if size is not None and points is not None:
        raise Refused(_("Enter either a number of players or a minimum score, not both."))
    codes = next_day_players(tournament, size=size, points=points)
    choice = {"size": size, "points": points, "minutes": minutes}
    return add_day(tournament, codes, tournament.revision, rounds, **choice, actor=actor, key=key)
