"""An event as plain values: what an archive file holds and what the database holds, in one shape.

Everything that reads an event (standings, pairings, dump, verify) reads these values, so a file and the
database cannot mean different things. No Django here. What the fields mean stands in `docs/archive.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tournament.event.pairing_record import PairingRecord
from tournament.event.settings import EventSettings

# Results of a match without an opponent, as the archive names them.
BYES = ("bye", "awarded_bye", "half_bye", "zero_bye", "full_bye")
ALONE = (*BYES, "missed")
# Results of a match with two seats.
PAIRED = ("played", "intentional_draw", "double_loss", "forfeit")
# Of an event without a random seed: 32 zeros.
NO_SEED = "0" * 32


@dataclass(slots=True)
class Entry:
    """One registration. `dropped_after` is the last round (counted over all stages) the entry is in."""

    id: str
    name: str
    status: str = "playing"
    rating: int | None = None
    labels: tuple[str, ...] = ()
    joined_round: int | None = None
    dropped_after: int | None = None
    seed_rank: int | None = None
    awarded_byes: int = 0
    house: bool = False
    late: bool = False
    same_person_as: str | None = None
    start: str | None = None  # McMahon start score, exact fraction
    lot: int | None = None  # stored draw of lots, 1 best
    manual: int | None = None  # manual order, 1 best
    members: tuple[str, ...] = ()
    fixed_table: int | None = None
    alias: str = ""  # the name in public where the event shows aliases
    rating_source: str = ""
    checked_in: bool = False
    paid: bool = False
    waits: int | None = None  # order on the waitlist, lowest first


@dataclass(slots=True)
class Stage:
    """A Swiss stage or an elimination bracket. `entries` None: everyone."""

    number: int
    kind: str = "swiss"  # or "elimination"
    sources: tuple[int, ...] = ()  # the file's "from"
    carries: bool = False
    entries: tuple[str, ...] | None = None
    seeds: tuple[str, ...] = ()  # elimination: seed order
    alternates: tuple[str, ...] = ()
    ends_at: str | None = None
    minutes: int | None = None
    best_of: tuple[int, ...] = ()  # elimination: length of a match in its 1st, 2nd … round


@dataclass(slots=True)
class Match:
    """`games` is (a's wins, b's wins, drawn) or None: what the ruleset gives this kind of result."""

    table: int | None
    a: str
    b: str | None
    result: str | None = None
    games: tuple[int, int, int] | None = None
    winner: str | None = None  # "a" / "b": forfeits, and elimination matches no game decided
    first: str | None = None  # "a" / "b": who moves first
    score: tuple[str, str] | None = None  # points made inside the match, exact
    game_order: str | None = None
    slot: str | None = None
    replays: tuple[dict, ...] = ()
    decided: str | None = None
    waived: dict | None = None  # {"rule": "repeat" | "bye" | …, "reason": …}
    reports: tuple[dict, ...] = ()


@dataclass(frozen=True, slots=True)
class Extension:
    """Minutes given to one table."""

    table: int
    minutes: int
    reason: str = ""


@dataclass(slots=True)
class Round:
    """`number` runs over all stages in file order, from 1."""

    number: int
    stage: int
    status: str = "complete"
    matches: list[Match] = field(default_factory=list)
    extensions: tuple[Extension, ...] = ()  # by table
    pairing: PairingRecord = field(default_factory=PairingRecord)


@dataclass(frozen=True, slots=True)
class Penalty:
    """What a judge decided; its effect is already in the games."""

    round: int | None
    entry: str
    kind: str = "warning"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LoggedAction:
    """An entry of the log. `at` is in UTC; `changes`: each {"fact", "before", "after"} or {"fact", "personal"}."""

    number: int
    at: str
    kind: str
    actor: str = ""
    changes: tuple[dict, ...] = ()
    reason: str = ""
    key: str = ""  # of the form that was sent, once in a log
    undoes: int | None = None


@dataclass(slots=True)
class Event(EventSettings):
    """A whole tournament. `profile` is the whole resolved ruleset, `ruleset` how the file named it."""

    name: str
    slug: str = ""
    starts_at: str | None = None
    time_zone: str = "UTC"
    rounds_planned: int | None = None
    cut: int | None = None
    best_of: int | None = None
    team: bool = False
    round_minutes: int | None = None
    seed: str | None = None  # lower-case hex
    state: str = "open"
    ruleset: dict = field(default_factory=dict)
    profile: dict = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)  # by id, in id order
    stages: list[Stage] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    forbidden: tuple[tuple[str, str], ...] = ()
    penalties: tuple[Penalty, ...] = ()
    log: tuple[LoggedAction, ...] = ()

    def stage(self, number: int) -> Stage:
        """The stage of that number. Raises KeyError."""
        for stage in self.stages:
            if stage.number == number:
                return stage
        raise KeyError(number)

    def match_length(self, stage: Stage, place: int, slot: str | None = None) -> int | str:
        """Best of how many games a match is in that round of the stage (from 1)."""
        if stage.kind == "swiss":
            return self.best_of or self.profile["best_of_swiss"]
        own = stage.best_of[place - 1 : place] if not (slot or "").startswith("P") else ()
        return own[0] if own else self.profile["best_of_elim"]

    def entries_of(self, stage: Stage) -> list[str]:
        """Ids of the stage's entries, in the stage's order (everyone where it lists none)."""
        return list(self.entries) if stage.entries is None else list(stage.entries)

    def rounds_of(self, *stages: int) -> list[Round]:
        """The rounds of these stages, in order."""
        return [round_ for round_ in self.rounds if round_.stage in stages]
