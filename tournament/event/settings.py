from typing import Annotated, Literal

from msgspec import Meta

from tournament.schemas.kinds import (
    END,
    Address,
    BestOf,
    Count,
    Exact,
    Item,
    Moment,
    Name120,
    Positive,
    Seed,
    Text12,
    Text40,
    Text60,
    Text80,
    Text200,
)

MOST_PRIZES = 60
AMOUNT = r"^([0-9]{1,9}(\.[0-9]{1,2})?)?" + END  # with up to 2 decimals, or none

Split = Literal["order", "share"]
LEAST_SECONDS, MOST_SECONDS = 3, 120  # for which a venue screen shows a page


class Prize(Item):
    """A line of the prize structure: an `amount` in the event's currency, a thing (`what`: "3 boosters"), or both.

    place   each of the final places `first` to `last`
    points  every player with at least `points` match points; a player gets only the highest of several such lines
    label   the places `first` to `last` among the players with that `label`
    """

    by: Literal["place", "points", "label"] = "place"
    first: Positive = 1
    last: Positive = 1
    points: Exact | None = None
    label: Text40 = ""
    amount: Annotated[str, Meta(pattern=AMOUNT)] = ""
    what: Text80 = ""


class EventSettings(Item):
    """Settings of the event and keys of its file, in the file's order. Add new ones at the end."""

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
    capacity: Positive | None = None
    self_registration: bool = False
    listed: bool = True
    name_privacy: Literal["full", "initial", "alias"] = "full"
    hold_standings: bool = False
    self_byes: bool = False
    table_plan: Text200 = ""
    vary_tables: bool | None = None  # None: as the ruleset says
    screens: tuple[
        Literal["announcement", "pairings", "tables", "clock", "standings", "bracket", "seats"], ...
    ] = ()
    screen_seconds: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = 12
    judge_results: bool = False
    prizes: Annotated[tuple[Prize, ...], Meta(max_length=MOST_PRIZES)] = ()
    prize_split: Split = "order"
    reporting: Literal["off", "staff", "on"] = "off"
    decklist_rule: Literal["off", "on", "late"] = "off"
    decklists_until: Moment | None = None
    deck_least: Positive | None = None
    deck_most: Positive | None = None
    sideboard_most: Count | None = None
    decklists_public: bool = False
    name_order: Literal["last", "written"] = "last"
    prize_currency: Text12 = ""
