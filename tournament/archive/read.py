"""Read an archive into plain values, or refuse it naming the JSON path. Writes nothing.

The format is `docs/archive.md`. Recorded events are taken as they were: repeats, several byes in a round,
more wins than needed, entries not seated.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime
from pathlib import Path
from typing import Any

from tournament.archive.checks import (
    LAST_NUMBER,
    SMALL,
    ArchiveError,
    Node,
    exact,
    hexadecimal,
    seated,
    shown,
)
from tournament.archive.json import json_of, sound
from tournament.archive.log import log_at
from tournament.archive.rounds import rounds_at
from tournament.event.slugs import slug_of
from tournament.event.table_numbers import MOST_FIRST
from tournament.event.types import ENTRY_STATUSES, NAME_PRIVACY, TOURNAMENT_STATES, Entry, Event, Stage
from tournament.rulesets import UnknownRuleset, resolve_spec, validate

PENALTIES = ("warning", "game_loss", "match_loss", "disqualification")
BEST_OF = (1, 3, 5)


def read_file(path: str | Path) -> Event:
    """The event in a file: an archive, or the archive inside a published event.

    Raises ArchiveError, OSError, UnknownRuleset.
    """
    return event_of(json_of(path))


def event_of(data: Any) -> Event:
    """Plain values of an archive (or of the one inside a published event). Raises as `read_file`."""
    if isinstance(data, dict) and data.get("format") == "swiss-published":
        data = data.get("archive")
    root = Node(data, "")
    sound(data)
    if root.get("format") != "swiss-archive":
        raise ArchiveError("format", f'expected "swiss-archive", not {shown(root.get("format"))}')
    if root.whole("version") != 1:
        raise ArchiveError("version", f"expected version 1, not {shown(root.get('version'))}")
    event = _tournament(Node(root.get("tournament"), "tournament"))
    event.ruleset, event.profile = _ruleset(root.get("ruleset"), event)
    event.entries = _entries(root.listed("entries"))
    event.stages = _stages(root.listed("stages"), event) or [Stage(number=1)]
    event.rounds = rounds_at(root.listed("rounds"), event)
    event.forbidden = _pairs(root.listed("forbidden"), event)
    event.penalties = _penalties(root.listed("penalties"), event)
    event.log = log_at(root.listed("log"))
    event.state = Node(root.get("tournament"), "tournament").one_of(
        "state", TOURNAMENT_STATES, default_state(event)
    )
    root.done()
    return event


def default_state(event: Event) -> str:
    """What the rounds present say: open without any, finished once all that were planned are complete."""
    if not event.rounds:
        return "open"
    swiss = [round_ for round_ in event.rounds if event.stage(round_.stage).kind == "swiss"]
    if any(round_.status != "complete" for round_ in event.rounds):
        return "running"
    return "running" if len(swiss) < (event.rounds_planned or 0) else "finished"


def _tournament(node: Node) -> Event:
    name = node.needed("name")
    zone = node.text("time_zone", "UTC", longest=60)
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ArchiveError(node.at("time_zone"), f"{shown(zone)} is not a known time zone") from None
    slug = node.text("slug", slug_of(name), longest=80)
    if not re.fullmatch(r"[-a-zA-Z0-9_]+", slug):
        raise ArchiveError(node.at("slug"), "an address can only contain letters, digits and hyphens")
    event = Event(
        name=name,
        slug=slug,
        starts_at=_starts_at(node, zone),
        time_zone=zone,
        rounds_planned=node.whole("rounds"),
        cut=node.whole("cut"),
        best_of=_best_of(node),
        team=node.flag("team"),
        round_minutes=node.whole("round_minutes", least=1),
        seed=hexadecimal(node, "seed"),
        game=node.text("game", "", longest=80),
        venue=node.text("venue", "", longest=200),
        first_table=node.whole("first_table", 1, least=1, most=MOST_FIRST),
        skip_tables=_tables(node),
        capacity=node.whole("capacity", least=1),
        self_registration=node.flag("self_registration"),
        listed=node.get("listed") is None or node.flag("listed"),
        name_privacy=node.one_of("name_privacy", NAME_PRIVACY, "full"),
        hold_standings=node.flag("hold_standings"),
    )
    node.get("state")
    node.done()
    return event


def _tables(node: Node) -> tuple[int, ...]:
    tables = node.listed("skip_tables")
    for index, table in enumerate(tables):
        if not isinstance(table, int) or isinstance(table, bool) or not 1 <= table <= SMALL:
            raise ArchiveError(f"{node.at('skip_tables')}[{index}]", f"{shown(table)} is not a table number")
    return tuple(sorted(set(tables)))


def _best_of(node: Node) -> int | None:
    value = node.whole("best_of")
    if value is not None and value not in BEST_OF:
        raise ArchiveError(node.at("best_of"), f"expected 1, 3 or 5, not {value}")
    return value


def _starts_at(node: Node, zone: str) -> str | None:
    """The start in the event's own time zone; a bare `date` means its midnight there."""
    moment, day = _local(node.moment("starts_at"), zone), node.day("date")
    if moment or not day:
        return moment
    return datetime.fromisoformat(day).replace(tzinfo=zoneinfo.ZoneInfo(zone)).isoformat()


def _local(moment: str | None, zone: str) -> str | None:
    """The moment in the event's own time zone."""
    return moment and datetime.fromisoformat(moment).astimezone(zoneinfo.ZoneInfo(zone)).isoformat()


def _ruleset(spec: Any, event: Event) -> tuple[dict, dict]:
    if spec is None:
        raise ArchiveError("ruleset", "the ruleset is missing")
    node = Node(spec, "ruleset")
    node.text("preset", longest=60)
    node.whole("version")
    node.text("name", longest=120)
    node.inner("overrides")
    if node.inner("profile") is not None and node.get("preset") is not None:
        raise ArchiveError(node.at("profile"), "either a preset or a whole profile")
    node.done()
    try:
        profile = resolve_spec(spec, event.best_of)
        wrong = validate(profile)
    except UnknownRuleset as error:
        raise UnknownRuleset(f"ruleset: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError("ruleset", f"cannot read this ruleset ({error})") from None
    if wrong:
        raise ArchiveError(f"ruleset.{wrong[0][0]}", wrong[0][1])
    return spec, profile


def _entries(items: list) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for index, item in enumerate(items):
        node = Node(item, f"entries[{index}]")
        entry = _entry(node)
        if entry.id in found:
            raise ArchiveError(node.at("id"), f"{shown(entry.id)} appears twice")
        found[entry.id] = entry
    waiting: set[int] = set()
    for index, entry in enumerate(found.values()):
        if entry.waits in waiting:
            raise ArchiveError(f"entries[{index}].waits", f"waitlist number {entry.waits} appears twice")
        waiting |= {entry.waits} if entry.waits else set()
    for index, item in enumerate(items):
        same = item.get("same_person_as")
        if same is not None and (same not in found or same == item["id"]):
            raise ArchiveError(f"entries[{index}].same_person_as", f"no other entry {shown(same)}")
    return dict(sorted(found.items()))


def _entry(node: Node) -> Entry:
    start = node.get("start")
    code = node.needed("id", longest=40)
    if not re.fullmatch(r"[^\s/]+", code):
        raise ArchiveError(node.at("id"), f"{shown(code)}: an id cannot contain spaces or slashes")
    rating = node.get("rating")
    sound_rating = isinstance(rating, int) and not isinstance(rating, bool) and abs(rating) <= LAST_NUMBER
    if rating is not None and not sound_rating:
        raise ArchiveError(node.at("rating"), f"expected a whole number, not {shown(rating)}")
    entry = Entry(
        id=code,
        name=node.needed("name", longest=80),
        status=node.one_of("status", ENTRY_STATUSES, "playing"),
        rating=rating,
        labels=node.texts("labels"),
        joined_round=node.whole("joined_round", least=1),
        dropped_after=node.whole("dropped_after"),
        seed_rank=node.whole("seed_rank", least=1, most=LAST_NUMBER),
        awarded_byes=node.whole("awarded_byes", 0),
        house=node.flag("house"),
        late=node.flag("late"),
        same_person_as=node.text("same_person_as"),
        start=None if start is None else exact(start, node.at("start")),
        lot=node.whole("lot", least=1, most=LAST_NUMBER),
        manual=node.whole("manual", least=1, most=LAST_NUMBER),
        members=node.texts("members"),
        fixed_table=node.whole("fixed_table", least=1),
        alias=node.text("alias", "", longest=80),
        rating_source=node.text("rating_source", "", longest=40),
        checked_in=node.flag("checked_in"),
        paid=node.flag("paid"),
        waits=node.whole("waits", least=1, most=LAST_NUMBER),
    )
    node.done()
    return entry


def _stages(items: list, event: Event) -> list[Stage]:
    found: list[Stage] = []
    for index, item in enumerate(items):
        node = Node(item, f"stages[{index}]")
        if node.whole("number", least=1) != index + 1:
            raise ArchiveError(node.at("number"), f"stages must be numbered in order; expected {index + 1}")
        sources = tuple(node.listed("from"))
        for source in sources:
            if not isinstance(source, int) or isinstance(source, bool) or not 1 <= source <= index:
                raise ArchiveError(node.at("from"), f"{shown(source)} is not an earlier stage")
        stage = Stage(
            number=index + 1,
            kind=node.one_of("kind", ("swiss", "elimination"), "swiss"),
            sources=sources,
            carries=node.flag("carries"),
            entries=_ids(node, "entries", event) if node.get("entries") is not None else None,
            seeds=_ids(node, "seeds", event),
            alternates=_ids(node, "alternates", event),
            ends_at=_local(node.moment("ends_at"), event.time_zone),
            minutes=node.whole("minutes", least=1),
            best_of=_lengths(node),
        )
        _check_seeds(stage, node)
        node.done()
        found.append(stage)
    return found


def _lengths(node: Node) -> tuple[int, ...]:
    lengths = node.listed("best_of")
    for index, length in enumerate(lengths):
        if length not in (1, 3, 5) or isinstance(length, bool):
            raise ArchiveError(f"{node.at('best_of')}[{index}]", f"{shown(length)} is not one of 1, 3, 5")
    if len(lengths) > 6:
        raise ArchiveError(node.at("best_of"), "a bracket can have at most 6 rounds")
    return tuple(lengths)


def _check_seeds(stage: Stage, node: Node) -> None:
    for key in ("seeds", "alternates", "best_of"):
        if stage.kind == "swiss" and node.get(key):
            raise ArchiveError(node.at(key), "only an elimination has seeds, alternates and lengths by round")
    for index, code in enumerate(stage.alternates):
        if code in stage.seeds:
            raise ArchiveError(f"{node.at('alternates')}[{index}]", f"{shown(code)} is a seed already")


def _ids(node: Node, key: str, event: Event) -> tuple[str, ...]:
    ids = node.texts(key)
    seen = set()
    for index, code in enumerate(ids):
        if code not in event.entries:
            raise ArchiveError(f"{node.at(key)}[{index}]", f"there is no entry {shown(code)}")
        if code in seen:
            raise ArchiveError(f"{node.at(key)}[{index}]", f"{shown(code)} appears twice")
        seen.add(code)
    return ids


def _pairs(items: list, event: Event) -> tuple[tuple[str, str], ...]:
    pairs = []
    for index, pair in enumerate(items):
        good = isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1]
        if not good or not all(isinstance(code, str) and code in event.entries for code in pair):
            raise ArchiveError(f"forbidden[{index}]", "expected the ids of 2 entries")
        pairs.append((pair[0], pair[1]))
    return tuple(pairs)


def _penalties(items: list, event: Event) -> tuple[dict, ...]:
    found = []
    for index, item in enumerate(items):
        node = Node(item, f"penalties[{index}]")
        number = node.whole("round")
        if number is not None and not 1 <= number <= len(event.rounds):
            raise ArchiveError(node.at("round"), f"there is no round {number}")
        found.append(
            {
                "round": number,
                "entry": seated(node, "entry", event),
                "kind": node.one_of("kind", PENALTIES, "warning"),
                "reason": node.text("reason", ""),
            }
        )
        node.done()
    return tuple(found)
