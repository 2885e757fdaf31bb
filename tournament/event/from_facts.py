"""An event in plain values from its facts by key: as it is now, or as it stood after any action."""

from __future__ import annotations

import zoneinfo
from operator import attrgetter
from typing import Any

from django.utils.dateparse import parse_datetime

from tournament.actionlog.facts import TOURNAMENT
from tournament.actionlog.fold import State
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.event.pairing_record import PairingRecord
from tournament.event.profile import profile_of_facts, ruleset_spec
from tournament.event.types import Entry, Event, Extension, Match, Penalty, Round, Stage
from tournament.models import Tournament

Person = tuple[str, list[str], str]  # what is personal and yet in the event: name, members, alias
StageMember = tuple[str, Fact]  # a player's code; seed, and place among the alternates
# Fields of an event that stand in its fact as they are.
SAME_NAMES = set(Event.__struct_fields__) & set(TOURNAMENT.fields) - {"ruleset", "profile"}


def event_of_state(tournament: Tournament, state: State, people: dict[str, Person]) -> Event:
    """The event of facts by key. `people`, by code, come from the entries: names are not in the log."""
    event = event_without_rows(tournament, state["tournament"])
    members: dict[int, list[StageMember]] = {}
    penalties = []
    for key, fact in state.items():
        kind, *parts = key.split("/")
        if kind == "entries":
            event.entries[parts[0]] = entry_of(parts[0], fact, *people.get(parts[0], (parts[0], [], "")))
        elif kind == "stages" and len(parts) == 3:
            members.setdefault(int(parts[0]), []).append((parts[2], fact))
        elif kind == "penalties":
            penalties.append((int(parts[0]), fact))
    event.entries = dict(sorted(event.entries.items()))
    for key, fact in state.items():
        kind, *parts = key.split("/")
        if kind == "stages" and len(parts) == 1:
            number = int(parts[0])
            event.stages.append(stage_of(number, fact, members.get(number, []), event.time_zone))
    event.stages.sort(key=lambda stage: stage.number)
    event.rounds = _rounds(state)
    event.penalties = tuple(Penalty(**fact) for _number, fact in sorted(penalties, key=lambda item: item[0]))
    return event


def event_without_rows(tournament: Tournament, fact: Fact) -> Event:
    """The event without entries, stages and rounds, from its own fact; fields of the same name say the same."""
    profile = profile_of_facts(fact)
    values = {name: _frozen(value) for name, value in fact.items() if name in SAME_NAMES}
    values["starts_at"] = local_time(fact["starts_at"], fact["time_zone"])
    return Event(
        slug=tournament.slug,
        seed=tournament.seed or None,
        ruleset=ruleset_spec(fact, profile),
        profile=profile,
        **values,
    )


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def local_time(value: str | None, time_zone: str) -> str | None:
    """A moment as ISO text in the event's own time zone."""
    if not value:
        return None
    moment = parse_datetime(value)
    assert moment is not None
    return moment.astimezone(zoneinfo.ZoneInfo(time_zone)).isoformat()


def entry_of(code: str, fact: Fact, name: str, members: list[str], alias: str) -> Entry:
    """An entry from its fact and what is personal."""
    return Entry(
        id=code,
        name=name,
        alias=alias,
        members=tuple(members),
        **{**fact, "labels": tuple(fact["labels"]), "start": fact["start"] or None},
    )


def stage_of(number: int, fact: Fact, members: list[StageMember], time_zone: str) -> Stage:
    """A stage from its fact and those of its entries."""
    seeds = sorted((member["seed"], code) for code, member in members if member["seed"])
    alternates = sorted((member["alternate"], code) for code, member in members if member["alternate"])
    # A recorded bracket may have entries without seeds: these then follow from the ranking.
    inside = sorted(code for code, member in members if not member["alternate"])
    listed = fact["kind"] == "swiss" or (bool(inside) and not seeds)
    return Stage(
        number=number,
        kind=fact["kind"],
        sources=tuple(fact["sources"]),
        carries=fact["carries"],
        entries=tuple(inside) if listed else None,
        seeds=tuple(code for _, code in seeds),
        alternates=tuple(code for _, code in alternates),
        ends_at=local_time(fact["ends_at"], time_zone),
        minutes=fact["minutes"],
        best_of=tuple(fact.get("best_of") or ()),
    )


def _rounds(state: State) -> list[Round]:
    rounds: dict[int, Round] = {}
    matches: dict[int, list[Match]] = {}
    extensions: dict[int, list[Extension]] = {}
    for key, fact in state.items():
        kind, *parts = key.split("/")
        if kind != "rounds":
            continue
        number = int(parts[0])
        if len(parts) == 1:
            record = PairingRecord.from_json(fact["pairing"])
            rounds[number] = Round(number, fact["stage"], fact["state"], pairing=record)
            continue
        table = int(parts[2]) if parts[1] == "tables" else None
        if parts[-1] == "extension":
            if table is not None:
                extensions.setdefault(number, []).append(Extension(table, fact["minutes"], fact["reason"]))
        else:
            matches.setdefault(number, []).append(match_of(MatchFact.from_log(table, fact)))
    for number, round_ in rounds.items():
        round_.matches = sorted(matches.get(number, []), key=table_order)
        round_.extensions = tuple(sorted(extensions.get(number, []), key=attrgetter("table")))
    return [rounds[number] for number in sorted(rounds)]


def table_order(match: Match) -> tuple[bool, int, str]:
    """In the order of tables; those without one after them, by the first player."""
    return match.table is None, match.table or 0, match.a


def match_of(fact: Any) -> Match:
    """A match from its `MatchFact`. Its winner stands there only where the games do not say it."""
    return Match(
        table=fact.table,
        a=fact.a,
        b=fact.b,
        result=fact.result,
        games=fact.games,
        winner=(fact.winner if fact.result == "forfeit" or fact.decided else "") or None,
        first=fact.first or None,
        score=fact.score,
        game_order=fact.game_order or None,
        slot=fact.slot or None,
        replays=fact.replays,
        decided=fact.decided or None,
        waived=fact.waived,
    )
