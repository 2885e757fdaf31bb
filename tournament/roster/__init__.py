"""Lists of players from other programs, in plain Python: `read_roster(bytes)` reads one."""

from tournament.roster.decode import MOST_BYTES, RosterError
from tournament.roster.read import MOST_ROWS, Roster, RosterLine, read_roster

__all__ = ["MOST_BYTES", "MOST_ROWS", "Roster", "RosterError", "RosterLine", "read_roster"]
