"""Stages as staff see them, and flights: parallel Swiss stages, each with its own rounds, called sessions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, Prefetch, Q
from django.utils.translation import gettext as _

from tournament.models import Round, Stage, Tournament
from tournament.rulesets import rounds_and_cut
from tournament.services.stage_entries import carried_numbers, last_swiss_stages


class Flight(NamedTuple):
    """A Swiss stage that no other stage carries over."""

    stage: Stage
    players: int
    rounds: tuple[Round, ...]  # its own and those carried over into it, drafts too
    planned: int  # number of rounds by the event's settings or the ruleset
    outstanding: int  # tables without a result
    absent: int  # players who have not checked in, until it begins; 0 without check-in

    @property
    def number(self) -> int:
        return self.stage.number

    @property
    def name(self) -> str:
        return stage_name(self.number)

    @property
    def last(self) -> Round | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def words(self) -> str:
        """“Session 2: round 1 of 4”."""
        number = len(self.rounds)
        values = {"session": self.name, "round": number, "planned": max(self.planned, number)}
        if not number:
            return _("%(session)s: not started") % values
        return _("%(session)s: round %(round)s of %(planned)s") % values

    @property
    def missed_rounds(self) -> int:
        """The number of published rounds that an entry added now would have missed."""
        own = [round_ for round_ in self.rounds if round_.stage_id == self.stage.pk]
        return sum(round_.state != Round.State.DRAFT for round_ in own)

    @property
    def is_played(self) -> bool:
        drafted = self.last is not None and self.last.state == Round.State.DRAFT
        return bool(self.rounds) and len(self.rounds) >= self.planned and not self.outstanding and not drafted

    @property
    def is_over(self) -> bool:
        return self.is_played and all(round_.state == Round.State.COMPLETE for round_ in self.rounds)


def stage_name(number: int) -> str:
    return _("Session %(number)s") % {"number": number}


def list_flights(
    tournament: Tournament,
    profile: Mapping[str, Any],
    stages: Sequence[Any],
    rounds: Sequence[Round],
    outstanding: Mapping[int, int],
) -> list[Flight]:
    """Return the flights, if an earlier stage is still being played. `outstanding`: {round pk: tables left}."""
    if len(stages) < 2 or not all(stage.is_swiss for stage in stages):
        return []
    flights = []
    for stage in last_swiss_stages(stages):
        numbers = carried_numbers(stages, stage)
        keys = {other.pk for other in stages if other.number in numbers}
        own = tuple(round_ for round_ in rounds if round_.stage_id in keys)
        planned = tournament.rounds_planned or rounds_and_cut(dict(profile), stage.players_)[0]
        missing = sum(outstanding.get(round_.pk, 0) for round_ in own)
        absent = 0 if own else absent_from(stage)
        flights.append(Flight(stage, stage.players_, own, planned, missing, absent))
    return flights if any(not flight.is_over for flight in flights[:-1]) else []


def absent_from(stage: Any) -> int:
    """Return how many have not checked in, of a stage annotated with `here_` and `absent_`."""
    return int(stage.absent_) if stage.here_ else 0


def flight_round_words(flights: Sequence[Flight], round_: Round) -> str:
    """Return “Session 2, round 1 of 4”; "" without flights."""
    for flight in flights:
        for number, own in enumerate(flight.rounds, start=1):
            if own.pk == round_.pk:
                values = {"session": flight.name, "round": number, "planned": max(flight.planned, number)}
                return _("%(session)s, round %(round)s of %(planned)s") % values
    return ""


def list_stages(tournament: Tournament) -> list[Any]:
    """Return the stages with what their page shows beside the columns.

    title    its name, and `follows`: the names of the stages it carries over
    players  its entries without alternates; `again` of all its entries have re-entered
    own      its rounds, `over` once all of them are complete
    """
    players = Q(stage_entries__entry__house=False, stage_entries__alternate=None)
    again = Q(stage_entries__entry__same_person_as__isnull=False)
    rounds = Prefetch("rounds", Round.objects.defer("pairing").order_by("number"), to_attr="own")
    rows: Any = (
        tournament.stages.order_by("number")
        .prefetch_related(rounds)
        .annotate(players=Count("stage_entries", filter=players), again=Count("stage_entries", filter=again))
    )
    stages, titles = list(rows), dict[int, str]()
    for stage in stages:
        stage.title = titles[stage.number] = _stage_title(stage)
        stage.follows = ", ".join(titles[number] for number in stage.sources if number in titles)
        stage.over = bool(stage.own) and all(round_.state == Round.State.COMPLETE for round_ in stage.own)
    return stages


def _stage_title(stage: Stage) -> str:
    if not stage.is_swiss:
        return _("Bracket")
    if stage.carries:
        return _("Stage %(number)s: next day") % {"number": stage.number}
    return stage_name(stage.number)
