"""The archive's own shape, version 1: its keys in canonical order, with what each may hold.

Reading checks a file by these types, writing takes order and defaults from them, and the published JSON Schema is
made of them. Meanings stand in `docs/archive.md`. Code may rename what it likes; the keys here are the format.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from msgspec import Meta, Struct, defstruct, field

from tournament.event.settings import EventSettings
from tournament.schemas.kinds import (
    END,
    LARGE,
    Count,
    Exact,
    Number,
    Positive,
    SomeGames,
    Text12,
    Text40,
    Text60,
    Text64,
    Text80,
    Text120,
    Text150,
    Text200,
    Text500,
)

Name20 = Annotated[str, Meta(max_length=20, min_length=1, pattern=r"\S")]
Name40 = Annotated[str, Meta(max_length=40, min_length=1, pattern=r"\S")]
Name80 = Annotated[str, Meta(max_length=80, min_length=1, pattern=r"\S")]
Name120 = Annotated[str, Meta(max_length=120, min_length=1, pattern=r"\S")]
Name200 = Annotated[str, Meta(max_length=200, min_length=1, pattern=r"\S")]
Moment = Annotated[Text500, Meta(extra_json_schema={"format": "date-time"})]
Id = Annotated[
    str,
    Meta(
        max_length=40,
        pattern=r"^[^\s/]+" + END,
        description="an id of up to 40 characters without spaces or slashes",
    ),
]
Address = Annotated[
    str,
    Meta(
        max_length=80,
        pattern=r"^[-a-zA-Z0-9_]+" + END,
        description="an address of up to 80 letters, digits and hyphens",
    ),
]
Seed = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^([0-9a-fA-F]{2})+" + END,
        description="an even number of up to 64 hexadecimal digits",
    ),
]
# The natural key of a fact, as `tournament.actionlog.facts` lists them.
FactKey = Annotated[
    str,
    Meta(
        max_length=120,
        pattern=(
            r"^(tournament|entries/[^\s/]+|penalties/[0-9]{1,9}|flags/[0-9]{1,9}"
            r"|stages/[0-9]{1,9}(/entries/[^\s/]+)?|staff/[^\s/]+|invites/(owner|scorekeeper|judge)"
            r"|rounds/[0-9]{1,9}(/(tables/[0-9]{1,9}|entries/[^\s/]+)(/extension)?)?)"
        )
        + END,
        description='the key of a fact, such as "entries/P0007"',
    ),
]
Games = Annotated[
    tuple[SomeGames, SomeGames, SomeGames],
    Meta(description="a list of 3 whole numbers: a's wins, b's wins, drawn games"),
]
Side = Literal["a", "b"]
BestOf = Literal[1, 3, 5]
Free = dict[str, Any]  # an object with keys of its own


class Item(Struct, forbid_unknown_fields=True):
    """An object of the format: what is absent has its default."""


class EventFields(Item):
    """What the engines read of an event."""

    name: Name120
    slug: Address | None = None
    starts_at: Moment | None = None
    date: Annotated[Text500, Meta(extra_json_schema={"format": "date"})] | None = None  # read, never written
    time_zone: Text60 = "UTC"
    rounds_planned: Count | None = field(default=None, name="rounds")
    cut: Count | None = None
    best_of: BestOf | None = None
    team: bool = False
    round_minutes: Positive | None = None
    seed: Seed | None = None
    state: Literal["draft", "open", "running", "finished"] | None = None


if TYPE_CHECKING:
    Tournament = EventFields
else:
    _HINTS = get_type_hints(EventSettings, include_extras=True)
    Tournament = defstruct(
        "Tournament",
        [(setting.name, _HINTS[setting.name], setting.default) for setting in fields(EventSettings)],
        bases=(EventFields,),
        namespace={"__doc__": "The event and its settings."},
        forbid_unknown_fields=True,
    )


class Ruleset(Item):
    """A ruleset by its key with what the event changes of it, or whole with a name."""

    preset: Text60 | None = None
    version: Count | None = None
    overrides: Free | None = None
    name: Text120 | None = None
    profile: Free | None = None


class Entry(Item):
    """One registration."""

    id: Id
    name: Name80
    status: Literal["playing", "dropped", "disqualified", "waitlisted", "registered"] = "playing"
    rating: Annotated[int, Meta(ge=-LARGE, le=LARGE)] | None = None
    labels: tuple[str, ...] = ()
    joined_round: Positive | None = None
    dropped_after: Count | None = None
    seed_rank: Number | None = None
    awarded_byes: Count = 0
    house: bool = False
    late: bool = False
    same_person_as: str | None = None
    start: Exact | None = None
    lot: Number | None = None
    manual: Number | None = None
    members: tuple[str, ...] = ()
    fixed_table: Positive | None = None
    alias: Text80 = ""
    rating_source: Text40 = ""
    checked_in: bool = False
    paid: bool = False
    waits: Number | None = None


class Stage(Item):
    """A Swiss stage or an elimination bracket."""

    number: Positive
    kind: Literal["swiss", "elimination"] = "swiss"
    sources: Annotated[tuple[Positive, ...], Meta(description="a list of earlier stages")] = field(
        default=(), name="from"
    )
    carries: bool = False
    entries: tuple[str, ...] | None = None
    seeds: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()
    ends_at: Moment | None = None
    minutes: Positive | None = None
    best_of: Annotated[tuple[BestOf, ...], Meta(max_length=6)] = ()


class Replay(Item):
    """A repeat game after a drawn one."""

    games: Games = (0, 0, 0)
    first: Side | None = None


class Waiver(Item):
    """A permitted rematch or repeat bye."""

    rule: Name20
    reason: Name200


class Match(Item, kw_only=True):
    """Who met whom and how it ended; without `b`, a bye or a missed round."""

    table: Positive | None = None
    a: str
    b: str | None = None
    first: Side | None = None
    result: (
        Literal[
            "played", "intentional_draw", "double_loss", "forfeit",
            "bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed",
        ]
        | None
    ) = None  # fmt: skip
    games: Games | None = None
    winner: Side | None = None
    score: tuple[Exact, Exact] | None = None
    game_order: Text40 | None = None
    slot: Text12 | None = None
    replays: tuple[Replay, ...] = ()
    decided: Literal["higher_seed", "tiebreak"] | None = None
    waived: Waiver | None = None
    reports: tuple[Free, ...] = ()


class Extension(Item):
    """Minutes given to one table."""

    table: Positive
    minutes: Count
    reason: Text200 = ""


class Round(Item):
    """A round of any stage; they are counted in the order of the file."""

    number: Positive | None = None
    stage: Positive = 1
    status: Literal["draft", "published", "repairing", "complete"] = "complete"
    matches: tuple[Match, ...] = ()
    extensions: tuple[Extension, ...] = ()
    pairing: Free | None = None


class Penalty(Item, kw_only=True):
    """What a judge decided; its effect is already in the games."""

    round: Count | None = None
    entry: str
    kind: Literal["warning", "game_loss", "match_loss", "disqualification"] = "warning"
    reason: Text500 = ""


class Change(Item):
    """A fact before and after an action; of personal fields only their names."""

    fact: FactKey
    personal: tuple[str, ...] | None = None
    before: Free | None = None
    after: Free | None = None


class Action(Item, kw_only=True):
    """An entry of the log."""

    number: Number
    at: Moment
    actor: Text150 = ""
    kind: Name40
    changes: tuple[Change, ...] = ()
    reason: Text500 = ""
    key: Text64 = ""
    undoes: Number | None = None


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
    log: tuple[Action, ...] = ()
