"""Read an archive into plain values, or raise ArchiveError with the JSON path. `format` checks single values.

Recorded events are accepted as they were: rematches, several byes in a round, more wins than needed, unseated entries.
"""

from collections.abc import Sequence
from datetime import UTC
from fractions import Fraction
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import asdict

from tournament.archive import format
from tournament.archive.format import ArchiveError, moment_at, repeated_values, zone_at
from tournament.event import types
from tournament.event.pairing_record import PairingRecord
from tournament.event.table_plan import PlanError, parse_plan
from tournament.event.types import FEWEST_MEMBERS, MOST_MEMBERS, Event, Round, Stage
from tournament.rulesets import UnknownRuleset, resolve_spec, validate
from tournament.rulesets.schema import ignored_fields
from tournament.schemas.kinds import UNKNOWN, describe_fault, shown
from tournament.text import fold_name, is_disguised, make_slug, trim_text

Noted = TypeVar("Noted", types.Penalty, types.DeckCheck, types.Decklist)

# Settings of earlier versions, with the values that are ignored; None: any value.
REMOVED_SETTINGS: dict[str, object] = {"prize_split": "higher"} | dict.fromkeys(
    "double_entry first_table skip_tables feature_rule judge_extensions judge_penalties judge_disqualifications "
    "judge_deck_checks judge_drops judge_clock".split()
)
# Objects with free keys, in which null may mean something.
FREE = frozenset({"overrides", "profile", "pairing", "before", "after"})


def read_file(path: str | Path) -> Event:
    """Return the event in an archive or a published event's file. Raises ArchiveError, OSError, UnknownRuleset."""
    return parse_event(format.load_json(path))


def parse_event(data: Any) -> Event:
    """Return plain values of an archive (or of the one inside a published event). Raises as `read_file`."""
    if isinstance(data, dict) and data.get("format") == "swiss-published":
        data = data.get("archive")
    data, ignored = _without_removed(data)
    file, no_reports = _checked(data)
    event = _event(file.tournament)
    event.ruleset = data["ruleset"]
    event.profile = _profile(file.ruleset, event)
    event.ignored = (*ignored, *no_reports, *(f"ruleset.{path}" for path in ignored_fields(event.profile)))
    event.entries = _entries(file.entries)
    event.stages = _stages(file.stages, event) or [Stage(number=1)]
    event.rounds = parse_rounds(file.rounds, event)
    event.forbidden = _pairs(file.forbidden, event)
    event.penalties = _of_players("penalties", file.penalties, event)
    event.deck_checks = _of_players("deck_checks", file.deck_checks, event)
    event.decklists = _of_players("decklists", file.decklists, event)
    for index, check in enumerate(event.deck_checks):
        for name in ("starts_at", "ends_at"):
            setattr(check, name, moment_at(getattr(check, name), f"deck_checks[{index}].{name}", UTC))
    for index, decklist in enumerate(event.decklists):
        decklist.at = moment_at(decklist.at, f"decklists[{index}].at", UTC) or ""
    event.log = _log(file.log)
    event.state = file.tournament.state or default_state(event)
    return event


def _without_removed(data: Any) -> tuple[Any, tuple[str, ...]]:
    """Remove settings that this version no longer has. Return the other data and the removed paths."""
    settings = data.get("tournament") if isinstance(data, dict) else None
    if not isinstance(settings, dict):
        return data, ()
    present = {name: value for name, value in REMOVED_SETTINGS.items() if name in settings}
    removed = [name for name, value in present.items() if value in (None, settings[name])]
    kept = {name: value for name, value in settings.items() if name not in removed}
    return {**data, "tournament": kept}, tuple(f"tournament.{name}" for name in removed)


def _drop_desk_reports(data: dict[str, Any]) -> tuple[str, ...]:
    """Remove the first of two typed slips of a match, which earlier versions stored. Return its path."""
    found: tuple[str, ...] = ()
    for match in _objects(*(round_.get("matches") for round_ in _objects(data.get("rounds")))):
        for report in _objects(match.get("reports")):
            report.pop("actor", None)
            if report.get("source") == "desk":
                found = ("rounds.matches.reports.desk",)
                match["reports"].remove(report)
    return found


def _objects(*lists: Any) -> list[dict[str, Any]]:
    return [item for each in lists if isinstance(each, list) for item in each if isinstance(item, dict)]


def _checked(data: Any) -> tuple[format.Archive, tuple[str, ...]]:
    """Validate the file. Return it and the paths of removed kinds of reports. Raises ArchiveError."""
    if not isinstance(data, dict):
        raise ArchiveError("", f"expected an object, not {shown(data)}")
    format.check_json(data)
    if data.get("format") != "swiss-archive":
        raise ArchiveError("format", f'expected "swiss-archive", not {shown(data.get("format"))}')
    if isinstance(data.get("version"), bool) or data.get("version") != 1:
        raise ArchiveError("version", f"expected version 1, not {shown(data.get('version'))}")
    data = _without_nulls(data)
    removed = _drop_desk_reports(data)
    try:
        return msgspec.convert(data, format.Archive), removed
    except msgspec.ValidationError as error:
        path, message = describe_fault(error, data, msgspec.json.schema(format.Archive))
        where = " in version 1 of the format" if message == UNKNOWN else ""
        raise ArchiveError(path, message + where) from None


def _without_nulls(value: Any) -> Any:
    """Drop nulls, which mean the same as absent values, except in objects with free keys."""
    if isinstance(value, dict):
        given = {key: inner for key, inner in value.items() if inner is not None}
        return {key: inner if key in FREE else _without_nulls(inner) for key, inner in given.items()}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def default_state(event: Event) -> str:
    """Return the state implied by the rounds: open if there are none, finished once all planned ones are complete."""
    if not event.rounds:
        return "open"
    swiss = [round_ for round_ in event.rounds if event.stage(round_.stage).kind == "swiss"]
    if any(round_.status != "complete" for round_ in event.rounds):
        return "running"
    return "running" if len(swiss) < (event.rounds_planned or 0) else "finished"


def _event(file: format.Tournament) -> Event:
    zone = zone_at(file.time_zone, "tournament.time_zone")
    checked_plan(file.table_plan, "tournament.table_plan")
    for name in ("name", "game", "venue"):
        setattr(file, name, _shown_text(getattr(file, name), f"tournament.{name}"))
    starts_at = moment_at(file.starts_at, "tournament.starts_at", zone)
    midnight = format.midnight_at(file.date, "tournament.date", zone)
    settings = {
        **asdict(file),
        "slug": file.slug or make_slug(file.name),
        "starts_at": starts_at or midnight,
        "decklists_until": moment_at(file.decklists_until, "tournament.decklists_until", zone),
        "seed": file.seed and file.seed.lower(),
    }
    del settings["date"], settings["state"]
    return Event(**settings)


def _profile(file: format.Ruleset, event: Event) -> dict:
    if file.profile is not None and file.preset is not None:
        raise ArchiveError("ruleset.profile", "give either a preset or a whole profile")
    try:
        profile = resolve_spec(event.ruleset, event.best_of, event.starts_at)
        faults = validate(profile)
    except UnknownRuleset as error:
        raise UnknownRuleset(f"ruleset: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError("ruleset", f"cannot read this ruleset ({error})") from None
    if faults:
        path, message = faults[0]
        raise ArchiveError(f"ruleset.{path}", message)
    return profile


def _entries(items: Sequence[types.Entry]) -> dict[str, types.Entry]:
    for index, code in repeated_values(item.id for item in items):
        raise ArchiveError(f"entries[{index}].id", f"{shown(code)} appears twice")
    for index, number in repeated_values(item.waits for item in items):
        raise ArchiveError(f"entries[{index}].waits", f"waitlist number {number} appears twice")
    entries = {item.id: item for item in items}
    for index, item in enumerate(items):
        path = f"entries[{index}]"
        item.start = None if item.start is None else str(Fraction(item.start))
        item.requested_byes = tuple(sorted(item.requested_byes, key=attrgetter("round")))
        for _place, number in repeated_values(bye.round for bye in item.requested_byes):
            raise ArchiveError(f"{path}.requested_byes", f"round {number} appears twice")
        same = item.same_person_as
        if same is not None and (same not in entries or same == item.id):
            raise ArchiveError(f"{path}.same_person_as", f"no other entry {shown(same)}")
        if same is None and item.status == "merged":
            raise ArchiveError(f"{path}.same_person_as", "a merged entry names the one it was merged into")
        for name in ("name", "last_name", "alias", "rating_source"):
            setattr(item, name, _shown_text(getattr(item, name), f"{path}.{name}"))
        for name in ("members", "labels", "former_names"):
            paths = (f"{path}.{name}[{place}]" for place in count())
            setattr(item, name, tuple(map(_shown_text, getattr(item, name), paths)))
        _check_team(item, path)
    return dict(sorted(entries.items()))


def _shown_text(text: str, path: str) -> str:
    """Strip white space. Raises ArchiveError if the stored text would look different when shown."""
    trimmed = trim_text(text)
    if is_disguised(trimmed) or (text and not trimmed):
        raise ArchiveError(
            path, f"{shown(text)} has characters that hide or turn text, or nothing that shows"
        )
    return trimmed


def _check_team(item: types.Entry, path: str) -> None:
    if item.members and not FEWEST_MEMBERS <= len(item.members) <= MOST_MEMBERS:
        raise ArchiveError(f"{path}.members", f"a team has {FEWEST_MEMBERS} to {MOST_MEMBERS} members")
    for place, _name in repeated_values(map(fold_name, item.members)):
        raise ArchiveError(f"{path}.members[{place}]", f"{shown(item.members[place])} is in the team twice")
    if item.captain > max(len(item.members), 1):
        raise ArchiveError(f"{path}.captain", f"there is no member {item.captain}")


def _stages(items: Sequence[Stage], event: Event) -> list[Stage]:
    zone = zone_at(event.time_zone, "tournament.time_zone")
    for index, item in enumerate(items):
        path = f"stages[{index}]"
        if item.number != index + 1:
            raise ArchiveError(f"{path}.number", f"stages must be numbered in order; expected {index + 1}")
        for source in item.sources:
            if source > index:
                raise ArchiveError(f"{path}.from", f"{source} is not an earlier stage")
        for key in ("seeds", "alternates", "best_of"):
            if item.kind == "swiss" and getattr(item, key):
                raise ArchiveError(
                    f"{path}.{key}", "only an elimination has seeds, alternates and lengths by round"
                )
        for key in ("entries", "seeds", "alternates"):
            _check_ids(getattr(item, key) or (), f"{path}.{key}", event)
        for place, code in enumerate(item.alternates):
            if code in item.seeds:
                raise ArchiveError(f"{path}.alternates[{place}]", f"{shown(code)} is a seed already")
        item.ends_at = moment_at(item.ends_at, f"{path}.ends_at", zone)
    return list(items)


def _check_ids(codes: Sequence[str], path: str, event: Event) -> None:
    for index, code in enumerate(codes):
        check_entry(code, f"{path}[{index}]", event)
    for index, code in repeated_values(codes):
        raise ArchiveError(f"{path}[{index}]", f"{shown(code)} appears twice")


def _pairs(pairs: Sequence[tuple[str, str]], event: Event) -> tuple[tuple[str, str], ...]:
    for index, (a, b) in enumerate(pairs):
        if a == b or not {a, b} <= event.entries.keys():
            raise ArchiveError(f"forbidden[{index}]", "expected the ids of 2 entries")
    return tuple(pairs)


def _of_players(name: str, items: tuple[Noted, ...], event: Event) -> tuple[Noted, ...]:
    """Check that each penalty, deck check or decklist names an entry of the event and, if any, one of its rounds."""
    for index, item in enumerate(items):
        number = getattr(item, "round", None)
        if number is not None and not 1 <= number <= len(event.rounds):
            raise ArchiveError(f"{name}[{index}].round", f"there is no round {number}")
        if item.entry not in event.entries:
            raise ArchiveError(f"{name}[{index}].entry", f"there is no entry {shown(item.entry)}")
    return items


def _log(items: Sequence[format.Action]) -> tuple[types.LoggedAction, ...]:
    for index, key in repeated_values(item.key for item in items):
        raise ArchiveError(f"log[{index}].key", f"{shown(key)} appears twice")
    last = 0
    actions = []
    for index, item in enumerate(items):
        path = f"log[{index}]"
        if item.number <= last:
            raise ArchiveError(f"{path}.number", "action numbers must increase")
        last = item.number
        at = moment_at(item.at, f"{path}.at", UTC)
        changes = tuple(_change(change, f"{path}.changes[{i}]") for i, change in enumerate(item.changes))
        actions.append(types.LoggedAction(**{**asdict(item), "at": at, "changes": changes}))
    return tuple(actions)


def _change(change: format.Change, path: str) -> dict[str, Any]:
    if change.personal is not None:
        if change.before is not None or change.after is not None:
            key = "before" if change.before is not None else "after"
            raise ArchiveError(f"{path}.{key}", "a change of personal fields tells no values")
        return {"fact": change.fact, "personal": list(change.personal)}
    if change.before is None and change.after is None:
        raise ArchiveError(path, "a change has a before or an after")
    return {"fact": change.fact, "before": change.before, "after": change.after}


# --- rounds ---


def parse_rounds(items: Sequence[format.Round], event: Event) -> list[Round]:
    rounds: list[Round] = []
    stages = {stage.number: stage for stage in event.stages}
    open_stages: set[int] = set()
    for index, item in enumerate(items):
        path = f"rounds[{index}]"
        stage = stages.get(item.stage)
        if stage is None:
            raise ArchiveError(f"{path}.stage", f"there is no stage {item.stage}")
        if stage.number in open_stages and stage.kind == "swiss":
            raise ArchiveError(path, "an earlier round of this Swiss stage is not complete")
        if item.status != "complete":
            open_stages.add(stage.number)
        rounds.append(_round(item, path, event, stage, index + 1))
    return rounds


def _round(item: format.Round, path: str, event: Event, stage: Stage, number: int) -> Round:
    for index, match in enumerate(item.matches):
        at = f"{path}.matches[{index}]"
        _check_seats(match, at, item, event)
        _check_result(match, at)
        _check_reports(match, at)
    _check_twice(item, path)
    _check_bracket(item, path, stage)
    return Round(
        number=number,
        stage=stage.number,
        status="published" if item.status == "repairing" else item.status,
        matches=[_match(match) for match in sorted(item.matches, key=types.table_order)],
        extensions=_extensions(item, path),
        clock=_clock(item.clock or types.Clock(), f"{path}.clock", event),
        pairing=PairingRecord.from_json(item.pairing),
        table_plan=checked_plan(item.table_plan, f"{path}.table_plan"),
    )


def checked_plan(text: str | None, path: str) -> str | None:
    try:
        parse_plan(text or "")
    except PlanError as error:
        raise ArchiveError(path, str(error)) from None
    return text


def _match(item: format.Match) -> types.Match:
    """Return the match. A winner is given only if the games do not determine it."""
    a, b = item.score or (None, None)
    return types.Match(
        **{
            **asdict(item),
            "score": None if a is None or b is None else (str(Fraction(a)), str(Fraction(b))),
            "winner": item.winner if item.decided or item.result == "forfeit" else None,
            "replays": tuple(_replay(replay) for replay in item.replays),
            "waived": item.waived and asdict(item.waived),
        }
    )


def _replay(item: format.Replay) -> dict[str, Any]:
    return {"games": list(item.games)} | ({"first": item.first} if item.first else {})


def check_entry(code: str, path: str, event: Event) -> None:
    if code not in event.entries:
        raise ArchiveError(path, f"there is no entry {shown(code)}")
    if event.entries[code].status == "merged":
        raise ArchiveError(path, f"{shown(code)} was merged into {shown(event.entries[code].same_person_as)}")


def _check_seats(match: format.Match, path: str, round_: format.Round, event: Event) -> None:
    for key, code in (("a", match.a), ("b", match.b)):
        if code is not None:
            check_entry(code, f"{path}.{key}", event)
    results = types.PAIRED if match.b else types.ALONE
    if match.result is not None and match.result not in results:
        raise ArchiveError(f"{path}.result", f"{shown(match.result)} is not one of {', '.join(results)}")
    if match.a == match.b:
        raise ArchiveError(path, f"{shown(match.a)} cannot meet itself")
    if match.result is None and (match.b is None or round_.status == "complete"):
        raise ArchiveError(f"{path}.result", "a bye, and every match of a complete round, needs a result")


def _check_result(match: format.Match, path: str) -> None:
    """Check that games and a winner are given exactly if the result needs them."""
    if match.result == "played" and match.games is None:
        raise ArchiveError(f"{path}.games", "a played match needs its games")
    if match.result is None and match.games is not None:
        raise ArchiveError(f"{path}.result", "games without a result")
    if match.b is None and match.score and Fraction(match.score[1]):
        raise ArchiveError(f"{path}.score[1]", "there is no opponent to score points")
    if match.decided and not match.winner:
        raise ArchiveError(f"{path}.winner", "a decided match needs its winner")
    free = match.decided or match.result == "forfeit" or _is_ahead(match)
    if match.winner and not free:
        raise ArchiveError(f"{path}.winner", "only a forfeit or a decided match names its winner")


def _is_ahead(match: format.Match) -> bool:
    if match.result != "played" or match.games is None:
        return False
    a, b, _drawn = match.games
    return match.winner == ("a" if a > b else "b" if b > a else None)


def _check_twice(round_: format.Round, path: str) -> None:
    matches = round_.matches
    for place, code in repeated_values(code for match in matches for code in (match.a, match.b)):
        raise ArchiveError(f"{path}.matches[{place // 2}]", f"{shown(code)} is seated twice in this round")
    for index, table in repeated_values(match.table for match in matches):
        raise ArchiveError(f"{path}.matches[{index}].table", f"table {table} appears twice")
    for index, slot in repeated_values(match.slot for match in matches):
        raise ArchiveError(f"{path}.matches[{index}].slot", f"{shown(slot)} appears twice")


def _check_bracket(round_: format.Round, path: str, stage: Stage) -> None:
    if not stage.seeds:
        return
    inside = {*stage.seeds, *stage.alternates}
    for index, match in enumerate(round_.matches):
        for key, code in (("a", match.a), ("b", match.b)):
            if code is not None and code not in inside:
                at = f"{path}.matches[{index}].{key}"
                raise ArchiveError(at, f"{shown(code)} is not a seed or alternate of this stage")


def _clock(item: types.Clock, path: str, event: Event) -> types.Clock:
    if item.ends_at and item.seconds_left is not None:
        raise ArchiveError(f"{path}.seconds_left", "a paused clock has no ends_at")
    zone = zone_at(event.time_zone, "tournament.time_zone")
    for name in ("starts_at", "ends_at"):
        setattr(item, name, moment_at(getattr(item, name), f"{path}.{name}", zone))
    return item


def _check_reports(match: format.Match, path: str) -> None:
    if match.reports and (match.b is None or match.table is None):
        raise ArchiveError(f"{path}.reports", "only a table with 2 players has reports")
    for index, source in repeated_values(report.source for report in match.reports):
        raise ArchiveError(f"{path}.reports[{index}].source", f"{shown(source)} appears twice")


def _extensions(round_: format.Round, path: str) -> tuple[types.Extension, ...]:
    tables = {match.table for match in round_.matches}
    for index, item in enumerate(round_.extensions):
        if item.table not in tables:
            at = f"{path}.extensions[{index}].table"
            raise ArchiveError(at, f"{item.table} is not a table of this round, or appears twice")
        tables.remove(item.table)
    return tuple(sorted(round_.extensions, key=attrgetter("table")))
