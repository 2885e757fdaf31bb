"""The settings of an event that its log, its file and its pages know by one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from tournament.event.table_numbers import MOST_FIRST
from tournament.schemas.kinds import Positive, Text80, Text200


@dataclass(slots=True, kw_only=True)
class EventSettings:
    """Each is a column of the event and a key of its file by the same name; a file leaves defaults out.

    The types say what a file may hold. Keys of a file stand in this order, so a new one goes to the end.
    """

    game: Text80 = ""
    venue: Text200 = ""
    first_table: Annotated[int, Meta(ge=1, le=MOST_FIRST)] = 1
    skip_tables: tuple[Positive, ...] = ()
    capacity: Positive | None = None
    self_registration: bool = False
    listed: bool = True
    name_privacy: Literal["full", "initial", "alias"] = "full"
    hold_standings: bool = False
