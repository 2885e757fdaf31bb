"""What an event's facts mean: the adapter between the archive's plain values and the engine.

The Swiss part is in `standings.swiss`, what follows it in `standings.finals`.
"""

from standings.finals import (
    bracket_of_event,
    cut_rule,
    elimination_stage,
    places_of,
    qualified,
    qualifiers_of,
    seeds_of,
    winner_side,
)
from standings.swiss import (
    counted_rounds,
    points_of,
    records_of,
    session_of,
    standings_json,
    standings_of,
    tied_groups,
    views_of,
)

__all__ = [
    "bracket_of_event",
    "counted_rounds",
    "cut_rule",
    "elimination_stage",
    "places_of",
    "points_of",
    "qualified",
    "qualifiers_of",
    "records_of",
    "seeds_of",
    "session_of",
    "standings_json",
    "standings_of",
    "tied_groups",
    "views_of",
    "winner_side",
]
