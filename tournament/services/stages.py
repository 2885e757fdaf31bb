"""Further Swiss stages: another session with its own entries, a second day that carries points, re-entries."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from tournament import facts
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Round, Stage, StageEntry, Tournament
from tournament.reading import profile_of
from tournament.rulesets import rounds_and_cut
from tournament.services.doing import service
from tournament.services.drops import drop_now
from tournament.services.registering import entry_of, join, next_codes
from tournament.services.rounds import complete_open_rounds

MOST_ROUNDS = 30
COPIED = ("rating", "labels", "fixed_table")


def last_sessions(tournament: Tournament) -> list[Stage]:
    """The Swiss stages no other one carries on from, in order."""
    swiss = list(tournament.stages.filter(kind=Stage.Kind.SWISS).order_by("number"))
    carried = {number for stage in swiss if stage.carries for number in stage.sources}
    return [stage for stage in swiss if stage.number not in carried]


def session_numbers(stages: Sequence[Stage], last: Stage) -> set[int]:
    """Numbers of a stage and all it carries from."""
    known = {stage.number: stage for stage in stages}
    wanted, inside = [last.number], set()
    while wanted:
        stage = known[wanted.pop()]
        inside.add(stage.number)
        wanted += [number for number in stage.sources if stage.carries and number not in inside]
    return inside


@service("session")
def add_session(log: facts.Log, minutes: int | None = None) -> None:
    """Another Swiss session with an entry list of its own, empty at first; all sessions feed one cut.

    Raises WrongState before the session under way has played its planned rounds.
    """
    swiss = _over(log)
    last, tournament = swiss[-1], log.tournament
    played = tournament.rounds.filter(stage__number__in=session_numbers(swiss, last)).count()
    players = last.places.filter(entry__house=False).count()
    planned = tournament.rounds_planned or rounds_and_cut(profile_of(tournament), players)[0]
    if played < planned:
        raise WrongState(
            _(
                "%(planned)s Swiss rounds are planned and %(played)s played. Play them, "
                "or change the number of rounds in the settings first."
            )
            % {"planned": planned, "played": played}
        )
    _add(log, {"sources": [], "carries": False, "minutes": _minutes(minutes)})


@service("second day", computed=("codes", "revision"))
def save_day(
    log: facts.Log,
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
        raise Refused(_("A day has 1 to %(most)s rounds.") % {"most": MOST_ROUNDS})
    tournament = log.tournament
    if tournament.revision != revision:
        raise WrongState(_("Something changed meanwhile. Look at the standings and try again."))
    if len(codes) < 2:
        raise WrongState(_("A day needs at least two players who can play on."))
    swiss = _over(log)
    sources = [stage.number for stage in last_sessions(tournament)]
    played = tournament.rounds.filter(stage__in=swiss).count()
    stage = _add(log, {"sources": sources, "carries": True, "minutes": _minutes(minutes)})
    for code in codes:
        log.add(StageEntry, f"stages/{stage.number}/entries/{code}", {})
    log.set(tournament, rounds_planned=played + rounds)


def _minutes(minutes: int | None) -> int | None:
    if minutes is not None and not 1 <= minutes <= 600:
        raise Refused(_("A round has 1 to 600 minutes."))
    return minutes


def _over(log: facts.Log) -> list[Stage]:
    """The Swiss stages in order, the last one played and its open round completed. Raises WrongState."""
    stages = list(log.tournament.stages.order_by("number"))
    if not all(stage.is_swiss for stage in stages):
        raise WrongState(_("The bracket is drawn: there are no more Swiss rounds."))
    if not stages[-1].rounds.exclude(state=Round.State.DRAFT).exists():
        raise WrongState(_("The last session has not begun: there is nothing to follow yet."))
    complete_open_rounds(log, stages[-1])
    return stages


def _add(log: facts.Log, fields: dict) -> Stage:
    number = log.tournament.stages.count() + 1
    stage: Stage = log.add(Stage, f"stages/{number}", {"kind": "swiss", **fields})
    return stage


def session_to_enter(entry: Entry) -> Stage | None:
    """The session this person can enter again: the last one, where it is another and has no such entry yet."""
    stage = entry.tournament.stages.order_by("-number").first()
    if stage is None or not stage.is_swiss or stage.carries or stage.number == 1:
        return None
    if entry.house or entry.status == Entry.Status.DISQUALIFIED:
        return None
    mine = {entry.pk, entry.same_person_as_id}
    there = stage.places.values_list("entry_id", "entry__same_person_as_id")
    return None if any(mine & {pk, same} - {None} for pk, same in there) else stage


@service("re-entry")
def enter_again(log: facts.Log, code: str) -> None:
    """The same person in the session now open, as a new entry linked to this one, which is withdrawn.

    A withdrawn entry cannot qualify; its results go on counting for its opponents (ClineCON).
    Raises WrongState where there is no other session, or the person is already in it.
    """
    entry = entry_of(log.tournament, code)
    stage = session_to_enter(entry)
    if stage is None:
        raise WrongState(
            _("%(name)s cannot enter again: there is no other session, or an entry in it.")
            % {"name": entry.name}
        )
    if entry.status == Entry.Status.PLAYING:
        drop_now(log, entry)
    fields = {name: getattr(entry, name) for name in COPIED}
    personal = {"name": entry.name, "contact": entry.contact, "members": entry.members}
    [again] = next_codes(log.tournament, 1)
    first = entry.same_person_as.code if entry.same_person_as else entry.code
    join(log, stage, {again: ({**fields, "same_person_as": first}, personal)})
