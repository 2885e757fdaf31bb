"""What staff decide by the standings: who plays a next day, and the order of ties nothing else decides.

Read and computed outside the lock, saved under it only if nothing moved (`tournament.services`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from standings.event.playoff import qualified
from standings.event.swiss import count_open_rounds, standings_of, tied_groups
from tournament.actionlog.change import digest_of, repeated_action
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.models import Action, Tournament
from tournament.services.manual_order import save_manual_order
from tournament.services.stages import add_day


def day_of(tournament: Tournament, *, size: int | None = None, points: str | None = None) -> list[str]:
    """Who would play a second day, best first: the best `size`, those with so many points, or everybody."""
    ranking = standings_of(count_open_rounds(event_of(tournament)))
    if not ranking.rows:
        return []
    least = Fraction(points) if points is not None else ranking.rows[-1].values[0]
    event = event_of(tournament)
    order = [row.entry for row in ranking if size is not None or row.values[0] >= least]
    return qualified(event, order, len(order) if size is None else size).qualifiers


def make_day(
    tournament: Tournament,
    rounds: int,
    *,
    size: int | None = None,
    points: str | None = None,
    minutes: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the session under way and open a day that carries its points on.

    Raises Refused for impossible numbers, WrongState where a table is out or a bracket stands.
    """
    if size is not None and points is not None:
        raise Refused(_("Enter either a number of players or a minimum score, not both."))
    codes = day_of(tournament, size=size, points=points)
    asked = {"size": size, "points": points, "minutes": minutes}
    return add_day(tournament, codes, tournament.revision, rounds, **asked, actor=actor, key=key)


def set_manual_order(
    tournament: Tournament, codes: list[str], *, reason: str, actor: Any = "", key: str = ""
) -> Action | None:
    """Order by hand the entries nothing else tells apart, best first. Needs a reason.

    Raises Refused where these are not exactly the entries of one tie, WrongState while a table is out.
    """
    if done := repeated_action(tournament, "order by hand", key, digest_of([{"codes": codes}, reason])):
        return done  # the same form again
    event = event_of(tournament)
    if any(
        match.result is None
        for round_ in event.rounds
        if round_.status == "published"
        for match in round_.matches
    ):
        raise WrongState(_("A table is still outstanding. Set the manual order once every result is in."))
    if len(set(codes)) != len(codes) or len(codes) < 2:
        raise Refused(_("Give each tied player a different place."))
    groups = tied_groups(count_open_rounds(event))
    group = next((group for group in groups if codes[0] in group), [])
    names = {code: entry.name for code, entry in event.entries.items()}
    if apart := [names.get(code, code) for code in codes if code not in group]:
        raise Refused(
            _("%(name)s is not tied with the others: points or a tiebreaker decides.")
            % {"name": ", ".join(apart)}
        )
    if left := [names[code] for code in group if code not in codes]:
        raise Refused(_("%(name)s is tied with them too. Give everyone a place.") % {"name": ", ".join(left)})
    return save_manual_order(tournament, codes, tournament.revision, reason=reason, actor=actor, key=key)
