"""Lists of players in plain Python: `read_roster(bytes)` reads a file, `read_names(text)` a pasted list."""

from tournament.roster.decode import MOST_BYTES, RosterError
from tournament.roster.paste import PastedLine, has_header, read_names
from tournament.roster.read import MOST_ROWS, Roster, RosterLine, read_roster

__all__ = [
    "MOST_BYTES",
    "MOST_ROWS",
    "PastedLine",
    "Roster",
    "RosterError",
    "RosterLine",
    "has_header",
    "read_names",
    "read_roster",
]
