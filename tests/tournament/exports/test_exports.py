import codecs
import csv
import io
import json
import re
import zipfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.factories import TournamentFactory, UserFactory
from tests.pages import page
from tournament.actionlog.change import open_action
from tournament.exports import csv_text, unguard_cell
from tournament.models import Staff
from tournament.roster.read import read_roster
from tournament.services.clock import begin_round
from tournament.services.drops import disqualify_entry
from tournament.services.entries import change_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.imports import import_entries, plan_import

pytestmark = pytest.mark.django_db


def run_by(client, role: str = "owner", **fields):
    """(an event of two rounds, its home) and `client` signed in as somebody of its staff."""
    tournament = TournamentFactory(entries=4, rounds=2, **fields)
    user = tournament.owner
    if role != "owner":
        Staff.objects.create(tournament=tournament, user=(user := UserFactory()), role=role)
    client.force_login(user)
    return tournament, f"/t/{tournament.slug}/desk/exports/"


def lines(answer) -> list[dict[str, str]]:
    assert answer.status_code == 200
    rows = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
    return [{name: unguard_cell(cell) for name, cell in row.items()} for row in rows]


def test_staff_take_rounds_and_standings_with_full_names_as_they_are_stored(client):
    tournament, home = run_by(client)
    change_settings(tournament, name_privacy="initial")
    rows = lines(client.get(f"{home}round-1.csv"))
    assert [row["table"] for row in rows] == ["1", "2"]
    codes = {row[side] for row in rows for side in ("code_a", "code_b")}
    assert codes == {"P0001", "P0002", "P0003", "P0004"}
    match = tournament.rounds.get(number=1).matches.get(table=1)
    games = [str(seat.games) for seat in match.seats.order_by("side")]
    assert [rows[0][name] for name in ("games_a", "games_b", "winner")] == [*games, match.winner]
    assert client.get(f"{home}round-9.csv").status_code == 404
    ranked = lines(client.get(f"{home}standings.csv"))
    assert {row["name"] for row in ranked} == {f"Player 0{n}" for n in range(1, 5)}
    assert ranked[0]["rank"] == "1"
    tournament, base = run_by(client)
    rename_entry(tournament, "P0001", "علي")
    for path in ("round-1.csv", "standings.csv", "players.csv"):
        text = client.get(base + path).content.decode()
        assert "علي" in text and "\u2068" not in text, path
    for path in ("standings.json", "standings.csv"):
        text = client.get(f"/t/{tournament.slug}/{path}").content.decode()
        assert "علي" in text and "\u2068" not in text, path


@given(st.text("a1;\t\r\n'\"=-@ ,+|%＝5"))
@example("-1/2")
@example("''@")
@example("Ada; '\"@x")
@example("\t;'=1;;-2")
@example("a\r\n'=1\n- b")
@example("=cmd|'/c calc'!A1")
def test_no_cell_is_a_formula_and_every_cell_comes_back(cell):
    _head, (written, _last) = csv.reader(io.StringIO(csv_text(["a", "b"], [[cell, 1]]), newline=""))
    assert unguard_cell(written) == cell
    assert not re.match(r"[=+@|%\t\r\n＝]|-(?!\d+$)", written)


def test_every_sheet_is_marked_as_utf_8_and_the_page_names_them_all(client):
    tournament, home = run_by(client)
    change_settings(tournament, decklist_rule="on")
    public = f"/t/{tournament.slug}/"
    sheets = [f"{home}{name}.csv" for name in ("players", "round-1", "standings", "decklists", "links")]
    for address in (*sheets, f"{public}standings.csv", f"{public}bracket.csv"):
        content = client.get(address).content
        assert content.startswith(codecs.BOM_UTF8) and content.count(codecs.BOM_UTF8) == 1, address
    roster = read_roster(client.get(sheets[0]).content)
    assert roster.encoding == "UTF-8" and roster.columns["name"] == "name" and len(roster.lines) == 4
    _tournament, home = run_by(client)
    files = [
        link["href"]
        for link in page(client, home.replace("exports", "print")).soup.select(f'a[href^="{home}"]')
    ]
    assert {client.get(path).status_code for path in files} == {200}
    assert sum("/round-" in path for path in files) == 2


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("risky", ["=cmd|'/c calc'!A1", '"=1+1', " @sum", "'=1", '""+1'])
def test_a_spreadsheet_that_parts_cells_elsewhere_finds_no_formula(separator, risky):
    text = csv_text(["code", "name", "club"], [["P0001", f"Ada{separator}{risky}", "Nord"]])
    assert f'"Ada{separator}' in text
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        assert not [cell for cell in row if re.match(r"\s*[=+@|%\-]", cell)]


def test_the_players_of_one_event_read_in_at_another(client):
    tournament, home = run_by(client)
    change_entry(tournament, "P0001", rating=1800, rating_source="FIDE", labels=["club: Nord", "U18"])
    said = {"name": '=HYPERLINK("x")', "alias": "@fox", "contact": "+49 30 1", "notes": "owes\na fee"}
    with open_action(tournament, "entry") as log:
        log.set_personal(log.tournament.entries.get(code="P0001"), **said, external_id="-D-1")
        log.set(log.tournament.entries.get(code="P0002"), paid=True)
    answer = client.get(f"{home}players.csv")
    assert b"\"'=HYPERLINK" in answer.content
    sheet, people = lines(answer), [line.fields for line in read_roster(answer.content).lines]
    known = {**said, "code": "P0001", "external_id": "-D-1", "rating": "1800", "labels": "club: Nord; U18"}
    assert known.items() <= sheet[0].items() and len(sheet) == 4
    other = TournamentFactory(entries=0, owner=tournament.owner, name="Next week")
    import_entries(other, people, plan_import(other, people).digest)
    again = lines(client.get(f"/t/{other.slug}/desk/exports/players.csv"))
    names = "name alias rating rating_source labels external_id paid contact notes".split()
    assert [[row[n] for n in names] for row in again] == [[row[n] for n in names] for row in sheet]


@pytest.mark.parametrize("role", ["scorekeeper", "judge"])
def test_what_was_told_in_confidence_and_the_seed_are_the_owners_who_asks_for_it(client, role):
    tournament, home = run_by(client)
    assert tournament.seed not in client.get(f"{home}archive.json").content.decode()
    assert client.get(f"{home}archive.json", {"seed": 1}).json()["tournament"]["seed"] == tournament.seed
    tournament, home = run_by(client, role)
    tournament.entries.update(contact="ada@example.org", notes="owes a fee")
    sheet = client.get(f"{home}players.csv").content.decode()
    assert "ada@example.org" not in sheet and "owes a fee" not in sheet
    assert client.get(f"{home}archive.json", {"seed": 1}).status_code == 403


def test_a_player_disqualified_in_the_bracket_keeps_the_swiss_row_without_a_final_place(client):
    tournament, home = run_by(client, with_cut=2)
    loser = tournament.rounds.get(number=3).seats.get(side="b").entry.code
    begin_round(tournament, 3)
    disqualify_entry(tournament, loser, "cheating")
    for sheet in (f"{home}standings.csv", f"/t/{tournament.slug}/standings.csv"):
        places = {row["code"]: row["place"] for row in lines(client.get(sheet))}
        assert places.pop(loser) == "" and sorted(places.values()) == ["1", "2", "3"]
    rows = client.get(f"/t/{tournament.slug}/standings.json").json()["rows"]
    numbers = {code: int(place) for code, place in places.items()}
    assert {row["entry"]: row["place"] for row in rows} == {loser: None, **numbers}


@pytest.mark.parametrize("role", ["owner", "scorekeeper"])
def test_the_bundle_holds_the_archive_and_every_sheet(client, role):
    tournament, base = run_by(client, role, with_cut=2)
    tournament.entries.filter(code="P0001").update(contact="ada@example.org")
    answer = client.get(f"{base}everything.zip")
    assert answer["Content-Disposition"] == f'attachment; filename="{tournament.slug}.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        files = {name.partition("/")[2]: packed.read(name).decode() for name in packed.namelist()}
    sheets = {f"{name}.csv" for name in ("players", "standings", "bracket", "round-1", "round-2", "round-3")}
    assert set(files) == {"archive.json", "standings.json"} | sheets
    for name in ("players.csv", "standings.csv", "round-1.csv", "archive.json"):
        assert files[name] == client.get(base + name).content.decode(), name
    assert tournament.seed not in files["archive.json"]
    assert ("ada@example.org" in "".join(files.values())) == (role == "owner")
    assert json.loads(files["standings.json"])["rows"][0]["rank"] == 1
