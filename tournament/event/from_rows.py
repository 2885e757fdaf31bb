"""Build an event as plain values from its rows, in two or three queries. Nearly every page needs this.

`from_facts` builds the same values from facts by key, for files and earlier states. Reading those facts takes 170 ms
and 8 queries for 1,193 players and 18 rounds; this takes 70 ms and 2.
"""

import datetime as dt
import json
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from tournament.actionlog.facts import ENTRY, PUBLIC_PERSONAL_FIELDS, TOURNAMENT, read_row
from tournament.actionlog.match_facts import Fact, build_match_fact, match_columns, match_relations
from tournament.event.from_facts import StageMember, build_entry, build_match, build_stage, event_without_rows
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Event, Penalty, Round, table_order
from tournament.models import Tournament

ROWS_AT_ONCE = 5000
ENTRY_COLUMNS = [name for name in ENTRY.fields if name != "same_person_as"]
MATCHES = "rounds__matches__"


def read(tournament: Tournament, *, paired: bool = False) -> tuple[Event, int | None]:
    """Return the event and its revision (None if it changed meanwhile). `paired`: include how rounds were paired."""
    # The original ruleset costs a query and is not needed if the event has a copy.
    names = [name for name in TOURNAMENT.fields if name != "ruleset" or tournament.profile is None]
    event = event_without_rows(tournament, read_row(TOURNAMENT, tournament, names))
    members, marks = _read_entries(event, tournament)
    marks |= _read_rounds(event, tournament, members)
    if any(entry.status == "disqualified" for entry in event.entries.values()):
        marks |= _read_disqualifications(event, tournament)
    if paired:
        for round_, (number, pairing, mark) in zip(
            event.rounds,
            tournament.rounds.order_by("number").values_list("number", "pairing", "tournament__revision"),
            strict=False,
        ):
            marks.add(mark if number == round_.number else -1)
            round_.pairing = PairingRecord.from_json(pairing)
    return event, marks.pop() if len(marks) == 1 else None


def _read_entries(event: Event, tournament: Tournament) -> tuple[dict[int, list[StageMember]], set[int]]:
    rows = tournament.entries.order_by("code").values_list(
        "code", "same_person_as__code", "tournament__revision",
        "stage_entries__stage__number", "stage_entries__seed", "stage_entries__alternate",
        *PUBLIC_PERSONAL_FIELDS, *ENTRY_COLUMNS,
    )  # fmt: skip
    members: dict[int, list[StageMember]] = {}
    marks = set()
    for code, same, mark, stage, seed, alternate, *values in rows.iterator(ROWS_AT_ONCE):
        marks.add(mark)
        if code not in event.entries:
            named = len(PUBLIC_PERSONAL_FIELDS)
            fact = dict(zip(ENTRY_COLUMNS, values[named:], strict=True), same_person_as=same)
            event.entries[code] = build_entry(
                code, fact, dict(zip(PUBLIC_PERSONAL_FIELDS, values[:named], strict=True))
            )
        if stage is not None:
            members.setdefault(stage, []).append((code, {"seed": seed, "alternate": alternate}))
    event.entries = dict(sorted(event.entries.items()))
    return members, marks


def _read_rounds(event: Event, tournament: Tournament, members: dict[int, list[StageMember]]) -> set[int]:
    rows: Any = tournament.stages.order_by("number", "rounds__number").annotate(
        sources_text=Cast("sources", TextField()),
        lengths_text=Cast("best_of", TextField()),
        **match_relations(MATCHES),
    )
    rows = rows.values_list(
        "tournament__revision", "rounds__number", "rounds__state", "rounds__table_plan", "rounds__matches", "number",
        "kind", "sources_text", "lengths_text", "carries", "ends_at", "minutes", *match_columns(MATCHES),
    )  # fmt: skip
    rounds: dict[int, Round] = {}
    stages: set[int] = set()
    marks = set()
    for mark, number, state, plan, match, stage, *columns in rows.iterator(ROWS_AT_ONCE):
        marks.add(mark)
        if stage not in stages:
            stages.add(stage)
            fact = _stage_fact(*columns[:6])
            event.stages.append(build_stage(stage, fact, members.get(stage, []), event.time_zone))
        if number is None:
            continue
        if number not in rounds:
            rounds[number] = Round(number, stage, state, table_plan=plan)
        if match is not None:
            rounds[number].matches.append(build_match(build_match_fact(columns[6:])))
    for round_ in rounds.values():
        round_.matches.sort(key=table_order)
    event.rounds = [rounds[number] for number in sorted(rounds)]
    return marks


def _read_disqualifications(event: Event, tournament: Tournament) -> set[int]:
    rows: Any = tournament.penalties.filter(kind="disqualification").order_by("number")
    rows = rows.values_list("tournament__revision", "round__number", "entry__code")
    found = [
        (mark, Penalty(round=number, entry=code, kind="disqualification")) for mark, number, code in rows
    ]
    event.penalties = tuple(penalty for _mark, penalty in found)
    return {mark for mark, _penalty in found}


def _stage_fact(
    kind: str, sources: str, lengths: str, carries: bool, ends_at: dt.datetime | None, minutes: int | None
) -> Fact:
    return {
        "kind": kind,
        "sources": json.loads(sources),
        "carries": carries,
        "ends_at": ends_at and ends_at.isoformat(),
        "minutes": minutes,
        "best_of": json.loads(lengths),
    }
