"""The event as its rows stand, in two queries: entries with their stages; stages with rounds and matches.

The same values as from the facts by key (`values.event_from`), without building those: what nearly every page
needs, and nothing that only files do.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

from django.db.models import F, FilteredRelation, Q, TextField
from django.db.models.functions import Cast

from tournament.actionlog import facts
from tournament.event.from_facts import Place, by_table, entry_from, event_about, match_from, stage_from
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Event, Match, Round
from tournament.models import Tournament

OF_ENTRY = [name for name in facts.ENTRY.fields if name != "same_person_as"]
OF_MATCH = "result drawn winner first game_order slot decided waived_rule waived_reason".split()
SEATS = "rounds__matches__seats"


def read(tournament: Tournament, *, paired: bool = False) -> tuple[Event, int | None]:
    """(the event, the one revision all of it was read at, or None where it moved meanwhile).

    `paired` adds how each round was paired, in one more query.
    """
    about = {**facts.read_row(facts.TOURNAMENT, tournament, _told(tournament))}
    event = event_about(tournament, about)
    places, marks = _read_entries(event, tournament)
    marks |= _read_rounds(event, tournament, places)
    if paired:
        for round_, (number, pairing, mark) in zip(
            event.rounds,
            tournament.rounds.order_by("number").values_list("number", "pairing", "tournament__revision"),
            strict=False,
        ):
            marks.add(mark if number == round_.number else -1)
            round_.pairing = PairingRecord.from_json(pairing)
    return event, marks.pop() if len(marks) == 1 else None


def _told(tournament: Tournament) -> list[str]:
    """The tournament's facts; which ruleset it was made with does not matter where it has its own copy."""
    return [n for n in facts.TOURNAMENT.fields if n != "ruleset" or tournament.profile is None]


def _read_entries(event: Event, tournament: Tournament) -> tuple[dict[int, list[Place]], set[int]]:
    """Fill the event's entries; (places by stage number, the revisions read at)."""
    rows = tournament.entries.order_by("code").values_list(
        "code", "name", "members", "alias", "same_person_as__code", "tournament__revision",
        "stage_entries__stage__number", "stage_entries__seed", "stage_entries__alternate", *OF_ENTRY,
    )  # fmt: skip
    places: dict[int, list[Place]] = {}
    marks = set()
    for code, name, members, alias, person, mark, stage, seed, alternate, *fact in rows.iterator(5000):
        marks.add(mark)
        if code not in event.entries:
            told = dict(zip(OF_ENTRY, fact, strict=True), same_person_as=person)
            event.entries[code] = entry_from(code, told, name, members, alias)
        if stage is not None:
            places.setdefault(stage, []).append((code, {"seed": seed, "alternate": alternate}))
    event.entries = dict(sorted(event.entries.items()))
    return places, marks


def _read_rounds(event: Event, tournament: Tournament, places: dict[int, list[Place]]) -> set[int]:
    """Fill the event's stages and rounds; the revisions read at."""
    rows = (
        tournament.stages.order_by("number", "rounds__number")
        .annotate(
            told_sources=Cast("sources", TextField()),
            told_lengths=Cast("best_of", TextField()),
            told_replays=Cast("rounds__matches__replays", TextField()),
            at_a=FilteredRelation(SEATS, condition=Q(**{f"{SEATS}__side": "a"})),
            at_b=FilteredRelation(SEATS, condition=Q(**{f"{SEATS}__side": "b"})),
            a=F("at_a__entry__code"),
            b=F("at_b__entry__code"),
        )
        .values_list(
            "tournament__revision", "rounds__number", "rounds__state", "number", "kind", "told_sources",
            "told_lengths", "carries", "ends_at", "minutes", "rounds__matches__table", "a", "b", "at_a__games",
            "at_b__games", "at_a__score", "at_b__score", "told_replays",
            *(f"rounds__matches__{name}" for name in OF_MATCH),
        )
    )  # fmt: skip
    rounds: dict[int, Round] = {}
    known: set[int] = set()
    marks = set()
    for mark, number, state, stage, *told in rows.iterator(5000):
        marks.add(mark)
        of_stage, seated = told[:6], told[6:]
        if stage not in known:
            known.add(stage)
            event.stages.append(stage_from(stage, _stage(*of_stage), places.get(stage, []), event.time_zone))
        if number is None:
            continue
        if number not in rounds:
            rounds[number] = Round(number, stage, state)
        if seated[1] is not None:
            rounds[number].matches.append(_match(*seated))
    for round_ in rounds.values():
        round_.matches.sort(key=by_table)
    event.rounds = [rounds[number] for number in sorted(rounds)]
    return marks


def _stage(
    kind: str, sources: str, lengths: str, carries: bool, ends_at: dt.datetime | None, minutes: int | None
) -> dict[str, Any]:
    """A stage's fact from its row."""
    return {
        "kind": kind,
        "sources": json.loads(sources),
        "carries": carries,
        "ends_at": ends_at and ends_at.isoformat(),
        "minutes": minutes,
        "best_of": json.loads(lengths),
    }


def _match(
    table: int | None, a: str, b: str | None, games_a: int | None, games_b: int | None, score_a: str,
    score_b: str | None, replays: str, result: str | None, drawn: int | None, winner: str, first: str,
    game_order: str, slot: str, decided: str, rule: str, reason: str,
) -> Match:  # fmt: skip
    """A match from its row and its seats, by way of its fact (`kinds.match_facts`)."""
    fact: dict[str, Any] = {
        "a": a,
        "b": b,
        "result": result,
        "games": None if games_a is None else (games_a, games_b or 0, drawn or 0),
        "winner": winner,
        "first": first,
        "score": (score_a, "0" if b is None else score_b) if score_a else None,
        "game_order": game_order,
        "slot": slot,
        "replays": json.loads(replays) if replays != "[]" else (),
        "decided": decided,
        "waived": {"rule": rule, "reason": reason} if rule else None,
    }
    return match_from(table, fact)
