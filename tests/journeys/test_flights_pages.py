"""Two flights through the pages, as one organizer plays them: every page says which session it means."""

import re

import pytest

from pairings.draft.services import draft_next_round
from tests import factories
from tests.journeys.test_flights import flights, paired, sessions_of
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.models import Tournament
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


class Organizer:
    """The owner, signed in, by plain forms."""

    def __init__(self, client, owner, tournament):
        client.force_login(owner)
        self.client, self.slug = client, tournament.slug

    def get(self, path: str = "", base: str = "desk/") -> str:
        answer = self.client.get(f"/t/{self.slug}/{base}{path}")
        assert answer.status_code == 200, (path, answer.status_code)
        return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())

    def post(self, path: str, status: int = 303, **fields) -> str:
        answer = self.client.post(f"/t/{self.slug}/desk/{path}", {"key": key(), **fields})
        assert answer.status_code == status, (path, answer.status_code, answer.content.decode()[:2000])
        return answer.headers.get("Location", "")

    def play(self, session: int) -> int:
        """Pair, publish and enter the session's next round by its own button. Answers its number."""
        draft = self.post("pair/", session=session)
        number = int(re.search(r"rounds/(\d+)/", draft)[1])
        self.post(f"rounds/{number}/publish/")
        factories.enter_results(Tournament.objects.get(slug=self.slug), number)
        return number


@pytest.mark.long
def test_the_whole_road_of_two_flights(client):
    owner = factories.UserFactory()
    tournament = factories.TournamentFactory(entries=0, owner=owner, rounds_planned=2, cut=4)
    desk = Organizer(client, owner, tournament)
    desk.post("stages/", what="session", minutes=40, ends_at="2026-11-21T18:00")
    stages = desk.get("stages/")
    assert "Session 2 40 minutes per round until 21 Nov, 18:00" in stages
    assert desk.post("stages/", what="session")  # one too many,
    desk.post("stages/", what="remove", session=3)  # taken away again
    assert tournament.stages.count() == 2

    # Entries go into the session that is chosen, and one moves.
    desk.post("players/", names="Ada\nBo\nCem\nDee\nGus")
    assert desk.post("players/", names="Hal\nIda\nJan", session=2).endswith("?session=2")
    desk.post("add-player/", name="Kim", session=2)
    lists = desk.get("players/?session=2")
    assert "Hal" in lists and "Kim" in lists and "Ada" not in lists
    everybody = desk.get("players/")
    assert "Session 1" in everybody and "Session 2" in everybody and "9 players" in everybody
    page = desk.get("players/P0005/")
    assert "Gus" in page and "Session 1" in page and "Move to this session" in page
    desk.post("players/P0005/move/", session=2)
    assert sessions_of(tournament, "P0005") == [2]
    assert "Gus moved from session 1 to session 2" in desk.get("log/")
    assert (
        "no session 7"
        in client.post(
            f"/t/{tournament.slug}/desk/players/", {"names": "X", "session": 7, "key": key()}
        ).content.decode()
    )

    # Who does not come, and the starting list, of one session each.
    desk.post("check-in/", here="P0006")
    html = desk.get("no-shows/?session=2")
    assert "Kim" in html and "Ada" not in html
    desk.post("check-in/", away="P0006")
    assert "Hal" in desk.get("starting-list/?session=2") and "Ada" in desk.get("starting-list/")

    # Each session has its own button; one is paired while the other is played.
    home = desk.get()
    assert "Session 1: pair round 1" in home and "Session 2: pair round 1" in home
    first = desk.post("pair/", session=1)
    desk.post("rounds/1/publish/")
    assert first.endswith("/rounds/1/draft/")
    home = desk.get()
    assert "Session 1: round 1 of 2 2 tables outstanding." in home and "Session 2: pair round 1" in home
    assert desk.play(2) == 2
    assert "Session 2: pair round 2" in desk.get("rounds/2/"), "the session's own next step"
    assert "Round 2 of 4 · Session 2, round 1 of 2" in desk.get("rounds/2/")
    assert "The next step waits for 2 tables" in desk.get("rounds/1/")
    public = desk.get(base="")
    assert "2 sessions in progress" in public
    assert "Session 1, round 1: pairings" in public and "Session 2, round 1: pairings" in public
    assert "Round 2 is posted" not in desk.get("rounds/1/", base=""), "that is the other session's"
    assert desk.play(2) == 3

    # Late goes where it is said; the other session is begun, and loses nothing.
    desk.post("players/", names="Late", session=1, reason="the train was late")
    late = tournament.entries.get(name="Late")
    assert sessions_of(tournament, late.code) == [1] and late.late and late.joined_round == 2
    tournament.refresh_from_db()
    factories.enter_results(tournament, 1)
    assert desk.play(1) == 4
    home = desk.get()
    assert "Session 1: round 2 of 2 played" in home and "Cut to top 4" in home
    assert "Session 1: pair round 3" in home, "one more can be played"

    # One cut over both.
    assert client.post(
        f"/t/{tournament.slug}/desk/cut/", {"size": 4, "key": key(), "best_of": "", "final_best_of": ""}
    ).status_code in (302, 303)
    assert tournament.stages.get(kind="elimination").sources == [1, 2]
    assert "Enter bracket results" in desk.get()
    assert "there are no more sessions" in desk.get("stages/")


def test_the_standings_can_be_read_of_one_session(client):
    tournament = flights(4, 4, rounds=1)
    for session in (1, 2):
        number = paired(tournament, session)
        factories.enter_results(tournament, number)
        complete_round(tournament, number)
    address = f"/t/{tournament.slug}/standings/"
    everybody = client.get(address).content.decode()
    assert "Player 01" in everybody and "Flight B 1" in everybody and "?session=2" in everybody
    own = client.get(address, {"session": 2}).content.decode()
    assert "Flight B 1" in own and "Player 01" not in own and "In Session 2" in own
    for wrong in ("3", "x", "0"):
        assert client.get(address, {"session": wrong}).status_code == 404
    single = factories.TournamentFactory(entries=4, rounds_planned=1)
    assert client.get(f"/t/{single.slug}/standings/", {"session": 1}).status_code == 404


def test_where_there_is_one_session_no_page_speaks_of_sessions(client):
    owner = factories.UserFactory()
    tournament = factories.TournamentFactory(entries=4, owner=owner)
    desk = Organizer(client, owner, tournament)
    publish = factories.RoundFactory(tournament=tournament).number
    pages = ("", "players/", "add-player/", "players/P0001/", "check-in/", "starting-list/", "no-shows/")
    for path in (*pages, f"rounds/{publish}/"):
        assert "Session 1" not in desk.get(path) and 'name="session"' not in desk.get(path), path
    for path in ("", "rounds/1/"):
        assert "Session 1" not in desk.get(path, base=""), path


def test_the_public_page_moves_its_mark_when_either_flight_goes_on(client):
    tournament = flights()
    paired(tournament, 1)
    paired(tournament, 2)
    address = f"/t/{tournament.slug}/now/"
    seen = re.search(r'data-v="([^"]+)"', client.get(address).content.decode())[1]
    assert client.get(address, {"v": seen}).status_code == 204
    factories.enter_results(tournament, 1)
    complete_round(tournament, 1)
    assert client.get(address, {"v": seen}).status_code == 200, "round 2 is still the newest"
    again = client.get(address).content.decode()
    assert "Round 2 is in progress" in again
    seen = re.search(r'data-v="([^"]+)"', again)[1]
    assert client.get(address, {"v": seen}).status_code == 204
    draft_next_round(tournament, flight=1)
    publish_round(tournament, 3)
    assert client.get(address, {"v": seen}).status_code == 200


def test_standings_say_the_last_complete_round_though_one_before_is_being_played(client):
    tournament = flights()
    paired(tournament, 1)
    factories.enter_results(tournament, paired(tournament, 2))
    complete_round(tournament, 2)
    html = client.get(f"/t/{tournament.slug}/standings/").content.decode()
    assert "Standings after round 2" in html
    assert client.get(f"/t/{tournament.slug}/standings/", {"after": 1}).status_code == 404


@pytest.mark.parametrize("players", [4, 40])
def test_the_desk_of_flights_asks_as_little_for_many_players_as_for_few(
    client, players, django_assert_max_num_queries
):
    owner = factories.UserFactory()
    tournament = flights(players, players, owner=owner)
    paired(tournament, 1)
    client.force_login(owner)
    for path, most in (("", 22), ("players/", 16), ("check-in/", 14), ("rounds/1/", 22)):
        with django_assert_max_num_queries(most):
            client.get(f"/t/{tournament.slug}/desk/{path}")


def test_what_to_look_at_before_publishing_is_of_the_session_alone(client):
    tournament = flights()
    desk = Organizer(client, tournament.owner, tournament)
    first = paired(tournament, 1)
    draft_next_round(tournament, flight=2)
    assert "Every result" not in desk.get("rounds/2/draft/"), "session 1 is still playing round 1"

    publish_round(tournament, 2)
    factories.enter_results(tournament, first)
    drop_entry(tournament, "P0002")
    add_entries(tournament, ["Late Lou"], stage=1)
    draft_next_round(tournament, flight=1)
    page = desk.get("rounds/3/draft/")
    assert "All results of round 1 are in." in page
    assert "1 dropped since the last round: " in page and "Player 02: " in page
    assert "1 joined late: Late Lou." in page
