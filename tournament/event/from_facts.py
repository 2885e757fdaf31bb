"""From facts to plain values: the ruleset in force and the whole event, from facts by key or row by row."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django.utils.dateparse import parse_datetime

from tournament.actionlog.change import State
from tournament.event.pairing_record import PairingRecord
from tournament.event.types import Entry, Event, Match, Round, Stage
from tournament.models import Ruleset, Tournament
from tournament.rulesets import is_preset, resolve_spec, stated_rules

Place = tuple[str, dict[str, Any]]  # an entry's code; its seed, and its place among the alternates


def profile_of_facts(about: dict[str, Any]) -> dict[str, Any]:
    """The whole ruleset in force by a tournament's facts. A publisher's own version costs one query."""
    if about["profile"] is not None:
        return about["profile"]
    key, version = about["ruleset"]
    if is_preset(key):
        return resolve_spec(_preset_spec(about), about["best_of"])
    published = Ruleset.objects.get(key=key, version=version)
    return profile_with_overrides(published, about["overrides"], about["best_of"])


def profile_with_overrides(
    ruleset: Ruleset, overrides: dict[str, Any] | None = None, best_of: int | str | None = None
) -> dict[str, Any]:
    """A published version's whole ruleset with an event's changes; what follows from them follows again."""
    facts = {"key": ruleset.key, "version": ruleset.version}
    spec = {
        "name": ruleset.name,
        "profile": {**stated_rules(ruleset.profile), **facts},
        "overrides": overrides or {},
    }
    return resolve_spec(spec, best_of)


def ruleset_spec(about: dict[str, Any], profile: dict[str, Any]) -> dict[str, Any]:
    """How an archive names the ruleset of a tournament's facts: a shipped one by its key, else as a whole."""
    if about["profile"] is None and is_preset(about["ruleset"][0]):
        return _preset_spec(about)
    return {"name": profile.get("name", ""), "profile": profile}


def _preset_spec(about: dict[str, Any]) -> dict[str, Any]:
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


def event_about(tournament: Tournament, about: dict[str, Any]) -> Event:
    """The event without entries, stages and rounds, from the tournament's own facts."""
    zone, profile = about["time_zone"], profile_of_facts(about)
    return Event(
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
        ruleset=ruleset_spec(about, profile),
        profile=profile,
        forbidden=tuple((a, b) for a, b in about["forbidden"]),
        game=about["game"],
        venue=about["venue"],
        first_table=about["first_table"],
        skip_tables=tuple(about["skip_tables"]),
        capacity=about["capacity"],
        self_registration=about["self_registration"],
        listed=about["listed"],
        name_privacy=about["name_privacy"],
        hold_standings=about["hold_standings"],
    )


def event_of_state(tournament: Tournament, state: State, names: dict[str, Any]) -> Event:
    """Plain values from facts by key; names come from the entries, never from the log."""
    event = event_about(tournament, state["tournament"])
    places: dict[int, list[Place]] = {}
    penalties = []
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "entries":
            event.entries[parts[1]] = entry_from(parts[1], fact, *names.get(parts[1], (parts[1], [], "")))
        elif parts[0] == "stages" and len(parts) == 4:
            places.setdefault(int(parts[1]), []).append((parts[3], fact))
        elif parts[0] == "penalties":
            penalties.append((int(parts[1]), fact))
    event.entries = dict(sorted(event.entries.items()))
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "stages" and len(parts) == 2:
            event.stages.append(
                stage_from(int(parts[1]), fact, places.get(int(parts[1]), []), event.time_zone)
            )
    event.stages.sort(key=lambda stage: stage.number)
    event.rounds = _rounds(state)
    event.penalties = tuple(fact for _, fact in sorted(penalties, key=lambda item: item[0]))
    return event


def entry_from(code: str, fact: dict[str, Any], name: str, members: list[str], alias: str) -> Entry:
    """An entry from its fact and what is personal."""
    return Entry(
        id=code,
        name=name,
        alias=alias,
        members=tuple(members),
        **{**fact, "labels": tuple(fact["labels"]), "start": fact["start"] or None},
    )


def stage_from(number: int, fact: dict[str, Any], places: list[Place], zone: str) -> Stage:
    """A stage from its fact and those of its entries."""
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
        best_of=tuple(fact.get("best_of") or ()),
    )


def _rounds(state: State) -> list[Round]:
    rounds: dict[int, Round] = {}
    extensions: dict[int, list[dict]] = {}
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] == "rounds" and len(parts) == 2:
            rounds[int(parts[1])] = Round(
                number=int(parts[1]),
                stage=fact["stage"],
                status=fact["state"],
                pairing=PairingRecord.from_json(fact["pairing"]),
            )
    for key, fact in state.items():
        parts = key.split("/")
        if parts[0] != "rounds" or len(parts) < 4:
            continue
        number, table = int(parts[1]), int(parts[3]) if parts[2] == "tables" else None
        if parts[-1] == "extension":
            extensions.setdefault(number, []).append({"table": table, **fact})
        else:
            rounds[number].matches.append(match_from(table, fact))
    for number, round_ in rounds.items():
        round_.matches.sort(key=by_table)
        round_.extensions = tuple(sorted(extensions.get(number, []), key=lambda item: item["table"] or 0))
    return [rounds[number] for number in sorted(rounds)]


def by_table(match: Match) -> tuple[bool, int, str]:
    """In the order of tables; those without one after them, by the first entry."""
    return match.table is None, match.table or 0, match.a


def match_from(table: int | None, fact: dict[str, Any]) -> Match:
    """A match from its fact."""
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
