import json

import pytest

from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page, press, words_in
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import Refused
from tournament.services.clock import start_clock
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.rounds import discard_draft

ONES = ("pairings", "tables", "standings", "clock", "announcement", "bracket", "seats")


def screen(client, tournament, path="", **query) -> Page:
    shown = page(client, f"/t/{tournament.slug}/screen/{path}", **query)
    assert not shown.answer.cookies
    return shown


def faces(client, tournament) -> list[str]:
    articles = screen(client, tournament).soup.select("article.face:not(#face-none)")
    return [article["id"].split("-")[1] for article in articles]


def rows(shown: Page, of: str = ":not(.tables, .ranks)") -> list[list[str]]:
    for hidden in shown.soup.select(".sr"):
        hidden.decompose()
    lines = shown.soup.select(f".face-rows{of} li")
    return [[words_in(part) for part in line.find_all(recursive=False)] for line in lines]


def test_the_rotation_follows_the_event(client):
    tournament = TournamentFactory(entries=5, round_minutes=50, rounds_planned=1)
    assert faces(client, tournament) == ["seats"]
    assert len(rows(screen(client, tournament))) == 5
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


def test_the_organizer_chooses_and_names_are_the_public_ones(client):
    tournament = TournamentFactory(entries=4, rounds=1, published=True)
    address = f"/t/{tournament.slug}/desk/print/"
    client.force_login(tournament.owner)
    first = page(client, address)
    chosen = ["standings", "tables", "bracket"]
    shown = press(client, first, "Save the rotation", screens=chosen, screen_seconds=7)
    assert "Now: pairings by table, standings" in shown
    assert faces(client, tournament) == ["tables", "standings"]
    assert screen(client, tournament).one("#screen")["data-seconds"] == "7"
    log = page(client, f"/t/{tournament.slug}/desk/log/")
    assert "Venue screens: none → standings, pairings by table, bracket" in log
    late = press(client, first, "Save the rotation", screens=["clock"], screen_seconds=12, key=key())
    assert late.status == 409 and "Someone else changed the same settings" in late
    assert client.post(address, {"screens": ["poems"], "screen_seconds": 700}).status_code == 422
    with pytest.raises(Refused):
        change_settings(tournament, screens=["poems"])
    copy = load_event(parse_event(json.loads(dump_event(tournament))), slug="copy")
    assert (copy.screens, copy.screen_seconds) == (chosen, 7)
    change_settings(tournament, screens=["seats"])
    assert faces(client, tournament) == ["pairings"]  # nothing of the chosen is there
    change_settings(tournament, name_privacy="initial", hold_standings=True)
    tournament.entries.filter(code="P0001").update(name="Kim Okonkwo")
    for one in ("", *(f"{one}/" for one in ONES)):
        assert "Okonkwo" not in str(screen(client, tournament, one).soup)
    assert "Kim O." in screen(client, tournament, "pairings/")
    hidden = screen(client, tournament, "standings/")
    assert "hiding the standings" in hidden and rows(hidden, ".ranks") == []


@pytest.mark.parametrize("what", ["pairings", "tables", "standings", "seats"])
def test_several_screens_share_a_list_without_a_gap_or_a_line_twice(client, what):
    tournament = TournamentFactory(entries=11, rounds=0 if what == "seats" else 1, published=what != "seats")

    def names(**query) -> list[str]:
        return screen(client, tournament, f"{what}/", **query).all(".face-rows .name")

    parts = [names(part=part, of=3) for part in (1, 2, 3)]
    assert parts[0] + parts[1] + parts[2] == names() and all(parts)
    second = screen(client, tournament, f"{what}/", part=2, of=3)
    assert second.one("#screen")["data-poll"].endswith("part/?part=2&of=3")
    for part, of in ((0, 3), (4, 3), ("x", 2), (1, 99)):
        assert names(part=part, of=of) == names()


def test_each_screen_shows_its_own_and_marks_the_first_name_of_each_letter(client):
    tournament = TournamentFactory(entries=5, rounds=1, published=True, venue="Big hall")
    shown = {one: screen(client, tournament, f"{one}/") for one in ONES}
    assert all("Big hall" in one and not one.soup.select("form, [style]") for one in shown.values())
    names = rows(shown["pairings"])
    assert [row[0] for row in names] == [f"Player 0{n}" for n in range(1, 6)]
    assert sorted(row[-1] for row in names) == ["1", "1", "2", "2", "bye"]
    assert [row[0] for row in rows(shown["tables"], ".tables")] == ["1", "2", "–"]
    assert [row[0] for row in rows(shown["standings"], ".ranks")] == ["1", "2", "3", "4", "5"]
    assert "Standings after round 1" in shown["standings"]
    assert "There is no announcement." in shown["announcement"]
    assert "The player meeting is over." in shown["seats"]
    assert client.get(f"/t/{tournament.slug}/screen/poems/").status_code == 404
    change_announcement(tournament, "Lunch at noon")
    assert screen(client, tournament, "announcement/").all(".face-said") == ["Lunch at noon"]
    tournament = TournamentFactory(entries=0)
    add_entries(tournament, ["Zoe", "Älva Berg", "Ada Lind", "Bo", "山田"])
    assert screen(client, tournament, "seats/").all("li.new .name") == ["Ada Lind", "Bo", "Zoe", "山田"]


def test_a_poll_is_empty_until_something_changes(client, django_assert_max_num_queries):
    tournament = TournamentFactory(entries=4, published=True)
    part, mark = f"/t/{tournament.slug}/screen/part/", screen(client, tournament).one("#screen")["data-v"]
    for queries in (4, 1):
        with django_assert_max_num_queries(queries):
            assert client.get(part, {"v": mark}).status_code == 204
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    assert "Round 2 pairings" in page(client, part, v=mark)


def test_the_theme_can_be_fixed_and_without_a_script_the_page_renews_itself(client):
    tournament = TournamentFactory(entries=4)

    def theme(**query) -> str | None:
        return screen(client, tournament, **query).one("html").get("data-theme")

    assert (theme(), theme(theme="dark"), theme(theme="<b>")) == (None, "dark", None)
    assert screen(client, tournament).one('noscript meta[http-equiv="refresh"]')
