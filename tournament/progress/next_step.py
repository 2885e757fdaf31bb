"""The road of an event: Set up → Register → Round 1 … n → Cut → Bracket → Finish, and the one next thing to do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.event.read import profile_of
from tournament.models import Entry, Match, Round, Stage, StageEntry, Tournament
from tournament.progress.flights import Session, side_by_side
from tournament.rulesets import rounds_and_cut
from tournament.services.capacity import IS_PLAYER, usual_session
from tournament.services.stages import session_numbers


@dataclass(frozen=True)
class Step:
    """One stop: `state` is "done", "now" or ""; `url` is "" where there is nothing to open yet."""

    label: str
    state: str = ""
    url: str = ""


@dataclass(frozen=True)
class Next:
    """The next thing to do: a link, or with `post` a button that does it; `note` says why it waits.

    `who` may do it: "owner", "desk" (owner and scorekeepers), or "" for everybody on the staff.
    """

    label: str
    url: str
    post: bool = False
    note: str = ""
    ready: bool = True
    who: str = ""
    session: int | None = None  # sent along, where several are played side by side


@dataclass
class Facts:
    """The little the road is made of."""

    slug: str
    state: str
    players: int
    rounds: int
    cut: int
    planned: bool  # somebody chose the number of rounds; otherwise the ruleset suggests it
    swiss: list[Round] = field(default_factory=list)
    bracket: list[Round] = field(default_factory=list)
    seeds: int = 0  # entries in the bracket; 0 before the cut
    out: int = 0  # tables without a result in published rounds
    stage: Stage | None = None  # the last one, side by side the first not begun: new entries join it
    sessions: list[Session] = field(default_factory=list)  # where several are played side by side
    flags: int = 0  # messages of players nobody saw to yet; counted for the road alone

    @property
    def last(self) -> Round | None:
        return self.swiss[-1] if self.swiss else None

    @property
    def drafted(self) -> list[Round]:
        """The rounds of that stage, drafts too."""
        return [round_ for round_ in self.swiss if self.stage and round_.stage_id == self.stage.pk]

    @property
    def missed(self) -> int:
        """How many published rounds whoever joins now was not there for."""
        return sum(round_.state != Round.State.DRAFT for round_ in self.drafted)

    @property
    def before_start(self) -> bool:
        """Whether that session is still to begin: only then can somebody not have come."""
        stage = self.stage
        return stage is not None and stage.is_swiss and not stage.carries and not self.drafted

    @property
    def bracket_over(self) -> bool:
        needed = max(self.seeds - 1, 0).bit_length()
        over = [round_ for round_ in self.bracket if round_.state == Round.State.COMPLETE]
        return bool(self.seeds) and len(over) >= needed and len(over) == len(self.bracket)


@dataclass(frozen=True)
class Road:
    """The stops and the next thing to do; `facts` for who shows more.

    `each`: of sessions side by side, what is next in each, with how far it is.
    """

    steps: list[Step]
    next: Next
    facts: Facts
    each: list[tuple[Session, str, Next | None]] = field(default_factory=list)


_PLAYERS = Count(
    "stage_entries",
    filter=Q(stage_entries__entry__house=False)
    & ~Q(stage_entries__entry__status__in=["registered", "waitlisted"]),
)


def road_of(tournament: Tournament, stage: int | None = None) -> Road:
    """The event's road, in five queries. `stage`: the key of the session whose next step is asked for."""
    facts = facts_of(tournament)
    facts.flags = tournament.flags.filter(done=False).count()
    each = each_next(facts)
    if not each:
        return Road(steps_of(facts), next_of(facts), facts)
    own = [step for session, _far, step in each if step and session.stage.pk == stage]
    able = [step for _session, _far, step in each if step and step.ready]
    waits = [step for _session, _far, step in each if step]
    return Road(steps_of(facts), (own or able or waits or [after_swiss(facts)])[0], facts, each)


def facts_of(tournament: Tournament) -> Facts:
    """Read what the road is made of."""
    players = tournament.entries.filter(IS_PLAYER).count()
    rounds = list(
        tournament.rounds.only("number", "state", "swiss", "stage_id", "published_at").order_by("number")
    )
    stages = list(
        tournament.stages.order_by("number").annotate(seeds=Count("stage_entries__seed"), players_=_PLAYERS)
    )
    swiss = [stage for stage in stages if stage.is_swiss]
    profile = profile_of(tournament)
    suggested, top = rounds_and_cut(profile, players)
    earlier = 0  # rounds of sessions that are over
    if len(swiss) > 1:
        suggested = rounds_and_cut(profile, swiss[-1].players_)[0]
        session = session_numbers(swiss, swiss[-1])
        over = {stage.pk for stage in swiss if stage.number not in session}
        earlier = sum(round_.stage_id in over for round_ in rounds)
    open_ = [round_.pk for round_ in rounds if round_.state == Round.State.PUBLISHED]
    missing = Match.objects.filter(round__in=open_, result=None) if open_ else Match.objects.none()
    out = Counter(missing.values_list("round_id", flat=True))
    sessions = side_by_side(tournament, profile, stages, rounds, out)
    stage: Stage | None = stages[-1] if stages else None
    if sessions:
        suggested = sum(max(session.planned, len(session.rounds)) for session in sessions)
        stage = usual_session(stages, {round_.stage_id for round_ in rounds})
    return Facts(
        slug=tournament.slug,
        state=tournament.state,
        players=players,
        rounds=suggested if sessions else earlier + (tournament.rounds_planned or suggested),
        cut=top if tournament.cut is None else tournament.cut,
        planned=tournament.rounds_planned is not None,
        swiss=[round_ for round_ in rounds if round_.swiss],
        bracket=[round_ for round_ in rounds if not round_.swiss],
        seeds=sum(stage.seeds for stage in stages),
        out=out.total(),
        stage=stage,
        sessions=sessions,
    )


def sessions_by_entry(road: Road, entry: Entry | None = None) -> dict[str, list[int]]:
    """{code: numbers of its sessions} of everybody (or one entry), where several are side by side; else nothing."""
    found: dict[str, list[int]] = {}
    if not road.facts.sessions:
        return found
    stages = [session.stage for session in road.facts.sessions]
    places = StageEntry.objects.filter(stage__in=stages, **({"entry": entry} if entry else {}))
    for code, number in places.order_by("stage__number").values_list("entry__code", "stage__number"):
        found.setdefault(code, []).append(number)
    return found


def steps_of(facts: Facts) -> list[Step]:
    """Every stop, done ones ticked; rounds beyond the plan appear as they are played."""
    begun, finished = bool(facts.swiss), facts.state == Tournament.State.FINISHED
    steps = [
        Step(_("Set up"), "done", address("desk", facts.slug)),
        Step(_("Register"), "done" if begun else "now", address("entries", facts.slug)),
    ]
    for session in facts.sessions:
        if session.last:
            url = address("desk-round", facts.slug, session.last.number)
            steps.append(Step(far_of(session), "done" if session.over else "now", url))
        else:
            steps.append(Step(far_of(session)))
    for round_ in [] if facts.sessions else facts.swiss:
        url = address("desk-round", facts.slug, round_.number)
        over = round_.state == Round.State.COMPLETE
        steps.append(Step(_("Round %(number)s") % {"number": round_.number}, "done" if over else "now", url))
    if not facts.seeds and not finished and not facts.sessions:
        for number in range(len(facts.swiss) + 1, facts.rounds + 1):
            steps.append(Step(_("Round %(number)s") % {"number": number}))
    played = begun and len(facts.swiss) >= facts.rounds and facts.swiss[-1].state == Round.State.COMPLETE
    if facts.sessions:
        played = all(session.played for session in facts.sessions)
    if facts.cut or facts.seeds:
        size = facts.seeds or facts.cut
        state = "done" if facts.seeds else ("now" if played else "")
        url = address("desk-cut", facts.slug) if begun else ""
        steps.append(Step(_("Cut to top %(size)s") % {"size": size}, state, url))
        state = ("done" if facts.bracket_over else "now") if facts.seeds else ""
        steps.append(Step(_("Bracket"), state, address("desk-bracket", facts.slug) if facts.seeds else ""))
    steps.append(Step(_("Finish"), "done" if finished else ""))
    return steps


def next_of(facts: Facts) -> Next:
    """The one next thing to do."""
    if facts.state == Tournament.State.FINISHED:
        return Next(_("See the final standings"), address("standings", facts.slug))
    if facts.seeds:
        if facts.bracket_over:
            return Next(_("Finish the event"), address("finish", facts.slug), post=True, who="owner")
        note = ngettext("%(out)s match is open.", "%(out)s matches are open.", facts.out) % {"out": facts.out}
        return Next(_("Enter bracket results"), address("desk-bracket", facts.slug), note=note)
    if facts.last is None:
        return _before_round_1(facts)
    number = facts.last.number
    if facts.last.state == Round.State.DRAFT:
        url = address("desk-round", facts.slug, number)
        return Next(_("Check and publish round %(number)s") % {"number": number}, url)
    if facts.out:
        url = address("desk-round", facts.slug, number)
        note = tables_out(facts.out)
        return Next(_("Enter results of round %(number)s") % {"number": number}, url, note=note)
    if len(facts.swiss) < facts.rounds:
        return pair_next(facts)
    return after_swiss(facts)


def _before_round_1(facts: Facts) -> Next:
    if facts.players < 2:
        return Next(
            _("Add players"), address("entries", facts.slug), note=_("A round needs at least 2 players.")
        )
    note = ngettext("%(count)s player.", "%(count)s players.", facts.players) % {"count": facts.players}
    return Next(
        _("Pair round %(number)s") % {"number": 1},
        address("pair", facts.slug),
        post=True,
        note=note,
        who="desk",
    )


def pair_next(facts: Facts) -> Next:
    """The button that completes the open round and drafts the next."""
    assert facts.last is not None
    label = _("Pair round %(number)s") % {"number": facts.last.number + 1}
    note = ""
    if facts.last.state == Round.State.PUBLISHED:
        note = _("Completes round %(number)s, then pairs.") % {"number": facts.last.number}
    return Next(label, address("pair", facts.slug), post=True, note=note, who="desk")


def far_of(session: Session) -> str:
    """How far a session is: “Session 2: round 1 of 4”."""
    at = len(session.rounds)
    said = {"session": session.name, "round": at, "planned": max(session.planned, at)}
    if not at:
        return _("%(session)s: not started") % said
    return _("%(session)s: round %(round)s of %(planned)s") % said


def each_next(facts: Facts) -> list[tuple[Session, str, Next | None]]:
    """(session, how far it is, what is next in it) of sessions side by side; None where it is played."""
    if facts.state == Tournament.State.FINISHED:
        return []
    return [(session, far_of(session), _next_in(facts, session)) for session in facts.sessions]


def _next_in(facts: Facts, session: Session) -> Next | None:
    said = {"session": session.name, "round": len(session.rounds)}
    last = session.last
    if session.played:
        return None
    if last is not None and last.state == Round.State.DRAFT:
        label = _("%(session)s: check and publish round %(round)s") % said
        return Next(label, address("desk-round", facts.slug, last.number))
    if last is not None and session.out:
        label = _("%(session)s: enter results of round %(round)s") % said
        url = address("desk-round", facts.slug, last.number)
        return Next(label, url, note=tables_out(session.out), ready=False)
    if last is None and session.players < 2:
        label = _("%(session)s: add players") % said
        url = f"{address('entries', facts.slug)}?session={session.number}"
        return Next(label, url, note=_("A round needs at least 2 players."), ready=False)
    return pair_in(facts, session)


def pair_in(facts: Facts, session: Session) -> Next:
    """The button that completes the session's open round and drafts its next."""
    said = {"session": session.name, "round": len(session.rounds) + 1}
    note = ngettext("%(count)s player.", "%(count)s players.", session.players) % {"count": session.players}
    if session.last is not None:
        open_ = session.last.state == Round.State.PUBLISHED
        note = (
            _("Completes its round %(number)s, then pairs.") % {"number": len(session.rounds)}
            if open_
            else ""
        )
    label = _("%(session)s: pair round %(round)s") % said
    return Next(label, address("pair", facts.slug), post=True, note=note, who="desk", session=session.number)


def after_swiss(facts: Facts) -> Next:
    """All planned rounds are played: cut, or the end."""
    if facts.cut:
        return Next(
            _("Cut to top %(size)s") % {"size": facts.cut}, address("desk-cut", facts.slug), who="desk"
        )
    return Next(_("Finish the event"), address("finish", facts.slug), post=True, who="owner")


def tables_out(count: int) -> str:
    """How many tables are out, in words."""
    return ngettext("%(count)s table outstanding.", "%(count)s tables outstanding.", count) % {"count": count}


def address(name: str, *args: object) -> str:
    """The address of a page by name; pages of the other apps are met by name only."""
    return reverse(name, args=args)
