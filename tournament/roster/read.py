"""Lists of players from files: the columns by their headers, and the entries they describe."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tournament.errors import Refused
from tournament.event.teams import build_team, find_member
from tournament.event.types import MOST_MEMBERS
from tournament.exports import unguard_cell
from tournament.roster import decode
from tournament.roster.decode import DecodedFile, RosterError
from tournament.roster.workbook import START, is_tom, is_trf, read_tom, read_trf, read_workbook
from tournament.text import LONGEST_NAME, clean_lines, clean_name, cut_marks, join_some, name_key, split_lines

# Header words by field, the best-known first, without case, accents, spaces and punctuation.
# Sources: exports of Melee, EventLink, TopDeck, Swiss-Manager, Sharly Chess, Tabletop.TO, GEM, TOM, SwissSys.
WORDS: dict[str, tuple[str, ...]] = {
    "name": (
        "name", "fullname", "playername", "displayname", "participant", "participantname", "player", "players",
        "spieler", "spielername", "teilnehmer", "joueur", "nomcomplet", "jugador", "giocatore", "speler", "naam",
        "nombrecompleto", "teamname", "team", "zawodnik", "imieinazwisko", "meno", "nev", "imeiprezime",
        "adsoyad", "isim", "игрок", "участник", "фио", "氏名", "名前", "選手", "选手", "姓名", "이름",
    ),
    "first": (
        "firstname", "first", "givenname", "forename", "vorname", "prenom", "nombre", "voornaam", "fornavn", "imie",
        "jmeno", "keresztnev", "ime", "nome", "ad", "adi", "имя", "名",
    ),
    "last": (
        "lastname", "last", "surname", "familyname", "nachname", "familienname", "nom", "apellido", "apellidos",
        "cognome", "achternaam", "etternavn", "nazwisko", "prijmeni", "priezvisko", "vezeteknev", "prezime", "soyad",
        "soyadi", "sobrenome",
        "фамилия", "姓",
    ),
    "rating": (
        "rating", "elo", "fiderating", "eloint", "rtgi", "rtgint", "ratingint", "elonat", "rtgn", "rtgnat", "ratingnat",
        "rtg", "dwz", "nwz", "uscf", "uscfrating", "rapidrating", "standardrating", "mmr", "wertungszahl", "eloo",
        "classement", "реитинг", "рейтинг", "レーティング",
    ),
    "rating_source": ("ratingsource", "sourceoftherating", "ratinglist", "ratingtype"),
    "external_id": (
        "membershipnumber", "membernumber", "memberid", "externalid", "playerid", "fideid", "idfide", "fideno",
        "ffeid", "licence", "license", "licencenumber", "licensenumber", "lizenz", "dcinumber", "dci", "popid",
        "playerpopid", "gemid", "wizardsid", "uscfid", "idnumber", "idno", "userid", "id", "mitgliedsnummer",
    ),
    "club": ("club", "clubname", "clubcity", "verein", "vereinort", "ort", "klub", "circolo", "school"),
    "family": ("family", "familie", "famille"),
    "labels": ("labels", "label", "tags", "tag"),
    "alias": ("alias", "nickname", "nick", "username", "gamertag", "handle", "screenname", "arenaid"),
    "display_name_only": ("displaynameonly", "minor", "minderjahrig", "mineur"),
    "contact": ("email", "mail", "emailaddress", "contact", "phone", "phonenumber", "telephone", "telefon", "mobile"),
    "notes": ("notes", "notesforstaff", "note", "comment", "comments", "remarks", "bemerkung"),
    "paid": ("paid", "haspaid", "paymentstatus", "bezahlt", "paye"),
}  # fmt: skip
# Also of a team event: members in one column or several, beyond the limit so that none is lost.
TEAM_WORDS: dict[str, tuple[str, ...]] = {
    "members": ("members", "teammembers", "mitglieder", "membres"),
    **{
        f"member{n}": (f"member{n}", f"teammember{n}", f"player{n}", f"spieler{n}", f"joueur{n}", f"board{n}")
        for n in range(1, 13)
    },
    "captain": ("captain", "teamcaptain", "kapitan", "mannschaftsfuhrer", "capitaine"),
}
SURNAMES = {"vorname": "name", "voornaam": "naam"}  # {the first name: the last name beside it}
PLAIN = {"rating", "rtg", "classement", "mmr"}  # do not name a rating list
HEADER_WITHIN = 10  # records: other programs write titles above the header
MOST_NAMED = 8


def header_word(text: str) -> str:
    parts = unicodedata.normalize("NFKD", cut_marks(text.casefold()))
    return "".join(char for char in parts if char.isalnum())


def find_name_columns(header: Sequence[str], teams: bool = False) -> dict[str, int]:
    """Return {field: column} for a header; `teams`: members, too. Raises RosterError if a column is ambiguous."""
    words = [header_word(text) for text in header]
    columns: dict[str, int] = {}
    for key, known in (WORDS | TEAM_WORDS if teams else WORDS).items():
        word = next((word for word in known if word in words), "")
        if word:
            if words.count(word) > 1:
                text = "Line %(line)s: two columns are called “%(name)s”. Rename or remove one of them."
                raise RosterError(text, name=header[words.index(word)])
            columns[key] = words.index(word)
    if "last" not in columns and "first" in columns:
        surname = SURNAMES.get(words[columns["first"]])
        if "name" in columns and words[columns["name"]] == surname:
            columns["last"] = columns["name"]
    if {"first", "last"} <= set(columns):
        columns.pop("name", None)
    elif "name" not in columns:  # "Nom" or "Nombre" alone is the whole name
        for part in ("last", "first"):
            if part in columns:
                columns["name"] = columns.pop(part)
    else:
        columns.pop("first", None)
    return columns


def find_header(records: Sequence[tuple[int, list[str]]], teams: bool) -> tuple[int, dict[str, int]]:
    """Find the header. Returns (its record index, its columns). Raises RosterError, saying what was found instead."""
    for index, (line, record) in enumerate(records[:HEADER_WITHIN]):
        try:
            columns = find_name_columns(record, teams)
        except RosterError as error:
            raise error.at(line) from None
        if "name" in columns or "first" in columns:  # with "last"
            return index, columns
    line, first = records[0]
    listed = join_some([f"“{field[:40]}”" for field in first], MOST_NAMED)
    raise RosterError(
        "No column is called “Name”, and there is no “First name” with a “Last name”. Line %(line)s has: %(listed)s.",
        line=line,
        listed=listed,
    )


MOST_ROWS = 5000
SAMPLE = 32 * 1024  # bytes that are read in each encoding
SHOWN_NAMES = 3
MOST_LABELS, LONGEST_LABEL = 20, 60
LONGEST = {"alias": LONGEST_NAME, "external_id": 60, "contact": 120, "notes": 2000, "rating_source": 40}
LARGEST = 2**31 - 1
SEPARATED = re.compile(r"[;|\n]")  # labels or members in one cell
NUMBERS = frozenset(map(str, range(1, MOST_MEMBERS + 1)))
UNRATED = {"", "-", "–", "0", "unrated", "none", "n/a", "ur"}
YES = {"1", "x", "✓", "yes", "y", "true", "paid", "ja", "oui", "si", "sí", "completed", "complete"}


class RosterLine(NamedTuple):
    number: int
    fields: dict[str, Any]


@dataclass(slots=True)
class Roster:
    """A parsed file. `columns`: {field: header}; `ignored`: other headers; `refused`: why lines cannot be imported."""

    encoding: str
    separator: str
    kind: str
    header_line: int
    columns: dict[str, str]
    ignored: list[str]
    lines: list[RosterLine] = field(default_factory=list)
    refused: list[RosterError] = field(default_factory=list)

    @property
    def is_table(self) -> bool:
        return self.kind not in ("TOM", "TRF")

    @property
    def damaged(self) -> list[str]:
        return [line.fields["name"] for line in self.lines if decode.UNKNOWN in str(line.fields)]

    @property
    def repeated(self) -> list[tuple[str, list[int]]]:
        """(name, line numbers) for names that occur more than once without different membership numbers."""
        lines = defaultdict(list)
        for line in self.lines:
            lines[name_key(line.fields["name"])].append(line)
        return [
            (same[0].fields["name"], [line.number for line in same])
            for same in lines.values()
            if len(same) > 1 and not all("external_id" in line.fields for line in same)
        ]


def read_roster(data: bytes, *, teams: bool = False, encoding: str = "") -> Roster:
    """Read a list of players or `teams`. Raises RosterError if the file as a whole cannot be read."""
    decode.check_size(data)
    first: RosterError | None = None
    for file in _files_in(data, encoding):
        try:
            return _read_records(file, teams)
        except RosterError as error:  # a later sheet may be the list
            first = first or error
    raise first or RosterError("The file is empty.")


def _files_in(data: bytes, encoding: str) -> Iterator[DecodedFile]:
    if data.startswith(START):
        for kind, sheet, records in read_workbook(data):
            yield DecodedFile(records, "", kind=f"{kind}: {sheet}")
        return
    text, encoding = decode.decode_text(data, encoding)
    if is_tom(text):
        yield DecodedFile(read_tom(text), encoding, kind="TOM")
    elif is_trf(text):
        yield DecodedFile(read_trf(text), encoding, kind="TRF")
    else:
        yield decode.decode_csv(text, encoding)


def first_names(data: bytes, *, teams: bool = False) -> dict[str, str]:
    """Return {encoding: the first names read with it}, non-ASCII ones first, if the encodings differ."""
    if data.isascii() or data.startswith(START):
        return {}
    try:
        decode.decode_text(data)
    except RosterError:
        return {}
    return {encoding: _first_names(data, teams, encoding) for encoding in decode.CODECS}


def _first_names(data: bytes, teams: bool, encoding: str) -> str:
    part = data[:SAMPLE]
    if encoding != "UTF-16" and len(part) < len(data):
        part = part[: part.rfind(b"\n") + 1] or part
    try:
        names = [line.fields["name"] for line in read_roster(part, teams=teams, encoding=encoding).lines]
    except RosterError:
        names = [clean_name(line) for line in split_lines(decode.decode_text(part, encoding)[0])]
    names.sort(key=str.isascii)
    return ", ".join(name[:LONGEST_NAME] for name in names[:SHOWN_NAMES])


def _read_records(file: DecodedFile, teams: bool) -> Roster:
    at, columns = find_header(file.records, teams)
    line, header = file.records[at]
    roster = Roster(
        encoding=file.encoding,
        separator=file.separator,
        kind=file.kind,
        header_line=line,
        columns={name: header[index] for name, index in columns.items()},
        ignored=[text for index, text in enumerate(header) if text and index not in columns.values()],
    )
    rating = roster.columns.get("rating", "")  # may name a list, such as “Elo” or “DWZ”
    source = "" if header_word(rating) in PLAIN else " ".join(rating.split())[:40]
    numbers: dict[str, int] = {}
    for number, record in file.records[at + 1 :]:
        try:
            fields = _fields(record, header, columns, source)
            if external_id := fields.get("external_id"):
                if external_id in numbers:
                    text = "Line %(line)s has the same membership number as line %(first)s."
                    raise RosterError(text, first=numbers[external_id])
                numbers[external_id] = number
            roster.lines.append(RosterLine(number, fields))
        except RosterError as error:
            roster.refused.append(error.at(number))
    if len(roster.lines) + len(roster.refused) > MOST_ROWS:
        raise RosterError("The file has more than %(most)s players.", most=MOST_ROWS)
    if not roster.lines and not roster.refused:
        raise RosterError("There are no players below the header in line %(line)s.", line=line)
    return roster


def _fields(
    record: Sequence[str], header: Sequence[str], columns: dict[str, int], source: str
) -> dict[str, Any]:
    if (len(record) != len(header) and any(record[len(header) :])) or len(record) < len(header):
        text = "Line %(line)s has %(count)s columns, the header has %(wanted)s."
        raise RosterError(text, count=len(record), wanted=len(header))
    if list(record[: len(header)]) == list(header):
        raise RosterError("Line %(line)s is the header again.")
    cells = {name: unguard_cell(record[index]) for name, index in columns.items()}
    fields: dict[str, Any] = {"name": _name(cells)}
    if (last := clean_name(cells.get("last", ""))) and fields["name"].endswith(f" {last}"):
        fields["last_name"] = last
    for name in ("external_id", "alias", "contact", "rating_source"):
        if text := clean_name(cells.get(name, "")):
            fields[name] = _short(name, text)
    if fields.get("external_id") == "0":  # chess programs write 0 for none
        del fields["external_id"]
    if notes := clean_lines(cells.get("notes", "")):
        fields["notes"] = _short("notes", notes)
    if (rating := _rating(cells.get("rating", ""))) is not None:
        fields["rating"] = rating
        if source and "rating_source" not in fields:
            fields["rating_source"] = source
    else:
        fields.pop("rating_source", None)
    if labels := _labels(cells):
        fields["labels"] = labels
    for name in ("paid", "display_name_only"):
        if cells.get(name, "").casefold() in YES:
            fields[name] = True
    return fields | _team(cells)


def _team(cells: dict[str, str]) -> dict[str, Any]:
    alone = [cells[name] for name in TEAM_WORDS if name in cells and name not in ("members", "captain")]
    members = list(filter(None, map(clean_name, [*SEPARATED.split(cells.get("members", "")), *alone])))
    captain = clean_name(cells.get("captain", ""))
    if not members:
        return {}
    number = find_member(captain, members) or (int(captain) if captain in NUMBERS else 0)
    if captain and not number:
        text = "Line %(line)s: the captain “%(name)s” is not one of the members."
        raise RosterError(text, name=captain[:LONGEST_NAME])
    try:
        team = build_team(members, number or 1)
    except Refused as refused:
        raise RosterError("Line %(line)s: %(problem)s", problem=str(refused)) from None
    return team if captain else {"members": team["members"]}


def _name(cells: dict[str, str]) -> str:
    whole = cells["name"] if "name" in cells else f"{cells['first']} {cells['last']}"
    name = clean_name(whole)
    if not name:
        raise RosterError("Line %(line)s has no name.")
    if len(name) > LONGEST_NAME:
        raise RosterError("Line %(line)s: a name has at most %(most)s characters.", most=LONGEST_NAME)
    return name


def _short(name: str, text: str) -> str:
    if len(text) > LONGEST[name]:
        message = "Line %(line)s: the field “%(field)s” has at most %(most)s characters."
        raise RosterError(message, field=name.replace("_", " "), most=LONGEST[name])
    return text


def _rating(text: str) -> int | None:
    plain = clean_name(text).casefold().replace("\u202f", "").replace(" ", "")
    if plain in UNRATED:
        return None
    whole = re.fullmatch(r"([-+]?[0-9]{1,10})(?:[.,]0*)?", plain)
    if not whole or abs(int(whole[1])) > LARGEST:
        raise RosterError("Line %(line)s: the rating “%(rating)s” is not a whole number.", rating=text[:40])
    return int(whole[1])


def _labels(cells: dict[str, str]) -> list[str]:
    """Return club, family and further labels, without duplicates. In a cell, ; or | or line breaks separate them."""
    texts = [cells.get("club", ""), cells.get("family", ""), *SEPARATED.split(cells.get("labels", ""))]
    labels = list(dict.fromkeys(filter(None, map(clean_name, texts))))
    if len(labels) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in labels):
        text = "Line %(line)s: at most %(most)s labels of up to %(longest)s characters."
        raise RosterError(text, most=MOST_LABELS, longest=LONGEST_LABEL)
    return labels
