"""What the take-over holds, and what it says where something is missing."""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, TournamentFactory, enter_results
from tournament.models import Action
from tournament.results.slip_code import slip_check
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def saved(client, tournament) -> str:
    """The file as the organizer saves it."""
    client.force_login(tournament.owner)
    answer = client.get(f"/t/{tournament.slug}/desk/take-over.html")
    assert answer.status_code == 200
    assert f'filename="{tournament.slug}-take-over.html"' in answer["Content-Disposition"]
    return html.unescape(answer.content.decode())


def parts_of(page: str) -> dict[str, str]:
    """{title: HTML} of the parts that the first sheet lists."""
    titles = re.findall(r'<a href="#part-\d+">(.*?)</a>', page)
    return dict(zip(titles, page.split('<div class="part"')[1:], strict=True))


def rows_of(part: str) -> list[list[str]]:
    bodies = "".join(re.findall(r"<tbody>.*?</tbody>", part, re.DOTALL))
    return [
        [re.sub(r"<[^>]*>|\s+", " ", cell).strip() for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)]
        for row in re.findall(r"<tr>(.*?)</tr>", bodies, re.DOTALL)
    ]


def test_a_round_in_play_is_there_with_slips_of_the_open_tables_only(client):
    tournament = TournamentFactory(entries=9, rounds=1, published=True)
    record_result(tournament, 2, 1, TWO_NIL)
    drop_entry(tournament, "P0003")
    page = saved(client, tournament)
    parts = parts_of(page)
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
    assert re.findall(r'class="slip" aria-label="Match slip, table (\d+)"', slips) == ["2", "3", "4"]
    for match in tournament.rounds.get(number=2).matches.filter(result=None):
        a, b = (seat.entry for seat in match.seats.order_by("side"))
        assert f"2-{match.table}-{slip_check(tournament.slug, 2, match.table, (a.code, b.code))}" in slips
    results = [row[2] for row in rows_of(parts["Master result sheet, round 2"])]
    assert results == ["2–0", "", "", ""]
    assert rows_of(parts["Dropped players"]) == [["Player 03", "dropped", "2"]]
    assert "There are no pairings for the next round yet: Round 2 is still waiting for results" in page
    assert "master result sheet of round 2" in page


def test_the_next_round_is_the_one_that_would_be_drafted_and_nothing_is_written(client):
    tournament = TournamentFactory(entries=9, rounds=1, published=True)
    enter_results(tournament, 2)
    actions = Action.objects.count()
    page = saved(client, tournament)
    tournament.refresh_from_db()
    assert (Action.objects.count(), tournament.rounds.count()) == (actions, 2)
    shown = rows_of(parts_of(page)["Master result sheet, round 3 (provisional)"])
    assert "Provisional: not published." in page
    assert "The pairings for round 3 in this file are provisional" in page
    draft_next_round(tournament)
    names = {entry.pk: entry.name for entry in tournament.entries.all()}
    drafted = [
        [str(match.table), *(names[seat.entry_id] for seat in match.seats.order_by("side"))]
        for match in tournament.rounds.get(number=3).matches.exclude(table=None).order_by("table")
    ]
    assert [[row[0], row[1], row[3]] for row in shown] == drafted
    # The draft itself is shown in the same way.
    again = parts_of(saved(client, tournament))
    for title in ("Pairings by name", "Master result sheet"):  # with the points of the round just played
        title = f"{title}, round 3 (provisional)"
        assert rows_of(again[title]) == rows_of(parts_of(page)[title])


def test_a_bracket_is_drawn_with_slips_and_no_pairing_to_come(client):
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    page = saved(client, tournament)
    parts = parts_of(page)
    assert "Bracket of 4" in parts["Bracket"]
    assert parts["Match slips of the outstanding tables, round 4"].count('class="slip"') == 2
    assert "no pairings for the next round" not in page
    assert "Write each winner on the bracket" in page


def test_before_the_first_round_there_are_seats_and_provisional_pairings(client):
    parts = parts_of(saved(client, TournamentFactory(entries=4)))
    assert {"Seatings for the player meeting", "Pairings by name, round 1 (provisional)"} <= parts.keys()
    empty = parts_of(saved(client, TournamentFactory(entries=0)))
    assert {"Sign-up sheet", "Result sheet, round ____"} <= empty.keys()


def test_the_file_needs_nothing_but_itself(client):
    tournament = TournamentFactory(entries=4, published=True)
    change_settings(tournament, name_privacy="initial", hold_standings=True)
    rename_entry(tournament, "P0004", "Ångström <b>寿限無</b>")
    page = saved(client, tournament)
    assert "&lt;b&gt;寿限無" in client.get(f"/t/{tournament.slug}/desk/take-over.html").content.decode()
    assert not re.search(r"<script|<link|<form|url\(|@import", page)
    assert all(source.startswith("data:") for source in re.findall(r'src="([^"]*)"', page))
    assert all(link.startswith("#part-") for link in re.findall(r'href="([^"]*)"', page))
    assert ".slips {" in page and ".cover {" in page
    assert "default-src 'none'" in page


def test_it_costs_the_same_queries_at_any_size(client):
    counts = []
    for players in (4, 40):
        tournament = TournamentFactory(entries=players, rounds=1, published=True)
        client.force_login(tournament.owner)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/t/{tournament.slug}/desk/take-over.html")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_the_button_is_where_the_desk_looks_and_not_for_judges(client):
    tournament = TournamentFactory(entries=4, published=True)
    client.force_login(tournament.owner)
    link = f'href="/t/{tournament.slug}/desk/take-over.html" download'
    pages = [f"/t/{tournament.slug}/desk/{path}" for path in ("", "print/", "rounds/1/print/")]
    assert all(link in client.get(page).content.decode() for page in pages)
    tournament.staff.update(role="judge")
    assert not any(link in client.get(page).content.decode() for page in pages)
