"""A list of players from another program: plain Python, no Django. `read_roster(bytes)` is all there is to know."""

from tournament.roster.decode import MOST_BYTES, RosterError
from tournament.roster.read import MOST_ROWS, Roster, RosterLine, read_roster

__all__ = ["MOST_BYTES", "MOST_ROWS", "Roster", "RosterError", "RosterLine", "read_roster"]
