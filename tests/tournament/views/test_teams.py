"""Members of teams: registered, changed at the desk, found, shown, exported and imported again."""

import csv
import io
import json
import re

import pytest
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tests.tournament.views.phones import enrol, known, text
from tests.tournament.views.test_imports import confirm, show
from tournament.actionlog import integrity
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import Refused, WrongState
from tournament.history.describe import describe_actions
from tournament.services.entries import add_entry, change_team, remove_entry
from tournament.services.event_settings import change_registration, change_settings
from tournament.services.events import finish_tournament
from tournament.services.merges import merge_entries
from tournament.services.snapshots import restore_over
from tournament.services.undo import undo_action
from tournament.text.teams import team_of

pytestmark = pytest.mark.django_db

REDS = ["Ada Ruiz", "Bo Lind", "Chen Wu"]
BLUES = ["Dot Ek", "Eva Moss"]


@pytest.fixture
def event(client):
    """A team event with a team Reds, whose captain is Bo, and a team Blues; its owner is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner, team=True)
    add_entry(tournament, {}, {"name": "Reds", "members": REDS, "captain": 2})
    add_entry(tournament, {}, {"name": "Blues", "members": BLUES})
    return tournament


def team(tournament, code):
    entry = tournament.entries.get(code=code)
    return entry.members, entry.captain


def post(client, tournament, page, **fields):
    return client.post(f"/t/{tournament.slug}/desk/{page}/", {"key": key(), **fields}, follow=True)


def change(client, tournament, code, members, captain="1"):
    return post(client, tournament, f"players/{code}/team", members=members, captain=captain)


BAD = [
    (["Ada"], "1", "A team has 2 to 6 members, not 1."),
    (list("ABCDEFG"), "1", "A team has 2 to 6 members, not 7."),
    (["José", "Bo", "JOSE"], "1", "JOSE is in the team twice. Enter each member once."),
    (["", "Bo", "Chen"], "1", "The captain has no name. Choose one of the members as captain."),
    (["Ada", "Bo"], "9", "The captain has no name. Choose one of the members as captain."),
    (["Ada", "Bo"], "two", "The captain has no name. Choose one of the members as captain."),
    (["A" * 81, "Bo"], "1", "Enter a name of 1 to 80 characters."),
]


# --- registration ---------------------------------------------------------------------------------------


def test_a_team_registers_with_its_members_in_order_and_a_captain(event):
    change_registration(event, self_registration=True)
    phone = Client()
    form = text(phone.get(f"/t/{event.slug}/register/"))
    assert "Team name" in form and form.count('name="members"') == 6
    assert re.findall(r'name="captain" value="(\d)"[^>]* checked', form) == ["1"]
    assert "the names of the team and its members" in form
    members = ["Kim  Lee", "", "Lou Fox", "", "", ""]
    assert enrol(phone, event, "Greens", members=members, captain="3").status_code == 303
    greens = event.entries.get(name="Greens")
    assert team(event, greens.code) == (["Kim Lee", "Lou Fox"], 2)
    logged = str(list(event.actions.values_list("changes", flat=True)))
    assert not any(name in logged for name in ("Kim", "Lou", *REDS))


def test_members_can_be_left_out_and_other_events_ask_for_none(event):
    change_registration(event, self_registration=True)
    assert enrol(Client(), event, "Greens", members=[""] * 6).status_code == 303
    assert team(event, event.entries.get(name="Greens").code) == ([], 1)
    singles = TournamentFactory(entries=0)
    change_registration(singles, self_registration=True)
    assert 'name="members"' not in text(Client().get(f"/t/{singles.slug}/register/"))
    assert enrol(Client(), singles, "Kim", members=["A", "B"]).status_code == 303
    assert singles.entries.get().members == []


@pytest.mark.parametrize(("members", "captain", "words"), BAD)
def test_a_team_that_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    event, client, members, captain, words
):
    change_registration(event, self_registration=True)
    before = event.actions.count()
    answers = [
        enrol(Client(), event, "Greens", members=members, captain=captain),
        post(client, event, "add-player", name="Greens", members=members, captain=captain),
        change(client, event, "P0001", members, captain),
    ]
    for answer in answers:
        assert answer.status_code == 422 and words in text(answer)
        if len(members) < 7:
            assert all(f'value="{name}"' in text(answer) for name in members if name)
    assert event.actions.count() == before and event.entries.count() == 2
    assert team(event, "P0001") == (REDS, 2)
    with pytest.raises(Refused, match=re.escape(words)):
        change_team(event, "P0001", members, int(captain) if captain.isdigit() else 0)


# --- at the desk ----------------------------------------------------------------------------------------


def test_the_desk_adds_a_team_and_says_who_is_in_another_one(event, client):
    fields = {"members": ["Zoe", "ada RUÍZ", "", ""], "captain": "2"}
    page = text(post(client, event, "add-player", name="Greens", **fields))
    assert "Greens added." in page and "ada RUÍZ is also a member of Reds." in page
    assert team(event, "P0003") == (["Zoe", "ada RUÍZ"], 2)
    assert "ada RUÍZ is also a member of Reds." in text(client.get(f"/t/{event.slug}/desk/players/P0003/"))
    assert "Ada Ruiz is also a member of Greens." in text(client.get(f"/t/{event.slug}/desk/players/P0001/"))
    assert "is also a member" not in text(client.get(f"/t/{event.slug}/desk/players/P0002/"))
    remove_entry(event, "P0001")
    assert "is also a member" not in text(client.get(f"/t/{event.slug}/desk/players/P0003/"))


def test_members_order_and_captain_are_changed_at_the_desk(event, client):
    page = text(client.get(f"/t/{event.slug}/desk/players/P0001/"))
    assert re.findall(r'name="members" value="([^"]+)"', page) == REDS
    assert re.findall(r'name="captain" value="(\d)"[^>]* checked', page) == ["2"]
    assert "Ada Ruiz, Bo Lind (captain), Chen Wu" in page
    page = text(change(client, event, "P0001", ["Chen Wu", "Bo Lind", "Ada Ruiz"], "3"))
    assert "Reds: saved." in page and "Chen Wu, Bo Lind, Ada Ruiz (captain)" in page
    action = event.actions.latest("number")
    assert action.changes == [{"fact": "entries/P0001", "personal": ["captain", "members"]}]
    told = describe_actions(event, [action])[0].sentence
    assert "Reds: captain changed" in told and "Reds: team members changed" in told
    assert "Nothing to change." in text(
        change(client, event, "P0001", ["Chen Wu", "Bo Lind", "Ada Ruiz"], "3")
    )
    with pytest.raises(WrongState):
        undo_action(event, action.number)
    assert change(client, event, "P0001", []).status_code == 200 and team(event, "P0001") == ([], 1)
    assert integrity.check(event) == []


def test_only_team_events_have_members(client):
    singles = TournamentFactory(entries=2)
    client.force_login(singles.owner)
    assert 'name="members"' not in text(client.get(f"/t/{singles.slug}/desk/players/P0001/"))
    answer = change(client, singles, "P0001", ["Ada", "Bo"])
    assert answer.status_code == 409 and "Only team events have team members." in text(answer)
    assert singles.entries.get(code="P0001").members == []


def test_a_misspelled_member_is_corrected_after_the_end(event, client):
    RoundFactory(tournament=event, results=True)
    event.refresh_from_db()
    finish_tournament(event)
    assert change(client, event, "P0002", ["Dot Eck", "Eva Moss"]).status_code == 200
    assert team(event, "P0002") == (["Dot Eck", "Eva Moss"], 1)


def test_a_team_is_found_by_a_member_at_the_desk_at_check_in_and_in_public(event, client):
    home = f"/t/{event.slug}"
    for page in (f"{home}/desk/players/", f"{home}/desk/check-in/", f"{home}/players/"):
        html = text(client.get(page, {"q": "chen"}, follow=True))
        assert "Reds" in html and "Blues" not in html, page
        assert "Reds" not in text(client.get(page, {"q": "chen ruiz"})), "words of two members are no member"
    post(client, event, "check-in", q="eva mo", show="")
    assert list(event.entries.filter(checked_in=True).values_list("name", flat=True)) == ["Blues"]


def test_a_known_team_comes_along_with_its_members(event, client):
    other = TournamentFactory(entries=0, owner=event.owner, team=True)
    offered = text(client.get(f"/t/{other.slug}/desk/regulars/", {"name": "bo li"}))
    assert "Add Reds" in offered
    reds = event.entries.get(code="P0001")
    post(client, other, "regulars", regular=reds.pk)
    assert team(other, "P0001") == (REDS, 2)
    singles = TournamentFactory(entries=0, owner=event.owner)
    post(client, singles, "regulars", regular=reds.pk)
    assert team(singles, "P0001") == ([], 1)


# --- for everyone ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("privacy", "shown", "hidden"),
    [("full", ["Ada Ruiz", "Bo Lind"], "Ada R."), ("initial", ["Ada R.", "Bo L."], "Ruiz")],
)
def test_the_teams_page_has_its_members_as_the_event_shows_names(event, privacy, shown, hidden):
    change_settings(event, name_privacy=privacy)
    phone = Client()
    own = known(phone, event)
    for address in (f"/t/{event.slug}/players/P0001/", own):
        page = text(phone.get(address))
        members = re.search(r'<ol[^>]*aria-label="Team members">(.*?)</ol>', page, re.DOTALL)[1]
        lines = [" ".join(re.sub("<[^>]*>", " ", line).split()) for line in members.split("</li>")[:2]]
        assert lines == [shown[0], f"{shown[1]} captain"] and hidden not in page
    listed = text(phone.get(f"/t/{event.slug}/players/"))
    assert f"{shown[0]}, {shown[1]}" in listed and hidden not in listed
    found = "Reds" in text(phone.get(f"/t/{event.slug}/players/", {"q": "ruiz"}, follow=True))
    assert found is (privacy == "full"), "what is not shown is not found"


def test_the_public_page_follows_a_change_and_pairings_stay_by_team(event):
    address = f"/t/{event.slug}/players/P0001/"
    assert "Chen Wu" in text(Client().get(address))
    change_team(event, "P0001", ["Ada Ruiz", "Zoe Zen"], 1)
    assert "Zoe Zen" in text(Client().get(address)) and "Chen Wu" not in text(Client().get(address))
    RoundFactory(tournament=event)
    pairings = text(Client().get(f"/t/{event.slug}/rounds/1/"))
    assert "Reds" in pairings and "Ada Ruiz" not in pairings


# --- files ----------------------------------------------------------------------------------------------


def test_teams_in_an_archive_come_back_byte_for_byte(event):
    text_ = dump_event(event)
    entries = json.loads(text_)["entries"]
    assert (entries[0]["members"], entries[0]["captain"]) == (REDS, 2)
    assert entries[1]["members"] == BLUES and "captain" not in entries[1]
    again = load_event(event_of(json.loads(text_)), slug="again")
    assert team(again, "P0001") == (REDS, 2)
    assert dump_event(again).replace('"slug":"again",', "") == text_.replace(f'"slug":"{event.slug}",', "")


def test_the_players_sheet_is_imported_again_with_teams(event, client):
    add_entry(event, {}, {"name": "Loners"})
    change_team(event, "P0002", ["=Dot; Ek", "@Eva|Moss"], 2)
    sheet = client.get(f"/t/{event.slug}/desk/exports/players.csv").content
    head, first, *_more, last = csv.reader(io.StringIO(sheet.decode(), newline=""))
    assert first[head.index("member_1") :] == [*REDS, "", "", "", "Bo Lind"]
    assert set(last[head.index("member_1") :]) == {""}
    other = TournamentFactory(entries=0, owner=event.owner, team=True)
    assert confirm(client, other, show(client, other, sheet)).status_code == 303
    assert [team(other, code) for code in ("P0001", "P0002", "P0003")] == [
        (REDS, 2), (["=Dot; Ek", "@Eva|Moss"], 2), ([], 1),
    ]  # fmt: skip
    assert "Nothing to do" in text(show(client, other, sheet))
    singles = TournamentFactory(entries=0, owner=event.owner)
    assert "member_1" not in client.get(f"/t/{singles.slug}/desk/exports/players.csv").content.decode()


def test_a_file_changes_a_team_and_who_was_captain_stays_so(event, client):
    answer = show(client, event, "Team;Members\nReds;Zoe Zen | Chen Wu|Bo Lind\nGreens;Kim|Ada Ruiz\n")
    page = text(answer)
    assert "<del>Ada Ruiz, Bo Lind, Chen Wu</del> → <ins>Zoe Zen, Chen Wu, Bo Lind</ins>" in page
    assert "Kim (captain), Ada Ruiz" in page
    confirm(client, event, answer)
    assert team(event, "P0001") == (["Zoe Zen", "Chen Wu", "Bo Lind"], 3)
    assert team(event, "P0003") == (["Kim", "Ada Ruiz"], 1)
    confirm(client, event, show(client, event, "Team;Member 1;Member 2\nReds;Zoe Zen;Chen Wu\n"))
    assert team(event, "P0001") == (["Zoe Zen", "Chen Wu"], 1), "the captain has gone"
    confirm(client, event, show(client, event, "Team;Rating\nReds;1500\n"))
    assert team(event, "P0001") == (["Zoe Zen", "Chen Wu"], 1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Ada;;;;;;;", "Line 3: A team has 2 to 6 members, not 1."),
        ("A;B;C;D;E;F;G;", "Line 3: A team has 2 to 6 members, not 7."),
        ("Ada;Bo;ÁDA;;;;;", "Line 3: ÁDA is in the team twice. Enter each member once."),
        ("Ada;Bo;;;;;;Eva", "Line 3: the captain “Eva” is not one of the members."),
        ("Ada;Bo;;;;;;3", "Line 3: The captain has no name. Choose one of the members as captain."),
    ],
)
def test_a_file_with_a_team_that_cannot_be_names_the_line(event, client, line, words):
    head = ";".join(["Team", *(f"Player {n}" for n in range(1, 8)), "Captain"])
    page = text(show(client, event, f"{head}\nGreens;Kim;Lou;;;;;;lou\nGolds;{line}\n"))
    assert words in page.replace("&quot;", '"') and "Nothing is saved" in page and 'name="seen"' not in page


def test_a_table_is_pasted_with_its_members(event, client):
    assert "first a line of column names" in text(client.get(f"/t/{event.slug}/desk/players/"))
    pasted = "Team\tMember 1\tMember 2\tCaptain\nGreens\tKim Lee\tLou Fox\t2\n"
    answer = client.post(f"/t/{event.slug}/desk/players/", {"key": key(), "names": pasted})
    confirm(client, event, answer)
    assert team(event, "P0003") == (["Kim Lee", "Lou Fox"], 2)


def test_members_in_a_file_are_not_used_where_there_are_no_teams(client, event):
    singles = TournamentFactory(entries=0, owner=event.owner)
    answer = show(client, singles, "Name;Member 1;Captain\nKim;Lou;Lou\n")
    assert "“Member 1”, “Captain”" in " ".join(text(answer).split("Not used:")[1].split())
    confirm(client, singles, answer)
    assert team(singles, "P0001") == ([], 1)


def test_a_captain_is_counted_among_the_lines_that_were_filled_in():
    assert team_of(["", "Ada", "", "Bo"], 4) == {"members": ["Ada", "Bo"], "captain": 2}
    assert team_of(["", " ", "\u200b"], 3) == {"members": [], "captain": 1}


# --- the rest of a team's life --------------------------------------------------------------------------


def test_the_entry_that_stays_after_a_merge_has_the_members(event):
    add_entry(event, {}, {"name": "Reds", "contact": "x"})
    merge_entries(event, "P0003", "P0001", reason="twice")
    assert team(event, "P0003") == (REDS, 2)
    merge_entries(event, "P0003", "P0002", reason="twice")
    assert team(event, "P0003") == (REDS, 2), "what is there stays"


def test_a_team_that_was_removed_comes_back_with_a_snapshot(event, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    write_snapshot(event, event.revision, "by-hand")
    [snapshot] = snapshots_of(event)
    change_team(event, "P0002", ["Dot Ek", "Fay Yu"], 2)
    remove_entry(event, "P0001")
    restore_over(event, snapshot, seen=event.revision, actor=event.owner, reason="removed by mistake")
    assert team(event, "P0001") == (REDS, 2)
    assert team(event, "P0002") == (["Dot Ek", "Fay Yu"], 2), "names stay as they are today"
