import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page
from tests.steps import complete_round
from tournament.models import Round
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def get_page(client, url, **headers):
    """(answer, SQL statements it took)."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(url, **headers)
    return answer, [query["sql"] for query in queries]


def every_page(tournament) -> list[str]:
    home = f"/t/{tournament.slug}/"
    below = ["", "now/", "rounds/1/", "rounds/1/?by=table", "rounds/1/pairings/", "standings/"]
    below += ["standings/table/", "standings/P0001/match_points/", "bracket/", "bracket/tree/", "players/"]
    below += [
        "players/?q=pla",
        "players/P0001/",
        "players/P0001/now/",
        "rules/",
        "rules/words/",
        "rounds/1/proof/",
    ]
    below += [f"screen/{what}" for what in ("", "pairings/", "tables/", "standings/", "clock/", "seats/")]
    return [home + path for path in below]


def test_a_draft_is_nobodys_business_until_it_is_published(client):
    tournament = TournamentFactory(entries=8)
    draft_next_round(tournament)
    for part in ("", "pairings/"):
        assert client.get(f"/t/{tournament.slug}/rounds/1/{part}").status_code == 404
    assert "Not started yet" in page(client, f"/t/{tournament.slug}/players/P0001/")


def test_pairings_by_name_show_each_match_twice_and_are_the_part_that_is_polled(client):
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    shown = page(client, f"/t/{tournament.slug}/rounds/1/?by=name")
    assert all(shown.words.count(f"Player {number:02d}") == 2 for number in range(1, 9))
    rows = shown.all("th[scope=row]")
    assert rows and rows == sorted(rows)
    whole, part = (client.get(f"/t/{tournament.slug}/rounds/1/{end}").content for end in ("", "pairings/"))
    assert part.strip() in whole


def test_results_show_when_the_round_is_complete(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    record_result(tournament, 1, 1, TWO_NIL)
    url = f"/t/{tournament.slug}/rounds/1/?by=table"
    assert "2–0" not in page(client, url)
    record_result(tournament, 1, 2, TWO_NIL)
    complete_round(tournament, 1)
    assert page(client, url).words.count("2–0") == 2


def test_a_poll_is_answered_204_until_the_next_round_is_posted(client):
    tournament = TournamentFactory(entries=8)
    home = f"/t/{tournament.slug}/"
    draft_next_round(tournament)
    event_mark = page(client, f"{home}now/").one("[data-v]")["data-v"]
    assert client.get(f"{home}now/", {"v": event_mark}).status_code == 204
    publish_round(tournament, 1)
    assert "Round 1 is in progress" in page(client, f"{home}now/", v=event_mark)
    pairings = f"{home}rounds/1/pairings/"
    mark = page(client, pairings).one("[data-v]")["data-v"]
    assert client.get(pairings, {"v": mark}).status_code == 204
    record_result(tournament, 1, 1, TWO_NIL)
    assert client.get(pairings, {"v": mark}).status_code == 204  # a result makes no phone reload
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert (
        page(client, pairings, v=mark).one("[data-announce]")["data-announce"]
        == "Pairings for round 2 are up."
    )


def test_every_page_leads_to_the_newest_pairings_as_soon_as_they_are_posted(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    complete_round(tournament, 1)
    home = f"/t/{tournament.slug}/"
    pages = [home + path for path in ("rules/", "standings/", "standings/P0001/", "players/")]
    tags = {url: client.get(url).headers["ETag"] for url in pages}
    RoundFactory(tournament=tournament)
    for url, tag in tags.items():
        answer = client.get(url, headers={"If-None-Match": tag})
        assert answer.status_code == 200 and Page(answer).soup.select(f'[href="{home}rounds/2/"]'), url


def test_who_moves_first_is_said_where_sides_count(client):
    tournament = TournamentFactory(entries=6, ruleset="twixt", published=True)
    rows = page(client, f"/t/{tournament.slug}/rounds/1/").all("tbody tr")
    assert sum("moves first" in row for row in rows) == 6


def test_three_letters_find_a_player_and_the_question_is_shown_as_it_was_understood(client):
    tournament = TournamentFactory(entries=3)
    for code in ("P0001", "P0002"):
        rename_entry(tournament, code, "Ada Ruiz")
    shown = page(client, f"/t/{tournament.slug}/players/", q="rui")
    assert "Ada Ruiz (1 of 2)" in shown and "Ada Ruiz (2 of 2)" in shown and "Player 03" not in shown
    html = client.get(f"/t/{tournament.slug}/players/", {"q": "\u202enobody\x00"}).content.decode()
    assert "“nobody”" in html and "\x00" not in html and "\u202e" not in html


@pytest.mark.parametrize("query", ["\x00", "%", "'; DROP TABLE", "<script>", "\ud7ff" * 90, "a" * 5000])
def test_a_hostile_question_finds_nobody_and_breaks_nothing(client, query):
    tournament = TournamentFactory(entries=3)
    for path, status in (("players/", 200), ("standings/table/", 404), ("now/", 200)):
        answer = client.get(f"/t/{tournament.slug}/{path}", {"q": query, "v": query, "by": query})
        assert answer.status_code == status and b"<script>" not in answer.content


@pytest.mark.parametrize(
    "path",
    "rounds/9/ rounds/99999/ rounds/0/ rounds/x/ players/P9999/ players/%00/ "
    "standings/P0001/nonsense/ standings/P9999/match_points/".split(),
)
def test_what_is_not_there_is_a_404(client, path):
    tournament = TournamentFactory(entries=4, rounds=1)
    assert client.get(f"/t/{tournament.slug}/{path}").status_code == 404


def test_an_empty_event_says_what_comes_next_and_long_names_are_shown_whole(client):
    tournament = TournamentFactory(entries=0)
    for path, words in (
        ("", "Not started yet"),
        ("players/", "No one is registered yet"),
        ("standings/", "No one is registered yet"),
    ):
        assert words in page(client, f"/t/{tournament.slug}/{path}")
    names = ["W" * 80, "王" * 80, "<b>" + "x" * 70 + "</b>"]
    add_entries(tournament, names)
    shown = page(client, f"/t/{tournament.slug}/players/")
    assert all(name in shown for name in names)


@pytest.mark.parametrize("session", ["zzz", "a" * 32])
def test_a_session_that_means_nothing_is_left_alone_on_a_public_page(client, settings, session):
    tournament = TournamentFactory(entries=2)
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    answer = client.get(f"/t/{tournament.slug}/")
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")


@pytest.mark.parametrize("players", [2, 40])
def test_no_page_writes_or_takes_more_queries_the_larger_the_event_is(client, players):
    tournament = TournamentFactory(entries=players, rounds=1)
    complete_round(tournament, 1)
    for url in every_page(tournament):
        answer, statements = get_page(client, url)
        assert answer.status_code == 200
        # DECLARE: PostgreSQL reads long answers by a cursor.
        assert {sql.split()[0].upper() for sql in statements} <= {"SELECT", "DECLARE"}, url
        # A player's page looks at the whole event once after each round, for everybody's rank.
        assert len(statements) <= (12 if url.endswith("players/P0001/") else 8), url
        _answer, again = get_page(client, url)
        if "?q=" not in url and "match_points" not in url:
            assert len(again) <= 3, url


def test_the_seed_is_public_only_at_the_end(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    home = f"/t/{tournament.slug}/"
    before = client.get(home).content.decode()
    assert tournament.seed_commitment in before and tournament.seed not in before
    finish_tournament(tournament)
    assert tournament.seed in client.get(home).content.decode()


def test_search_engines_are_kept_off_an_unlisted_event_and_a_round_being_repaired_stays_posted(client):
    tournament = TournamentFactory(entries=4, published=True)
    Round.objects.filter(tournament=tournament).update(state="repairing")
    assert "re-pairing in progress" in page(client, f"/t/{tournament.slug}/rounds/1/")
    tournament = TournamentFactory(entries=4, published=True)
    for listed in (True, False):
        change_settings(tournament, listed=listed)
        for path in ("", "rounds/1/", "standings/", "players/", "players/P0001/"):
            robots = page(client, f"/t/{tournament.slug}/{path}").all("[name=robots]")
            assert bool(robots) is not listed, path
