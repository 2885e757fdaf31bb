"""Consistent reads: one tournament at one revision, in few queries.

Reads never open a transaction, because on SQLite a reader inside IMMEDIATE blocks every writer. Instead, a read of
several tables compares the revisions before and after, and retries if they differ. If writers leave no gap at all, it
takes the row lock for one read.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

from tournament.actionlog.facts import (
    DECK_CHECK,
    DECKLIST,
    ENTRY,
    EXTENSION,
    FLAG,
    PENALTY,
    PUBLIC_PERSONAL_FIELDS,
    REPORT,
    ROUND,
    STAGE,
    STAGE_ENTRY,
    TOURNAMENT,
    Kind,
    read_row,
    to_log,
)
from tournament.actionlog.fold import State, state_at
from tournament.actionlog.match_facts import match_facts
from tournament.errors import Refused
from tournament.event import from_rows
from tournament.event.from_facts import Person, build_event
from tournament.event.from_rows import ENTRY_COLUMNS
from tournament.event.types import Event, LoggedAction
from tournament.models import Extension, Match, Report, StageEntry, Tournament

TRIES = 5
Read = TypeVar("Read")


def load_event_values(tournament: Tournament, *, paired: bool = True) -> Event:
    """Return the event at one revision, which is set on `tournament`. `paired`: include how rounds were paired."""
    return _consistent(tournament, lambda: from_rows.read(tournament, paired=paired))


def load_whole_event(tournament: Tournament) -> Event:
    """Return `load_event_values` plus log, penalties and judges' actions, as files need them, in 14 queries."""
    return _consistent(tournament, lambda: _read_whole(tournament))


def _read_whole(tournament: Tournament) -> tuple[Event, int]:
    state, people = read_state(tournament)
    event = build_event(tournament, state, people | load_decklist_texts(tournament))
    log = tournament.actions.order_by("number").values(*LoggedAction.__struct_fields__)
    event.log = tuple(
        LoggedAction(**{**row, "at": to_log(row["at"]), "changes": tuple(row["changes"])}) for row in log
    )
    return event, Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk)


def load_state(tournament: Tournament) -> tuple[State, dict[str, Person]]:
    """Return (facts by key, personal values by code) at one revision, which is set on `tournament`."""

    def read() -> tuple[tuple[State, dict[str, Person]], int | None]:
        state = read_state(tournament)
        return state, Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk)

    return _consistent(tournament, read)


def _consistent(tournament: Tournament, read: Callable[[], tuple[Read, int | None]]) -> Read:
    for _ in range(TRIES):
        answer, revision = read()
        if revision == tournament.revision:
            return answer
        tournament.refresh_from_db()
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        return read()[0]


def read_state(tournament: Tournament) -> tuple[State, dict[str, Person]]:
    state: State = {"tournament": read_row(TOURNAMENT, tournament)}
    people: dict[str, Person] = {}
    rows = tournament.entries.order_by("code").values(
        "code", "same_person_as__code", *PUBLIC_PERSONAL_FIELDS, *ENTRY_COLUMNS
    )
    for row in rows:
        code, row["same_person_as"] = row.pop("code"), row.pop("same_person_as__code")
        people[code] = {name: row.pop(name) for name in PUBLIC_PERSONAL_FIELDS}
        state[f"entries/{code}"] = {name: row[name] for name in ENTRY.fields}
    for key, stored in match_facts(Match.objects.filter(round__tournament=tournament)).items():
        state[key] = stored.fact.to_log()
    members = StageEntry.objects.filter(stage__tournament=tournament).order_by()
    for number, code, *values in members.values_list("stage__number", "entry__code", *STAGE_ENTRY.fields):
        state[f"stages/{number}/entries/{code}"] = dict(zip(STAGE_ENTRY.fields, values, strict=True))
    extensions = Extension.objects.filter(match__round__tournament=tournament)
    reports = Report.objects.filter(match__round__tournament=tournament)
    others: list[tuple[Kind, QuerySet[Any]]] = [
        (STAGE, tournament.stages.all()),
        (ROUND, tournament.rounds.select_related("stage")),
        (PENALTY, tournament.penalties.select_related("round", "entry")),
        (DECK_CHECK, tournament.deck_checks.select_related("round", "entry")),
        (DECKLIST, tournament.decklists.defer("text").select_related("entry")),
        (FLAG, tournament.flags.select_related("round", "entry")),
        (EXTENSION, extensions.select_related("match__round")),
        (REPORT, reports.select_related("match__round")),
    ]
    for kind, rows_of_kind in others:
        for row in rows_of_kind:
            state[kind.key_of(row)] = read_row(kind, row)
    return state, people


def load_decklist_texts(tournament: Tournament) -> dict[str, Person]:
    texts = tournament.decklists.exclude(text="").values_list("number", "text")
    return {f"decklists/{number}": {"text": text} for number, text in texts}


def differences_from_log(tournament: Tournament) -> list[str]:
    """Return keys of facts that differ between tables and log. Raises Refused for an unreadable log."""
    try:
        state = state_at(tournament, None)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"The log of /t/{tournament.slug}/ cannot be read: {error!r}.") from error
    now, _names = read_state(tournament)
    return sorted(key for key in {*state, *now} if state.get(key) != now.get(key))
