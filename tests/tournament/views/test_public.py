"""Public pages of the facts: what everybody sees, at what cost, and what nobody learns from them."""

import gzip
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.models import Round
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import create_tournament, finish_tournament
from tournament.services.results import record_result
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def get_page(client, url, **headers):
    """(answer, SQL statements it took)."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(url, **headers)
    return answer, [query["sql"] for query in queries]


def text(answer) -> str:
    return answer.content.decode()


def mark_in(page: str) -> str:
    return re.search(r'data-v="([^"]*)"', page)[1]


def every_page(tournament) -> list[str]:
    home = f"/t/{tournament.slug}/"
    below = ["", "now/", "rounds/1/", "rounds/1/?by=table", "rounds/1/pairings/", "standings/"]
    below += ["standings/table/", "standings/P0001/match_points/", "bracket/", "bracket/tree/", "players/"]
    below += ["players/?q=pla", "players/P0001/", "players/P0001/now/", "rules/", "rules/words/"]
    return [home + path for path in below]


def test_a_draft_is_nobodys_business_until_it_is_published(client):
    tournament = TournamentFactory(entries=8)
    draft_next_round(tournament)
    assert client.get(f"/t/{tournament.slug}/rounds/1/").status_code == 404
    assert client.get(f"/t/{tournament.slug}/rounds/1/pairings/").status_code == 404
    page = text(client.get(f"/t/{tournament.slug}/players/P0001/"))
    assert "Not started yet" in page


def test_pairings_by_name_show_each_match_twice(client):
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    page = text(client.get(f"/t/{tournament.slug}/rounds/1/?by=name"))
    assert all(page.count(f"Player {number:02d}") == 2 for number in range(1, 9))
    rows = re.findall(r'<th scope="row"><a[^>]*>([^<]*)</a>', page)
    assert rows == sorted(rows)


def test_results_show_when_the_round_is_complete(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    record_result(tournament, 1, 1, TWO_NIL)
    url = f"/t/{tournament.slug}/rounds/1/?by=table"
    assert "2–0" not in text(client.get(url))
    record_result(tournament, 1, 2, TWO_NIL)
    complete_round(tournament, 1)
    assert text(client.get(url)).count("2–0") == 2


def test_a_poll_is_answered_204_until_the_next_round_is_posted(client):
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    url = f"/t/{tournament.slug}/rounds/1/pairings/"
    mark = mark_in(text(client.get(url)))
    assert client.get(url, {"v": mark}).status_code == 204
    record_result(tournament, 1, 1, TWO_NIL)
    assert client.get(url, {"v": mark}).status_code == 204  # a result makes no phone reload
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    answer = client.get(url, {"v": mark})
    assert answer.status_code == 200
    assert 'data-announce="Round 2 pairings are up."' in text(answer)


def test_the_page_holds_the_very_part_that_is_polled(client):
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    page = text(client.get(f"/t/{tournament.slug}/rounds/1/"))
    assert text(client.get(f"/t/{tournament.slug}/rounds/1/pairings/")).strip() in page


def test_a_page_that_did_not_change_is_a_304(client):
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    url = f"/t/{tournament.slug}/rounds/1/"
    etag = client.get(url).headers["ETag"]
    again = client.get(url, headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    rename_entry(tournament, "P0001", "Ada")
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 200


def test_every_page_leads_to_the_newest_pairings_as_soon_as_they_are_posted(client):
    tournament = TournamentFactory(entries=4)
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    pages = [
        f"/t/{tournament.slug}/{path}" for path in ("rules/", "standings/", "standings/P0001/", "players/")
    ]
    tags = {url: client.get(url).headers["ETag"] for url in pages}
    RoundFactory(tournament=tournament)
    for url, tag in tags.items():
        answer = client.get(url, headers={"If-None-Match": tag})
        assert answer.status_code == 200, url
        assert f"/t/{tournament.slug}/rounds/2/" in text(answer), url


def test_who_moves_first_is_said_where_sides_count(client):
    tournament = TournamentFactory(entries=6, ruleset="twixt")
    RoundFactory(tournament=tournament)
    page = text(client.get(f"/t/{tournament.slug}/rounds/1/"))
    assert page.count("moves first</span>") == 6


def test_three_letters_find_a_player_and_equal_names_are_told_apart(client):
    tournament = TournamentFactory(entries=3)
    for code in ("P0001", "P0002"):
        rename_entry(tournament, code, "Ada Ruiz")
    page = text(client.get(f"/t/{tournament.slug}/players/", {"q": "rui"}))
    assert "Ada Ruiz (1 of 2)" in page
    assert "Ada Ruiz (2 of 2)" in page
    assert "Player 03" not in page


@pytest.mark.parametrize("query", ["\x00", "%", "'; DROP TABLE", "<script>", "\ud7ff" * 90, "a" * 5000])
def test_a_hostile_question_finds_nobody_and_breaks_nothing(client, query):
    tournament = TournamentFactory(entries=3)
    for path, status in (("players/", 200), ("standings/table/", 404), ("now/", 200)):
        answer = client.get(f"/t/{tournament.slug}/{path}", {"q": query, "v": query, "by": query})
        assert answer.status_code == status
        assert "<script>" not in text(answer)


def test_a_question_is_shown_as_it_was_understood(client):
    tournament = TournamentFactory(entries=3)
    html = client.get(f"/t/{tournament.slug}/players/", {"q": "\u202enobody\x00"}).content.decode()
    assert "“nobody”" in html and "\x00" not in html and "\u202e" not in html


@pytest.mark.parametrize(
    "path",
    "rounds/9/ rounds/99999/ rounds/0/ rounds/x/ players/P9999/ players/%00/ "
    "standings/P0001/nonsense/ standings/P9999/match_points/".split(),
)
def test_what_is_not_there_is_a_404(client, path):
    tournament = TournamentFactory(entries=4, rounds=1)
    assert client.get(f"/t/{tournament.slug}/{path}").status_code == 404


def test_an_event_that_is_being_set_up_is_not_public(client):
    tournament = TournamentFactory(entries=3)
    type(tournament).objects.filter(pk=tournament.pk).update(state="draft")
    assert {client.get(url).status_code for url in every_page(tournament)} == {404}


def test_an_empty_event_says_what_comes_next(client):
    tournament = TournamentFactory(entries=0)
    assert "Not started yet" in text(client.get(f"/t/{tournament.slug}/"))
    assert "No one is registered yet" in text(client.get(f"/t/{tournament.slug}/players/"))
    assert "No one is registered yet" in text(client.get(f"/t/{tournament.slug}/standings/"))


def test_no_public_page_sets_a_cookie_or_depends_on_one_or_names_staff(client):
    tournament = TournamentFactory(entries=6, rounds=2)
    complete_round(tournament, 2)
    tournament.entries.update(contact="ada@example.org", notes="owes a fee")
    tournament.entries.filter(code="P0001").update(key_hash="f" * 64, external_id="DCI-1234567")
    owner = tournament.owner.username
    for url in every_page(tournament):
        answer = client.get(url)
        assert answer.status_code == 200, url
        assert not answer.cookies, url
        assert "Cookie" not in answer.headers.get("Vary", ""), url
        page = text(answer)
        secrets = ["ada@example.org", "owes a fee", "f" * 64, "DCI-1234567", owner, "csrf", tournament.seed]
        assert [word for word in secrets if word in page] == [], url


@pytest.mark.parametrize("session", ["zzz", "a" * 32])
def test_a_session_that_means_nothing_is_left_alone_on_a_public_page(client, settings, session):
    tournament = TournamentFactory(entries=2)
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    answer = client.get(f"/t/{tournament.slug}/")
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")


def test_signing_in_changes_nothing_on_a_public_page(client):
    tournament = TournamentFactory(entries=6, rounds=1)
    anonymous = [client.get(url).content for url in every_page(tournament)]
    client.force_login(tournament.owner)
    assert [client.get(url).content for url in every_page(tournament)] == anonymous


def test_reading_opens_no_transaction_and_writes_nothing(client):
    tournament = TournamentFactory(entries=6, rounds=2)
    for url in every_page(tournament):
        _answer, statements = get_page(client, url)
        # DECLARE: PostgreSQL reads long answers by a cursor.
        assert {sql.split()[0].upper() for sql in statements} <= {"SELECT", "DECLARE"}, url


@pytest.mark.parametrize("players", [2, 40])
def test_no_page_takes_more_queries_the_larger_the_event_is(client, players):
    tournament = TournamentFactory(entries=players, rounds=1)
    complete_round(tournament, 1)
    for url in every_page(tournament):
        answer, statements = get_page(client, url)
        assert answer.status_code == 200
        # A player's page looks at the whole event once after each round, for everybody's rank.
        assert len(statements) <= (12 if url.endswith("players/P0001/") else 8), url
        _answer, again = get_page(client, url)
        if "?q=" not in url and "match_points" not in url:
            assert len(again) <= 3, url


def test_gzip_is_sent_to_whoever_reads_it(client):
    tournament = TournamentFactory(entries=4)
    url = f"/t/{tournament.slug}/players/"
    packed = client.get(url, headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == client.get(url).content


def test_the_seed_is_public_only_at_the_end(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    home = f"/t/{tournament.slug}/"
    assert tournament.seed_commitment in text(client.get(home))
    assert tournament.seed not in text(client.get(home))
    finish_tournament(tournament)
    assert tournament.seed in text(client.get(home))


def test_the_home_follows_the_event(client):
    tournament = TournamentFactory(entries=4)
    url = f"/t/{tournament.slug}/now/"
    mark = mark_in(text(client.get(url)))
    assert client.get(url, {"v": mark}).status_code == 204
    draft_next_round(tournament)
    assert client.get(url, {"v": mark}).status_code == 204
    publish_round(tournament, 1)
    assert "Round 1 is in progress" in text(client.get(url, {"v": mark}))


def test_eighty_characters_in_any_script_are_shown_whole_and_harmless(client):
    tournament = create_tournament("Long", "mtr", owner=TournamentFactory(entries=0).owner)
    names = ["W" * 80, "王" * 80, "<b>" + "x" * 70 + "</b>"]
    add_entries(tournament, names)
    page = text(client.get(f"/t/{tournament.slug}/players/"))
    assert names[0] in page
    assert names[1] in page
    assert "<b>" not in page


def test_a_round_being_repaired_stays_posted(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    Round.objects.filter(tournament=tournament).update(state="repairing")
    assert "re-pairing in progress" in text(client.get(f"/t/{tournament.slug}/rounds/1/"))


def test_search_engines_are_kept_off_an_event_that_is_not_listed(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    pages = [
        f"/t/{tournament.slug}/{path}"
        for path in ("", "rounds/1/", "standings/", "players/", "players/P0001/")
    ]
    for listed in (True, False):
        change_settings(tournament, listed=listed)
        for page in pages:
            assert ('name="robots"' in text(client.get(page))) is not listed, page
