"""The archive's shape, version 1. The keys are in canonical order and must not change; see `docs/archive.md`."""

import json
import os
import tempfile
import zoneinfo
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, tzinfo
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypeVar

import msgspec
from msgspec import Meta, field

from tournament.event import types
from tournament.event.settings import EventSettings
from tournament.event.types import Clock, DeckCheck, Decklist, Entry, Extension, Penalty, Stage
from tournament.schemas import kinds
from tournament.schemas.kinds import END, REFERENCE, Count, Fault, Item, Positive, shown, with_null

# The natural key of a fact, as `tournament.actionlog.facts` lists them.
_KEY = (
    r"^(tournament|entries/[^\s/]+|(penalties|deck-checks|decklists|flags)/[0-9]{1,9}"
    r"|stages/[0-9]{1,9}(/entries/[^\s/]+)?|staff/[^\s/]+|invites/(owner|scorekeeper|judge)"
    r"|rounds/[0-9]{1,9}(/(tables/[0-9]{1,9}|entries/[^\s/]+)(/extension|/reports/(a|b|desk|slip))?)?)"
)
_FACT = Meta(max_length=120, pattern=_KEY + END)
FactKey = Annotated[str, _FACT, Meta(description='the key of a fact, such as "entries/P0007"')]
Free = dict[str, Any]  # an object with free keys


class Tournament(EventSettings):
    """The event and its settings."""

    slug: kinds.Address | None = None  # type: ignore[assignment]
    # Read, never written.
    date: Annotated[kinds.Text500, Meta(extra_json_schema={"format": "date"})] | None = None
    rounds_planned: Count | None = field(default=None, name="rounds")
    state: Literal["draft", "open", "running", "finished"] | None = None  # type: ignore[assignment]


class Ruleset(Item):
    """A ruleset: its key and the event's changes to it, or the whole ruleset with a name."""

    preset: kinds.Text60 | None = None
    version: Count | None = None
    overrides: Free | None = None
    name: kinds.Text120 | None = None
    profile: Free | None = None


class Replay(Item):
    """A repeat game after a drawn one."""

    games: kinds.Games = (0, 0, 0)
    first: kinds.Side | None = None


class Waiver(Item):
    """A permitted rematch or repeat bye."""

    rule: kinds.Name20
    reason: kinds.Name200


class Match(types.Match, kw_only=True):
    """A match and its result; without `b`, a bye or a missed round."""

    score: tuple[kinds.Exact, kinds.Exact] | None = None  # type: ignore[assignment]
    replays: tuple[Replay, ...] = ()  # type: ignore[assignment]
    waived: Waiver | None = None  # type: ignore[assignment]


class Round(Item):
    """A round of any stage. Rounds are numbered in the order of the file."""

    number: Positive | None = None
    stage: Positive = 1
    status: Literal["draft", "published", "repairing", "complete"] = "complete"
    matches: tuple[Match, ...] = ()
    extensions: tuple[Extension, ...] = ()
    clock: Clock | None = None
    pairing: Free | None = None
    table_plan: kinds.Text200 | None = None


class Change(Item):
    """A fact before and after an action; personal fields are only named."""

    fact: FactKey
    personal: tuple[str, ...] | None = None
    before: Free | None = None
    after: Free | None = None


class Action(types.LoggedAction, kw_only=True):
    """An entry of the log."""

    changes: tuple[Change, ...] = ()  # type: ignore[assignment]


class Archive(Item):
    """A whole event: its entries and settings, its rounds, and what was decided and reported."""

    format: Literal["swiss-archive"]
    version: Literal[1]
    tournament: Tournament
    ruleset: Ruleset
    entries: tuple[Entry, ...] = ()
    stages: tuple[Stage, ...] = ()
    rounds: tuple[Round, ...] = ()
    forbidden: tuple[Annotated[tuple[str, str], Meta(description="a list of the ids of 2 entries")], ...] = ()
    penalties: tuple[Penalty, ...] = ()
    deck_checks: tuple[DeckCheck, ...] = ()
    decklists: tuple[Decklist, ...] = ()
    log: tuple[Action, ...] = ()


def archive_schema(rules: dict[str, Any]) -> dict[str, Any]:
    (_reference,), definitions = msgspec.json.schema_components([Archive], ref_template=REFERENCE)
    for definition in definitions.values():
        for key, schema in definition["properties"].items():
            if key not in definition["required"]:
                definition["properties"][key] = with_null(schema)  # absent and null mean the same
    root = definitions.pop("Archive")
    rules = dict(rules)
    definitions |= {"Rules": rules, **rules.pop("$defs")}
    for key in ("overrides", "profile"):
        definitions["Ruleset"]["properties"][key] = with_null({"$ref": "#/$defs/Rules"})
    return {**root, "$defs": definitions}


DEEPEST = 32  # levels of objects and lists; a log of whole rulesets needs 10
LARGEST = 10**15
TOO_LARGE = float("inf")  # placeholder of a too long integer, until `check_json` names its path


class ArchiveError(ValueError):
    """An unsupported or invalid file. The message begins with the JSON path."""

    def __init__(self, path: str, message: str):
        super().__init__(f"{path}: {message}")
        self.path = path


def repeated_values(values: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield (place, value) of each repeated value, except empty ones."""
    seen = set()
    for place, value in enumerate(values):
        if value and value in seen:
            yield place, value
        seen.add(value)


class Twice(dict):
    """An object with a repeated key, whose value is therefore ambiguous."""

    key = ""


def load_json(path: str | Path) -> Any:
    return json_from(Path(path).read_bytes(), str(path))


def json_from(raw: bytes, name: str) -> Any:
    """Return the parsed JSON of the file called `name`. Raises ArchiveError."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(name, f"not valid JSON in UTF-8 ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = dict(pairs)
    if len(item) == len(pairs):
        return item
    counts = Counter(name for name, _ in pairs)
    twice = Twice(item)
    twice.key = next(name for name, count in counts.items() if count > 1)
    return twice


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= 20 else TOO_LARGE


def check_json(data: Any) -> None:
    """Raise ArchiveError, with its path, for the first value that no archive may contain or no database stores."""
    if fault := _fault_in(data, 1):
        path, message = fault
        raise ArchiveError(path.removeprefix("."), message)


def _fault_in(value: Any, level: int) -> Fault | None:
    if isinstance(value, str):
        return None if writable(value) else ("", f"{shown(value)} has a character that cannot be stored")
    if value is None or (isinstance(value, int) and abs(value) <= LARGEST):
        return None
    if isinstance(value, int | float):
        expected = 'whole numbers of up to 15 digits, or exact fractions as text ("1/2")'
        return "", f"{shown(value)}: {expected}"
    if not isinstance(value, dict | list):
        return "", f"{shown(value)} is not a JSON value"
    if level > DEEPEST:
        return "", f"more than {DEEPEST} levels deep"
    if isinstance(value, Twice):
        return "", f"the key {shown(value.key)} appears twice"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not writable(key):
                return "", f"the key {shown(key)} has a character that cannot be stored"
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if fault := _fault_in(item, level + 1):
            return (f".{key}" if isinstance(value, dict) else f"[{key}]") + fault[0], fault[1]
    return None


def writable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


YEARS = range(1900, 2201)
Day = TypeVar("Day", bound=date)


def zone_at(name: str, path: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ArchiveError(path, f"{shown(name)} is not a known time zone") from None


def moment_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    """Return an ISO date and time with the offset of that time zone. Raises ArchiveError."""
    if text is None:
        return None
    moment = _parsed(text, path, datetime, "date and time")
    if moment.tzinfo is None:
        raise ArchiveError(path, f"{shown(text)} needs its offset, such as +01:00")
    return moment.astimezone(zone).isoformat()


def midnight_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    if text is None:
        return None
    return datetime.combine(_parsed(text, path, date, "date"), time(), zone).isoformat()


def _parsed(text: str, path: str, kind: type[Day], words: str) -> Day:
    try:
        day = kind.fromisoformat(text)
    except ValueError:
        raise ArchiveError(path, f"{shown(text)} is not an ISO {words}") from None
    if day.year not in YEARS:
        raise ArchiveError(path, f"expected a year from {YEARS[0]} to {YEARS[-1]}, not {day.year}")
    return day


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that only its owner can read. At the end it replaces the target, unless an error occurs."""
    handle, aside = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Sync the folder, so that its file names survive a power cut."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
