"""The prize structure of an event: what is won by place, by points, or by a label such as "junior"."""

from typing import Annotated, Literal

from msgspec import Meta

from tournament.schemas.kinds import END, Exact, Item, Positive, Text40, Text80

MOST_PRIZES = 60
AMOUNT = r"^([0-9]{1,9}(\.[0-9]{1,2})?)?" + END  # with up to 2 decimals, or none

Split = Literal["order", "share", "higher"]


class Prize(Item):
    """One line of the structure: `amount` in the event's own currency, `what` in words ("3 boosters"), or both.

    place   each of the final places `first` to `last`
    points  every player with at least `points` match points; of several lines each player has the highest reached
    label   the places `first` to `last` among the players with that `label`
    """

    by: Literal["place", "points", "label"] = "place"
    first: Positive = 1
    last: Positive = 1
    points: Exact | None = None
    label: Text40 = ""
    amount: Annotated[str, Meta(pattern=AMOUNT)] = ""
    what: Text80 = ""
