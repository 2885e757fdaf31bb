from typing import Annotated, Literal

from msgspec import Meta

from tournament.schemas import kinds
from tournament.schemas.kinds import END, Item

MOST_PRIZES = 60
AMOUNT = r"^([0-9]{1,9}(\.[0-9]{1,2})?)?" + END  # with up to 2 decimals, or none

Split = Literal["order", "share"]
Screen = Literal["announcement", "pairings", "tables", "clock", "standings", "bracket", "seats"]
LEAST_SECONDS, MOST_SECONDS = 3, 120  # for which a venue screen shows a page


class Prize(Item):
    """A line of the prize structure: an `amount` in the event's currency, a thing (`what`: "3 boosters"), or both.

    place   each of the final places `first` to `last`
    points  every player with at least `points` match points; a player gets only the highest of several such lines
    label   the places `first` to `last` among the players with that `label`
    """

    by: Literal["place", "points", "label"] = "place"
    first: kinds.Positive = 1
    last: kinds.Positive = 1
    points: kinds.Exact | None = None
    label: kinds.Text40 = ""
    amount: Annotated[str, Meta(pattern=AMOUNT)] = ""
    what: kinds.Text80 = ""


class EventSettings(Item):
    """Settings of the event and keys of its file, in the file's order. Add new ones at the end."""

    name: kinds.Name120
    slug: kinds.Address = ""
    starts_at: kinds.Moment | None = None
    time_zone: kinds.Text60 = "UTC"
    rounds_planned: kinds.Count | None = None
    cut: kinds.Count | None = None
    best_of: kinds.BestOf | None = None
    team: bool = False
    round_minutes: kinds.Positive | None = None
    seed: kinds.Seed | None = None  # lower-case
    state: str = "open"
    game: kinds.Text80 = ""
    venue: kinds.Text200 = ""
    capacity: kinds.Positive | None = None
    self_registration: bool = False
    listed: bool = True
    name_privacy: Literal["full", "initial", "alias"] = "full"
    hold_standings: bool = False
    self_byes: bool = False
    table_plan: kinds.Text200 = ""
    vary_tables: bool | None = None  # None: as the ruleset says
    screens: tuple[Screen, ...] = ()
    screen_seconds: Annotated[int, Meta(ge=LEAST_SECONDS, le=MOST_SECONDS)] = 12
    judge_results: bool = False
    prizes: Annotated[tuple[Prize, ...], Meta(max_length=MOST_PRIZES)] = ()
    prize_split: Split = "order"
    reporting: Literal["off", "staff", "on"] = "off"
    decklist_rule: Literal["off", "on", "late"] = "off"
    decklists_until: kinds.Moment | None = None
    deck_least: kinds.Positive | None = None
    deck_most: kinds.Positive | None = None
    sideboard_most: kinds.Count | None = None
    decklists_public: bool = False
    name_order: Literal["last", "written"] = "last"
    prize_currency: kinds.Text12 = ""
