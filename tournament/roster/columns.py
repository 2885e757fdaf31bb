import unicodedata
from collections.abc import Sequence

from tournament.roster.decode import RosterError
from tournament.text.clean import cut_marks

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


def columns_of(header: Sequence[str], teams: bool = False) -> dict[str, int]:
    """Return {field: its column} of a header; `teams`: members too. Raises RosterError if a column is ambiguous."""
    words = [header_word(text) for text in header]
    columns: dict[str, int] = {}
    for field, known in (WORDS | TEAM_WORDS if teams else WORDS).items():
        word = next((word for word in known if word in words), "")
        if word:
            if words.count(word) > 1:
                text = "Line %(line)s: two columns are called “%(name)s”. Rename or remove one of them."
                raise RosterError(text, name=header[words.index(word)])
            columns[field] = words.index(word)
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


def header_of(records: Sequence[tuple[int, list[str]]], teams: bool) -> tuple[int, dict[str, int]]:
    """Find the header. Return (its record index, its columns). Raises RosterError with what was found instead."""
    for index, (line, record) in enumerate(records[:HEADER_WITHIN]):
        try:
            columns = columns_of(record, teams)
        except RosterError as error:
            raise error.at(line) from None
        if "name" in columns or "first" in columns:  # with "last"
            return index, columns
    line, first = records[0]
    listed = ", ".join(f"“{field[:40]}”" for field in first[:MOST_NAMED]) + (
        " …" if len(first) > MOST_NAMED else ""
    )
    raise RosterError(
        "No column is called “Name”, and there is no “First name” with a “Last name”. Line %(line)s has: %(listed)s.",
        line=line,
        listed=listed,
    )


def rating_source_of(header: str) -> str:
    """Return the rating list in a header: “Elo”, “DWZ”; "" for a plain “Rating”."""
    return "" if header_word(header) in PLAIN else " ".join(header.split())[:40]
