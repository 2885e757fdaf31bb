"""Which Swiss stages take players: sessions side by side, until a bracket or a second day follows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.utils.translation import gettext as _

from tournament.errors import NotFound, WrongState
from tournament.models import Stage, Tournament


def last_swiss_stages(swiss: Sequence[Any]) -> list[Any]:
    """Of these Swiss stages (rows or values) those whose points no other one carries over, in order."""
    carried = {number for stage in swiss if stage.carries for number in stage.sources}
    return [stage for stage in swiss if stage.number not in carried]


def stages_to_join(tournament: Tournament) -> list[Stage]:
    """The stages that take players, in order; none once a bracket or a day that carries points over follows."""
    stages = list(tournament.stages.order_by("number"))
    if not stages or not stages[-1].is_swiss or stages[-1].carries:
        return []
    return [stage for stage in last_swiss_stages(stages) if not stage.carries]


def stage_to_join(tournament: Tournament, number: int | None = None) -> Stage:
    """The stage of that number, or else the `usual_stage`, if it takes players.

    Raises WrongState where it does not, NotFound where there is none of that number.
    """
    stages = list(tournament.stages.order_by("number"))
    if not stages or not stages[-1].is_swiss:
        raise WrongState(_("The bracket is set, so no one can join anymore."))
    if stages[-1].carries:
        raise WrongState(_("This day carries points over from the day before, so no one can join it."))
    if number is None:
        begun = set(tournament.rounds.values_list("stage_id", flat=True)) if len(stages) > 1 else set()
        return usual_stage(stages, begun)
    stage = next((stage for stage in stages if stage.number == number), None)
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event.") % {"number": number})
    if stage.carries or stage not in last_swiss_stages(stages):
        raise WrongState(_("Session %(number)s no longer accepts players.") % {"number": number})
    return stage


def usual_stage(stages: Sequence[Stage], begun: Collection[int]) -> Stage:
    """Where players go without a choice: the first stage not in `begun` (keys of rows), else the last."""
    return next((stage for stage in stages if stage.pk not in begun and not stage.carries), stages[-1])
