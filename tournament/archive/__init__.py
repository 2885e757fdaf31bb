"""The portable event file: read, write, validate. Needs no database."""

from tournament.archive.format import ArchiveError
from tournament.archive.read import event_of, read_file
from tournament.archive.write import archive_of, canonical
