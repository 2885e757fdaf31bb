"""The players in files of whole tournaments: TOM (`.tdf`, Play! Pokémon) and TRF (FIDE), as records under a header."""

import re
from xml.parsers import expat

from tournament.roster.decode import Records, RosterError
from tournament.roster.workbook import new_parser
from tournament.text.clean import lines_of

# Header words of `tournament.roster.columns`; unknown ones are reported as unused.
TOM_HEADER = ["Player ID", "First name", "Last name", "Labels"]
TRF_HEADER = ["FIDE ID", "First name", "Last name", "FIDE rating", "Labels", "Sex", "Title", "Federation"]
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TRF_PLAYER = re.compile(r"001 [ \d]{3}\d [ mwfMWF][ a-zA-Z]{3} \S")


def is_tom(text: str) -> bool:
    return text.lstrip().startswith("<") and "<tournament" in text


def is_trf(text: str) -> bool:
    return any(map(_TRF_PLAYER.match, lines_of(text)))


def read_tom(text: str) -> Records:
    players: list[tuple[int, dict[str, str]]] = []
    path: list[str] = []
    parser = new_parser("utf-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(tag)
        if path == ["tournament", "players", "player"]:
            players.append((parser.CurrentLineNumber, {"userid": attributes.get("userid", "")}))

    def end(_tag: str) -> None:
        path.pop()

    def text_of(data: str) -> None:
        if path[:3] == ["tournament", "players", "player"] and len(path) == 4:
            fields = players[-1][1]
            fields[path[3]] = fields.get(path[3], "") + data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text_of
    try:
        parser.Parse(_DECLARATION.sub("", text, count=1).lstrip().encode(), True)
    except expat.ExpatError as error:
        raise RosterError("Line %(line)s is not valid XML.", line=error.lineno) from None
    rows = [
        (line, [player.get(name, "") for name in ("userid", "firstname", "lastname", "birthdate")])
        for line, player in players
    ]
    return [(1, TOM_HEADER), *((line, [*row[:3], _born(row[3])]) for line, row in rows)]


def read_trf(text: str) -> Records:
    """Return the players of FIDE's tournament report, from the columns of its lines 001."""
    records: Records = [(1, TRF_HEADER)]
    for number, line in enumerate(lines_of(text), start=1):
        if _TRF_PLAYER.match(line):
            last, comma, first = line[14:47].strip().partition(",")
            record = [line[57:68], first if comma else last, last if comma else "", line[48:52]]
            record += [_born(line[69:79]), line[9:10], line[10:13], line[53:56]]
            records.append((number, [cell.strip() for cell in record]))
    return records


def _born(text: str) -> str:
    year = _YEAR.search(text)
    return f"born {year[0]}" if year else ""
