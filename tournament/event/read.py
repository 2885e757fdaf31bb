"""A consistent read: the facts of one tournament as they stood at one mark, in few queries.

Reads never open a transaction (on SQLite a reader inside IMMEDIATE blocks every writer), so a read of
several tables compares the mark it began with to the mark it ended with, and tries again if it moved. Only
where writers leave no gap at all does it take the row lock for one read: late, but never torn.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from tournament.actionlog import facts as kinds
from tournament.actionlog.change import State
from tournament.actionlog.facts import read_row
from tournament.event import from_rows
from tournament.event.from_facts import event_of_state, profile_of_facts
from tournament.event.types import Event
from tournament.models import Extension, Seat, Stage, StageEntry, Tournament

TRIES = 5
Read = TypeVar("Read")


def event_of(tournament: Tournament, *, paired: bool = True, whole: bool = False) -> Event:
    """The tournament as plain values, as it stood at one revision.

    Three queries, and one for a publisher's own ruleset before the first round; `paired` false leaves out how
    rounds were paired, and is two. `whole` adds what only files need: penalties, extensions and the log.
    Afterwards `tournament.revision` is the mark the values belong to.
    """
    if not whole:
        return _consistent(tournament, lambda: from_rows.read(tournament, paired=paired))

    def facts() -> tuple[tuple[State, dict[str, Any]], int]:
        state, names, revision = read_state(tournament)
        return (state, names), revision

    event = event_of_state(tournament, *_consistent(tournament, facts))
    event.log = log_of(tournament)
    return event


def _consistent(tournament: Tournament, read: Callable[[], tuple[Read, int | None]]) -> Read:
    """What was read at one revision, which `tournament` holds afterwards."""
    for _ in range(TRIES):
        answer, revision = read()
        if revision == tournament.revision:
            return answer
        tournament.refresh_from_db()
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        return read()[0]


def bracket_event_of(stage: Stage) -> Event:
    """The event with the matches of one elimination stage only, for services that hold the row lock."""
    tournament = stage.tournament
    state, names, _ = read_state(tournament, whole=False, seats=tournament.seats.filter(round__stage=stage))
    return event_of_state(tournament, state, names)


def read_state(
    tournament: Tournament, *, whole: bool = True, seats: QuerySet[Seat] | None = None
) -> tuple[State, dict[str, Any], int]:
    """(facts by key, personal fields by code, revision when the read ended); matches of `seats` only."""
    state: State = {"tournament": read_row(kinds.TOURNAMENT, tournament)}
    names: dict[str, Any] = {}
    columns = [f for f in kinds.ENTRY.fields if f != "same_person_as"]
    rows = tournament.entries.order_by("code").values(
        "code", "name", "members", "alias", "same_person_as__code", *columns
    )
    for row in rows:
        code, row["same_person_as"] = row.pop("code"), row.pop("same_person_as__code")
        names[code] = (row.pop("name"), row.pop("members"), row.pop("alias"))
        state[f"entries/{code}"] = {name: row[name] for name in kinds.ENTRY.fields}
    stages = {stage.pk: stage for stage in tournament.stages.all()}
    for stage in stages.values():
        state[kinds.STAGE.key(stage)] = read_row(kinds.STAGE, stage)
    rows = StageEntry.objects.filter(stage__tournament=tournament).order_by(
        "stage__number", "seed", "alternate", "entry__code"
    )
    for number, code, seed, alternate in rows.values_list(
        "stage__number", "entry__code", "seed", "alternate"
    ):
        state[f"stages/{number}/entries/{code}"] = {"seed": seed, "alternate": alternate}
    for key, (fact, _, _) in kinds.match_facts(tournament.seats.all() if seats is None else seats).items():
        state[key] = fact
    if whole:
        _read_the_rest(tournament, state)
    revision = None
    for round_ in tournament.rounds.annotate(mark=F("tournament__revision")).order_by("number"):
        round_.stage = stages[round_.stage_id]
        state[kinds.ROUND.key(round_)] = read_row(kinds.ROUND, round_)
        revision = round_.mark
    if revision is None:
        revision = Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk)
    return state, names, revision


def _read_the_rest(tournament: Tournament, state: State) -> None:
    for penalty in tournament.penalties.select_related("round", "entry"):
        state[kinds.PENALTY.key(penalty)] = read_row(kinds.PENALTY, penalty)
    for flag in tournament.flags.select_related("round", "entry"):
        state[kinds.FLAG.key(flag)] = read_row(kinds.FLAG, flag)
    for extension in Extension.objects.filter(match__round__tournament=tournament).select_related(
        "match__round"
    ):
        state[kinds.EXTENSION.key(extension)] = read_row(kinds.EXTENSION, extension)


def profile_of(tournament: Tournament) -> dict[str, Any]:
    """The whole ruleset in force: the event's copy, or the publisher's with the event's changes."""
    if tournament.profile is not None:
        return tournament.profile
    return profile_of_facts(read_row(kinds.TOURNAMENT, tournament))


def log_of(tournament: Tournament) -> tuple[dict, ...]:
    """The actions as an archive writes them."""
    found = []
    for action in tournament.actions.order_by("number"):
        item: dict[str, Any] = {
            "number": action.number,
            "at": timezone.localtime(action.at, zoneinfo.ZoneInfo("UTC")).isoformat(),
            "actor": action.actor,
            "kind": action.kind,
            "changes": action.changes,
        }
        for name in ("reason", "key", "undoes"):
            if value := getattr(action, name):
                item[name] = value
        found.append(item)
    return tuple(found)
