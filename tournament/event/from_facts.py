"""Build an event as plain values from its facts by key: as it is now, or as it was after any action."""

from collections import defaultdict
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any, cast

from tournament.actionlog.facts import (
    DECK_CHECK,
    DECKLIST,
    ENTRY,
    EXTENSION,
    PENALTY,
    PUBLIC_PERSONAL_FIELDS,
    REPORT,
    ROUND,
    STAGE,
    STAGE_ENTRY,
    TOURNAMENT,
    Kind,
    find_kind,
)
from tournament.actionlog.fold import State
from tournament.actionlog.match_facts import Fact, MatchFact
from tournament.event.pairing_record import PairingRecord
from tournament.event.profile import build_profile, local_time, ruleset_spec
from tournament.event.settings import Prize
from tournament.event.types import (
    Clock,
    DeckCheck,
    Decklist,
    Entry,
    Event,
    Extension,
    Match,
    Penalty,
    Report,
    RequestedBye,
    Round,
    Stage,
    table_order,
)
from tournament.models import Tournament

Person = dict[
    str, Any
]  # personal fields of the event, named as in `PUBLIC_PERSONAL_FIELDS`, or a decklist's text
StageMember = tuple[str, Fact]  # a player's code; seed, and place among the alternates
# Fields of an event that are the same in its fact.
SAME_NAMES = set(Event.__struct_fields__) & set(TOURNAMENT.fields) - {"ruleset", "profile"}


def build_event(tournament: Tournament, state: State, people: dict[str, Person]) -> Event:
    """Build the event of a state. `people`: names by code and decklist texts by key, which the log does not have."""
    event = event_without_rows(tournament, state["tournament"])
    facts: dict[Kind | None, list[tuple[list[str], Fact]]] = defaultdict(list)  # with the parts of their keys
    for key, fact in state.items():
        facts[find_kind(key)].append((key.split("/")[1:], fact))
    for (code,), fact in sorted(facts[ENTRY], key=itemgetter(0)):
        event.entries[code] = build_entry(code, fact, people.get(code, {"name": code}))
    members: dict[str, list[StageMember]] = defaultdict(list)
    for (number, _entries, code), fact in facts[STAGE_ENTRY]:
        members[number].append((code, fact))
    for (number,), fact in facts[STAGE]:
        event.stages.append(build_stage(int(number), fact, members[number], event.time_zone))
    event.stages.sort(key=attrgetter("number"))
    event.rounds = _rounds(facts, event.time_zone)
    event.penalties = tuple(Penalty(**fact) for fact in _numbered(facts[PENALTY]))
    event.deck_checks = tuple(DeckCheck(**fact) for fact in _numbered(facts[DECK_CHECK]))
    lists = [([number], fact | people.get(f"decklists/{number}", {})) for (number,), fact in facts[DECKLIST]]
    event.decklists = tuple(Decklist(**fact) for fact in _numbered(lists))
    return event


def _numbered(facts: list[tuple[list[str], Fact]]) -> list[Fact]:
    return [fact for _key, fact in sorted(facts, key=lambda item: int(item[0][0]))]


def event_without_rows(tournament: Tournament, fact: Fact) -> Event:
    profile = build_profile(fact)
    values = {name: _frozen(value) for name, value in fact.items() if name in SAME_NAMES}
    values["prizes"] = tuple(Prize(**prize) for prize in fact.get("prizes") or ())
    for name in ("starts_at", "decklists_until"):
        values[name] = local_time(fact.get(name), fact["time_zone"])
    return Event(
        slug=tournament.slug,
        seed=tournament.seed or None,
        ruleset=ruleset_spec(fact, profile),
        profile=profile,
        **values,
    )


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def read_person(entry: Any) -> Person:
    return {name: _frozen(getattr(entry, name)) for name in PUBLIC_PERSONAL_FIELDS}


def build_entry(code: str, fact: Fact, person: Person) -> Entry:
    values = {**fact, **person, "labels": tuple(fact["labels"]), "start": fact["start"] or None}
    values["requested_byes"] = tuple(RequestedBye(**bye) for bye in fact["requested_byes"])
    lists = {name: tuple(person.get(name, ())) for name in ("members", "former_names")}
    return Entry(id=code, **{**values, **lists})


def build_stage(number: int, fact: Fact, members: list[StageMember], time_zone: str) -> Stage:
    seeds = sorted((member["seed"], code) for code, member in members if member["seed"])
    alternates = sorted((member["alternate"], code) for code, member in members if member["alternate"])
    # A recorded bracket may lack seeds, which then follow from the ranking.
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


def _rounds(facts: Mapping[Kind | None, list[tuple[list[str], Fact]]], time_zone: str) -> list[Round]:
    rounds = {}
    for (number,), fact in facts[ROUND]:
        record = PairingRecord.from_json(fact["pairing"])
        moments = {name: local_time(fact[name], time_zone) for name in ("starts_at", "ends_at")}
        clock = Clock(**moments, seconds_left=fact["seconds_left"], minutes=fact["minutes"])
        rounds[number] = Round(
            int(number),
            fact["stage"],
            fact["state"],
            clock=clock,
            pairing=record,
            table_plan=fact.get("table_plan"),
        )
    for (number, kind, name), fact in facts[None]:
        table = int(name) if kind == "tables" else None
        rounds[number].matches.append(build_match(MatchFact.from_log(table, fact)))
    for (number, kind, name, _extension), fact in facts[EXTENSION]:
        if kind == "tables":
            rounds[number].extensions += (Extension(int(name), fact["minutes"], fact["reason"]),)
    reports: dict[tuple[str, int], list[Report]] = defaultdict(list)
    for (number, _tables, name, _reports, source), fact in facts[REPORT]:
        reports[number, int(name)].append(Report(cast("Any", source), fact["slip"]))
    for (number, table), of_match in reports.items():
        [match] = [match for match in rounds[number].matches if match.table == table]
        match.reports = tuple(sorted(of_match, key=attrgetter("source")))
    for round_ in rounds.values():
        round_.matches.sort(key=table_order)
        round_.extensions = tuple(sorted(round_.extensions, key=attrgetter("table")))
    return sorted(rounds.values(), key=attrgetter("number"))


def build_match(fact: Any) -> Match:
    """Build a match from its `MatchFact`. A winner is given only if the games do not determine it."""
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
