"""The counts and facts of an event's progress, and its one next step."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.event.profile import ruleset_in_force
from tournament.models import Entry, Flag, Match, Round, Stage, StageEntry, Tournament
from tournament.progress.flights import Flight, absent_from, list_flights
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
    """The counts and facts that determine an event's progress. Rounds are in order and include drafts."""

    slug: str
    state: str
    players: int
    rounds: int  # Swiss rounds planned in all, by the organizer or the ruleset
    cut: int  # players in the bracket by the plan; 0 for no bracket
    swiss: list[Round] = field(default_factory=list)
    bracket: list[Round] = field(default_factory=list)
    seeds: int = 0  # entries in the bracket; 0 before the cut
    outstanding: int = 0  # tables without a result in published rounds
    outstanding_by_round: dict[int, int] = field(default_factory=dict)  # the same by the round's primary key
    stage: Stage | None = None  # that new entries join: the last; of flights the first that has not begun
    flights: list[Flight] = field(default_factory=list)  # parallel Swiss stages, if any
    absent: int = 0  # players of `stage` who have not checked in, until it begins; 0 without check-in
    open_messages: int = 0  # player messages not marked done
    open_calls: int = 0  # calls for a judge not settled
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
    def last_rounds(self) -> list[Round]:
        """The last Swiss round, or that of each session."""
        lasts = [flight.last for flight in self.flights] or [self.last]
        return [last for last in lasts if last]

    @property
    def stage_rounds(self) -> list[Round]:
        return [round_ for round_ in self.swiss if self.stage and round_.stage_id == self.stage.pk]

    @property
    def missed_rounds(self) -> int:
        return sum(round_.state != Round.State.DRAFT for round_ in self.stage_rounds)

    @property
    def before_start(self) -> bool:
        """Whether `stage` has not begun yet; only then can there be no-shows."""
        stage = self.stage
        return stage is not None and stage.is_swiss and not stage.carries and not self.stage_rounds

    @property
    def rounds_warning(self) -> str:
        """A sentence if more rounds are planned than can be played without a rematch; else ""."""
        parts = [(flight.players, flight.planned, f"{flight.name}: ") for flight in self.flights]
        for players, rounds, prefix in parts or [(self.players, self.rounds, "")]:
            if warning := too_many_rounds_words(players, rounds):
                return prefix + warning
        return ""

    @property
    def bracket_over(self) -> bool:
        needed = max(self.seeds - 1, 0).bit_length()
        over = [round_ for round_ in self.bracket if round_.state == Round.State.COMPLETE]
        return bool(self.seeds) and len(over) >= needed and len(over) == len(self.bracket)


def too_many_rounds_words(players: int, rounds: int) -> str:
    """Say that so many rounds need a rematch; "" if they do not, or there are not two players yet."""
    most = players - 1 + players % 2  # the bye counts as an opponent
    if players < 2 or rounds <= most:
        return ""
    text = ngettext(
        "%(players)s players cannot play %(rounds)s round without rematches. The most is %(most)s.",
        "%(players)s players cannot play %(rounds)s rounds without rematches. The most is %(most)s.",
        rounds,
    )
    return text % {"players": players, "rounds": rounds, "most": most}


def load_progress_facts(tournament: Tournament) -> ProgressFacts:
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
    profile = ruleset_in_force(tournament)
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
    flights = list_flights(tournament, profile, stages, rounds, outstanding)
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
        outstanding_by_round=outstanding,
        stage=stage,
        flights=flights,
    )
    facts.absent = absent_from(stage) if facts.before_start else 0
    flags = Counter(tournament.flags.filter(done=False).order_by().values_list("kind", flat=True))
    facts.open_messages, facts.open_calls = flags[Flag.Kind.MESSAGE], flags[Flag.Kind.CALL]
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


class NextStep(NamedTuple):
    """The next thing to do: a link or, with `post`, a button. `note` says why it has to wait."""

    label: str
    url: str
    post: bool = False
    note: str = ""
    ready: bool = True  # whether it can be done now; of flights the first that is ready comes first
    who: str = ""  # who may do it: "owner", "desk" (organizers and scorekeepers), or "" for all staff
    flight: int | None = None  # the number of its flight, sent along with the button
    coming: str = ""  # the label of the step that waits until all results are in


class FlightProgress(NamedTuple):
    flight: Flight
    next: NextStep | None


@dataclass(frozen=True)
class Progress:
    """The next step, the underlying facts, and the next step of each session."""

    next: NextStep
    facts: ProgressFacts
    flights: list[FlightProgress] = field(default_factory=list)


def build_progress(tournament: Tournament, stage: int | None = None) -> Progress:
    """Return the event's progress, in six queries. `stage`: primary key of the flight whose next step goes first."""
    facts = load_progress_facts(tournament)
    if not facts.flights or facts.state == Tournament.State.FINISHED:
        return Progress(find_next_step(facts), facts)
    flights = [
        FlightProgress(flight, None if flight.is_played else _round_step(facts, flight))
        for flight in facts.flights
    ]
    steps = [(each.flight.stage.pk != stage, not each.next.ready, each.next) for each in flights if each.next]
    following = min(steps, key=lambda step: step[:2])[2] if steps else step_after_swiss(facts)
    return Progress(following, facts, flights)


def is_swiss_played(facts: ProgressFacts) -> bool:
    if facts.flights:
        return all(flight.is_played for flight in facts.flights)
    last = facts.last
    return last is not None and len(facts.swiss) >= facts.rounds and last.state == Round.State.COMPLETE


def find_next_step(facts: ProgressFacts) -> NextStep:
    if facts.state == Tournament.State.FINISHED:
        return NextStep(_("See the final standings"), facts.url("standings"))
    if facts.seeds:
        return _bracket_step(facts)
    played = facts.last and facts.last.state != Round.State.DRAFT and not facts.outstanding
    return step_after_swiss(facts) if played and len(facts.swiss) >= facts.rounds else _round_step(facts)


def _bracket_step(facts: ProgressFacts) -> NextStep:
    if facts.bracket_over:
        return NextStep(_("Finish the event"), facts.url("finish"), post=True, who="owner")
    open_ = facts.outstanding
    note = ngettext("%(out)s match is open.", "%(out)s matches are open.", open_) % {"out": open_}
    return NextStep(_("Enter bracket results"), facts.url("desk-bracket"), note=note)


def _round_step(facts: ProgressFacts, flight: Flight | None = None) -> NextStep:
    of = flight or facts
    number = len(flight.rounds if flight else facts.swiss)
    values = {"round": number}
    if of.last is None and of.players < 2:
        url = facts.url("entries") + (f"?session={flight.number}" if flight else "")
        note = _("A round needs at least 2 players.")
        return NextStep(_in_session(flight, _("Add players")), url, note=note, ready=False)
    if of.last and of.last.state == Round.State.DRAFT:
        label = _in_session(flight, _("Check and publish round %(round)s") % values)
        return NextStep(label, facts.url("desk-round", of.last.number))
    if of.last and of.outstanding:
        label = _in_session(flight, _("Enter results of round %(round)s") % values)
        note = ngettext("%(count)s table outstanding.", "%(count)s tables outstanding.", of.outstanding)
        planned = flight.planned if flight else facts.rounds
        coming = pairing_step(facts, flight) if number < planned else step_after_swiss(facts)
        url = facts.url("desk-round", of.last.number)
        note %= {"count": of.outstanding}
        return NextStep(label, url, note=note, ready=False, coming=coming.label)
    return pairing_step(facts, flight)


def _in_session(flight: Flight | None, step: str) -> str:
    return _("%(session)s: %(step)s") % {"session": flight.name, "step": step} if flight else step


def pairing_step(facts: ProgressFacts, flight: Flight | None = None) -> NextStep:
    """Return the button that pairs the next round or, if players are absent, a link to the page that names them."""
    of = flight or facts
    number = len(flight.rounds if flight else facts.swiss)
    note = ""
    if of.last is None:
        note = ngettext("%(count)s player.", "%(count)s players.", of.players) % {"count": of.players}
    elif of.last.state == Round.State.PUBLISHED:
        note = _("Completes round %(open)s, then pairs.") % {"open": number}
    if of.absent:
        note = f"{note} {absent_words(of.absent)}".strip()
    label = _in_session(flight, _("Pair round %(next)s") % {"next": number + 1})
    number_of = flight.number if flight else None
    url = facts.url("pair") + (f"?session={number_of}" if number_of and of.absent else "")
    return NextStep(label, url, post=not of.absent, note=note, who="desk", flight=number_of)


def absent_words(count: int) -> str:
    text = ngettext("%(count)s player has not checked in.", "%(count)s players have not checked in.", count)
    return text % {"count": count}


def step_after_swiss(facts: ProgressFacts) -> NextStep:
    """Return the step after all planned rounds: the cut, or the end."""
    if facts.cut:
        label = _("Cut to top %(size)s") % {"size": facts.cut}
        return NextStep(label, facts.url("desk-cut"), who="desk")
    return NextStep(_("Finish the event"), facts.url("finish"), post=True, who="owner")
