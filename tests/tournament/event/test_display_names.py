import json

import pytest

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.views.desk import key
from tests.tournament.views.phones import enrol, opened
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.event.display_names import distinct_names, find_names, load_public_names
from tournament.event.teams import load_members
from tournament.exports import players_csv
from tournament.models import Action
from tournament.roster.read import read_roster
from tournament.services.corrections import merge_entries
from tournament.services.entries import add_entries, change_personal_fields
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db


def test_equal_names_are_counted_by_code_and_names_from_right_to_left_stand_alone():
    names = distinct_names(
        (code, name, "playing")
        for code, name in (("P0002", "Ada Ruiz"), ("P0001", "ada  ruiz"), ("P0003", "Bo"))
    )
    assert names == {"P0001": "ada  ruiz (1 of 2)", "P0002": "Ada Ruiz (2 of 2)", "P0003": "Bo"}
    names = distinct_names(
        (code, name, "playing") for code, name in (("P1", "علي"), ("P2", "علي"), ("P3", "Bo"))
    )
    assert names == {"P1": "\u2068علي\u2069 (1 of 2)", "P2": "\u2068علي\u2069 (2 of 2)", "P3": "Bo"}
    assert find_names(names, "علي") == ["P1", "P2"]
    assert distinct_names([("P1", "דן כהן", "playing", "כהן")])["P1"].listed == "\u2068כהן, דן\u2069"


def test_three_letters_of_any_word_find_a_name_whatever_its_accents_and_none_nobody():
    names = {"P1": "Bo Adams", "P2": "Adam Zed", "P3": "Madam"}
    assert find_names(names, "ada") == ["P2", "P1"]
    names = {"P1": "Łukasz Żółć", "P2": "José Ñu", "P3": "ＡＢＣ"}
    assert find_names(names, "jose nu") == ["P2"]
    assert find_names(names, "zo") == find_names(names, "luk") == ["P1"]
    assert find_names(names, "abc") == ["P3"]
    assert find_names({"P1": "Ada"}, "  ") == []


def minor(**fields):
    tournament = TournamentFactory(entries=0, **fields)
    add_entries(tournament, ["Kim Lee", "Bo Lind"])
    change_personal_fields(tournament, "P0001", display_name_only=True)
    return tournament


def test_the_event_shows_full_names_and_one_player_is_shown_short():
    tournament = minor()
    assert load_public_names(tournament) == {"P0001": "Kim L.", "P0002": "Bo Lind"}
    change_personal_fields(tournament, "P0001", alias="Fox")
    change_settings(tournament, name_privacy="initial")
    assert load_public_names(tournament) == {"P0001": "Fox", "P0002": "Bo L."}


def test_staff_tick_it_on_the_players_page_and_the_log_says_only_that(client):
    tournament = minor()
    client.force_login(tournament.owner)
    address = f"/t/{tournament.slug}/desk/players/P0002/"
    assert "Display name only" in page(client, address)
    client.post(f"{address}person/", {"key": key(), "display_name_only": "on"})
    assert load_public_names(tournament)["P0002"] == "Bo L."
    [change] = Action.objects.latest("number").changes
    assert change == {"fact": "entries/P0002", "personal": ["display_name_only"]}
    assert "display name only changed" in page(client, f"/t/{tournament.slug}/desk/log/")


def test_players_are_shown_short_by_request_or_as_members_of_a_team(client):
    tournament = opened(players=0)
    assert "Do not show my full name in public" in page(client, f"/t/{tournament.slug}/register/")
    enrol(client, tournament, "Kim Lee", display_name_only="on", last_name="Lee")
    assert load_public_names(tournament) == {"P0001": "Kim L."}
    again = enrol(client, tournament, "Kim Lox", display_name_only="on")
    assert "already registered" in Page(again), "names are compared as the public sees them"
    change_settings(tournament, name_privacy="initial")
    assert "Do not show my full name" not in page(client, f"/t/{tournament.slug}/register/")
    tournament = minor(team=True)
    tournament.entries.update(members=["Ada Ruiz", "Sol Vega"])
    assert load_members(tournament, public=True)["P0001"] == ["Ada R.", "Sol V."]
    assert load_members(tournament, public=True)["P0002"] == load_members(tournament)["P0001"]
    assert load_public_names(tournament)["P0001"] == "Kim Lee"  # a team's name


def test_it_goes_along_in_files_sheets_and_merged_entries():
    tournament = minor()
    archive = json.loads(dump_event(tournament))
    assert [entry.get("display_name_only") for entry in archive["entries"]] == [True, None]
    copy = load_event(parse_event(archive), owner=UserFactory(), slug="copy")
    assert load_public_names(copy)["P0001"] == "Kim L."
    roster = read_roster(players_csv(tournament).encode())
    assert [line.fields.get("display_name_only") for line in roster.lines] == [True, None]
    merge_entries(tournament, "P0002", "P0001", reason="registered twice")
    assert load_public_names(tournament, merged=False) == {"P0002": "Bo L."}
