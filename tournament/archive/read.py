"""Read an archive into plain values, or refuse it naming the JSON path. Writes nothing.

The format is `docs/archive.md`. Recorded events are taken as they were: repeats, several byes in a round,
more wins than needed, entries not seated.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zoneinfo
from datetime import datetime
from pathlib import Path
from typing import Any

from tournament.archive.checks import ArchiveError, Node, exact, games_at, hexadecimal, score_at, shown
from tournament.archive.types import (
    ALONE,
    ENTRY_STATUSES,
    PAIRED,
    ROUND_STATES,
    TOURNAMENT_STATES,
    Entry,
    Event,
    Match,
    Round,
    Stage,
)
from tournament.rulesets import UnknownRuleset, default_games, resolve_spec, validate

SIDES = ("a", "b")
PENALTIES = ("warning", "game_loss", "match_loss", "disqualification")
DECIDED = ("higher_seed", "tiebreak")


def read_file(path: str | Path) -> Event:
    """The event in a file: an archive, or the archive inside a published event.

    Raises ArchiveError, OSError, UnknownRuleset.
    """
    return event_of(json_of(path))


def json_of(path: str | Path) -> Any:
    """The JSON in a file. Raises ArchiveError where it is none, OSError where it cannot be read."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArchiveError(str(path), f"this is no JSON text in UTF-8 ({error})") from None


def event_of(data: Any) -> Event:
    """Plain values of an archive (or of the one inside a published event). Raises as `read_file`."""
    if isinstance(data, dict) and data.get("format") == "swiss-published":
        data = data.get("archive")
    root = Node(data, "")
    if root.get("format") != "swiss-archive":
        raise ArchiveError("format", f'"swiss-archive" is expected, not {shown(root.get("format"))}')
    if root.get("version") != 1:
        raise ArchiveError("version", f"version 1 is understood, not {shown(root.get('version'))}")
    event = _tournament(Node(root.get("tournament"), "tournament"))
    event.ruleset, event.profile = _ruleset(root.get("ruleset"), event)
    event.entries = _entries(root.listed("entries"))
    event.stages = _stages(root.listed("stages"), event) or [Stage(number=1)]
    event.rounds = _rounds(root.listed("rounds"), event)
    event.forbidden = _pairs(root.listed("forbidden"), event)
    event.penalties = _penalties(root.listed("penalties"), event)
    event.log = _log(root.listed("log"))
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


def slug_of(name: str) -> str:
    """A name as an address: lower-case ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"


def _tournament(node: Node) -> Event:
    name = node.needed("name")
    zone = node.text("time_zone", "UTC", longest=60)
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise ArchiveError(node.at("time_zone"), f"{shown(zone)} is no known time zone") from None
    slug = node.text("slug", slug_of(name), longest=80)
    if not re.fullmatch(r"[-a-zA-Z0-9_]+", slug):
        raise ArchiveError(node.at("slug"), "only letters, digits and hyphens make an address")
    event = Event(
        name=name,
        slug=slug,
        starts_at=_starts_at(node, zone),
        time_zone=zone,
        rounds_planned=node.whole("rounds"),
        cut=node.whole("cut"),
        best_of=node.whole("best_of", least=1),
        team=node.flag("team"),
        round_minutes=node.whole("round_minutes", least=1),
        seed=hexadecimal(node, "seed"),
    )
    node.get("state")
    node.done()
    return event


def _starts_at(node: Node, zone: str) -> str | None:
    """The start in the event's own time zone; a bare `date` means its midnight there."""
    here = zoneinfo.ZoneInfo(zone)
    moment, day = node.moment("starts_at"), node.day("date")
    if moment:
        return datetime.fromisoformat(moment).astimezone(here).isoformat()
    return datetime.fromisoformat(day).replace(tzinfo=here).isoformat() if day else None


def _ruleset(spec: Any, event: Event) -> tuple[dict, dict]:
    if spec is None:
        raise ArchiveError("ruleset", "the ruleset is missing")
    node = Node(spec, "ruleset")
    for key in ("preset", "version", "overrides", "name", "profile"):
        node.get(key)
    node.done()
    try:
        profile = resolve_spec(spec, event.best_of)
        wrong = validate(profile)
    except UnknownRuleset as error:
        raise UnknownRuleset(f"ruleset: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError("ruleset", f"this ruleset cannot be read ({error})") from None
    if wrong:
        raise ArchiveError(f"ruleset.{wrong[0][0]}", wrong[0][1])
    return spec, profile


def _entries(items: list) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for index, item in enumerate(items):
        node = Node(item, f"entries[{index}]")
        entry = _entry(node)
        if entry.id in found:
            raise ArchiveError(node.at("id"), f"{shown(entry.id)} stands here twice")
        found[entry.id] = entry
    for index, item in enumerate(items):
        same = item.get("same_person_as")
        if same is not None and (same not in found or same == item["id"]):
            raise ArchiveError(f"entries[{index}].same_person_as", f"no other entry {shown(same)}")
    return dict(sorted(found.items()))


def _entry(node: Node) -> Entry:
    start = node.get("start")
    code = node.needed("id", longest=40)
    if not re.fullmatch(r"[^\s/]+", code):
        raise ArchiveError(node.at("id"), f"{shown(code)}: an id has no spaces and no slashes")
    rating = node.get("rating")
    if rating is not None and (not isinstance(rating, int) or isinstance(rating, bool)):
        raise ArchiveError(node.at("rating"), f"a whole number is expected, not {shown(rating)}")
    entry = Entry(
        id=code,
        name=node.needed("name", longest=80),
        status=node.one_of("status", ENTRY_STATUSES, "playing"),
        rating=rating,
        labels=node.texts("labels"),
        joined_round=node.whole("joined_round", least=1),
        dropped_after=node.whole("dropped_after"),
        seed_rank=node.whole("seed_rank", least=1),
        awarded_byes=node.whole("awarded_byes", 0),
        house=node.flag("house"),
        late=node.flag("late"),
        same_person_as=node.text("same_person_as"),
        start=None if start is None else exact(start, node.at("start")),
        lot=node.whole("lot", least=1),
        manual=node.whole("manual", least=1),
        members=node.texts("members"),
        fixed_table=node.whole("fixed_table", least=1),
    )
    node.done()
    return entry


def _stages(items: list, event: Event) -> list[Stage]:
    found: list[Stage] = []
    for index, item in enumerate(items):
        node = Node(item, f"stages[{index}]")
        if node.whole("number", least=1) != index + 1:
            raise ArchiveError(node.at("number"), f"stages are numbered in order; {index + 1} is expected")
        sources = tuple(node.listed("from"))
        for source in sources:
            if not isinstance(source, int) or not 1 <= source <= index:
                raise ArchiveError(node.at("from"), f"{shown(source)} is no earlier stage")
        stage = Stage(
            number=index + 1,
            kind=node.one_of("kind", ("swiss", "elimination"), "swiss"),
            sources=sources,
            carries=node.flag("carries"),
            entries=_ids(node, "entries", event) if node.get("entries") is not None else None,
            seeds=_ids(node, "seeds", event),
            alternates=_ids(node, "alternates", event),
            ends_at=node.moment("ends_at"),
            minutes=node.whole("minutes", least=1),
        )
        node.done()
        found.append(stage)
    return found


def _ids(node: Node, key: str, event: Event) -> tuple[str, ...]:
    ids = node.texts(key)
    seen = set()
    for index, code in enumerate(ids):
        if code not in event.entries:
            raise ArchiveError(f"{node.at(key)}[{index}]", f"there is no entry {shown(code)}")
        if code in seen:
            raise ArchiveError(f"{node.at(key)}[{index}]", f"{shown(code)} stands here twice")
        seen.add(code)
    return ids


def _rounds(items: list, event: Event) -> list[Round]:
    found: list[Round] = []
    stages = {stage.number: stage for stage in event.stages}
    for index, item in enumerate(items):
        node = Node(item, f"rounds[{index}]")
        node.whole("number", least=1)
        stage = stages.get(node.whole("stage", 1, least=1))
        if stage is None:
            raise ArchiveError(node.at("stage"), f"there is no stage {shown(node.get('stage'))}")
        status = node.one_of("status", ROUND_STATES, "complete")
        round_ = Round(
            number=index + 1,
            stage=stage.number,
            status="published" if status == "repairing" else status,
            extensions=tuple(node.listed("extensions")),
            pairing=node.get("pairing"),
        )
        matches = node.listed("matches")
        for place, match in enumerate(matches):
            round_.matches.append(_match(Node(match, f"{node.at('matches')}[{place}]"), round_, event))
        _check_seats(round_, node)
        round_.matches.sort(key=lambda match: (match.table is None, match.table or 0, match.a))
        node.done()
        found.append(round_)
    return found


def _match(node: Node, round_: Round, event: Event) -> Match:
    a = _seated(node, "a", event)
    b = _seated(node, "b", event) if node.get("b") is not None else None
    result = node.one_of("result", PAIRED if b else ALONE)
    if a == b:
        raise ArchiveError(node.path, f"{shown(a)} cannot meet itself")
    if result is None and (b is None or round_.status == "complete"):
        raise ArchiveError(node.at("result"), "a bye, and a match of a complete round, need their result")
    match = Match(
        table=node.whole("table", least=1),
        a=a,
        b=b,
        result=result,
        games=games_at(node),
        winner=node.one_of("winner", SIDES),
        first=node.one_of("first", SIDES),
        score=score_at(node),
        game_order=node.text("game_order", longest=40),
        slot=node.text("slot", longest=12),
        replays=tuple(
            _replay(Node(r, f"{node.at('replays')}[{i}]")) for i, r in enumerate(node.listed("replays"))
        ),
        decided=node.one_of("decided", DECIDED),
        waived=_waiver(node),
        reports=tuple(node.listed("reports")),
    )
    if result == "played" and match.games is None:
        raise ArchiveError(node.at("games"), "a played match needs its games")
    if result is None and match.games is not None:
        raise ArchiveError(node.at("result"), "games without a result")
    if match.decided and not match.winner:
        raise ArchiveError(node.at("winner"), "a decided match needs its winner")
    node.done()
    return match


def _seated(node: Node, key: str, event: Event) -> str:
    code = node.get(key)
    if code not in event.entries:
        raise ArchiveError(node.at(key), f"there is no entry {shown(code)}")
    return code


def _replay(node: Node) -> dict:
    replay: dict = {"games": list(games_at(node) or (0, 0, 0))}
    if first := node.one_of("first", SIDES):
        replay["first"] = first
    node.done()
    return replay


def _waiver(node: Node) -> dict | None:
    if node.get("waived") is None:
        return None
    inner = Node(node.get("waived"), node.at("waived"))
    waiver = {"rule": inner.needed("rule", longest=20), "reason": inner.needed("reason", longest=200)}
    inner.done()
    return waiver


def _check_seats(round_: Round, node: Node) -> None:
    """Nobody sits twice in a round, no table stands twice."""
    seen: set[str] = set()
    tables: set[int] = set()
    for index, match in enumerate(round_.matches):
        for code in filter(None, (match.a, match.b)):
            if code in seen:
                raise ArchiveError(
                    f"{node.at('matches')}[{index}]", f"{shown(code)} sits twice in this round"
                )
            seen.add(code)
        if match.table is not None and match.table in tables:
            raise ArchiveError(f"{node.at('matches')}[{index}].table", f"table {match.table} stands twice")
        if match.table is not None:
            tables.add(match.table)


def _pairs(items: list, event: Event) -> tuple[tuple[str, str], ...]:
    pairs = []
    for index, pair in enumerate(items):
        if not isinstance(pair, list) or len(pair) != 2 or not set(pair) <= set(event.entries):
            raise ArchiveError(f"forbidden[{index}]", "two ids of entries are expected")
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
                "entry": _seated(node, "entry", event),
                "kind": node.one_of("kind", PENALTIES, "warning"),
                "reason": node.text("reason", ""),
            }
        )
        node.done()
    return tuple(found)


def _log(items: list) -> tuple[dict, ...]:
    last = 0
    for index, item in enumerate(items):
        node = Node(item, f"log[{index}]")
        number = node.whole("number", least=1)
        if number is None or number <= last:
            raise ArchiveError(node.at("number"), "actions are numbered upwards")
        last = number
        if node.moment("at") is None:
            raise ArchiveError(node.at("at"), "an action has its time")
        node.needed("kind", longest=40)
        for key in ("actor", "reason", "key"):
            node.text(key)
        node.listed("changes")
        node.whole("undoes")
        node.done()
    return tuple(items)


def given_games(event: Event, match: Match, best_of: int | None = None) -> tuple[int, int, int] | None:
    """The games of a match: as recorded, else what the ruleset gives such a result; None without a slip."""
    if match.games is not None or match.result is None:
        return match.games
    return default_games(event.profile, match.result, match.winner, best_of)
