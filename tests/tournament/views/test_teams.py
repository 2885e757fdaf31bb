import csv
import io
import json
import re

import pytest
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page
from tests.tournament.views.desk import key, signed_in
from tests.tournament.views.phones import enrol, known
from tests.tournament.views.test_imports import confirm, show
from tournament.actionlog import integrity
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import Refused, WrongState
from tournament.event.teams import build_team
from tournament.history.describe import describe_actions
from tournament.services.corrections import merge_entries
from tournament.services.entries import add_entry, change_team, remove_entry
from tournament.services.event_settings import change_registration, change_settings
from tournament.services.snapshots import restore_over
from tournament.services.undo import undo_action

REDS = ["Ada Ruiz", "Bo Lind", "Chen Wu"]
BLUES = ["Dot Ek", "Eva Moss"]


@pytest.fixture
def event(client):
    """A team event with a team Reds, whose captain is Bo, and a team Blues; its owner is signed in."""
    tournament = signed_in(client, entries=0, team=True)
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


def test_a_team_registers_with_its_members_in_order_and_a_captain_or_without(event):
    change_registration(event, self_registration=True)
    phone = Client()
    shown = page(phone, f"/t/{event.slug}/register/")
    assert "Team name" in shown and len(shown.all("[name=members]")) == 6
    assert [tag["value"] for tag in shown.soup.select("[name=captain][checked]")] == ["1"]
    assert "the names of the team and its members" in shown
    members = ["Kim  Lee", "", "Lou Fox", "", "", ""]
    assert enrol(phone, event, "Greens", members=members, captain="3").status_code == 303
    assert team(event, event.entries.get(name="Greens").code) == (["Kim Lee", "Lou Fox"], 2)
    logged = str(list(event.actions.values_list("changes", flat=True)))
    assert not any(name in logged for name in ("Kim", "Lou", *REDS))
    assert enrol(Client(), event, "Golds", members=[""] * 6).status_code == 303
    assert team(event, event.entries.get(name="Golds").code) == ([], 1)


@pytest.mark.parametrize(("members", "captain", "words"), BAD)
def test_a_team_that_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    event, client, members, captain, words
):
    change_registration(event, self_registration=True)
    before = event.actions.count()
    answers = [
        enrol(Client(), event, "Greens", members=members, captain=captain),
        post(client, event, "players/add", name="Greens", members=members, captain=captain),
        change(client, event, "P0001", members, captain),
    ]
    for answer in answers:
        assert answer.status_code == 422 and words in Page(answer)
        if len(members) < 7:
            typed = [tag.get("value") for tag in Page(answer).soup.select("[name=members]")]
            assert [name for name in typed if name] == [name for name in members if name]
    assert event.actions.count() == before and event.entries.count() == 2
    assert team(event, "P0001") == (REDS, 2)
    with pytest.raises(Refused, match=re.escape(words)):
        change_team(event, "P0001", members, int(captain) if captain.isdigit() else 0)


def test_the_desk_adds_a_team_and_says_who_is_in_another_one(event, client):
    players = f"/t/{event.slug}/desk/players/"
    fields = {"members": ["Zoe", "ada RUÍZ", "", ""], "captain": "2"}
    shown = Page(post(client, event, "players/add", name="Greens", **fields))
    assert "Greens added." in shown and "ada RUÍZ is also a member of Reds." in shown
    assert team(event, "P0003") == (["Zoe", "ada RUÍZ"], 2)
    assert "ada RUÍZ is also a member of Reds." in page(client, f"{players}P0003/")
    assert "Ada Ruiz is also a member of Greens." in page(client, f"{players}P0001/")
    assert "is also a member" not in page(client, f"{players}P0002/")
    remove_entry(event, "P0001")
    assert "is also a member" not in page(client, f"{players}P0003/")


def test_members_order_and_captain_are_changed_at_the_desk(event, client):
    form = page(client, f"/t/{event.slug}/desk/players/P0001/").form("Save team")
    assert form.fields["members"] == [*REDS, "", "", ""] and form["captain"] == "2"
    assert "Ada Ruiz, Bo Lind (captain), Chen Wu" in page(client, f"/t/{event.slug}/desk/players/P0001/")
    turned = (["Chen Wu", "Bo Lind", "Ada Ruiz"], "3")
    shown = Page(change(client, event, "P0001", *turned))
    assert "Reds: saved." in shown and "Chen Wu, Bo Lind, Ada Ruiz (captain)" in shown
    action = event.actions.latest("number")
    assert action.changes == [{"fact": "entries/P0001", "personal": ["captain", "members"]}]
    told = describe_actions(event, [action])[0].sentence
    assert "Reds: captain changed" in told and "Reds: team members changed" in told
    assert "Nothing to change." in Page(change(client, event, "P0001", *turned))
    with pytest.raises(WrongState):
        undo_action(event, action.number)
    assert change(client, event, "P0001", []).status_code == 200 and team(event, "P0001") == ([], 1)
    assert integrity.check(event) == []


def test_only_team_events_have_members(client):
    singles = TournamentFactory(entries=2)
    change_registration(singles, self_registration=True)
    client.force_login(singles.owner)
    for end in ("register/", "desk/players/P0001/"):
        assert not page(client, f"/t/{singles.slug}/{end}").all("[name=members]")
    answer = change(client, singles, "P0001", ["Ada", "Bo"])
    assert answer.status_code == 409 and "Only team events have team members." in Page(answer)
    assert enrol(Client(), singles, "Kim", members=["A", "B"]).status_code == 303
    assert not singles.entries.exclude(members=[]).exists()


def test_a_team_is_found_by_a_member_at_the_desk_at_check_in_and_in_public(event, client):
    home = f"/t/{event.slug}"
    for address in (f"{home}/desk/players/", f"{home}/desk/players/check-in/", f"{home}/players/"):
        shown = page(client, address, q="chen")
        assert "Reds" in shown and "Blues" not in shown, address
        assert "Reds" not in page(client, address, q="chen ruiz"), "words of two members are no member"
    post(client, event, "players/check-in", q="eva mo", show="")
    assert list(event.entries.filter(checked_in=True).values_list("name", flat=True)) == ["Blues"]


def test_a_known_team_comes_along_with_its_members(event, client):
    other = TournamentFactory(entries=0, owner=event.owner, team=True)
    assert "Add Reds" in page(client, f"/t/{other.slug}/desk/regulars/", name="bo li")
    reds = event.entries.get(code="P0001")
    post(client, other, "regulars", regular=reds.pk)
    assert team(other, "P0001") == (REDS, 2)
    singles = TournamentFactory(entries=0, owner=event.owner)
    post(client, singles, "regulars", regular=reds.pk)
    assert team(singles, "P0001") == ([], 1)


@pytest.mark.parametrize(
    ("privacy", "shown", "hidden"),
    [("full", ["Ada Ruiz", "Bo Lind"], "Ada R."), ("initial", ["Ada R.", "Bo L."], "Ruiz")],
)
def test_the_teams_page_has_its_members_as_the_event_shows_names(event, privacy, shown, hidden):
    change_settings(event, name_privacy=privacy)
    phone = Client()
    own = known(phone, event)
    public = f"/t/{event.slug}/players/"
    for address in (f"{public}P0001/", own):
        members = page(phone, address).all('ol[aria-label="Team members"] > li')[:2]
        assert members == [shown[0], f"{shown[1]} captain"] and hidden not in page(phone, address)
    listed = page(phone, public)
    assert f"{shown[0]}, {shown[1]}" in listed and hidden not in listed
    found = "Reds" in page(phone, public, q="ruiz")
    assert found is (privacy == "full"), "what is not shown is not found"


def test_the_public_page_follows_a_change_and_pairings_stay_by_team(event):
    address = f"/t/{event.slug}/players/P0001/"
    assert "Chen Wu" in page(Client(), address)
    change_team(event, "P0001", ["Ada Ruiz", "Zoe Zen"], 1)
    shown = page(Client(), address)
    assert "Zoe Zen" in shown and "Chen Wu" not in shown
    RoundFactory(tournament=event)
    pairings = page(Client(), f"/t/{event.slug}/rounds/1/")
    assert "Reds" in pairings and "Ada Ruiz" not in pairings


def test_teams_come_back_with_a_file_or_snapshot(event, settings, tmp_path):
    text_ = dump_event(event)
    entries = json.loads(text_)["entries"]
    assert (entries[0]["members"], entries[0]["captain"]) == (REDS, 2)
    assert entries[1]["members"] == BLUES and "captain" not in entries[1]
    again = load_event(parse_event(json.loads(text_)), slug="again")
    assert team(again, "P0001") == (REDS, 2)
    assert dump_event(again).replace('"slug":"again",', "") == text_.replace(f'"slug":"{event.slug}",', "")
    settings.VAR_DIR = tmp_path
    write_snapshot(event, event.revision, "by-hand")
    [snapshot] = list_snapshots(event)
    change_team(event, "P0002", ["Dot Ek", "Fay Yu"], 2)
    remove_entry(event, "P0001")
    restore_over(event, snapshot, seen=event.revision, actor=event.owner, reason="removed by mistake")
    assert team(event, "P0001") == (REDS, 2)
    assert team(event, "P0002") == (["Dot Ek", "Fay Yu"], 2), "names stay as they are today"


def test_the_players_sheet_is_imported_again_with_teams(event, client):
    add_entry(event, {}, {"name": "Loners"})
    change_team(event, "P0002", ["=Dot; Ek", "@Eva|Moss"], 2)
    sheet = client.get(f"/t/{event.slug}/desk/exports/players.csv").content
    head, first, *_more, last = csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline=""))
    assert first[head.index("member_1") :] == [*REDS, "", "", "", "Bo Lind"]
    assert set(last[head.index("member_1") :]) == {""}
    other = TournamentFactory(entries=0, owner=event.owner, team=True)
    assert confirm(client, other, show(client, other, sheet)).status_code == 303
    assert [team(other, code) for code in ("P0001", "P0002", "P0003")] == [
        (REDS, 2), (["=Dot; Ek", "@Eva|Moss"], 2), ([], 1),
    ]  # fmt: skip
    assert "Nothing to do" in Page(show(client, other, sheet))
    singles = TournamentFactory(entries=0, owner=event.owner)
    assert "member_1" not in client.get(f"/t/{singles.slug}/desk/exports/players.csv").content.decode()


def test_a_file_changes_a_team_and_who_was_captain_stays_so(event, client):
    answer = show(client, event, "Team;Members\nReds;Zoe Zen | Chen Wu|Bo Lind\nGreens;Kim|Ada Ruiz\n")
    assert "Ada Ruiz, Bo Lind, Chen Wu → Zoe Zen, Chen Wu, Bo Lind" in Page(answer)
    assert "Kim (captain), Ada Ruiz" in Page(answer)
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
    shown = Page(show(client, event, f"{head}\nGreens;Kim;Lou;;;;;;lou\nGolds;{line}\n"))
    assert words in shown and "Nothing is saved" in shown and not shown.all("[name=seen]")


def test_a_table_is_pasted_with_its_members(event, client):
    assert "first a line of column names" in page(client, f"/t/{event.slug}/desk/players/", add="names")
    pasted = "Team\tMember 1\tMember 2\tCaptain\nGreens\tKim Lee\tLou Fox\t2\n"
    answer = client.post(f"/t/{event.slug}/desk/players/", {"key": key(), "names": pasted})
    confirm(client, event, answer)
    assert team(event, "P0003") == (["Kim Lee", "Lou Fox"], 2)


def test_members_in_a_file_are_not_used_where_there_are_no_teams(client, event):
    singles = TournamentFactory(entries=0, owner=event.owner)
    answer = show(client, singles, "Name;Member 1;Captain\nKim;Lou;Lou\n")
    assert "“Member 1”, “Captain”" in Page(answer).words.partition("Not used:")[2]
    confirm(client, singles, answer)
    assert team(singles, "P0001") == ([], 1)


def test_a_captain_is_counted_among_the_lines_that_were_filled_in():
    assert build_team(["", "Ada", "", "Bo"], 4) == {"members": ["Ada", "Bo"], "captain": 2}
    assert build_team(["", " ", "\u200b"], 3) == {"members": [], "captain": 1}


def test_the_entry_that_stays_after_a_merge_has_the_members(event):
    add_entry(event, {}, {"name": "Reds", "contact": "x"})
    merge_entries(event, "P0003", "P0001", reason="twice")
    assert team(event, "P0003") == (REDS, 2)
    merge_entries(event, "P0003", "P0002", reason="twice")
    assert team(event, "P0003") == (REDS, 2), "what is there stays"
