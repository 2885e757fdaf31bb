from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse

from tournament.event.profile import profile_of
from tournament.models import Entry, Match, Round, Stage, StageEntry, Tournament
from tournament.progress.flights import Flight, absent_from, flights_of
from tournament.rulesets import rounds_and_cut
from tournament.services.entries import HOLDS_A_SPOT, IS_PLAYER, ON_WAITLIST
from tournament.services.stage_entries import carried_numbers, usual_stage

_PLAYERS = Count(
    "stage_entries",
    filter=Q(stage_entries__entry__house=False)
    & ~Q(stage_entries__entry__status__in=["registered", "waitlisted"])
    & ~Q(stage_entries__entry__dropped_after=0),
)
_EXPECTED = Q(stage_entries__entry__house=False, stage_entries__entry__status=Entry.Status.PLAYING)
_HERE = Count("stage_entries", filter=_EXPECTED & Q(stage_entries__entry__checked_in=True))
_SITS_OUT = Q(stage_entries__entry__requested_byes__0__round=1)  # the first of them; null where there is none
_ABSENT = Count(
    "stage_entries",
    filter=_EXPECTED
    & Q(stage_entries__entry__checked_in=False)
    & (Q(stage_entries__entry__requested_byes=[]) | ~_SITS_OUT),
)


@dataclass
class ProgressFacts:
    """The counts and facts that determine an event's progress; rounds in order, with drafts."""

    slug: str
    state: str
    players: int
    rounds: int  # Swiss rounds planned in all, by the organizer or the ruleset
    cut: int  # players in the bracket by the plan; 0 for no bracket
    swiss: list[Round] = field(default_factory=list)
    bracket: list[Round] = field(default_factory=list)
    seeds: int = 0  # entries in the bracket; 0 before the cut
    outstanding: int = 0  # tables without a result in published rounds
    stage: Stage | None = None  # that new entries join: the last; of flights the first that has not begun
    flights: list[Flight] = field(default_factory=list)  # parallel Swiss stages, if any
    absent: int = 0  # players of `stage` who have not checked in, until it begins; 0 without check-in
    open_messages: int = 0  # player messages not marked done; counted by `progress_of` only
    open_calls: int = 0  # calls for a judge not settled; counted by `progress_of` only
    waiting: int = 0  # players on the waitlist
    playing: int = 0  # of the players those who have a spot: neither dropped nor disqualified

    def url(self, name: str, *args: int) -> str:
        return reverse(name, args=[self.slug, *args])

    @property
    def left(self) -> int:
        return self.players - self.playing

    @property
    def last(self) -> Round | None:
        return self.swiss[-1] if self.swiss else None

    @property
    def stage_rounds(self) -> list[Round]:
        return [round_ for round_ in self.swiss if self.stage and round_.stage_id == self.stage.pk]

    @property
    def missed_rounds(self) -> int:
        return sum(round_.state != Round.State.DRAFT for round_ in self.stage_rounds)

    @property
    def before_start(self) -> bool:
        """Whether `stage` still has to begin: only then can there be no-shows."""
        stage = self.stage
        return stage is not None and stage.is_swiss and not stage.carries and not self.stage_rounds

    @property
    def bracket_over(self) -> bool:
        needed = max(self.seeds - 1, 0).bit_length()
        over = [round_ for round_ in self.bracket if round_.state == Round.State.COMPLETE]
        return bool(self.seeds) and len(over) >= needed and len(over) == len(self.bracket)


def progress_facts_of(tournament: Tournament) -> ProgressFacts:
    counts = tournament.entries.aggregate(
        players=Count("pk", filter=IS_PLAYER),
        waiting=Count("pk", filter=ON_WAITLIST),
        playing=Count("pk", filter=HOLDS_A_SPOT),
    )
    players = counts["players"]
    rounds = list(tournament.rounds.order_by("number").defer("pairing"))
    stages = list(
        tournament.stages.order_by("number").annotate(
            seeds=Count("stage_entries__seed"), players_=_PLAYERS, here_=_HERE, absent_=_ABSENT
        )
    )
    swiss = [stage for stage in stages if stage.is_swiss]
    profile = profile_of(tournament)
    suggested, top = rounds_and_cut(profile, players)
    earlier = 0  # rounds of stages that are over
    if len(swiss) > 1:
        suggested = rounds_and_cut(profile, swiss[-1].players_)[0]
        current = carried_numbers(swiss, swiss[-1])
        over = {stage.pk for stage in swiss if stage.number not in current}
        earlier = sum(round_.stage_id in over for round_ in rounds)
    open_ = [round_.pk for round_ in rounds if round_.state == Round.State.PUBLISHED]
    open_matches = Match.objects.filter(round__in=open_, result=None)
    outstanding = Counter(open_matches.values_list("round_id", flat=True))
    flights = flights_of(tournament, profile, stages, rounds, outstanding)
    stage: Any = stages[-1] if stages else None
    if flights:
        suggested = sum(max(flight.planned, len(flight.rounds)) for flight in flights)
        stage = usual_stage(stages, {round_.stage_id for round_ in rounds})
    facts = ProgressFacts(
        slug=tournament.slug,
        state=tournament.state,
        players=players,
        waiting=counts["waiting"],
        playing=counts["playing"],
        rounds=suggested if flights else earlier + (tournament.rounds_planned or suggested),
        cut=top if tournament.cut is None else tournament.cut,
        swiss=[round_ for round_ in rounds if round_.swiss],
        bracket=[round_ for round_ in rounds if not round_.swiss],
        seeds=sum(stage.seeds for stage in stages),
        outstanding=outstanding.total(),
        stage=stage,
        flights=flights,
    )
    facts.absent = absent_from(stage) if facts.before_start else 0
    return facts


def flights_by_entry(facts: ProgressFacts, entry: Entry | None = None) -> dict[str, list[int]]:
    """Return {code: numbers of its flights} of every entry, or of one."""
    numbers: dict[str, list[int]] = {}
    if not facts.flights:
        return numbers
    stages = [flight.stage for flight in facts.flights]
    rows = StageEntry.objects.filter(stage__in=stages, **({"entry": entry} if entry else {}))
    for code, number in rows.order_by("stage__number").values_list("entry__code", "stage__number"):
        numbers.setdefault(code, []).append(number)
    return numbers
