"""Lists of players in plain Python: `read_roster(bytes)` reads a file, `read_names(text)` a pasted list."""

from tournament.roster.decode import CODECS, MOST_BYTES, RosterError
from tournament.roster.pasted_lists import PastedLine, has_header, read_names
from tournament.roster.read import MOST_ROWS, Roster, RosterLine, first_names, read_roster
