"""Files that leave the app: CSV for staff with full names, QR codes, JSON Schemas.

Only an organizer's sheet of players has contact and notes.
"""

import json
import re
import zoneinfo
from collections.abc import Iterable, Sequence
from functools import cache
from inspect import cleandoc
from typing import Any, NamedTuple

import segno
from django.utils.translation import gettext as _
from django.utils.translation import override

from tournament.access.player_link import known_key, player_address
from tournament.archive.format import archive_schema
from tournament.event.display_names import load_names, sort_by_name
from tournament.event.rounds import round_name
from tournament.event.table_plan import table_name
from tournament.event.types import MOST_MEMBERS
from tournament.models import Entry, Round, Tournament
from tournament.progress.posted_rounds import list_posted_tables
from tournament.rulesets.rule_fields import FIELDS
from tournament.rulesets.validate import ruleset_schema
from tournament.services.self_service import GET_LINKS
from tournament.text import drop_isolates

# Beginnings that a spreadsheet may read as a formula, also after a tab or a line break.
RISKY = re.compile(r"'*[=+\-@%|＝＋－＠\t\r\n\0]")
# The same within a text, after a semicolon or tab that a spreadsheet may read as a separator.
_INNER = re.compile(r"""(?<=[;\t\r\n])(?=["' ]*[=+\-@%|＝＋－＠\0])""")
_GUARDED = re.compile(r"""(?<=[;\t\r\n])'(?=["' ]*[=+\-@%|＝＋－＠\0])""")
BYTE_ORDER_MARK = "\ufeff"
_QUOTED = re.compile(r'[",;\t\r\n]')
NUMBER = re.compile(r"-?\d+([.,]\d+)?")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return CSV (RFC 4180) that Excel reads as UTF-8. Texts that look like formulas are prefixed with '."""
    lines = [header, *([guard_cell(cell) for cell in row] for row in rows)]
    return BYTE_ORDER_MARK + "".join(",".join(map(_quote_cell, line)) + "\r\n" for line in lines)


def _quote_cell(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text


def guard_cell(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    text = _INNER.sub("'", drop_isolates(cell))
    return f"'{text}" if RISKY.match(text) and not NUMBER.fullmatch(text) else text


def unguard_cell(cell: str) -> str:
    return _GUARDED.sub("", cell[1:] if cell[:1] == "'" and RISKY.match(cell) else cell)


ENTRY = (
    "name", "last_name", "alias", "rating", "rating_source", "labels", "external_id", "paid", "checked_in", "code",
    "status", "seed_rank", "awarded_byes", "fixed_table", "joined_round", "dropped_after", "display_name_only",
)  # fmt: skip
IN_CONFIDENCE = ("contact", "notes")
TEAM = (*(f"member_{n}" for n in range(1, MOST_MEMBERS + 1)), "captain")  # of a team event, the last columns
BETWEEN = "; "  # labels of an entry
PAIRING = (
    "round", "table", "code_a", "player_a", "code_b", "player_b", "first", "state", "result", "games_a",
    "games_b", "drawn", "points_a", "points_b", "winner",
)  # fmt: skip

DECKLIST = ("code", "name", "handed_in", "late", "version", "main", "sideboard", "decklist")


def players_csv(tournament: Tournament, *, in_confidence: bool = False) -> str:
    columns = ENTRY + (IN_CONFIDENCE if in_confidence else ())
    entries = tournament.entries.exclude(status=Entry.Status.MERGED).order_by("code")
    rows = entries.values(*columns, "members", "captain")
    team = _team if tournament.team else lambda _row: []
    lines = ([*(_cell(row[name]) for name in columns), *team(row)] for row in rows)
    return csv_text(columns + (TEAM if tournament.team else ()), lines)


def _team(row: dict[str, Any]) -> list[str]:
    members = row["members"]
    captain = members[row["captain"] - 1] if members else ""
    return [*members, *[""] * (MOST_MEMBERS - len(members)), captain]


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else ""
    return BETWEEN.join(value) if isinstance(value, list) else value


def decklists_csv(tournament: Tournament) -> str:
    rows = tournament.decklists.select_related("entry").order_by("number")
    lists = {row.entry.code: row for row in rows}
    names, zone = load_names(tournament), zoneinfo.ZoneInfo(tournament.time_zone)
    lines: list[list[object]] = []
    for code in sort_by_name({code: names[code] for code in lists}):
        row = lists[code]
        at = row.at.astimezone(zone).isoformat(timespec="minutes")
        lines.append([code, names[code], at, _cell(row.late), row.version, row.main, row.sideboard, row.text])
    return csv_text(DECKLIST, lines)


def pairings_csv(tournament: Tournament, round_: Round) -> str:
    """Return one line per match of a round with its result so far, by table; matches without a table come last."""
    lines = []
    for at in list_posted_tables(round_, load_names(tournament), results=True):
        fact = at.fact
        games, points = fact.games or (None, None, None), fact.score or (None, None)
        other = (at.b.code, at.b.name) if at.b else (None, None)
        place = (round_name(round_).cell, table_name(tournament, at.table, round_) or None)
        players = (at.a.code, at.a.name, *other, fact.first)
        lines.append([*place, *players, round_.state, fact.result, *games, *points, fact.winner])
    return csv_text(PAIRING, lines)


COLUMNS = ("code", "name", "link", "message")
PRIVATE_LINK_FIELDS = ("contact",)


class PlayerLink(NamedTuple):
    """A player's link. `address`: "" if there is none or only the player has it; `has_link` tells which."""

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


def load_player_link(tournament: Tournament, entry: Entry, name: str) -> PlayerLink:
    entry.tournament = tournament  # so that its name costs no query
    key = known_key(tournament, entry)
    return PlayerLink(entry, name, player_address(tournament, key) if key else "")


def load_player_links(tournament: Tournament) -> list[PlayerLink]:
    names = load_names(tournament)
    entries = {entry.code: entry for entry in tournament.entries.filter(house=False, status__in=GET_LINKS)}
    codes = sort_by_name({code: names[code] for code in entries})
    return [load_player_link(tournament, entries[code], names[code]) for code in codes]


def player_links_csv(tournament: Tournament, *, in_confidence: bool = False) -> str:
    """Return one line per player, with a message ready to send. `in_confidence`: include the contact."""
    columns = COLUMNS + (PRIVATE_LINK_FIELDS if in_confidence else ())
    rows = []
    for link in load_player_links(tournament):
        cells = [link.entry.code, link.name, link.address, link.message, link.entry.contact]
        rows.append(cells[: len(columns)])
    return csv_text(columns, rows)


DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


@cache
def published_schemas() -> dict[str, str]:
    with override("en"):
        titles = {path: str(field.label) for path, field in FIELDS.items()}
    rules = ruleset_schema(titles)
    return {"archive.json": _text(archive_schema(rules)), "ruleset.json": _text(rules)}


def _text(schema: dict[str, Any]) -> str:
    same = json.loads(json.dumps(DIALECT | schema), object_hook=_without_indentation)
    return json.dumps(same, ensure_ascii=False, indent=2) + "\n"


def _without_indentation(part: dict[str, Any]) -> dict[str, Any]:
    """Strip the indentation of descriptions: Python before 3.13 keeps it in docstrings."""
    text = part.get("description")
    return part | {"description": cleandoc(text)} if isinstance(text, str) else part


def draw_qr_code(address: str, *, mask: int | None = None) -> str:
    """Return a `data:` URI of an SVG image, dark on white in both themes. `mask`: the QR mask; None: the best one."""
    return segno.make(address, error="m", micro=False, mask=mask).svg_data_uri(
        scale=6, border=4, light="#fff"
    )
