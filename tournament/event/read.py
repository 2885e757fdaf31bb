"""Read an event at one revision as plain values: from rows for pages, from facts by key for files and earlier states.

Reads never open a transaction, because on SQLite a reader inside IMMEDIATE blocks every writer. Instead, a read of
several tables compares the revisions before and after, and retries if they differ. If writers leave no gap at all, it
takes the row lock for one read.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from operator import attrgetter, itemgetter
from typing import Any, TypeVar, cast

from django.db import transaction
from django.db.models import QuerySet

from tournament import models
from tournament.actionlog import facts
from tournament.actionlog.facts import PUBLIC_PERSONAL_FIELDS, Kind, find_kind, read_row, to_log
from tournament.actionlog.fold import State, state_at
from tournament.actionlog.match_facts import Fact, MatchFact, match_facts
from tournament.errors import Refused
from tournament.event import types
from tournament.event.pairing_record import PairingRecord
from tournament.event.profile import build_profile, local_time, ruleset_spec
from tournament.event.settings import Prize
from tournament.event.types import Event, Round
from tournament.models import StageEntry, Tournament

TRIES = 5
ENTRY_COLUMNS = [name for name in facts.ENTRY.fields if name != "same_person_as"]
Read = TypeVar("Read")
Person = dict[str, Any]  # personal fields, named as in `PUBLIC_PERSONAL_FIELDS`, or a decklist's text
StageMember = tuple[str, Fact]  # a player's code; seed, and place among the alternates
# Fields of an event that are the same in its fact.
SAME_NAMES = set(Event.__struct_fields__) & set(facts.TOURNAMENT.fields) - {"ruleset", "profile"}


def load_event_values(tournament: Tournament, *, paired: bool = True) -> Event:
    """Return the event at one revision, which is set on `tournament`. `paired`: include how rounds were paired."""
    return _consistent(tournament, lambda: _read_event(tournament, paired=paired))


def load_whole_event(tournament: Tournament) -> Event:
    """Return `load_event_values` plus log, penalties and judges' actions, as files need them, in 14 queries."""
    state, people, log = _consistent(tournament, lambda: _read_whole(tournament))
    # Only now: facts of different revisions may fit no event.
    return build_event(tournament, state, people).replace(log=log)


def load_state(tournament: Tournament) -> tuple[State, dict[str, Person]]:
    """Return (facts by key, personal values by code) at one revision, which is set on `tournament`."""
    return _consistent(tournament, lambda: read_state(tournament))


def _consistent(tournament: Tournament, read: Callable[[], Read]) -> Read:
    for _ in range(TRIES):
        before, answer = tournament.revision, read()
        if before == Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk):
            return answer
        tournament.refresh_from_db()
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        return read()


def _read_event(tournament: Tournament, *, paired: bool) -> Event:
    """Read what nearly every page needs in three queries: 70 ms for 1,193 players and 18 rounds, by facts 170 ms."""
    # The original ruleset costs a query and is not needed if the event has a copy.
    names = [name for name in facts.TOURNAMENT.fields if name != "ruleset" or tournament.profile is None]
    event = event_without_rows(tournament, read_row(facts.TOURNAMENT, tournament, names))
    members = _read_entries(event, tournament)
    pairings = dict(tournament.rounds.values_list("number", "pairing")) if paired else {}
    rows = tournament.stages.order_by("number", "rounds__number").values_list(
        "number", "rounds__number", "rounds__state", "rounds__table_plan", *facts.STAGE.fields
    )
    for stage, number, state, plan, *values in rows:
        if not event.stages or event.stages[-1].number != stage:
            fact = dict(zip(facts.STAGE.fields, map(to_log, values), strict=True))
            event.stages.append(build_stage(stage, fact, members.get(stage, []), event.time_zone))
        if number is not None:
            record = PairingRecord.from_json(pairings.get(number))
            event.rounds.append(Round(number, stage, state, pairing=record, table_plan=plan))
    event.rounds.sort(key=attrgetter("number"))
    rounds = {round_.number: round_ for round_ in event.rounds}
    for key, stored in match_facts(models.Match.objects.filter(round__tournament=tournament)).items():
        if round_ := rounds.get(int(key.split("/")[1])):  # else it was added meanwhile
            round_.matches.append(build_match(stored.fact))
    for round_ in event.rounds:
        round_.matches.sort(key=types.table_order)
    if any(entry.status == "disqualified" for entry in event.entries.values()):
        given = tournament.penalties.filter(kind="disqualification").order_by("number")
        out = given.values_list("round__number", "entry__code")
        event.penalties = tuple(
            types.Penalty(round=n, entry=code, kind="disqualification") for n, code in out
        )
    return event


def _read_entries(event: Event, tournament: Tournament) -> dict[int, list[StageMember]]:
    rows = tournament.entries.order_by("code").values_list(
        "code", "same_person_as__code",
        "stage_entries__stage__number", "stage_entries__seed", "stage_entries__alternate",
        *PUBLIC_PERSONAL_FIELDS, *ENTRY_COLUMNS,
    )  # fmt: skip
    members: dict[int, list[StageMember]] = {}
    named = len(PUBLIC_PERSONAL_FIELDS)
    for code, same, stage, seed, alternate, *values in rows:
        if code not in event.entries:
            fact = dict(zip(ENTRY_COLUMNS, values[named:], strict=True), same_person_as=same)
            person = dict(zip(PUBLIC_PERSONAL_FIELDS, values[:named], strict=True))
            event.entries[code] = build_entry(code, fact, person)
        if stage is not None:
            members.setdefault(stage, []).append((code, {"seed": seed, "alternate": alternate}))
    event.entries = dict(sorted(event.entries.items()))
    return members


def _read_whole(tournament: Tournament) -> tuple[State, dict[str, Person], tuple[types.LoggedAction, ...]]:
    state, people = read_state(tournament)
    rows = tournament.actions.order_by("number").values(*types.LoggedAction.__struct_fields__)
    log = tuple(
        types.LoggedAction(**{**row, "at": to_log(row["at"]), "changes": tuple(row["changes"])})
        for row in rows
    )
    return state, people | load_decklist_texts(tournament), log


def read_state(tournament: Tournament) -> tuple[State, dict[str, Person]]:
    state: State = {"tournament": read_row(facts.TOURNAMENT, tournament)}
    people: dict[str, Person] = {}
    rows = tournament.entries.order_by("code").values(
        "code", "same_person_as__code", *PUBLIC_PERSONAL_FIELDS, *ENTRY_COLUMNS
    )
    for row in rows:
        code, row["same_person_as"] = row.pop("code"), row.pop("same_person_as__code")
        people[code] = {name: row.pop(name) for name in PUBLIC_PERSONAL_FIELDS}
        state[f"entries/{code}"] = {name: row[name] for name in facts.ENTRY.fields}
    for key, stored in match_facts(models.Match.objects.filter(round__tournament=tournament)).items():
        state[key] = stored.fact.to_log()
    members = StageEntry.objects.filter(stage__tournament=tournament).order_by()
    columns = ("stage__number", "entry__code", *facts.STAGE_ENTRY.fields)
    for number, code, *values in members.values_list(*columns):
        state[f"stages/{number}/entries/{code}"] = dict(zip(facts.STAGE_ENTRY.fields, values, strict=True))
    extensions = models.Extension.objects.filter(match__round__tournament=tournament)
    reports = models.Report.objects.filter(match__round__tournament=tournament)
    others: list[tuple[Kind, QuerySet[Any]]] = [
        (facts.STAGE, tournament.stages.all()),
        (facts.ROUND, tournament.rounds.select_related("stage")),
        (facts.PENALTY, tournament.penalties.select_related("round", "entry")),
        (facts.DECK_CHECK, tournament.deck_checks.select_related("round", "entry")),
        (facts.DECKLIST, tournament.decklists.defer("text").select_related("entry")),
        (facts.FLAG, tournament.flags.select_related("round", "entry")),
        (facts.EXTENSION, extensions.select_related("match__round")),
        (facts.REPORT, reports.select_related("match__round")),
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


# --- from facts ---


def build_event(tournament: Tournament, state: State, people: dict[str, Person]) -> Event:
    """Build the event of a state. `people`: names by code and decklist texts by key, which the log does not have."""
    event = event_without_rows(tournament, state["tournament"])
    # Facts with the parts of their keys.
    by_kind: dict[Kind | None, list[tuple[list[str], Fact]]] = defaultdict(list)
    for key, fact in state.items():
        by_kind[find_kind(key)].append((key.split("/")[1:], fact))
    for (code,), fact in sorted(by_kind[facts.ENTRY], key=itemgetter(0)):
        event.entries[code] = build_entry(code, fact, people.get(code, {"name": code}))
    members: dict[str, list[StageMember]] = defaultdict(list)
    for (number, _entries, code), fact in by_kind[facts.STAGE_ENTRY]:
        members[number].append((code, fact))
    for (number,), fact in by_kind[facts.STAGE]:
        event.stages.append(build_stage(int(number), fact, members[number], event.time_zone))
    event.stages.sort(key=attrgetter("number"))
    event.rounds = _rounds(by_kind, event.time_zone)
    event.penalties = tuple(types.Penalty(**fact) for fact in _numbered(by_kind[facts.PENALTY]))
    event.deck_checks = tuple(types.DeckCheck(**fact) for fact in _numbered(by_kind[facts.DECK_CHECK]))
    lists = [(key, fact | people.get(f"decklists/{key[0]}", {})) for key, fact in by_kind[facts.DECKLIST]]
    event.decklists = tuple(types.Decklist(**fact) for fact in _numbered(lists))
    return event


def _numbered(items: list[tuple[list[str], Fact]]) -> list[Fact]:
    return [fact for _key, fact in sorted(items, key=lambda item: int(item[0][0]))]


def event_without_rows(tournament: Tournament, fact: Fact) -> Event:
    profile = build_profile(fact)
    values = {name: _frozen(value) for name, value in fact.items() if name in SAME_NAMES}
    values["prizes"] = tuple(Prize(**prize) for prize in fact.get("prizes") or ())
    for name in ("starts_at", "decklists_until"):
        values[name] = local_time(fact.get(name), fact["time_zone"])
    values |= {"slug": tournament.slug, "seed": tournament.seed or None, "profile": profile}
    return Event(ruleset=ruleset_spec(fact, profile), **values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def read_person(entry: Any) -> Person:
    return {name: _frozen(getattr(entry, name)) for name in PUBLIC_PERSONAL_FIELDS}


def build_entry(code: str, fact: Fact, person: Person) -> types.Entry:
    values = {**fact, **person, "labels": tuple(fact["labels"]), "start": fact["start"] or None}
    values["requested_byes"] = tuple(types.RequestedBye(**bye) for bye in fact["requested_byes"])
    lists = {name: tuple(person.get(name, ())) for name in ("members", "former_names")}
    return types.Entry(id=code, **{**values, **lists})


def build_stage(number: int, fact: Fact, members: list[StageMember], time_zone: str) -> types.Stage:
    seeds = sorted((member["seed"], code) for code, member in members if member["seed"])
    alternates = sorted((member["alternate"], code) for code, member in members if member["alternate"])
    # A recorded bracket may lack seeds, which then follow from the ranking.
    inside = sorted(code for code, member in members if not member["alternate"])
    listed = fact["kind"] == "swiss" or (bool(inside) and not seeds)
    return types.Stage(
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


def _rounds(by_kind: Mapping[Kind | None, list[tuple[list[str], Fact]]], time_zone: str) -> list[Round]:
    rounds = {}
    for (number,), fact in by_kind[facts.ROUND]:
        record = PairingRecord.from_json(fact["pairing"])
        moments = {name: local_time(fact[name], time_zone) for name in ("starts_at", "ends_at")}
        clock = types.Clock(**moments, seconds_left=fact["seconds_left"], minutes=fact["minutes"])
        round_ = Round(int(number), fact["stage"], fact["state"], clock=clock, pairing=record)
        round_.table_plan = fact.get("table_plan")
        rounds[number] = round_
    for (number, kind, name), fact in by_kind[None]:
        table = int(name) if kind == "tables" else None
        rounds[number].matches.append(build_match(MatchFact.from_log(table, fact)))
    for (number, kind, name, _extension), fact in by_kind[facts.EXTENSION]:
        if kind == "tables":
            rounds[number].extensions += (types.Extension(int(name), fact["minutes"], fact["reason"]),)
    reports: dict[tuple[str, int], list[types.Report]] = defaultdict(list)
    for (number, _tables, name, _reports, source), fact in by_kind[facts.REPORT]:
        reports[number, int(name)].append(types.Report(cast("Any", source), fact["slip"]))
    for (number, table), of_match in reports.items():
        [match] = [match for match in rounds[number].matches if match.table == table]
        match.reports = tuple(sorted(of_match, key=attrgetter("source")))
    for round_ in rounds.values():
        round_.matches.sort(key=types.table_order)
        round_.extensions = tuple(sorted(round_.extensions, key=attrgetter("table")))
    return sorted(rounds.values(), key=attrgetter("number"))


def build_match(fact: Any) -> types.Match:
    """Build a match from its `MatchFact`. A winner is given only if the games do not determine it."""
    return types.Match(
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
