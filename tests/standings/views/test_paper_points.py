"""Points, ranks and places on paper: what a session begins with, and how an event ends."""

import pytest

from standings.bracket.results import record_bracket_result
from standings.paper.lists import STANDINGS
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tests.journeys.test_flights import flights, paired
from tests.standings.views.test_paper import SLIP, get, printed, rows_of
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def test_no_standings_are_printed_before_a_round_is_complete(client):
    event = TournamentFactory(entries=4, published=True)
    client.force_login(event.owner)
    page = printed(client, event, "", 1)
    assert "/print/pairings-by-name/" in page
    assert [key for key in STANDINGS if f"/print/{key}/" in page] == []
    get(client, event, "rounds/1/print/crosstable/", 404)


def test_the_first_round_of_a_second_session_is_printed_with_no_points(client):
    tournament = flights()
    client.force_login(tournament.owner)
    for session in (1, 2):
        number = paired(tournament, session)
    slips = SLIP.findall(printed(client, tournament, "slips/", number))
    assert len(slips) == 2 and all(text.count("0 points") == 2 for _table, text in slips)
    by_name = rows_of(printed(client, tournament, "pairings-by-name/", number))
    assert [row[1] for row in by_name] == ["0"] * 4
    assert get(client, tournament, "take-over.html").count('class="slip"') == 5


def test_the_standings_of_a_bracket_that_is_played_are_the_final_ones(client):
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    client.force_login(tournament.owner)
    number = tournament.rounds.order_by("-number").first().number
    assert "Final standings" not in printed(client, tournament, "standings-by-rank/", number)
    for round_, table in ((number, 1), (number, 2), (number + 1, 1)):
        record_bracket_result(tournament, round_, table, TWO_NIL)
    champion = tournament.rounds.get(number=number + 1).matches.get().seats.get(side="a").entry
    page = printed(client, tournament, "standings-by-rank/", number)
    assert "Final standings" in page and "Final place" in page
    assert [row[0] for row in rows_of(page)] == [str(place) for place in range(1, 9)]
    assert rows_of(page)[0][1] == champion.name
    by_name = rows_of(printed(client, tournament, "standings-by-name/", number))
    assert next(row[0] for row in by_name if champion.name in row[1]) == "1"


def test_points_are_the_same_on_a_slip_and_on_the_phone_where_match_wins_rank_first(client):
    tournament = TournamentFactory(entries=4, ruleset="swu")
    RoundFactory(tournament=tournament)
    for table in (1, 2):
        record_result(tournament, 1, table, Slip("played", 0, 0, 1))  # a draw: a point, and no match won
    RoundFactory(tournament=tournament)
    client.force_login(tournament.owner)
    assert printed(client, tournament, "slips/").count("1 point") == 4
    assert "1 point" in client.get(f"/t/{tournament.slug}/players/P0001/").content.decode()
