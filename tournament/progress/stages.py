"""The stages of an event as staff see them: session 1, session 2, day 2, bracket."""

import datetime as dt
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q
from django.utils.translation import gettext as _

from tournament.models import Round, Tournament
from tournament.progress.flights import stage_name


class StageLine(NamedTuple):
    """One stage: its name, what it follows, its number of entries (`again`: those that re-entered), its rounds."""

    number: int
    name: str
    swiss: bool
    follows: str
    players: int
    again: int
    rounds: tuple[int, ...]
    over: bool
    minutes: int | None = None
    ends_at: dt.datetime | None = None


def stage_lines_of(tournament: Tournament) -> list[StageLine]:
    """Every stage in order, in two queries."""
    stages = tournament.stages.order_by("number").annotate(
        players=Count("stage_entries", filter=Q(stage_entries__entry__house=False)),
        again=Count("stage_entries", filter=Q(stage_entries__entry__same_person_as__isnull=False)),
    )
    rounds = Prefetch("rounds", Round.objects.defer("pairing").order_by("number"))
    names: dict[int, str] = {}
    lines = []
    for stage in stages.prefetch_related(rounds):
        names[stage.number] = _name(stage, names)
        own = stage.rounds.all()
        lines.append(
            StageLine(
                stage.number,
                names[stage.number],
                stage.is_swiss,
                ", ".join(names[number] for number in stage.sources if number in names),
                stage.players,
                stage.again,
                tuple(round_.number for round_ in own),
                bool(own) and all(round_.state == Round.State.COMPLETE for round_ in own),
                stage.minutes,
                stage.ends_at,
            )
        )
    return lines


def _name(stage, names: dict[int, str]) -> str:
    if not stage.is_swiss:
        return _("Bracket")
    if stage.carries:
        return _("Stage %(number)s: next day") % {"number": stage.number}
    return stage_name(stage.number)
