"""A consistent read: the facts of one tournament as they stood at one mark, in few queries.

Reads never open a transaction (on SQLite a reader inside IMMEDIATE blocks every writer), so a read of
several tables compares the mark it began with to the mark it ended with, and tries again if it moved. Only
where writers leave no gap at all does it take the row lock for one read: late, but never torn.
"""

from __future__ import annotations

import zoneinfo
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from tournament import kinds
from tournament.archive.types import Entry, Event, Match, Round, Stage
from tournament.facts import State
from tournament.kinds import read_row
from tournament.models import Extension, Tournament
from tournament.rulesets import resolve_spec

TRIES = 5


def event_of(tournament: Tournament, *, whole: bool = False) -> Event:
    """The tournament as plain values, as it stood at one revision.

    `whole` adds what only files need: penalties, extensions and the log. Seven queries at the most
    without it, whatever the size. Afterwards `tournament.revision` is the mark the values belong to.
    """
    state, names = _consistent(tournament, whole=whole)
    event = event_from(tournament, state, names)
    if whole:
        event.log = log_of(tournament)
    return event


def _consistent(tournament: Tournament, *, whole: bool) -> tuple[State, dict[str, Any]]:
    """Facts and names of one revision, which `tournament` holds afterwards."""
    for _ in range(TRIES):
        state, names, revision = read_state(tournament, whole=whole)
        if revision == tournament.revision:
            return state, names
        tournament.refresh_from_db()
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        state, names, _revision = read_state(tournament, whole=whole)
    return state, names


def read_state(tournament: Tournament, *, whole: bool = True) -> tuple[State, dict[str, Any], int]:
    """(facts by key, personal fields by code, revision when the read ended)."""
    state: State = {"tournament": read_row(kinds.TOURNAMENT, tournament)}
    names: dict[str, Any] = {}
    columns = [f for f in kinds.ENTRY.fields if f != "same_person_as"]
    rows = tournament.entries.order_by("code").values(
        "code", "name", "members", "same_person_as__code", *columns
    )
    for row in rows:
        code, row["same_person_as"] = row.pop("code"), row.pop("same_person_as__code")
        names[code] = (row.pop("name"), row.pop("members"))
        state[f"entries/{code}"] = {name: row[name] for name in kinds.ENTRY.fields}
    stages = {stage.pk: stage for stage in tournament.stages.all()}
    for stage in stages.values():
        state[kinds.STAGE.key(stage)] = read_row(kinds.STAGE, stage)
    places = tournament.stages.order_by("number", "places__seed", "places__alternate", "places__entry__code")
    for number, code, seed, alternate in places.values_list(
        "number", "places__entry__code", "places__seed", "places__alternate"
    ):
        if code is not None:
            state[f"stages/{number}/entries/{code}"] = {"seed": seed, "alternate": alternate}
    for key, (fact, _, _) in kinds.match_facts(tournament.seats.all()).items():
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
    for extension in Extension.objects.filter(match__round__tournament=tournament).select_related(
        "match__round"
    ):
        state[kinds.EXTENSION.key(extension)] = read_row(kinds.EXTENSION, extension)


def profile_of(tournament: Tournament) -> dict[str, Any]:
    """The whole ruleset in force: the event's copy, or the publisher's with the event's changes."""
    if tournament.profile is not None:
        return tournament.profile
    return resolve_spec(ruleset_spec(read_row(kinds.TOURNAMENT, tournament)), tournament.best_of)


def ruleset_spec(about: dict[str, Any]) -> dict[str, Any]:
    """How an archive names the ruleset of a tournament's facts."""
    if about["profile"] is not None:
        return {"name": about["profile"].get("name", ""), "profile": about["profile"]}
    key, version = about["ruleset"]
    spec: dict[str, Any] = {"preset": key, "version": version}
    if about["overrides"]:
        spec["overrides"] = about["overrides"]
    return spec


def local_time(value: str | None, time_zone: str) -> str | None:
    """An instant as ISO text in the event's own time zone."""
    if not value:
        return None
    moment = parse_datetime(value)
    assert moment is not None
    return moment.astimezone(zoneinfo.ZoneInfo(time_zone)).isoformat()


def event_from(tournament: Tournament, state: State, names: dict[str, Any]) -> Event:
    """Plain values from facts by key; names come from the entries, never from the log."""
    about = state["tournament"]
    zone, spec = about["time_zone"], ruleset_spec(about)
    event = Event(
        name=about["name"],
        slug=tournament.slug,
        starts_at=local_time(about["starts_at"], zone),
        time_zone=zone,
        rounds_planned=about["rounds_planned"],
        cut=about["cut"],
        best_of=about["best_of"],
        team=about["team"],
        round_minutes=about["round_minutes"],
        seed=tournament.seed or None,
        state=about["state"],
        ruleset=spec,
        profile=about["profile"] or resolve_spec(spec, about["best_of"]),
        forbidden=tuple((a, b) for a, b in about["forbidden"]),
    )
    places: dict[int, list[tuple[str, dict]]] = {}
    penalties = []
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "entries":
            event.entries[parts[1]] = _entry(parts[1], fact, names)
        elif parts[0] == "stages" and len(parts) == 4:
            places.setdefault(int(parts[1]), []).append((parts[3], fact))
        elif parts[0] == "penalties":
            penalties.append((int(parts[1]), fact))
    event.entries = dict(sorted(event.entries.items()))
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "stages" and len(parts) == 2:
            event.stages.append(_stage(int(parts[1]), fact, places.get(int(parts[1]), []), zone))
    event.stages.sort(key=lambda stage: stage.number)
    event.rounds = _rounds(state)
    event.penalties = tuple(fact for _, fact in sorted(penalties, key=lambda item: item[0]))
    return event


def _entry(code: str, fact: dict, names: dict[str, Any]) -> Entry:
    name, members = names.get(code, (code, []))
    return Entry(
        id=code,
        name=name,
        members=tuple(members),
        **{**fact, "labels": tuple(fact["labels"]), "start": fact["start"] or None},
    )


def _stage(number: int, fact: dict, places: list[tuple[str, dict]], zone: str) -> Stage:
    by_seed = sorted((place["seed"], code) for code, place in places if place["seed"])
    waiting = sorted((place["alternate"], code) for code, place in places if place["alternate"])
    # A recorded bracket may have entries without seeds: these then follow from the ranking.
    members = sorted(code for code, place in places if not place["alternate"])
    listed = fact["kind"] == "swiss" or (bool(members) and not by_seed)
    return Stage(
        number=number,
        kind=fact["kind"],
        sources=tuple(fact["sources"]),
        carries=fact["carries"],
        entries=tuple(members) if listed else None,
        seeds=tuple(code for _, code in by_seed),
        alternates=tuple(code for _, code in waiting),
        ends_at=local_time(fact["ends_at"], zone),
        minutes=fact["minutes"],
    )


def _rounds(state: State) -> list[Round]:
    rounds: dict[int, Round] = {}
    extensions: dict[int, list[dict]] = {}
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "rounds" and len(parts) == 2:
            rounds[int(parts[1])] = Round(
                number=int(parts[1]), stage=fact["stage"], status=fact["state"], pairing=fact["pairing"]
            )
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] != "rounds" or len(parts) < 4:
            continue
        number, table = int(parts[1]), int(parts[3]) if parts[2] == "tables" else None
        if parts[-1] == "extension":
            extensions.setdefault(number, []).append({"table": table, **fact})
        else:
            rounds[number].matches.append(_match(table, fact))
    for number, round_ in rounds.items():
        round_.matches.sort(key=lambda match: (match.table is None, match.table or 0, match.a))
        round_.extensions = tuple(sorted(extensions.get(number, []), key=lambda item: item["table"] or 0))
    return [rounds[number] for number in sorted(rounds)]


def _match(table: int | None, fact: dict) -> Match:
    games, score = fact["games"], fact["score"]
    # The winner of a played match follows from its games; only where they do not say it is it a fact.
    said = fact["winner"] if fact["result"] == "forfeit" or fact["decided"] else ""
    return Match(
        table=table,
        a=fact["a"],
        b=fact["b"],
        result=fact["result"],
        games=tuple(games) if games is not None else None,
        winner=said or None,
        first=fact["first"] or None,
        score=tuple(score) if score is not None else None,
        game_order=fact["game_order"] or None,
        slot=fact["slot"] or None,
        replays=tuple(fact["replays"]),
        decided=fact["decided"] or None,
        waived=fact["waived"],
    )


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
