"""The archive's shape, version 1: the keys here are the format, in canonical order; see `docs/archive.md`."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from tournament.event import types
from tournament.event.settings import EventSettings
from tournament.event.types import Clock, DeckCheck, Decklist, Entry, Extension, Penalty, Stage
from tournament.schemas import kinds
from tournament.schemas.kinds import END, REFERENCE, Count, Item, Positive, with_null

# The natural key of a fact, as `tournament.actionlog.facts` lists them.
FactKey = Annotated[
    str,
    Meta(
        max_length=120,
        pattern=(
            r"^(tournament|entries/[^\s/]+|(penalties|deck-checks|decklists|flags)/[0-9]{1,9}"
            r"|stages/[0-9]{1,9}(/entries/[^\s/]+)?|staff/[^\s/]+|invites/(owner|scorekeeper|judge)"
            r"|rounds/[0-9]{1,9}(/(tables/[0-9]{1,9}|entries/[^\s/]+)(/extension|/reports/(a|b|desk|slip))?)?)"
        )
        + END,
        description='the key of a fact, such as "entries/P0007"',
    ),
]
Free = dict[str, Any]  # an object with free keys


class Tournament(EventSettings):
    """The event and its settings."""

    slug: kinds.Address | None = None  # type: ignore[assignment]
    date: Annotated[kinds.Text500, Meta(extra_json_schema={"format": "date"})] | None = (
        None  # read, never written
    )
    rounds_planned: Count | None = field(default=None, name="rounds")
    state: Literal["draft", "open", "running", "finished"] | None = None  # type: ignore[assignment]


class Ruleset(Item):
    """A ruleset by its key with what the event changes of it, or whole with a name."""

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
    """A round of any stage; they are counted in the order of the file."""

    number: Positive | None = None
    stage: Positive = 1
    status: Literal["draft", "published", "repairing", "complete"] = "complete"
    matches: tuple[Match, ...] = ()
    extensions: tuple[Extension, ...] = ()
    clock: Clock | None = None
    pairing: Free | None = None
    table_plan: kinds.Text200 | None = None


class Change(Item):
    """A fact before and after an action; of personal fields only their names."""

    fact: FactKey
    personal: tuple[str, ...] | None = None
    before: Free | None = None
    after: Free | None = None


class Action(types.LoggedAction, kw_only=True):
    """An entry of the log."""

    changes: tuple[Change, ...] = ()  # type: ignore[assignment]


class Archive(Item):
    """A whole event: what went in, what was decided, what was reported."""

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
