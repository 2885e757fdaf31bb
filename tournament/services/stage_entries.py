"""Swiss stages that take players, and how an entry joins and leaves one.

Parallel Swiss stages take players until a second day follows, which then takes them, or a bracket. An entry that joins
late has a row without an opponent in each missed round, with the ruleset's result for it. A player who joins a second
day brings no points: the first day's rounds do not count as missed.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.errors import WrongState, get_or_refuse
from tournament.event.profile import ruleset_in_force
from tournament.models import Entry, Round, Stage, StageEntry, Tournament


def last_swiss_stages(swiss: Sequence[Any]) -> list[Any]:
    """Return the Swiss stages (rows or values) whose points no other stage carries over, in order."""
    carried = {number for stage in swiss if stage.carries for number in stage.sources}
    return [stage for stage in swiss if stage.number not in carried]


def carried_numbers(stages: Sequence[Stage], last: Stage) -> set[int]:
    """Return the numbers of a stage and of all stages whose points it carries over."""
    sources = [stage for stage in stages if last.carries and stage.number in last.sources]
    return {last.number}.union(*(carried_numbers(stages, source) for source in sources))


def stages_to_join(tournament: Tournament) -> list[Stage]:
    """Return the stages that take players; none once a bracket follows."""
    stages = list(tournament.stages.order_by("number"))
    return last_swiss_stages(stages) if stages and stages[-1].is_swiss else []


def stage_to_join(tournament: Tournament, number: int | None = None) -> Stage:
    """Return the stage with that number, or the `usual_stage`. Raises WrongState if it takes no players."""
    stages = list(tournament.stages.order_by("number"))
    if not stages or not stages[-1].is_swiss:
        raise WrongState(_("The bracket is set, so no one can join anymore."))
    if number is None:
        begun = set(tournament.rounds.values_list("stage_id", flat=True)) if len(stages) > 1 else set()
        return usual_stage(stages, begun)
    text = _("There is no session %(number)s in this event.")
    stage = get_or_refuse(tournament.stages.filter(number=number), text, number=number)
    if stage not in stages_to_join(tournament):
        raise WrongState(_("Session %(number)s no longer accepts players."), number=number)
    return stage


def usual_stage(stages: Sequence[Stage], begun: Collection[int]) -> Stage:
    """Return the default stage for a new player: the first not in `begun` (primary keys), else the last."""
    return next((stage for stage in stages if stage.pk not in begun and not stage.carries), stages[-1])


def person_is_in(entry: Entry, stage: Stage) -> bool:
    """Whether this entry, or one of the same person, is in a stage."""
    return stage.stage_entries.filter(entry__in=list_person_entries(entry)).exists()


def list_person_entries(entry: Entry) -> list[Entry]:
    """Return all entries of this player: those linked to each other or merged into one of them."""
    rows = list(entry.tournament.entries.order_by("code"))
    person = {entry.pk}
    while more := {pk for row in rows for pk in _linked(row) if person & _linked(row)} - person:
        person |= more
    return [row for row in rows if row.pk in person]


def _linked(entry: Entry) -> set[int]:
    return {entry.pk, entry.same_person_as_id or entry.pk}


def has_played(entry: Entry) -> bool:
    """Whether a round of the entry's stage was published. From then on the entry belongs to the standings."""
    return Round.objects.filter(stage__stage_entries__entry=entry).exclude(state=Round.State.DRAFT).exists()


def join_stage(log: Log, stage: Stage, entry: Entry, **fields: Any) -> None:
    """Put an entry into a stage, late if the stage has begun. `fields` of the entry are changed as well."""
    log.set(entry, **{**fields, **_joining_facts(stage)})
    log.add(StageEntry, f"stages/{stage.number}/entries/{entry.code}", {})
    enter_missed_rounds(log, stage, [entry.code])


def admit_to_stage(log: Log, entry: Entry, number: int | None = None) -> None:
    stage = stage_to_join(log.tournament, number)
    join_stage(log, stage, entry, status="playing", dropped_after=None, waits=None)


def add_to_stage(log: Log, people: Sequence[tuple[Fact, Fact]], number: int | None = None) -> None:
    """Put new entries, as (facts, personal fields), into that stage or the usual one, late if it has begun."""
    stage = stage_to_join(log.tournament, number)
    joining = _joining_facts(stage)
    entries = {}
    for code, (facts, personal) in zip(next_codes(log.tournament, len(people)), people, strict=True):
        entries[code] = ({**facts, "status": "playing", **joining}, personal)
        if "seed_rank" in joining:
            joining["seed_rank"] += 1
    log.enter(stage, entries)
    enter_missed_rounds(log, stage, list(entries))


def next_codes(tournament: Tournament, count: int) -> list[str]:
    """Return the next free public codes: P0001, P0002, …"""
    codes = tournament.entries.filter(code__startswith="P").values_list("code", flat=True)
    last = max((int(code[1:]) for code in codes if code[1:].isdigit()), default=0)
    return [f"P{last + step:04d}" for step in range(1, count + 1)]


def leave_stages(log: Log, entry: Entry) -> None:
    for stage_entry in StageEntry.objects.filter(entry=entry).select_related("stage", "entry"):
        log.remove(stage_entry)


def next_seed(stage: Stage) -> Fact:
    last = stage.stage_entries.aggregate(last=Max("entry__seed_rank"))["last"]
    return {"seed_rank": last + 1} if last else {}


def _joining_facts(stage: Stage) -> Fact:
    facts = next_seed(stage)
    numbers = carried_numbers(list(stage.tournament.stages.all()), stage)
    rounds = stage.tournament.rounds.filter(stage__number__in=numbers).exclude(state=Round.State.DRAFT)
    if last := rounds.order_by("number").last():
        facts |= {"joined_round": last.number + 1, "late": True}
    return facts


def missed_result(tournament: Tournament) -> str:
    rules = ruleset_in_force(tournament)["late_entry"]
    return {"half": "half_bye", "bye": "full_bye"}.get(rules.get("missed", "loss"), "missed")


def enter_missed_rounds(log: Log, stage: Stage, codes: Collection[str]) -> None:
    """Record late players' missed rounds. Raises WrongState if late entries are over and there is no reason."""
    missed = list(stage.rounds.exclude(state=Round.State.DRAFT).order_by("number"))
    if not missed:
        return
    allowed = ruleset_in_force(log.tournament)["late_entry"].get("allowed_until_round")
    if allowed is not None and len(missed) >= allowed and not log.reason:
        text = _(
            "This ruleset does not allow late entries after round %(allowed)s. Enter a reason to allow it anyway."
        )
        raise WrongState(text, allowed=allowed)
    result = missed_result(log.tournament)
    for round_ in missed:
        log.seat(round_, [MatchFact(code, result=result) for code in codes])
