from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.access.player_link import known_key, link_of
from tournament.exports.csv_text import csv_text
from tournament.models import Entry, Tournament
from tournament.services.self_service import GET_LINKS
from tournament.text.display_names import names_of, sort_by_name

COLUMNS = ("code", "name", "link", "message")
IN_CONFIDENCE = ("contact",)


class PlayerLink(NamedTuple):
    """A player's link. `address`: "" if there is none, or only the player knows it, who then `has_link`."""

    entry: Entry
    name: str
    address: str

    @property
    def has_link(self) -> bool:
        return bool(self.entry.key_hash)

    @property
    def message(self) -> str:
        if not self.address:
            return ""
        text = _("%(name)s, this is your own link for %(event)s. Keep it to yourself: %(address)s")
        return text % {"name": self.name, "event": self.entry.tournament.name, "address": self.address}


def player_link_of(tournament: Tournament, entry: Entry, name: str) -> PlayerLink:
    entry.tournament = tournament  # so that its name costs no query
    key = known_key(tournament, entry)
    return PlayerLink(entry, name, link_of(tournament, key) if key else "")


def player_links_of(tournament: Tournament) -> list[PlayerLink]:
    names = names_of(tournament)
    entries = {entry.code: entry for entry in tournament.entries.filter(house=False, status__in=GET_LINKS)}
    codes = sort_by_name({code: names[code] for code in entries})
    return [player_link_of(tournament, entries[code], names[code]) for code in codes]


def player_links_csv(tournament: Tournament, *, in_confidence: bool = False) -> str:
    """Return one line per player, with a message ready to send; `in_confidence` adds the contact."""
    columns = COLUMNS + (IN_CONFIDENCE if in_confidence else ())
    rows = []
    for link in player_links_of(tournament):
        cells = [link.entry.code, link.name, link.address, link.message, link.entry.contact]
        rows.append(cells[: len(columns)])
    return csv_text(columns, rows)
