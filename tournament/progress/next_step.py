"""The steps of an event (Set up → Register → Round 1 … n → Cut → Bracket → Finish) and its one next step."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.models import Round, Tournament
from tournament.progress.facts import ProgressFacts, progress_facts_of
from tournament.progress.flights import Flight


@dataclass(frozen=True)
class Step:
    """One step: `state` is "done", "now" or ""; `url` is "" while there is nothing to open."""

    label: str
    state: str = ""
    url: str = ""


@dataclass(frozen=True)
class NextStep:
    """The next thing to do: a link, or with `post` a button that does it; `note` says why it waits.

    who     who may do it: "owner", "desk" (organizers and scorekeepers), or "" for all staff
    ready   whether it can be done now; of flights the first that is ready comes first
    flight  the number of the flight it belongs to, sent along with the button
    """

    label: str
    url: str
    post: bool = False
    note: str = ""
    ready: bool = True
    who: str = ""
    flight: int | None = None


@dataclass(frozen=True)
class FlightProgress:
    """A flight, how far it is in words, and its next step: None once it is played."""

    flight: Flight
    words: str
    next: NextStep | None


@dataclass(frozen=True)
class Progress:
    """The steps and the next one, the facts they were told from, and each flight's own next step."""

    steps: list[Step]
    next: NextStep
    facts: ProgressFacts
    flights: list[FlightProgress] = field(default_factory=list)


def progress_of(tournament: Tournament, stage: int | None = None) -> Progress:
    """The event's progress, in six queries. `stage`: the primary key of the flight whose next step goes first."""
    facts = progress_facts_of(tournament)
    facts.open_messages = tournament.flags.filter(done=False).count()
    flights = flight_progress_of(facts)
    if not flights:
        return Progress(steps_of(facts), next_step_of(facts), facts)
    own = [each.next for each in flights if each.next and each.flight.stage.pk == stage]
    ready = [each.next for each in flights if each.next and each.next.ready]
    waiting = [each.next for each in flights if each.next]
    following = (own or ready or waiting or [step_after_swiss(facts)])[0]
    return Progress(steps_of(facts), following, facts, flights)


def steps_of(facts: ProgressFacts) -> list[Step]:
    """Every step, the done ones marked; rounds beyond the plan are added as they are played."""
    begun, finished = bool(facts.swiss), facts.state == Tournament.State.FINISHED
    return [
        Step(_("Set up"), "done", reverse("desk", args=[facts.slug])),
        Step(_("Register"), "done" if begun else "now", reverse("entries", args=[facts.slug])),
        *(_flight_steps(facts) if facts.flights else _round_steps(facts)),
        *(_bracket_steps(facts) if facts.cut or facts.seeds else []),
        Step(_("Finish"), "done" if finished else ""),
    ]


def _flight_steps(facts: ProgressFacts) -> list[Step]:
    steps = []
    for flight in facts.flights:
        url = round_url(facts, flight.last.number) if flight.last else ""
        state = ("done" if flight.is_over else "now") if flight.last else ""
        steps.append(Step(flight_words(flight), state, url))
    return steps


def _round_steps(facts: ProgressFacts) -> list[Step]:
    steps = []
    for round_ in facts.swiss:
        state = "done" if round_.state == Round.State.COMPLETE else "now"
        label = _("Round %(number)s") % {"number": round_.number}
        steps.append(Step(label, state, round_url(facts, round_.number)))
    if not facts.seeds and facts.state != Tournament.State.FINISHED:
        for number in range(len(facts.swiss) + 1, facts.rounds + 1):
            steps.append(Step(_("Round %(number)s") % {"number": number}))
    return steps


def _bracket_steps(facts: ProgressFacts) -> list[Step]:
    if facts.seeds:
        cut, bracket = "done", "done" if facts.bracket_over else "now"
    else:
        cut, bracket = "now" if _is_swiss_played(facts) else "", ""
    cut_url = reverse("desk-cut", args=[facts.slug]) if facts.swiss else ""
    bracket_url = reverse("desk-bracket", args=[facts.slug]) if facts.seeds else ""
    label = _("Cut to top %(size)s") % {"size": facts.seeds or facts.cut}
    return [Step(label, cut, cut_url), Step(_("Bracket"), bracket, bracket_url)]


def _is_swiss_played(facts: ProgressFacts) -> bool:
    if facts.flights:
        return all(flight.is_played for flight in facts.flights)
    last = facts.last
    return last is not None and len(facts.swiss) >= facts.rounds and last.state == Round.State.COMPLETE


def next_step_of(facts: ProgressFacts) -> NextStep:
    """The one next step of an event without flights."""
    if facts.state == Tournament.State.FINISHED:
        return NextStep(_("See the final standings"), reverse("standings", args=[facts.slug]))
    if facts.seeds:
        return _bracket_step(facts)
    if facts.last is None:
        return _first_step(facts)
    number = facts.last.number
    if facts.last.state == Round.State.DRAFT:
        label = _("Check and publish round %(number)s") % {"number": number}
        return NextStep(label, round_url(facts, number))
    if facts.outstanding:
        label = _("Enter results of round %(number)s") % {"number": number}
        return NextStep(label, round_url(facts, number), note=outstanding_words(facts.outstanding))
    if len(facts.swiss) < facts.rounds:
        return pairing_step(facts)
    return step_after_swiss(facts)


def _bracket_step(facts: ProgressFacts) -> NextStep:
    if facts.bracket_over:
        return NextStep(_("Finish the event"), reverse("finish", args=[facts.slug]), post=True, who="owner")
    open_ = facts.outstanding
    note = ngettext("%(out)s match is open.", "%(out)s matches are open.", open_) % {"out": open_}
    return NextStep(_("Enter bracket results"), reverse("desk-bracket", args=[facts.slug]), note=note)


def _first_step(facts: ProgressFacts) -> NextStep:
    if facts.players < 2:
        url, note = reverse("entries", args=[facts.slug]), _("A round needs at least 2 players.")
        return NextStep(_("Add players"), url, note=note)
    label, url = _("Pair round %(number)s") % {"number": 1}, reverse("pair", args=[facts.slug])
    return NextStep(label, url, post=True, note=players_words(facts.players), who="desk")


def pairing_step(facts: ProgressFacts) -> NextStep:
    """The button that completes the open round and drafts the next one."""
    assert facts.last is not None
    note = ""
    if facts.last.state == Round.State.PUBLISHED:
        note = _("Completes round %(number)s, then pairs.") % {"number": facts.last.number}
    label = _("Pair round %(number)s") % {"number": facts.last.number + 1}
    return NextStep(label, reverse("pair", args=[facts.slug]), post=True, note=note, who="desk")


def step_after_swiss(facts: ProgressFacts) -> NextStep:
    """What follows once all planned rounds are played: the cut, or the end."""
    if facts.cut:
        label = _("Cut to top %(size)s") % {"size": facts.cut}
        return NextStep(label, reverse("desk-cut", args=[facts.slug]), who="desk")
    return NextStep(_("Finish the event"), reverse("finish", args=[facts.slug]), post=True, who="owner")


def flight_progress_of(facts: ProgressFacts) -> list[FlightProgress]:
    """Each flight with its own next step; empty without flights and once the event is finished."""
    if facts.state == Tournament.State.FINISHED:
        return []
    return [
        FlightProgress(flight, flight_words(flight), _flight_step(facts, flight)) for flight in facts.flights
    ]


def _flight_step(facts: ProgressFacts, flight: Flight) -> NextStep | None:
    values = {"session": flight.name, "round": len(flight.rounds)}
    last = flight.last
    if flight.is_played:
        return None
    if last is not None and last.state == Round.State.DRAFT:
        label = _("%(session)s: check and publish round %(round)s") % values
        return NextStep(label, round_url(facts, last.number))
    if last is not None and flight.outstanding:
        label = _("%(session)s: enter results of round %(round)s") % values
        note = outstanding_words(flight.outstanding)
        return NextStep(label, round_url(facts, last.number), note=note, ready=False)
    if last is None and flight.players < 2:
        label = _("%(session)s: add players") % values
        url = f"{reverse('entries', args=[facts.slug])}?session={flight.number}"
        return NextStep(label, url, note=_("A round needs at least 2 players."), ready=False)
    return pairing_step_of_flight(facts, flight)


def pairing_step_of_flight(facts: ProgressFacts, flight: Flight) -> NextStep:
    """The button that completes the flight's open round and drafts its next one."""
    number = len(flight.rounds)
    if flight.last is None:
        note = players_words(flight.players)
    elif flight.last.state == Round.State.PUBLISHED:
        note = _("Completes its round %(number)s, then pairs.") % {"number": number}
    else:
        note = ""
    label = _("%(session)s: pair round %(round)s") % {"session": flight.name, "round": number + 1}
    url = reverse("pair", args=[facts.slug])
    return NextStep(label, url, post=True, note=note, who="desk", flight=flight.number)


def flight_words(flight: Flight) -> str:
    """How far a flight is: “Session 2: round 1 of 4”."""
    number = len(flight.rounds)
    values = {"session": flight.name, "round": number, "planned": max(flight.planned, number)}
    if not number:
        return _("%(session)s: not started") % values
    return _("%(session)s: round %(round)s of %(planned)s") % values


def players_words(count: int) -> str:
    """“8 players.”"""
    return ngettext("%(count)s player.", "%(count)s players.", count) % {"count": count}


def outstanding_words(count: int) -> str:
    """“3 tables outstanding.”"""
    return ngettext("%(count)s table outstanding.", "%(count)s tables outstanding.", count) % {"count": count}


def round_url(facts: ProgressFacts, number: int) -> str:
    """The desk of a round."""
    return reverse("desk-round", args=[facts.slug, number])
