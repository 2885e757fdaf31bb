import pytest
from bs4 import Tag
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import TWO_NIL, TournamentFactory
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import code_of
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def saved(client, tournament) -> Page:
    client.force_login(tournament.owner)
    answer = client.get(f"/t/{tournament.slug}/desk/print/everything.html")
    assert answer.status_code == 200
    assert f'filename="{tournament.slug}-paper.html"' in answer["Content-Disposition"]
    return Page(answer)


def parts_of(file: Page) -> dict[str, Tag]:
    return {words_in(link): file.one(link["href"]) for link in file.soup.select('a[href^="#part-"]')}


def rows_of(part: Tag) -> list[list[str]]:
    return [[words_in(cell) for cell in row.select("td")] for row in part.select("tbody tr")]


def test_a_round_in_play_is_there_with_slips_of_the_open_tables_only(client):
    tournament = TournamentFactory(entries=9, rounds=1, published=True)
    record_result(tournament, 2, 1, TWO_NIL)
    drop_entry(tournament, "P0003")
    file = saved(client, tournament)
    parts = parts_of(file)
    assert list(parts) == [
        "Pairings by name, round 2",
        "Pairings by table, round 2",
        "Match slips of the outstanding tables, round 2",
        "Master result sheet, round 2",
        "Standings after round 1",
        "Crosstable",
        "Dropped players",
        "Result sheet, round ____",
        "Sign-up sheet",
    ]
    slips = parts["Match slips of the outstanding tables, round 2"]
    codes = [words_in(code) for code in slips.select(".slip .code b")]
    assert codes == [code_of(tournament, table, 2) for table in (2, 3, 4)]
    results = [row[2] for row in rows_of(parts["Master result sheet, round 2"])]
    assert results == ["2–0", "", "", ""]
    assert rows_of(parts["Dropped players"]) == [["Player 03", "dropped", "2"]]
    assert "master result sheet of round 2" in file


def test_a_draft_is_there_as_a_draft(client):
    tournament = TournamentFactory(entries=9, rounds=1, drafted=True)
    file = saved(client, tournament)
    matches = tournament.rounds.get(number=2).matches.exclude(table=None).order_by("table")
    drafted = [
        [str(match.table), *match.seats.order_by("side").values_list("entry__name", flat=True)]
        for match in matches
    ]
    shown = rows_of(parts_of(file)["Master result sheet, round 2 (draft)"])
    assert [[row[0], row[1], row[3]] for row in shown] == drafted
    assert "The pairings of round 2 are a draft: they are not published." in file
    assert not file.all(".slip")


def test_a_bracket_is_drawn_and_before_round_1_there_are_seats_and_blank_sheets(client):
    file = saved(client, TournamentFactory(entries=8, rounds=3, with_cut=4))
    parts = parts_of(file)
    assert "Bracket of 4" in words_in(parts["Bracket"])
    assert len(parts["Match slips of the outstanding tables, semifinals"].select(".slip")) == 2
    assert "Write each winner on the bracket" in file
    assert "Seatings for the player meeting" in parts_of(saved(client, TournamentFactory(entries=4)))
    empty = parts_of(saved(client, TournamentFactory(entries=0)))
    assert {"Sign-up sheet", "Result sheet, round ____"} <= empty.keys()


def test_the_file_needs_nothing_but_itself_and_is_offered_but_not_to_judges(client):
    tournament = TournamentFactory(entries=4, published=True)
    change_settings(tournament, name_privacy="initial", hold_standings=True)
    rename_entry(tournament, "P0004", "Ångström <b>寿限無</b>")
    file = saved(client, tournament)
    text = file.answer.content.decode()
    assert "&lt;b&gt;寿限無" in text and "url(" not in text and "@import" not in text
    assert not file.soup.select("script, link, form")
    assert all(tag["src"].startswith("data:") for tag in file.soup.select("[src]"))
    assert all(tag["href"].startswith("#part-") for tag in file.soup.select("[href]"))
    assert ".slips {" in text and ".cover {" in text and "default-src 'none'" in text
    client.force_login(tournament.owner)
    offers = [f"/t/{tournament.slug}/desk/{path}" for path in ("print/", "rounds/1/print/")]
    assert all(page(client, offer).one('a[download][href$="everything.html"]') for offer in offers)
    tournament.staff.update(role="judge")
    assert not any(page(client, offer).soup.select('a[href$="everything.html"]') for offer in offers)


def test_it_costs_the_same_queries_at_any_size(client):
    counts = []
    for players in (4, 40):
        tournament = TournamentFactory(entries=players, rounds=1, published=True)
        client.force_login(tournament.owner)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/t/{tournament.slug}/desk/print/everything.html")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20
