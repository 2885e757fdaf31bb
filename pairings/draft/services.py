"""Pairing as a write: read and computed outside the lock, saved under it only if nothing moved."""

from __future__ import annotations

from typing import Any

from pairings.draft.compute import compute_draft
from pairings.engine.gc_pause import pause_gc
from tournament.actionlog.change import repeated_action
from tournament.models import Action, Tournament
from tournament.services.rounds import save_draft


@pause_gc()
def draft_next_round(
    tournament: Tournament,
    *,
    house: str | None = None,
    again: int | None = None,
    flight: int | None = None,
    seen: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Complete the open round and draft the next one, in one step.

    house    the code of a house opponent, who plays where the number of players is odd
    again    the number of a draft to replace, with the next attempt's seed; it stays where that is refused
    flight   the number of the stage to pair, where several are played side by side
    seen     the revision of the replaced draft that the page showed

    Raises WrongState where a table waits for its result, nobody or only one plays, no pairing exists or the
    bracket is set; NotFound for an unknown house opponent; Conflict where the draft is no longer the one seen.
    """
    request = {"house": house, "again": again, "flight": flight, "seen": seen}
    body = {name: value for name, value in request.items() if value is not None}
    if done := repeated_action(tournament, "draft", key, [body, ""]):
        return done  # the same form again: the draft is there, and the field has changed since
    draft = compute_draft(tournament, house=house, again=again, flight=flight)
    return save_draft(tournament, draft, **request, actor=actor, key=key)


def draft_again(tournament: Tournament, number: int, **options: Any) -> Action | None:
    """Pair a drafted round again. Options and errors as of `draft_next_round`."""
    return draft_next_round(tournament, again=number, **options)
