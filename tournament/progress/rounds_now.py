"""The state of running events at a glance: the round that is played, the tables outstanding, the deadline."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Count, Q

from tournament.event.clock import RoundClock
from tournament.models import Round

CLOCK = ("starts_at", "ends_at", "seconds_left", "minutes")  # as RoundClock takes them


class RoundNow(NamedTuple):
    """The posted round of a Swiss stage, or all rounds of a bracket that are played now (`number`: the last).

    tables       those with two players; `outstanding` of them have no result
    clock        the round's clock, off once no table is outstanding
    """

    number: int
    swiss: bool
    tables: int
    outstanding: int
    clock: RoundClock


def rounds_now_of(tournaments: Collection[int]) -> dict[int, list[RoundNow]]:
    """{event's primary key: its rounds now, by stage}, in one query; no entry before the first is published.

    Of a stage it is the last round posted: while the pairings of the next are checked, that is not yet the next.
    """
    tables = Count("matches", Q(matches__table__isnull=False))
    rounds = (
        Round.objects.filter(tournament__in=tournaments)
        .exclude(state=Round.State.DRAFT)
        .order_by("number")
        .annotate(tables=tables, waits=Count("matches", Q(matches__result=None)))
        .values_list("tournament", "stage", "number", "swiss", "tables", "waits", *CLOCK)
    )
    now: dict[tuple[int, int], RoundNow] = {}
    for event, stage, number, swiss, many, waits, *clock in rounds:
        before = now.get((event, stage))
        if before and before.outstanding:  # a bracket: its rounds overlap
            many, waits = before.tables + many, before.outstanding + waits
        now[event, stage] = RoundNow(
            number, swiss, many, waits, RoundClock(*clock) if waits else RoundClock()
        )
    found: dict[int, list[RoundNow]] = {}
    for (event, _stage), one in now.items():
        found.setdefault(event, []).append(one)
    return {event: _played(ones) for event, ones in found.items()}


def _played(rounds: list[RoundNow]) -> list[RoundNow]:
    """Those with a table outstanding, else the last."""
    return [one for one in rounds if one.outstanding] or [max(rounds, key=lambda one: one.number)]
