"""Places in an event: how many there are, who has one, and who waits for one, in order.

Whoever waits is in no stage: not paired, not ranked, not counted. Before round 1 a place that becomes free
goes to the first who waits, in the same action that freed it; afterwards only staff move somebody in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import Max, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.profile import profile_of
from tournament.models import Entry, Round, Stage, StageEntry, Tournament

NOT_IN = (Entry.Status.REGISTERED, Entry.Status.WAITLISTED)
HOLDS_A_SPOT = Q(house=False, status=Entry.Status.PLAYING)
# Whom the event counts as its players: all but those who wait, and those who left before round 1.
IS_PLAYER = Q(house=False) & ~Q(status__in=NOT_IN) & ~Q(dropped_after=0)
ON_WAITLIST = Q(status=Entry.Status.WAITLISTED)
MOST_PLAYERS = 5000


def has_begun(tournament: Tournament) -> bool:
    """Whether a round was published: from then on nobody moves up by itself."""
    return tournament.rounds.exclude(state=Round.State.DRAFT).exists()


def taken_spots(tournament: Tournament) -> int:
    """How many places are taken."""
    return tournament.entries.filter(HOLDS_A_SPOT).count()


def free_spots(tournament: Tournament) -> int | None:
    """How many more can play; below 0 where staff let more in; None without a limit."""
    return None if tournament.capacity is None else tournament.capacity - taken_spots(tournament)


def last_swiss_stages(swiss: Sequence[Any]) -> list[Any]:
    """Of these Swiss stages those no other one carries on from, in order."""
    carried = {number for stage in swiss if stage.carries for number in stage.sources}
    return [stage for stage in swiss if stage.number not in carried]


def sessions_to_join(tournament: Tournament) -> list[Stage]:
    """The sessions that take entries, in order; none once a bracket or a day that carries points on follows."""
    stages = list(tournament.stages.order_by("number"))
    if not stages or not stages[-1].is_swiss or stages[-1].carries:
        return []
    return [stage for stage in last_swiss_stages(stages) if not stage.carries]


def session_to_join(tournament: Tournament, number: int | None = None) -> Stage:
    """The Swiss session that takes entries now: the one asked for, else `usual_session`.

    Raises WrongState once a bracket or a day that carries points on follows, NotFound for no session.
    """
    stages = list(tournament.stages.order_by("number"))
    if not stages or not stages[-1].is_swiss:
        raise WrongState(_("The bracket is set, so no one can join anymore."))
    if stages[-1].carries:
        raise WrongState(_("This day carries points over from the day before, so no one can join it."))
    if number is None:
        begun = set(tournament.rounds.values_list("stage_id", flat=True)) if len(stages) > 1 else set()
        return usual_session(stages, begun)
    stage = next((stage for stage in stages if stage.number == number), None)
    if stage is None:
        raise NotFound(_("There is no session %(number)s in this event.") % {"number": number})
    if stage.carries or stage not in last_swiss_stages(stages):
        raise WrongState(_("Session %(number)s no longer accepts players.") % {"number": number})
    return stage


def usual_session(stages: Sequence[Stage], begun: Collection[int]) -> Stage:
    """Where entries go that name no session: the first that has no round yet (`begun`: keys), else the last."""
    return next((stage for stage in stages if stage.pk not in begun and not stage.carries), stages[-1])


def missed_rounds(stage: Stage) -> list[Round]:
    """The published rounds of a stage, which whoever joins now was not there for."""
    return list(stage.rounds.exclude(state=Round.State.DRAFT).order_by("number"))


def late_fields(missed: list[Round]) -> dict[str, Any]:
    """What makes an entry late after these rounds; nothing where there are none."""
    return {"joined_round": missed[-1].number + 1, "late": True} if missed else {}


def next_seed_rank(stage: Stage) -> int | None:
    """Where new entries come in the order before the session; None where nobody has a rank yet."""
    ranks = [rank for rank in stage.stage_entries.values_list("entry__seed_rank", flat=True) if rank]
    return max(ranks) + 1 if ranks else None


def enter_missed_rounds(log: Log, missed: list[Round], codes: list[str]) -> None:
    """Each round a late entry was not there for, as the ruleset counts it."""
    rules = profile_of(log.tournament)["late_entry"]
    allowed = rules.get("allowed_until_round")
    if allowed is not None and len(missed) >= allowed and not log.reason:
        raise WrongState(
            ngettext(
                "This ruleset does not allow late entries after round %(allowed)s. Enter a reason to allow it anyway.",
                "This ruleset does not allow late entries after round %(allowed)s. Enter a reason to allow it anyway.",
                allowed,
            )
            % {"allowed": allowed}
        )
    result = {"half": "half_bye", "bye": "full_bye"}.get(rules.get("missed", "loss"), "missed")
    for round_ in missed:
        log.seat(round_, [MatchFact(code, result=result) for code in codes])


def admit_to_session(log: Log, entry: Entry, stage: int | None = None) -> None:
    """An entry that is in no stage plays: in this session or the usual one, late where it has begun."""
    into = session_to_join(log.tournament, stage)
    missed = missed_rounds(into)
    fields: dict[str, Any] = {"status": "playing", "dropped_after": None, "waits": None}
    if (rank := next_seed_rank(into)) is not None:
        fields["seed_rank"] = rank
    log.set(entry, **fields, **late_fields(missed))
    log.add(StageEntry, f"stages/{into.number}/entries/{entry.code}", {})
    if missed:
        enter_missed_rounds(log, missed, [entry.code])


def has_played(entry: Entry) -> bool:
    """Whether a round of a session the entry is in was published: it belongs to the standings from then on."""
    return Round.objects.filter(stage__stage_entries__entry=entry).exclude(state=Round.State.DRAFT).exists()


def withdraw_before_start(log: Log, entry: Entry) -> None:
    """An entry leaves before it played: it stays in the list, in no stage and so in no standings."""
    for place in StageEntry.objects.filter(entry=entry).select_related("stage", "entry"):
        log.remove(place)
    log.set(entry, status="dropped", dropped_after=0, waits=None)
    fill_spots(log)


def fill_spots(log: Log) -> None:
    """Before round 1 let those play who wait longest, as many as there are free places.

    Every service that can free a place ends with this.
    """
    tournament = log.tournament
    waiting = list(tournament.entries.filter(ON_WAITLIST).order_by("waits"))
    if not waiting or has_begun(tournament):
        return
    free = free_spots(tournament)
    for entry in waiting if free is None else waiting[: max(free, 0)]:
        admit_to_session(log, entry)


def next_waitlist_number(log: Log) -> int:
    """The next place in the waiting list. Numbers grow with the log and are not given out again, so that
    undoing an older action finds its own free."""
    last = log.tournament.entries.aggregate(last=Max("waits"))["last"] or 0
    return max(log.number, last + 1)


def waitlist_position(entry: Entry) -> int | None:
    """How many wait up to this entry, itself included: 1 is the next to play. None if it does not wait."""
    if entry.status != Entry.Status.WAITLISTED or entry.waits is None:
        return None
    return entry.tournament.entries.filter(ON_WAITLIST, waits__lte=entry.waits).count()


def check_capacity(tournament: Tournament, capacity: int | None) -> None:
    """Refuse a number of places no event has, or one below those who have a place already."""
    if capacity is None:
        return
    if not 1 <= capacity <= MOST_PLAYERS:
        raise Refused(
            _("The player limit must be a whole number from 1 to %(most)s.") % {"most": MOST_PLAYERS}
        )
    if capacity < (players := taken_spots(tournament)) and capacity != tournament.capacity:
        raise WrongState(
            ngettext(
                "%(count)s player already has a spot. Drop some players first, or set a limit of at least that many.",
                "%(count)s players already have a spot. Drop some players first, or set a limit of at least that many.",
                players,
            )
            % {"count": players}
        )
