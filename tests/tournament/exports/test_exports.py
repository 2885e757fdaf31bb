"""What staff take away: sheets no program takes for formulas, the archive, pages that open without a server."""

import csv
import io
import json
import re
import zipfile

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tournament.actionlog import integrity
from tournament.actionlog.change import open_action
from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.exports import static_copy
from tournament.exports.csv_text import csv_text, unguard_cell
from tournament.exports.static_page import StaticPages
from tournament.models import Staff
from tournament.roster.read import read_roster
from tournament.services.announcements import change_announcement
from tournament.services.entries import add_entries, change_entry, rename_entry
from tournament.services.event_settings import change_registration, change_settings
from tournament.services.imports import import_entries, plan_import
from tournament.services.invites import create_invite
from tournament.services.player_messages import send_message, settle_message
from tournament.services.self_service import drop_self, register_self

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
    """A sheet's lines as they were."""
    assert answer.status_code == 200
    rows = csv.DictReader(io.StringIO(answer.content.decode(), newline=""))
    return [{name: unguard_cell(cell) for name, cell in row.items()} for row in rows]


def test_files_hold_names_as_they_are_stored_whatever_their_direction(client):
    tournament, base = run_by(client)
    rename_entry(tournament, "P0001", "علي")
    for path in ("round-1.csv", "standings.csv", "players.csv"):
        text = client.get(base + path).content.decode()
        assert "علي" in text and "\u2068" not in text, path
    for path in ("standings.json", "standings.csv"):
        text = client.get(f"/t/{tournament.slug}/{path}").content.decode()
        assert "علي" in text and "\u2068" not in text, path


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1/2",
        "@sum",
        "|x",
        "%",
        "\t=1",
        "\r=1",
        "\n=1",
        "'=1",
        "''@",
        "'tis",
        "-5",
        'a"b,c\nd',
        "＝1",
        "Ada;=1+1",
        "Ada;'=1",
        "Ada; '\"@x",
        "\t;'=1;;-2",
        "';=1",
        "a\r\n'=1\n- b",
        "Ada; Bo\tLind",
    ],
)
def test_no_cell_is_a_formula_and_every_cell_comes_back(cell):
    _head, (written,) = csv.reader(io.StringIO(csv_text(["a"], [[cell]]), newline=""))
    assert unguard_cell(written) == cell
    assert not re.match(r"[=+@|%\t\r\n＝]|-(?!5$)", written)


@given(st.text("a1;\t\r\n'\"=-@ ,"))
def test_any_cell_comes_back_from_its_quotes(cell):
    _head, (written, _last) = csv.reader(io.StringIO(csv_text(["a", "b"], [[cell, 1]]), newline=""))
    assert unguard_cell(written) == cell


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("risky", ["=cmd|'/c calc'!A1", '"=1+1', " @sum", "'=1", '""+1'])
def test_a_spreadsheet_that_parts_cells_elsewhere_finds_no_formula(separator, risky):
    text = csv_text(["code", "name", "club"], [["P0001", f"Ada{separator}{risky}", "Nord"]])
    assert f'"Ada{separator}' in text
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        assert not [cell for cell in row if re.match(r"\s*[=+@|%\-]", cell)]


def test_the_players_sheet_holds_everything_our_import_takes(client):
    tournament, home = run_by(client)
    change_entry(tournament, "P0001", rating=1800, rating_source="FIDE", labels=["club: Nord", "U18"])
    with open_action(tournament, "entry") as log:
        fields = {
            "name": '=HYPERLINK("x")',
            "contact": "+49 30 1",
            "notes": "owes\na fee",
            "external_id": "D-1",
        }
        log.set_personal(log.tournament.entries.get(code="P0001"), **fields)
    first, *rest = lines(client.get(f"{home}players.csv"))
    fields |= {"rating": "1800", "rating_source": "FIDE", "labels": "club: Nord; U18", "code": "P0001"}
    assert {name: first[name] for name in fields} == fields
    assert (first["paid"], first["checked_in"], len(rest)) == ("", "", 3)
    assert b"\"'=HYPERLINK" in client.get(f"{home}players.csv").content


def test_the_players_of_one_event_read_in_at_another(client):
    tournament, home = run_by(client)
    change_entry(tournament, "P0001", rating=1800, rating_source="FIDE", labels=["club: Nord", "U18"])
    with open_action(tournament, "entry") as log:
        fields = {"name": "=Ada", "alias": "@fox", "contact": "+49 30 1", "notes": "owes\na fee"}
        log.set_personal(log.tournament.entries.get(code="P0001"), **fields, external_id="-D-1")
        log.set(log.tournament.entries.get(code="P0002"), paid=True)
    sheet = client.get(f"{home}players.csv").content
    other = TournamentFactory(entries=0, owner=tournament.owner, name="Next week")
    people = [line.fields for line in read_roster(sheet).lines]
    import_entries(other, people, plan_import(other, people).digest)
    again = lines(client.get(f"/t/{other.slug}/desk/exports/players.csv"))
    names = ("name", "alias", "rating", "rating_source", "labels", "external_id", "paid", "contact", "notes")
    rows = csv.DictReader(io.StringIO(sheet.decode(), newline=""))
    assert [[row[n] for n in names] for row in again] == [
        [unguard_cell(row[n]) for n in names] for row in rows
    ]


@pytest.mark.parametrize("role", ["scorekeeper", "judge"])
def test_what_was_told_in_confidence_is_the_owners(client, role):
    tournament, home = run_by(client, role)
    tournament.entries.update(contact="ada@example.org", notes="owes a fee")
    sheet = client.get(f"{home}players.csv").content.decode()
    assert "ada@example.org" not in sheet
    assert "owes a fee" not in sheet
    assert client.get(f"{home}archive.json", {"seed": 1}).status_code == 403


def test_a_rounds_sheet_says_who_met_whom_and_how_it_ended(client):
    tournament, home = run_by(client)
    rows = lines(client.get(f"{home}round-1.csv"))
    assert [row["table"] for row in rows] == ["1", "2"]
    codes = {row[side] for row in rows for side in ("code_a", "code_b")}
    assert codes == {"P0001", "P0002", "P0003", "P0004"}
    match = tournament.rounds.get(number=1).matches.get(table=1)
    games = {seat.side: str(seat.games) for seat in match.seats.all()}
    assert (rows[0]["games_a"], rows[0]["games_b"], rows[0]["winner"]) == (
        games["a"],
        games["b"],
        match.winner,
    )
    assert client.get(f"{home}round-9.csv").status_code == 404


def test_staff_take_standings_with_full_names(client):
    tournament, home = run_by(client)
    change_settings(tournament, name_privacy="initial")
    rows = lines(client.get(f"{home}standings.csv"))
    assert {row["name"] for row in rows} == {f"Player 0{n}" for n in range(1, 5)}
    assert rows[0]["rank"] == "1"


def test_the_seed_leaves_only_with_the_owner_who_asks_for_it(client):
    tournament, home = run_by(client)
    assert tournament.seed not in client.get(f"{home}archive.json").content.decode()
    archive = json.loads(client.get(f"{home}archive.json", {"seed": 1}).content)
    assert archive["tournament"]["seed"] == tournament.seed


def test_the_page_names_everything_there_is(client):
    _tournament, home = run_by(client)
    page = client.get(home).content.decode()
    for path in re.findall(rf'href="({re.escape(home)}[^"]+)"', page):
        assert client.get(path).status_code == 200, path
    assert page.count("round-") == 2


# --- the copy --------------------------------------------------------------------------------------------


def copied(folder) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def named(names: list[str]):
    """A running event of these people, one round complete."""
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, names)
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    return tournament


def test_a_copy_opens_without_a_server(tmp_path):
    tournament = named(["Ada Ruiz", "Bo Lind", "Kim Lee", "<b>Sol</b> & Co"])
    change_announcement(tournament, "Round 2 at 14:30")
    call_command("export", tournament.slug, str(tmp_path / "copy"), "--explained")
    files = copied(tmp_path / "copy")
    pages = {path: text for path, text in files.items() if path.endswith(".html")}
    assert {"index.html", "rounds/1/index.html", "rounds/1/index-by-table.html", "rounds/1/proof/index.html",
            "standings/index.html", "players/index.html", "players/P0003/index.html", "rules/index.html",
            "standings/P0001/index.html", "standings/P0001/match_points/index.html"} <= set(pages)  # fmt: skip
    assert {"standings.csv", "standings.json", "static/site.css"} <= set(files)
    for path, page in pages.items():
        for link in re.findall(r'(?:href|src)="([^"#]+)', page):
            target = (tmp_path / "copy" / path).parent / link
            assert not link.startswith(("/", "http")), (path, link)
            assert target.resolve().is_file(), (path, link)
        for gone in ("hx-", "data-poll", "htmx", "<form", "<button", "Round 2 at 14:30", "live-on", "desk/"):
            assert gone not in page, (path, gone)
        assert re.findall(r"<script[^>]*>", page) in (
            [],
            [f'<script src="{"../" * path.count("/")}static/theme.js">'],
        )
        assert "Copy of http" in page
    assert "&lt;b&gt;Sol&lt;/b&gt; &amp; Co" in pages["players/index.html"]
    assert "Ada Ruiz" in pages["rounds/1/index.html"]


def test_a_copy_does_not_offer_what_only_a_server_does(tmp_path):
    tournament = TournamentFactory(entries=2)
    change_registration(tournament, self_registration=True)
    begun = named(["Ada Ruiz", "Bo Lind"])
    for number, copied_event in enumerate((tournament, begun)):
        call_command("export", copied_event.slug, str(tmp_path / str(number)))
        for path, page in copied(tmp_path / str(number)).items():
            for words in (
                "Register for",
                "My own page",
                "Tell staff",
                "This is me",
                "All tournaments",
                'aria-label="Find me"',
            ):
                assert words not in page or (path, words) == ("index.html", 'aria-label="Find me"'), path


def test_a_copy_obeys_the_choice_of_names_and_holds_nothing_private(client):
    tournament = named(["Ada Ruiz", "Bo Lind"])
    change_settings(tournament, name_privacy="initial")
    tournament.entries.update(contact="ada@example.org", notes="owes a fee")
    client.force_login(tournament.owner)
    packed = client.get(f"/t/{tournament.slug}/desk/exports/pages.zip")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
        assert f"{tournament.slug}/index.html" in archive.namelist()
    assert "Ada R." in text
    for secret in ("Ruiz", "ada@example.org", "owes a fee", tournament.seed, tournament.owner.username):
        assert secret not in text


def test_a_packed_copy_is_kept_until_something_changes(client, django_assert_max_num_queries):
    tournament = named(["Ada Ruiz", "Bo Lind"])
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/exports/pages.zip"
    first = client.get(address).content
    with django_assert_max_num_queries(3):
        assert client.get(address).content == first
    rename_entry(tournament, "P0001", "Zoe Ruiz")
    with zipfile.ZipFile(io.BytesIO(client.get(address).content)) as archive:
        assert b"Zoe Ruiz" in archive.read(f"{tournament.slug}/players/P0001/index.html")


def test_copies_are_made_one_at_a_time_and_a_few_only(client):
    tournament = named(["Ada Ruiz", "Bo Lind"])
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/exports/pages.zip"
    with static_copy._making:
        refused = client.get(address)
    assert refused.status_code == 429 and "Another copy is being made" in refused.content.decode()
    for number in range(static_copy.COPIES.most):
        rename_entry(tournament, "P0001", f"Ada {number}")
        assert client.get(address).status_code == 200
    assert client.get(address).status_code == 200  # the one that is kept
    rename_entry(tournament, "P0001", "Ada")
    assert client.get(address).status_code == 429
    assert not static_copy._making.locked()


def test_the_text_of_a_page_stays_as_it_was():
    """Whatever stands in a value, and also around what is left out."""
    pages = StaticPages(lambda page, path, link: {"/t/x/": "index.html"}.get(link), "A & B")
    text = """<!DOCTYPE html><a href="/t/x/" title="a > b &quot;c&quot;" hidden>1 &lt; 2</a><img src="/no.png"><br/>
    <form><input><div>gone</form><a class='soft' href="/t/y/">out</a><svg viewBox="0 0 9 9"><path d="M1 1"/></svg>
    <p hx-get="/t/x/" id="now">kept</p><script src="/static/theme.js"></script><script>gone</script><footer></footer>"""
    assert pages.rewrite(text, "/t/x/", "a/index.html").split("\n") == [
        '<!DOCTYPE html><a href="index.html" title="a &gt; b &quot;c&quot;" hidden>1 &lt; 2</a><br/>',
        '    <a>out</a><svg viewBox="0 0 9 9"><path d="M1 1"/></svg>',
        '    <p id="now">kept</p><script></script><footer><p>A &amp; B</p></footer>',
    ]


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    tournament = TournamentFactory(entries=4, rounds=1)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="not an empty folder"):
        call_command("export", tournament.slug, str(tmp_path))
    with pytest.raises(CommandError, match="There is no event"):
        call_command("export", "nowhere", str(tmp_path / "new"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_codes_that_no_disk_takes_get_places_of_their_own():
    from tournament.exports.static_copy import PAGES, PagePaths

    places = PagePaths("/t/x/", PAGES)
    urls = ["/t/x/players/A%3AB/", "/t/x/players/a_b/", "/t/x/players/A%20B/", "/t/x/players/%E7%8E%8B/"]
    paths = [places.path_of(url) for url in urls]
    assert len({path.lower() for path in paths}) == 4
    assert all(re.fullmatch(r"[\w./-]+", path, re.ASCII) for path in paths)
    assert (
        places.path_of("/t/x/desk/")
        is places.path_of("/t/y/players/")
        is places.path_of("/t/x/standings/?label=x")
        is None
    )


def test_an_event_with_every_kind_of_action_comes_back_from_its_archive(client, tmp_path):
    """The file that is taken away opens again, whatever people did: each kind of fact the log names is one."""
    tournament = TournamentFactory(entries=5, owner=(owner := UserFactory()))
    change_registration(tournament, self_registration=True, capacity=5)
    register_self(tournament, "Waits Long", key_hash="0" * 64)
    number = RoundFactory(tournament=tournament).number
    send_message(tournament, "P0001", "The wrong table", number=number)
    settle_message(tournament, 1, actor=owner)
    drop_self(tournament, "P0002")
    change_announcement(tournament, "Lunch until 14:30", actor=owner)
    create_invite(tournament, "judge", actor=owner)
    enter_results(tournament, number)
    complete_round(tournament, number)
    client.force_login(owner)
    html = client.get(f"/t/{tournament.slug}/desk/exports/archive.json").content.decode()
    history = json.loads(html)["log"]
    assert {change["fact"].split("/")[0] for action in history for change in action["changes"]} >= {
        "flags", "invites", "tournament", "entries", "rounds",
    }  # fmt: skip
    file = tmp_path / "taken.json"
    file.write_text(html, encoding="utf-8")
    again = load_event(read_file(file), owner=owner, slug="again")
    assert integrity.check(again) == []
    assert client.get("/t/again/desk/log/").status_code == 200
