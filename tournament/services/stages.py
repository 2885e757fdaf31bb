"""Further Swiss stages: sessions with their own entries, a second day that carries points, moves and re-entries."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.event.profile import profile_of
from tournament.models import Entry, Round, Stage, StageEntry, Tournament
from tournament.rulesets import rounds_and_cut
from tournament.services.capacity import has_played
from tournament.services.drops import apply_drop
from tournament.services.entries import entry_of, join_stage, next_codes
from tournament.services.late_entries import enter_missed_rounds, late_fields, missed_rounds, next_seed_rank
from tournament.services.open_stages import last_swiss_stages, stage_to_join, stages_to_join
from tournament.services.rounds import complete_open_rounds

MOST_ROUNDS = 30
MOST_SESSIONS = 20
COPIED = ("rating", "labels", "fixed_table")


def last_stages_of(tournament: Tournament) -> list[Stage]:
    """The Swiss stages no other one carries on from, in order."""
    return last_swiss_stages(list(tournament.stages.filter(kind=Stage.Kind.SWISS).order_by("number")))


def carried_numbers(stages: Sequence[Stage], last: Stage) -> set[int]:
    """Numbers of a stage and all it carries from."""
    known = {stage.number: stage for stage in stages}
    wanted, inside = [last.number], set()
    while wanted:
        stage = known[wanted.pop()]
        inside.add(stage.number)
        wanted += [number for number in stage.sources if stage.carries and number not in inside]
    return inside


@service("session")
def add_stage(log: Log, minutes: int | None = None, ends_at: str | None = None) -> None:
    """Another Swiss session with an entry list of its own, empty at first; all sessions feed one cut.

    It can be planned ahead, and played beside the others; one that has played its rounds is completed.
    `ends_at`: when it must be over (ISO). Raises WrongState once a bracket is drawn, and while a day that
    carries points on is being played.
    """
    swiss, tournament = _swiss(log), log.tournament
    if len(swiss) >= MOST_SESSIONS:
        raise Refused(_("An event can have at most %(most)s sessions.") % {"most": MOST_SESSIONS})
    last = swiss[-1]
    played = tournament.rounds.filter(stage__number__in=carried_numbers(swiss, last)).count()
    players = last.stage_entries.filter(entry__house=False).count()
    planned = tournament.rounds_planned or rounds_and_cut(profile_of(tournament), players)[0]
    if last.carries and played < planned:
        raise WrongState(
            _(
                "%(planned)s Swiss rounds are planned and %(played)s are played. Play the rest, or "
                "change the number of rounds in the settings first."
            )
            % {"planned": planned, "played": played}
        )
    if played and played >= planned and (last.carries or not has_open_round(last)):
        complete_open_rounds(log, last)
    _add(log, {"sources": [], "carries": False, "minutes": _minutes(minutes), "ends_at": ends_at})


def has_open_round(stage: Stage) -> bool:
    """Whether a round of the stage is drafted, or has a table without a result."""
    return stage.rounds.filter(Q(state=Round.State.DRAFT) | Q(matches__result=None)).exists()


@service("remove session")
def remove_stage(log: Log, number: int) -> None:
    """Take the last session away again while nobody is in it and no round was paired."""
    stages = _swiss(log)
    if len(stages) < 2 or stages[-1].number != number or stages[-1].carries:
        raise WrongState(_("You can only remove the last session, and never the only one."))
    if stages[-1].rounds.exists() or stages[-1].stage_entries.exists():
        raise WrongState(_("Session %(number)s has players: move them first.") % {"number": number})
    log.remove(stages[-1])


@service("move")
def move_entry(log: Log, code: str, stage: int) -> None:
    """An entry that has not played yet goes to another session, late where that has begun.

    Raises WrongState once it sits in a round, and where the person is in that session already.
    """
    entry = entry_of(log.tournament, code)
    into = stage_to_join(log.tournament, stage)
    seat = entry.seats.select_related("round").order_by("round__number").first()
    if seat:
        said = {"name": entry.name, "round": seat.round.number}
        raise WrongState(_("%(name)s is seated in round %(round)s and stays in that session.") % said)
    if entry.house or entry.status != Entry.Status.PLAYING:
        raise WrongState(_("%(name)s is not playing.") % {"name": entry.name})
    if person_is_in(entry, into):
        raise WrongState(
            _("%(name)s is already in session %(number)s.") % {"name": entry.name, "number": stage}
        )
    missed = missed_rounds(into)
    late = {"joined_round": None, "late": False, **late_fields(missed)}
    log.set(entry, **late, seed_rank=next_seed_rank(into))
    for place in StageEntry.objects.filter(entry=entry).select_related("stage", "entry"):
        log.remove(place)
    log.add(StageEntry, f"stages/{stage}/entries/{code}", {})
    if missed:
        enter_missed_rounds(log, missed, [code])


@service("second day", computed=("codes", "revision"))
def add_day(
    log: Log,
    codes: list[str],
    revision: int,
    rounds: int,
    size: int | None = None,
    points: str | None = None,
    minutes: int | None = None,
) -> None:
    """A day that carries on the points of the sessions before, for these entries, as computed at `revision`.

    `size` and `points` are what the form asked for. Raises WrongState where something changed since.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise Refused(_("A day must have 1 to %(most)s rounds.") % {"most": MOST_ROUNDS})
    tournament = log.tournament
    if tournament.revision != revision:
        raise WrongState(
            _("Something changed since you opened this page. Check the standings and try again.")
        )
    if len(codes) < 2:
        raise WrongState(_("A day needs at least 2 players who can still play."))
    swiss = _over(log)
    sources = [stage.number for stage in last_stages_of(tournament)]
    played = tournament.rounds.filter(stage__in=swiss).count()
    stage = _add(log, {"sources": sources, "carries": True, "minutes": _minutes(minutes)})
    for code in codes:
        log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
    log.set(tournament, rounds_planned=played + rounds)


def _minutes(minutes: int | None) -> int | None:
    if minutes is not None and not 1 <= minutes <= 600:
        raise Refused(_("A round must be 1 to 600 minutes."))
    return minutes


def _swiss(log: Log) -> list[Stage]:
    """The stages in order, all of them Swiss. Raises WrongState once a bracket is drawn."""
    stages = list(log.tournament.stages.order_by("number"))
    if not all(stage.is_swiss for stage in stages):
        raise WrongState(_("The bracket is set, so there are no more Swiss rounds."))
    return stages


def _over(log: Log) -> list[Stage]:
    """The Swiss stages in order, every one begun and its open round completed. Raises WrongState."""
    stages = _swiss(log)
    for stage in stages:
        if not stage.rounds.exclude(state=Round.State.DRAFT).exists():
            raise WrongState(
                _("Session %(number)s has not started, so no day can follow it yet.")
                % {"number": stage.number}
            )
        complete_open_rounds(log, stage)
    return stages


def _add(log: Log, fields: dict) -> Stage:
    number = log.tournament.stages.count() + 1
    stage: Stage = log.add(Stage, f"stages/{number}", {"kind": "swiss", **fields})
    return stage


def person_is_in(entry: Entry, stage: Stage) -> bool:
    """Whether this person has an entry in a stage: this one, or one linked to it."""
    mine = {entry.pk, entry.same_person_as_id}
    there = stage.stage_entries.values_list("entry_id", "entry__same_person_as_id")
    return any(mine & {pk, same} - {None} for pk, same in there)


def stages_to_re_enter(entry: Entry) -> list[Stage]:
    """The sessions this person can enter again, once this entry has played: later ones without such an entry."""
    if entry.house or entry.status == Entry.Status.DISQUALIFIED:
        return []
    own = list(entry.stage_entries.values_list("stage__number", flat=True))
    if own and not has_played(entry):
        return []  # it can be moved
    latest = max(own, default=1)
    later = [stage for stage in stages_to_join(entry.tournament) if stage.number > latest]
    return [stage for stage in later if not person_is_in(entry, stage)]


@service("re-entry")
def add_re_entry(log: Log, code: str, stage: int | None = None) -> None:
    """The same person in another session (the last one), as a new entry linked to this one, which is withdrawn.

    A withdrawn entry cannot qualify; its results go on counting for its opponents (ClineCON).
    Raises WrongState where there is no other session, or the person is already in it.
    """
    entry = entry_of(log.tournament, code)
    open_ = [into for into in stages_to_re_enter(entry) if stage in (None, into.number)]
    if not open_:
        raise WrongState(
            _("%(name)s cannot re-enter: there is no other session, or the player is already in it.")
            % {"name": entry.name}
        )
    if entry.status == Entry.Status.PLAYING:
        apply_drop(log, entry)
    fields = {name: getattr(entry, name) for name in COPIED}
    personal = {"name": entry.name, "contact": entry.contact, "members": entry.members}
    [again] = next_codes(log.tournament, 1)
    first = entry.same_person_as.code if entry.same_person_as else entry.code
    join_stage(log, open_[-1], {again: ({**fields, "same_person_as": first}, personal)})
