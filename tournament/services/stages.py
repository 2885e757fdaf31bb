"""Further Swiss stages: parallel ones, or a second day. A person in several has a linked entry in each."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.event.profile import ruleset_in_force
from tournament.event.read import load_event_values
from tournament.models import Action, Entry, Round, Stage, StageEntry, Tournament
from tournament.rulesets import rounds_and_cut
from tournament.services import stage_entries
from tournament.services.drops import apply_drop
from tournament.services.entries import find_unmerged_entry
from tournament.services.rounds import complete_open_rounds
from tournament.services.standings_hooks import standings

MOST_ROUNDS = 30
MOST_STAGES = 20
COPIED = ("rating", "labels", "fixed_table")
COPIED_PERSONAL = ("name", "last_name", "alias", "display_name_only", "contact", "members", "captain")


def list_last_stages(tournament: Tournament) -> list[Stage]:
    swiss = tournament.stages.filter(kind=Stage.Kind.SWISS).order_by("number")
    return stage_entries.last_swiss_stages(list(swiss))


@service("session")
def add_stage(log: Log, minutes: int | None = None, ends_at: str | None = None) -> None:
    """Add a Swiss stage, at first without players, and complete one that has played its rounds. `ends_at`: ISO text."""
    swiss, tournament = _swiss_stages(log), log.tournament
    if len(swiss) >= MOST_STAGES:
        raise Refused(_("An event can have at most %(most)s sessions."), most=MOST_STAGES)
    last = swiss[-1]
    played = tournament.rounds.filter(stage__number__in=stage_entries.carried_numbers(swiss, last)).count()
    players = last.stage_entries.filter(entry__house=False).count()
    planned = tournament.rounds_planned or rounds_and_cut(ruleset_in_force(tournament), players)[0]
    if last.carries and played < planned:
        text = _(
            "%(planned)s Swiss rounds are planned and %(played)s are played. Play the rest, or "
            "change the number of rounds in the settings first."
        )
        raise WrongState(text, planned=planned, played=played)
    is_open = last.rounds.filter(Q(state=Round.State.DRAFT) | Q(matches__result=None)).exists()
    if played and played >= planned and (last.carries or not is_open):
        complete_open_rounds(log, last)
    _add(log, minutes, sources=[], carries=False, ends_at=ends_at)


@service("remove session")
def remove_stage(log: Log, number: int) -> None:
    stages = _swiss_stages(log)
    if len(stages) < 2 or stages[-1].number != number or stages[-1].carries:
        raise WrongState(_("You can only remove the last session, and never the only one."))
    if stages[-1].rounds.exists() or stages[-1].stage_entries.exists():
        raise WrongState(_("Session %(number)s has players: move them first."), number=number)
    log.remove(stages[-1])


@service("move")
def move_entry(log: Log, code: str, stage: int) -> None:
    """Move a player who has not played yet to another stage, late if that has begun."""
    entry = find_unmerged_entry(log.tournament, code)
    into = stage_entries.stage_to_join(log.tournament, stage)
    seat = entry.seats.select_related("round").order_by("round__number").first()
    if seat:
        text = _("%(name)s is seated in round %(round)s and stays in that session.")
        raise WrongState(text, name=entry.name, round=seat.round.number)
    if entry.house or entry.status != Entry.Status.PLAYING:
        raise WrongState(_("%(name)s is not playing."), name=entry.name)
    if stage_entries.person_is_in(entry, into):
        raise WrongState(_("%(name)s is already in session %(number)s."), name=entry.name, number=stage)
    stage_entries.leave_stages(log, entry)
    stage_entries.join_stage(log, into, entry, joined_round=None, late=False, seed_rank=None)


def add_next_day(
    tournament: Tournament,
    rounds: int,
    *,
    size: int | None = None,
    points: str | None = None,
    minutes: int | None = None,
    actor: Any = "",
    key: str = "",
) -> Action | None:
    """Add a day of `rounds` rounds that carries points over. Its players are found outside the lock."""
    if size is not None and points is not None:
        raise Refused(_("Enter either a number of players or a minimum score, not both."))
    codes = standings().next_day_players(load_event_values(tournament), size, points)
    choice = {"size": size, "points": points, "minutes": minutes}
    return add_day(tournament, codes, tournament.revision, rounds, **choice, actor=actor, key=key)


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
    """Add a day for these players, who were found at `revision`; it carries over earlier points."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise Refused(_("A day must have 1 to %(most)s rounds."), most=MOST_ROUNDS)
    tournament = log.tournament
    if tournament.revision != revision:
        text = _("Something changed since you opened this page. Check the standings and try again.")
        raise WrongState(text)
    if len(codes) < 2:
        raise WrongState(_("A day needs at least 2 players who can still play."))
    swiss = _completed_stages(log)
    sources = [stage.number for stage in list_last_stages(tournament)]
    played = tournament.rounds.filter(stage__in=swiss).count()
    stage = _add(log, minutes, sources=sources, carries=True)
    for code in codes:
        log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
    log.set(tournament, rounds_planned=played + rounds)


def _swiss_stages(log: Log) -> list[Stage]:
    stages = list(log.tournament.stages.order_by("number"))
    if not all(stage.is_swiss for stage in stages):
        raise WrongState(_("The bracket is set, so there are no more Swiss rounds."))
    return stages


def _completed_stages(log: Log) -> list[Stage]:
    stages = _swiss_stages(log)
    for stage in stages:
        if not stage.rounds.exclude(state=Round.State.DRAFT).exists():
            text = _("Session %(number)s has not started, so no day can follow it yet.")
            raise WrongState(text, number=stage.number)
        complete_open_rounds(log, stage)
    return stages


def _add(log: Log, minutes: int | None, **fields: Any) -> Stage:
    if minutes is not None and not 1 <= minutes <= 600:
        raise Refused(_("A round must be 1 to 600 minutes."))
    number = log.tournament.stages.count() + 1
    stage: Stage = log.add(Stage, f"stages/{number}", {"kind": "swiss", "minutes": minutes, **fields})
    return stage


def stages_to_re_enter(entry: Entry) -> list[Stage]:
    """Return the later stages that this person may enter again: only once this entry has played."""
    if entry.house or entry.status in (Entry.Status.DISQUALIFIED, Entry.Status.MERGED):
        return []
    numbers = list(entry.stage_entries.values_list("stage__number", flat=True))
    if numbers and not stage_entries.has_played(entry):
        return []  # the entry can be moved instead
    latest = max(numbers, default=1)
    stages = stage_entries.stages_to_join(entry.tournament)
    later = [stage for stage in stages if stage.number > latest and not stage.carries]
    return [stage for stage in later if not stage_entries.person_is_in(entry, stage)]


@service("re-entry")
def add_re_entry(log: Log, code: str, stage: int | None = None) -> None:
    """Enter the person in another stage, and drop this entry: it counts for its opponents only. Source: ClineCON."""
    entry = find_unmerged_entry(log.tournament, code)
    stages = [into for into in stages_to_re_enter(entry) if stage in (None, into.number)]
    if not stages:
        text = _("%(name)s cannot re-enter: there is no other session, or the player is already in it.")
        raise WrongState(text, name=entry.name)
    if entry.status == Entry.Status.PLAYING:
        apply_drop(log, entry)
    first = entry.same_person_as.code if entry.same_person_as else entry.code
    fields = {**{name: getattr(entry, name) for name in COPIED}, "same_person_as": first}
    personal = {name: getattr(entry, name) for name in COPIED_PERSONAL}
    stage_entries.add_to_stage(log, [(fields, personal)], stages[-1].number)
