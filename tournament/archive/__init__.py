"""The portable event file: read, write, validate. Needs no database."""

from tournament.archive.format import ArchiveError
from tournament.archive.read import parse_event, read_file
from tournament.archive.write import build_archive, canonical
