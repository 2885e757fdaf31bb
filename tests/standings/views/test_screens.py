"""Venue screens: what each shows, what the rotation shows when, what stays hidden, what a poll costs."""

import html
import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.services.announcements import change_announcement
from tournament.services.clock import start_clock
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_settings
from tournament.services.rounds import discard_draft, extend_table

pytestmark = pytest.mark.django_db
ONES = ("pairings", "tables", "standings", "clock", "announcement", "bracket", "seats")


def screen(client, tournament, path="", **query) -> str:
    answer = client.get(f"/t/{tournament.slug}/screen/{path}", query)
    assert answer.status_code == 200 and not answer.cookies
    return html.unescape(answer.content.decode())


def faces(client, tournament) -> list[str]:
    """What the rotation shows, in turn."""
    return re.findall(r'<article id="face-(\w+)-', screen(client, tournament))


def rows(page: str, of: str = "names") -> list[list[str]]:
    """The texts of each row of a face."""
    part = re.search(rf'<ol class="face-rows {of}">(.*?)</ol>', page, re.DOTALL)
    lines = re.findall(r"<li[^>]*>(.*?)</li>", part[1], re.DOTALL) if part else []
    return [re.sub(r"<[^>]*>", "|", line).replace("\n", "").split("|") for line in lines]


def words(page: str, of: str = "names") -> list[list[str]]:
    return [[text.strip() for text in row if text.strip()] for row in rows(page, of)]


def test_the_rotation_follows_the_event(client):
    tournament = TournamentFactory(entries=5, round_minutes=50, rounds_planned=1)
    assert faces(client, tournament) == ["seats"]
    assert len(words(screen(client, tournament))) == 5
    RoundFactory(tournament=tournament, drafted=True)
    assert faces(client, tournament) == ["seats"]
    discard_draft(tournament, 1)
    RoundFactory(tournament=tournament)
    assert faces(client, tournament) == ["pairings"]
    start_clock(tournament, 1)
    assert faces(client, tournament) == ["pairings", "clock"]
    change_announcement(tournament, "Lunch at noon")
    assert faces(client, tournament) == ["announcement", "pairings", "clock"]
    change_announcement(tournament, "")
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    assert faces(client, tournament) == ["standings"]
    make_cut(tournament, 2)
    assert faces(client, tournament) == ["bracket"]
    change_settings(tournament, hold_standings=True)
    assert faces(client, tournament) == []
    assert "will appear here automatically" in screen(client, tournament)


def test_the_organizer_chooses_and_what_has_nothing_to_show_is_left_out(client):
    tournament = TournamentFactory(entries=4, rounds=1, published=True)
    address = reverse("desk-screens", args=[tournament.slug])
    client.force_login(tournament.owner)
    assert "Seconds per page" in client.get(address).content.decode()
    sent = {"screens": ["standings", "tables", "bracket"], "screen_seconds": 7}
    assert client.post(address, sent).status_code == 303
    assert faces(client, tournament) == ["tables", "standings"]
    assert 'data-seconds="7"' in screen(client, tournament)
    assert "now: pairings by table, standings" in client.get(address).content.decode()
    log = html.unescape(client.get(f"/t/{tournament.slug}/desk/log/").content.decode())
    assert "Venue screens none → standings, pairings by table, bracket" in log
    assert client.post(address, {"screens": ["poems"], "screen_seconds": 700}).status_code == 422
    with pytest.raises(Refused):
        change_settings(tournament, screens=["poems"])
    copy = load_event(event_of(json.loads(dump_event(tournament))), slug="copy")
    assert (copy.screens, copy.screen_seconds) == (["standings", "tables", "bracket"], 7)
    change_settings(tournament, screens=["seats"])
    assert faces(client, tournament) == ["pairings"]  # nothing of the chosen is there


def test_a_rotation_that_someone_else_changed_meanwhile_is_not_overwritten(client):
    tournament = TournamentFactory(entries=4, published=True)
    address = reverse("desk-screens", args=[tournament.slug])
    client.force_login(tournament.owner)
    page = html.unescape(client.get(address).content.decode())
    seen = re.search(r'name="seen" value="(.+?)"(?: |>)', page)[1]
    change_settings(tournament, screens=["seats"])
    late = client.post(address, {"screens": ["clock"], "screen_seconds": 12, "seen": seen})
    assert late.status_code == 409 and "Someone else changed the same settings" in late.content.decode()
    tournament.refresh_from_db()
    assert tournament.screens == ["seats"]
    assert client.post(address, {"screens": ["seats"], "screen_seconds": 9, "seen": seen}).status_code == 303


@pytest.mark.parametrize("what", ["pairings", "tables", "standings", "seats"])
def test_several_screens_share_a_list_without_a_gap_or_a_line_twice(client, what):
    tournament = TournamentFactory(entries=11, rounds=0 if what == "seats" else 1, published=what != "seats")
    address = f"/t/{tournament.slug}/screen/{what}/"

    def names(query: str = "") -> list[str]:
        return re.findall(r"Player \d\d", client.get(address + query).content.decode())

    parts = [names(f"?part={part}&of=3") for part in (1, 2, 3)]
    assert parts[0] + parts[1] + parts[2] == names() and all(parts)
    assert 'part/?part=2&amp;of=3"' in client.get(f"{address}?part=2&of=3").content.decode()
    for nonsense in ("?part=0&of=3", "?part=4&of=3", "?part=x&of=2", "?part=1&of=99"):
        assert names(nonsense) == names()


def test_each_screen_shows_its_own(client):
    tournament = TournamentFactory(entries=5, rounds=1, published=True, venue="Big hall")
    shown = {one: screen(client, tournament, f"{one}/") for one in ONES}
    assert all("Big hall" in page and "<form" not in page and "style=" not in page for page in shown.values())
    names = words(shown["pairings"])
    assert [row[0] for row in names] == [f"Player 0{n}" for n in range(1, 6)]
    assert sorted(row[-1] for row in names) == ["1", "1", "2", "2", "bye"]
    assert [row[0] for row in words(shown["tables"], "tables")] == ["1", "2", "–"]
    assert [row[0] for row in words(shown["standings"], "ranks")] == ["1", "2", "3", "4", "5"]
    assert "Standings after round 1" in shown["standings"]
    assert "There is no announcement." in shown["announcement"]
    assert "The player meeting is over." in shown["seats"]
    assert client.get(f"/t/{tournament.slug}/screen/poems/").status_code == 404
    change_announcement(tournament, "Lunch at noon")
    assert (
        screen(client, tournament, "announcement/").count("Lunch at noon") == 3
    )  # line, poll, and the screen


def test_the_first_name_of_each_letter_is_marked(client):
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Zoe", "Älva Berg", "Ada Lind", "Bo", "山田"])
    page = screen(client, tournament, "seats/")
    marked = re.findall(r'<li( class="new")?><span class="name">([^<]*)', page)
    assert [name for new, name in marked if new] == ["Ada Lind", "Bo", "Zoe", "山田"]


def test_the_clock_lists_the_outstanding_tables_with_extra_time(client):
    tournament = TournamentFactory(entries=6, published=True, round_minutes=50)
    mark = re.search(r'data-v="([^"]*)"', screen(client, tournament, "clock/"))[1]
    extend_table(tournament, 1, 2, 5)
    assert client.get(f"/t/{tournament.slug}/screen/clock/part/", {"v": mark}).status_code == 200
    assert "Table 2, 5 min more:" in screen(client, tournament, "clock/")
    enter_results(tournament, 1)
    assert "Table 2" not in screen(client, tournament, "clock/")


def test_names_are_the_public_ones_and_hidden_standings_stay_hidden(client):
    tournament = TournamentFactory(entries=4, rounds=1, published=True)
    change_settings(tournament, name_privacy="initial", hold_standings=True)
    tournament.entries.filter(code="P0001").update(name="Kim Okonkwo")
    for one in ("", *(f"{one}/" for one in ONES)):
        assert "Okonkwo" not in screen(client, tournament, one)
    assert "Kim O." in screen(client, tournament, "pairings/")
    assert "hiding the standings" in screen(client, tournament, "standings/")
    assert words(screen(client, tournament, "standings/"), "ranks") == []


def test_a_poll_is_empty_until_something_changes_and_costs_the_same_for_many(client):
    counts = []
    for entries in (4, 40):
        tournament = TournamentFactory(entries=entries, published=True, name=f"Of {entries}")
        mark = re.search(r'data-v="([^"]*)"', screen(client, tournament))[1]
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/t/{tournament.slug}/screen/part/", {"v": mark})
        assert answer.status_code == 204 and len(queries) <= 3
        for one in ("", *(f"{one}/" for one in ONES)):
            with CaptureQueriesContext(connection) as queries:
                screen(client, tournament, one, theme="dark")
            counts.append((entries, one, len(queries)))
            assert len(queries) <= 8, one
        enter_results(tournament, 1)
        complete_round(tournament, 1)
        RoundFactory(tournament=tournament)
        answer = client.get(f"/t/{tournament.slug}/screen/part/", {"v": mark})
        assert "Round 2 pairings" in answer.content.decode()
    assert [count for entries, *count in counts if entries == 4] == [
        count for entries, *count in counts if entries == 40
    ]


def test_the_theme_can_be_fixed_and_without_a_script_the_page_renews_itself(client):
    tournament = TournamentFactory(entries=4)
    assert 'class="screen">' in screen(client, tournament)
    assert 'class="screen" data-bs-theme="dark"' in screen(client, tournament, theme="dark")
    assert 'class="screen">' in screen(client, tournament, theme="<b>")
    assert '<noscript><meta http-equiv="refresh"' in screen(client, tournament)
