"""The settings of an event that its log, its file and its pages know by one name."""

from typing import Annotated, Literal

from msgspec import Meta

from tournament.event.prizes import MOST_PRIZES, Prize, Split
from tournament.event.table_numbers import MOST_FIRST
from tournament.schemas.kinds import (
    Address,
    BestOf,
    Count,
    Item,
    Moment,
    Name120,
    Positive,
    Seed,
    Text60,
    Text80,
    Text200,
)

LEAST_SECONDS, MOST_SECONDS = 3, 120  # that a venue screen shows a page


class EventSettings(Item):
    """Each is a column of the event and a key of its file by the same name; a file leaves defaults out.

    The types say what a file may hold. Keys of a file stand in this order, so a new one goes to the end.
    """

    name: Name120
    slug: Address = ""
    starts_at: Moment | None = None
    time_zone: Text60 = "UTC"
    rounds_planned: Count | None = None
    cut: Count | None = None
    best_of: BestOf | None = None
    team: bool = False
    round_minutes: Positive | None = None
    seed: Seed | None = None  # lower-case
    state: str = "open"
    game: Text80 = ""
    venue: Text200 = ""
    first_table: Annotated[int, Meta(ge=1, le=MOST_FIRST)] = 1
    skip_tables: tuple[Positive, ...] = ()
    capacity: Positive | None = None
    self_registration: bool = False
    listed: bool = True
    name_privacy: Literal["full", "initial", "alias"] = "full"
    hold_standings: bool = False
    self_byes: bool = False
    table_plan: Text200 = ""
    feature_rule: Literal["hand", "top", "rotate"] = "hand"
    vary_tables: bool = True
    screens: tuple[
        Literal["announcement", "pairings", "tables", "clock", "standings", "bracket", "seats"], ...
    ] = ()
    screen_seconds: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = 12
    judge_extensions: bool = True
    judge_penalties: bool = True
    judge_disqualifications: bool = False
    judge_deck_checks: bool = True
    judge_drops: bool = True
    judge_clock: bool = False
    judge_results: bool = False
    double_entry: tuple[Positive, ...] = ()
    prizes: Annotated[tuple[Prize, ...], Meta(max_length=MOST_PRIZES)] = ()
    prize_split: Split = "order"
    reporting: Literal["off", "staff", "on"] = "off"
    decklist_rule: Literal["off", "on", "late"] = "off"
    decklists_until: Moment | None = None
    deck_least: Positive | None = None
    deck_most: Positive | None = None
    sideboard_most: Count | None = None
    decklists_public: bool = False
