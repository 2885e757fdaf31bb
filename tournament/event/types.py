"""An event as plain values, for the database and for files (in the order of their keys); see `docs/archive.md`."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from tournament.event.pairing_record import PairingRecord
from tournament.event.settings import EventSettings
from tournament.schemas import kinds
from tournament.schemas.kinds import LARGE, Item, Replaceable

# Results of a match without an opponent, as the archive names them.
BYES = ("bye", "awarded_bye", "half_bye", "zero_bye", "full_bye")
ALONE = (*BYES, "missed")
# Results of a match with two seats.
PAIRED = ("played", "intentional_draw", "double_loss", "forfeit")
LEFT_THE_EVENT = ("dropped", "disqualified")
NO_SEED = "0" * 32  # of an event without a random one
FEWEST_MEMBERS, MOST_MEMBERS = 2, 6  # of a team
MOST_CHARACTERS = 20_000  # of a decklist
Cards = Annotated[int, Meta(ge=0, le=LARGE)]


class RequestedBye(Item):
    """A round that a player asked to sit out, counted in the player's own session, including days carried over."""

    round: kinds.Positive
    kind: Literal["half", "zero", "full"]


class Entry(Item):
    """One registration."""

    id: kinds.Id
    name: kinds.Name80
    status: Literal["playing", "dropped", "disqualified", "merged", "waitlisted", "registered"] = "playing"
    rating: Annotated[int, Meta(ge=-LARGE, le=LARGE)] | None = None
    labels: tuple[str, ...] = ()
    joined_round: kinds.Positive | None = None
    dropped_after: kinds.Count | None = None  # the last round it is in, counted over all stages
    seed_rank: kinds.Number | None = None
    awarded_byes: kinds.Count = 0
    house: bool = False
    late: bool = False
    same_person_as: str | None = None
    start: kinds.Exact | None = None  # McMahon start score; a text in events
    lot: kinds.Number | None = None  # stored draw of lots, 1 best
    manual: kinds.Number | None = None  # manual order, 1 best
    manual_after: kinds.Count | None = None  # the last round when it was set; None: from the start
    members: Annotated[tuple[kinds.Name80, ...], Meta(extra_json_schema={"maxItems": MOST_MEMBERS})] = ()
    fixed_table: kinds.Positive | None = None
    alias: kinds.Text80 = ""  # the name in public where the event shows aliases
    rating_source: kinds.Text40 = ""
    last_name: kinds.Text80 = ""  # how the name ends, where it is known: lists by name begin with it
    checked_in: bool = False
    paid: bool = False
    waits: kinds.Number | None = None  # order on the waitlist, lowest first
    captain: Annotated[int, Meta(ge=1, le=MOST_MEMBERS)] = 1  # which of the members
    requested_byes: tuple[RequestedBye, ...] = ()  # by round
    display_name_only: bool = False  # never the whole name in public
    former_names: tuple[kinds.Name80, ...] = ()  # also removed from texts by anonymizing


class Stage(Item):
    """A Swiss stage or an elimination bracket."""

    number: kinds.Positive
    kind: Literal["swiss", "elimination"] = "swiss"
    sources: Annotated[tuple[kinds.Positive, ...], Meta(description="a list of earlier stages")] = field(
        default=(), name="from"
    )
    carries: bool = False
    entries: tuple[str, ...] | None = None  # None: everyone
    seeds: tuple[str, ...] = ()  # elimination: seed order
    alternates: tuple[str, ...] = ()
    ends_at: kinds.Moment | None = None
    minutes: kinds.Positive | None = None
    # Elimination: length of a match in its 1st, 2nd … round.
    best_of: Annotated[tuple[kinds.BestOf, ...], Meta(max_length=6)] = ()

    @property
    def lists_entries(self) -> bool:
        """Whether a file lists this stage's entries: always for Swiss, for a bracket only while it has no seeds."""
        return self.kind == "swiss" or (self.entries is not None and not self.seeds)


class Report(Item):
    """A report of a match by one source: a player, or someone with its slip."""

    source: Literal["a", "b", "slip"]
    slip: kinds.Name80  # as typed in the quick-entry box, such as "21"


class Match(Item, kw_only=True):
    """A match and its result; without `b`, a bye or a missed round."""

    table: kinds.Positive | None = None
    a: str
    b: str | None = None
    first: kinds.Side | None = None  # who moves first
    result: (
        Literal[
            "played", "intentional_draw", "double_loss", "forfeit",
            "bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed",
        ]
        | None
    ) = None  # fmt: skip
    games: kinds.Games | None = None  # None: what the ruleset gives this kind of result
    winner: kinds.Side | None = None  # forfeits, and elimination matches no game decided
    score: tuple[str, str] | None = None  # points made inside the match, exact
    game_order: kinds.Text40 | None = None
    slot: kinds.Text12 | None = None
    replays: tuple[dict[str, Any], ...] = ()
    decided: Literal["higher_seed", "tiebreak", "forfeit"] | None = None
    waived: dict[str, str] | None = None  # {"rule": "repeat" | "bye" | …, "reason": …}
    reports: tuple[Report, ...] = ()  # by source


def table_order(match: Any) -> tuple[bool, int, str]:
    """Sort key by table, for values and facts. Matches without a table come last, by first player."""
    return match.table is None, match.table or 0, match.a


class Extension(Item):
    """Minutes given to one table."""

    table: kinds.Positive
    minutes: kinds.Count
    reason: kinds.Text200 = ""


class Clock(Item):
    """A round's clock: its (planned) start, its deadline, the time left while it is paused, and the round's length."""

    starts_at: kinds.Moment | None = None
    ends_at: kinds.Moment | None = None
    seconds_left: Annotated[int, Meta(ge=0, le=LARGE)] | None = None
    minutes: kinds.Positive | None = None


class Round(Replaceable, Struct):
    """A round. `number` counts from 1 over all stages in file order."""

    number: int
    stage: int
    status: str = "complete"
    matches: list[Match] = field(default_factory=list)
    extensions: tuple[Extension, ...] = ()  # by table
    clock: Clock = field(default_factory=Clock)
    pairing: PairingRecord = field(default_factory=PairingRecord)
    table_plan: str | None = None  # None: the event's


class Penalty(Item, kw_only=True):
    """A judge's decision. Its effect is already in the games."""

    round: kinds.Count | None = None
    entry: str
    kind: Literal["caution", "warning", "game_loss", "match_loss", "disqualification"] = "warning"
    reason: kinds.Text500 = ""  # the infraction
    judge: kinds.Text150 = ""
    # The round of a game or match loss; 0: the next match; None: the games hold it already.
    counts_in: kinds.Count | None = None


class DeckCheck(Item, kw_only=True):
    """A check of a player's deck in a round. Times in UTC."""

    round: kinds.Count | None = None
    entry: str
    judge: kinds.Text150 = ""
    starts_at: kinds.Moment
    ends_at: kinds.Moment | None = None


class Decklist(Item, kw_only=True):
    """A list from a player, or entered by staff; an entry's last one counts. Times in UTC."""

    entry: str
    at: kinds.Moment
    version: kinds.Number = 1
    late: bool = False
    main: Cards = 0
    sideboard: Cards = 0
    actor: kinds.Text150 = ""
    text: Annotated[str, Meta(max_length=MOST_CHARACTERS)] = ""


class LoggedAction(Item, kw_only=True):
    """An entry of the log. `changes`: each {"fact", "before", "after"} or {"fact", "personal"}."""

    number: kinds.Number
    at: kinds.Moment  # in UTC
    actor: kinds.Text150 = ""
    kind: kinds.Name40
    changes: tuple[dict[str, Any], ...] = ()
    reason: kinds.Text500 = ""
    key: kinds.Text64 = ""  # of the form that was sent, once in a log
    undoes: kinds.Number | None = None


class Event(EventSettings):
    """A whole tournament. `profile` is the complete resolved ruleset; `ruleset` is how the file named it."""

    ruleset: dict[str, Any] = field(default_factory=dict)
    profile: dict[str, Any] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)  # by id, in id order
    stages: list[Stage] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    forbidden: tuple[tuple[str, str], ...] = ()
    penalties: tuple[Penalty, ...] = ()
    deck_checks: tuple[DeckCheck, ...] = ()
    decklists: tuple[Decklist, ...] = ()
    log: tuple[LoggedAction, ...] = ()
    ignored: tuple[str, ...] = ()  # paths in the file that this version ignores

    def stage(self, number: int) -> Stage:
        return {stage.number: stage for stage in self.stages}[number]

    @property
    def varies_tables(self) -> bool:
        """Whether players should change tables between rounds; otherwise tables follow the standings."""
        if self.vary_tables is not None:
            return self.vary_tables
        return not self.profile["pairing"].get("boards_in_order")

    def match_length(self, stage: Stage, place: int, slot: str | None = None) -> int | str:
        """Return best of how many games a match is in this round of the stage (from 1)."""
        if stage.kind == "swiss":
            return self.best_of or self.profile["best_of_swiss"]
        own = stage.best_of[place - 1 : place] if not (slot or "").startswith("P") else ()
        return own[0] if own else self.profile["best_of_elim"]

    def entries_of(self, stage: Stage) -> list[str]:
        """Return ids of the stage's entries, in its order; by default everyone except merged entries."""
        if stage.entries is not None:
            return list(stage.entries)
        return [code for code, entry in self.entries.items() if entry.status != "merged"]

    def rounds_of(self, *stages: int) -> list[Round]:
        return [round_ for round_ in self.rounds if round_.stage in stages]
