import pytest

from pairings.draft.services import draft_next_round
from tests import factories
from tests.journeys.test_flights import flights, paired
from tests.journeys.test_stages import session
from tests.pages import Page, page
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


class Organizer:
    def __init__(self, client, tournament):
        client.force_login(tournament.owner)
        self.client, self.home = client, f"/t/{tournament.slug}/"
        self.tournament = tournament

    def see(self, path: str = "") -> Page:
        return page(self.client, f"{self.home}desk/{path}")

    def post(self, path: str, **fields) -> str:
        answer = self.client.post(f"{self.home}desk/{path}", {"key": key(), **fields})
        assert answer.status_code == 303, (path, answer.status_code)
        return answer.headers["Location"]


def test_standings_are_of_one_session_or_after_the_last_complete_round(client):
    tournament = flights(4, 4, rounds=1)
    for flight in (1, 2):
        factories.enter_results(tournament, paired(tournament, flight))
        complete_round(tournament, flight)
    address = f"/t/{tournament.slug}/standings/"
    everybody, own = page(client, address), page(client, address, session=2)
    assert "Player 01" in everybody and "Flight B 1" in everybody and everybody.all("[href$='?session=2']")
    assert "Flight B 1" in own and "Player 01" not in own and "In Session 2" in own
    single = factories.TournamentFactory(entries=4, rounds_planned=1)
    for slug, wrong in (
        (tournament.slug, "3"),
        (tournament.slug, "x"),
        (tournament.slug, "0"),
        (single.slug, 1),
    ):
        assert client.get(f"/t/{slug}/standings/", {"session": wrong}).status_code == 404
    tournament = flights()
    paired(tournament, 1)
    factories.enter_results(tournament, paired(tournament, 2))
    complete_round(tournament, 2)
    assert "Standings after round 2" in page(client, f"/t/{tournament.slug}/standings/")
    assert client.get(f"/t/{tournament.slug}/standings/", {"after": 1}).status_code == 404


def test_where_there_is_one_session_no_page_speaks_of_sessions(client):
    tournament = factories.TournamentFactory(entries=4, published=True)
    desk = Organizer(client, tournament)
    for path in (
        "", "players/", "players/add/", "players/P0001/", "players/check-in/", "starting-list/", "no-shows/",
        "rounds/1/",
    ):  # fmt: skip
        shown = desk.see(path)
        assert "Session 1" not in shown and not shown.all("[name=session]:not([type=hidden])"), path
    for path in ("", "rounds/1/"):
        assert "Session 1" not in page(client, desk.home + path), path


def test_the_public_page_moves_its_mark_when_either_flight_goes_on(client):
    tournament = flights()
    paired(tournament, 1)
    paired(tournament, 2)
    address = f"/t/{tournament.slug}/now/"

    def unchanged(shown):
        return client.get(address, {"v": shown.one("[data-v]")["data-v"]}).status_code == 204

    shown = page(client, address)
    assert unchanged(shown)
    factories.enter_results(tournament, 1)
    complete_round(tournament, 1)
    assert not unchanged(shown), "round 2 is still the newest"
    shown = page(client, address)
    assert "Round 2 In progress" in shown and unchanged(shown)
    draft_next_round(tournament, flight=1)
    publish_round(tournament, 3)
    assert not unchanged(shown)


@pytest.mark.parametrize("players", [4, 40])
def test_the_desk_of_flights_asks_as_little_for_many_players_as_for_few(
    client, players, django_assert_max_num_queries
):
    tournament = flights(players, players)
    paired(tournament, 1)
    client.force_login(tournament.owner)
    for path, most in (("", 23), ("players/", 16), ("players/check-in/", 15), ("rounds/1/", 23)):
        with django_assert_max_num_queries(most):
            client.get(f"/t/{tournament.slug}/desk/{path}")


def test_what_to_look_at_before_publishing_is_of_the_session_alone(client):
    tournament = flights()
    desk = Organizer(client, tournament)
    first = paired(tournament, 1)
    draft_next_round(tournament, flight=2)
    assert "Every result" not in desk.see("rounds/2/draft/"), "session 1 is still playing round 1"

    publish_round(tournament, 2)
    factories.enter_results(tournament, first)
    drop_entry(tournament, "P0002")
    add_entries(tournament, ["Late Lou"], stage=1)
    draft_next_round(tournament, flight=1)
    shown = desk.see("rounds/3/draft/")
    assert "All results of round 1 are in." in shown
    assert "1 dropped since the last round: " in shown and "Player 02: " in shown
    assert "1 joined late: Late Lou." in shown


def test_staff_open_a_session_and_a_day_and_enter_players_again(client):
    tournament = factories.TournamentFactory(entries=6, ruleset="twixt", rounds_planned=2)
    desk = Organizer(client, tournament)
    shown = desk.see("settings/stages/")
    assert "Open a session" in shown and "Open the next day" not in shown
    session(tournament, 2)
    shown = desk.see("settings/stages/")
    assert "Session 1" in shown and "Open a session" in shown and "Open the next day" in shown
    sent = {"what": "session", "key": key(), "minutes": ""}
    for _ in range(2):
        desk.post("settings/stages/", **sent)
    assert tournament.stages.count() == 2, "sent twice, done once"
    assert "Re-enter in session 2" in desk.see("players/P0001/")
    desk.post("players/P0001/again/")
    assert client.post(f"{desk.home}desk/players/P0001/again/", {"key": key()}).status_code == 409
    assert "Re-enter" not in desk.see("players/P0007/")
    shown = desk.see("settings/stages/")
    assert "Session 2" in shown and "1 re-entered" in shown and "not started" in shown
    players = desk.see("players/?add=names")
    assert "session 2" in players and "counts as a loss" not in players, "nobody is late before it begins"
    home = desk.see()
    assert "Pair round 3" in home and "Rounds 3–4" in home, "the road goes on through the second session"
    add_entries(tournament, ["New"])
    session(tournament, 2)
    desk.post("settings/stages/", what="day", rounds=1, size=4, points="")
    day = tournament.stages.get(number=3)
    assert day.stage_entries.count() == 4 and day.sources == [1, 2]
    log = desk.see("log/").words.lower()
    assert "a session opened" in log and "a day with carried-over points opened" in log
    for wrong in ({"rounds": ""}, {"rounds": 99}, {"rounds": 1, "points": "many"}, {"rounds": 1, "size": 1}):
        answer = client.post(f"{desk.home}desk/settings/stages/", {"what": "day", "key": key(), **wrong})
        assert answer.status_code == 422


@pytest.mark.parametrize("players", [2, 60])
def test_the_page_of_stages_asks_as_little_for_many_players_as_for_few(
    client, players, django_assert_max_num_queries
):
    tournament = factories.TournamentFactory(entries=players)
    client.force_login(tournament.owner)
    with django_assert_max_num_queries(12):
        client.get(f"/t/{tournament.slug}/desk/settings/stages/")
