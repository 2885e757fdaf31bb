import pytest

from standings.table.derivation import rank_picture_of
from standings.table.swiss import ranks_by_round, standings_of
from tests.factories import TournamentFactory
from tests.pages import page
from tournament.event.read import event_of
from tournament.services.event_settings import change_settings
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db


def test_the_page_draws_the_ranks_of_the_standings_after_each_round_unless_they_are_hidden(client):
    tournament = TournamentFactory(entries=9, rounds=4, published=True)
    event = event_of(tournament)
    ranks = ranks_by_round(event)
    for number in (1, 2, 3, 4):
        after = {row.entry: row.rank for row in standings_of(event, number)}
        assert {code: line[number - 1] for code, line in ranks.items()} == after
    assert all(len(line) == 4 for line in ranks.values())  # the open round does not count
    words = f"Rank after each round: {', '.join(map(str, ranks['P0005']))}."
    phone = f"/t/{tournament.slug}/players/P0005/"
    assert page(client, phone).one('[role="img"]:has(polyline)')["aria-label"] == words
    change_settings(tournament, hold_standings=True)
    assert not page(client, phone).soup.select("polyline")


def test_ranks_start_with_the_entry_and_those_of_other_sessions_do_not_follow():
    picture = rank_picture_of([None, 9, 5, 1])
    assert picture.numbers == [(2, 9), (3, 5), (4, 1)]
    assert picture.points == "0.0,1000.0 500.0,500.0 1000.0,0.0"
    assert [*map(tuple, picture.up)] == [("0.00%", "1"), ("50.00%", "5"), ("100.00%", "9")]
    assert rank_picture_of([3, 3]).now == ("100.00%", "50.00%")
    assert rank_picture_of([None, 4]) is None and rank_picture_of([]) is None
    tournament = TournamentFactory(entries=8, rounds=2)
    add_stage(tournament)
    assert ranks_by_round(event_of(tournament)) == {}
