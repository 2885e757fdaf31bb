"""A consistent read: one tournament as it stood at one mark, in few queries.

Reads never open a transaction (on SQLite a reader inside IMMEDIATE blocks every writer), so a read of
several tables compares the mark it began with to the mark it ended with, and tries again if it moved. Only
where writers leave no gap at all does it take the row lock for one read: late, but never torn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import transaction
from django.db.models import F, QuerySet

from tournament.actionlog.facts import ENTRY, EXTENSION, FLAG, PENALTY, ROUND, STAGE, TOURNAMENT, read_row
from tournament.actionlog.fold import State
from tournament.actionlog.match_facts import match_facts
from tournament.event import from_rows
from tournament.event.from_facts import Person, event_of_state
from tournament.event.types import Event
from tournament.models import Extension, Match, Stage, StageEntry, Tournament

TRIES = 5
Read = TypeVar("Read")


def event_of(tournament: Tournament, *, paired: bool = True, whole: bool = False) -> Event:
    """The tournament as plain values, as it stood at one revision.

    Three queries, and one for a publisher's own ruleset before the first round; `paired` false leaves out how
    rounds were paired, and is two. `whole` adds what only files need: the log, penalties and extensions.
    Afterwards `tournament.revision` is the mark the values belong to.
    """
    return _consistent(
        tournament, lambda: from_rows.read(tournament, paired=paired or whole, for_files=whole)
    )


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
    matches = Match.objects.filter(round__stage=stage)
    state, people, _ = read_state(tournament, matches=matches, for_files=False)
    return event_of_state(tournament, state, people)


def read_state(
    tournament: Tournament, *, matches: QuerySet[Match] | None = None, for_files: bool = True
) -> tuple[State, dict[str, Person], int]:
    """(facts by key, what is personal by code, revision when the read ended); of all matches, or these only.

    `for_files` false leaves out penalties, extensions and messages.
    """
    state: State = {"tournament": read_row(TOURNAMENT, tournament)}
    people: dict[str, Person] = {}
    columns = [name for name in ENTRY.fields if name != "same_person_as"]
    rows = tournament.entries.order_by("code").values(
        "code", "name", "members", "alias", "same_person_as__code", *columns
    )
    for row in rows:
        code, row["same_person_as"] = row.pop("code"), row.pop("same_person_as__code")
        people[code] = (row.pop("name"), row.pop("members"), row.pop("alias"))
        state[f"entries/{code}"] = {name: row[name] for name in ENTRY.fields}
    stages = {stage.pk: stage for stage in tournament.stages.all()}
    for stage in stages.values():
        state[STAGE.key_of(stage)] = read_row(STAGE, stage)
    members = StageEntry.objects.filter(stage__tournament=tournament).order_by(
        "stage__number", "seed", "alternate", "entry__code"
    )
    for number, code, seed, alternate in members.values_list(
        "stage__number", "entry__code", "seed", "alternate"
    ):
        state[f"stages/{number}/entries/{code}"] = {"seed": seed, "alternate": alternate}
    if matches is None:
        matches = Match.objects.filter(round__tournament=tournament)
    for key, stored in match_facts(matches).items():
        state[key] = stored.fact.to_log()
    if for_files:
        _read_for_files(tournament, state)
    revision = None
    for round_ in tournament.rounds.annotate(mark=F("tournament__revision")).order_by("number"):
        round_.stage = stages[round_.stage_id]
        state[ROUND.key_of(round_)] = read_row(ROUND, round_)
        revision = round_.mark
    if revision is None:
        revision = Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk)
    return state, people, revision


def _read_for_files(tournament: Tournament, state: State) -> None:
    extensions = Extension.objects.filter(match__round__tournament=tournament).select_related("match__round")
    for kind, rows in (
        (PENALTY, tournament.penalties.select_related("round", "entry")),
        (FLAG, tournament.flags.select_related("round", "entry")),
        (EXTENSION, extensions),
    ):
        for row in rows:
            state[kind.key_of(row)] = read_row(kind, row)
