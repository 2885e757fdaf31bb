import datetime as dt
import json
import struct
import zoneinfo
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import find
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page, words_in
from tests.steps import complete_round
from tests.tournament.views.phones import known
from tournament.models import Round, Staff, Tournament
from tournament.progress.posted_rounds import load_rounds_now
from tournament.progress.rail import _ANSWERS
from tournament.services.clock import pause_clock, start_clock
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import archive_event, finish_tournament
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.stages import add_next_day


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
    assert "Round 1 of 3 In progress" in page(client, f"{home}now/", v=event_mark)
    pairings = f"{home}rounds/1/pairings/"
    mark = page(client, pairings).one("[data-v]")["data-v"]
    assert client.get(pairings, {"v": mark}).status_code == 204
    record_result(tournament, 1, 1, TWO_NIL)
    assert client.get(pairings, {"v": mark}).status_code == 204  # a result makes no phone reload
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    said = page(client, pairings, v=mark).one("[data-announce]")["data-announce"]
    assert said == "Pairings for round 2 are up."


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
        assert len(statements) <= (12 if url.endswith("players/P0001/") else 11), url
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


def listed(name, state="open", days=1, **fields):
    copy = TournamentFactory(entries=0, name=name, **fields)
    starts_at = timezone.now() + dt.timedelta(days=days)
    Tournament.objects.filter(pk=copy.pk).update(state=state, starts_at=starts_at)
    return copy


def rows(shown: Page, title: str) -> dict[str, str]:
    headings = [heading for heading in shown.soup.select("h2") if words_in(heading) == title]
    found = headings[0].find_parent("section").select("li") if headings else []
    return {words_in(row.select_one("strong, h3")): words_in(row) for row in found}


def address_of(shown: Page, name: str) -> str:
    (found,) = (tag for tag in shown.soup.select("strong, h3") if words_in(tag) == name)
    return str((found.find_parent("a") or found.a)["href"])


def test_events_stand_where_they_are_on_their_way(client):
    listed("Tonight", "running", 0)
    listed("Later", days=9)
    listed("Soon", days=1)
    listed("By phone", days=2, self_registration=True)
    listed("Done", "finished", -3)
    listed("Never began", days=-30)
    listed("Being set up", "draft")
    listed("Only by its address", listed=False)
    home = page(client, "/")
    assert list(rows(home, "Running")) == ["Tonight"]
    coming = rows(home, "Upcoming")
    assert list(coming) == ["Soon", "By phone", "Later"]
    for name, words in (("Soon", "not started yet"), ("By phone", "registration open")):
        assert words in coming[name] and words.capitalize() in page(client, address_of(home, name))
    assert set(rows(home, "Past")) == {"Done", "Never began"}
    assert "Being set up" not in home and "Only by its address" not in home


def test_the_help_folds_a_dozen_short_answers_that_pages_link_to(client):
    shown = page(client, "/help/")
    assert len(shown.all("summary")) == 12 == len(shown.all("details p[id]"))
    assert shown.one("#judge") and max(len(words.split()) for words in shown.all("details p")) <= 45
    assert page(client, "/").soup.select('a[href="/help/"][aria-label="Help"]')
    assert {"start", "network", *_ANSWERS.values()} == {
        each["id"] for each in shown.soup.select("details p[id]")
    }


def test_an_event_of_two_days_stays_on_the_first_page_on_its_second_day(client):
    two_days = TournamentFactory(entries=4, rounds=1, rounds_planned=1, name="Two days")
    Tournament.objects.update(starts_at=timezone.now() - dt.timedelta(days=1))
    for number in range(12):
        listed(f"Today {number}", "running", 0)
    assert len(rows(page(client, "/"), "Running")) == 13, "all that are being played"
    Tournament.objects.bulk_create(
        Tournament(name="Forgotten", slug=f"forgotten-{n}", ruleset=two_days.ruleset, state="running",
                   starts_at=timezone.now()) for n in range(60)
    )  # fmt: skip
    add_next_day(two_days, 2)
    home = page(client, "/")
    names = list(rows(home, "Running"))
    assert names[0] == "Two days" and names[-1] == "Forgotten" and "Today 0" in names
    assert home.one('a[href*="show=running"]')


def test_every_event_stands_once_mine_first_and_marked_with_my_part_in_it(client):
    me = UserFactory()
    listed("Old", "finished", -5, owner=me)
    listed("Mine", "draft", 9, owner=me, listed=False)
    Staff.objects.create(tournament=listed("Helped", "running", 0), user=me, role="judge")
    listed("Theirs")
    listed("Theirs too", "finished", -1)
    assert "your role" not in page(client, "/") and "Mine" not in page(client, "/")
    client.force_login(me)
    home = page(client, "/")
    for title, name, part in (
        ("Running", "Helped", "judge"),
        ("Upcoming", "Mine", "organizer"),
        ("Past", "Old", "organizer"),
    ):
        first, row = next(iter(rows(home, title).items()))
        assert first == name and f"your role: {part}" in row and address_of(home, name).endswith("/desk/")
    assert all(
        home.all("strong, h3").count(name) == 1 for name in ("Old", "Mine", "Helped", "Theirs", "Theirs too")
    )
    only = page(client, "/", show="mine")
    assert address_of(only, "Mine") == "/t/mine/desk/" and address_of(only, "Old") and "Theirs" not in only


def test_a_running_event_shows_its_round_tables_outstanding_and_clock(client):
    hall = {"round_minutes": 50, "time_zone": "Asia/Tokyo"}
    tournament = TournamentFactory(entries=5, rounds=1, published=True, **hall)
    start_clock(tournament, 2)
    ends = tournament.rounds.get(number=2).ends_at.astimezone(zoneinfo.ZoneInfo("Asia/Tokyo"))

    def now():
        return rows(page(client, "/"), "Running")["Friday night"]

    assert "Round 2 · 2 of 2 tables outstanding" in now() and f"ends {ends:%H:%M}" in now()
    record_result(tournament, 2, 1, TWO_NIL)
    pause_clock(tournament, 2)
    assert "Round 2 · 1 of 2 tables outstanding paused with" in now()
    record_result(tournament, 2, 2, TWO_NIL)
    assert "Round 2 · all results entered" in now() and "ends" not in now()
    RoundFactory(tournament=tournament, drafted=True)
    assert "Round 2 · all results entered" in now()
    bracket = TournamentFactory(entries=8, rounds=1, with_cut=4, name="Cup")
    row = rows(page(client, "/"), "Running")["Cup"]
    assert "2 of 2 tables outstanding" in row and "Bracket" in row and "Round" not in row
    assert load_rounds_now([bracket.pk])[bracket.pk][0].number == 2


def test_a_search_finds_words_of_name_game_and_venue_whatever_the_accents(client):
    me = UserFactory()
    listed("Friday Cup", game="Pokémon TCG", venue="Café Zürich")
    listed("Friday Open", game="Chess")
    listed("Hidden Friday", listed=False, owner=me)
    found = page(client, "/?q=FRIDAY+pokemon+ZURICH")
    assert "1 event with" in found and "Friday Cup" in found and "Friday Open" not in found
    assert "2 events with" in page(client, "/?q=friday")
    assert "No event with that name" in page(client, "/?q=saturday")
    assert "<script>" in page(client, "/?q=<script>") and client.get("/?q=%00").status_code == 200
    client.force_login(me)
    assert address_of(page(client, "/?q=hidden"), "Hidden Friday") == "/t/hidden-friday/desk/"


def test_hundreds_of_events_are_paged_and_cost_the_same(client):
    client.force_login(UserFactory())
    one = listed("Event 000")
    counts = []
    for many in (1, 60):
        Tournament.objects.bulk_create(
            [
                Tournament(name=f"Event {n:03}", slug=f"event-{many}-{n}", ruleset=one.ruleset)
                for n in range(many)
            ]
            + [
                Tournament(name="Live", slug=f"live-{many}-{n}", ruleset=one.ruleset, state="running")
                for n in range(min(many, 9))
            ]
        )
        for address in ("/", "/?show=coming", "/?q=event", "/?show=running", "/?show=nonsense"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            counts.append(len(queries))
    assert counts[:3] == counts[5:8] and max(counts) <= 9
    home, coming = page(client, "/"), page(client, "/?show=coming")
    assert len(rows(home, "Upcoming")) <= 10 and home.one('a[href*="show=coming"]')
    assert len(coming.soup.select('a[href^="/t/event-"]')) == 50
    assert "page 2 of 2" in page(client, "/?show=coming&page=2")


def test_an_archived_event_leaves_every_list_and_search_but_its_staffs_and_stays_at_its_address(client):
    tournament = TournamentFactory(name="Harbor Open", entries=4, rounds=1, finished=True)
    archive_event(tournament, actor=tournament.owner)
    assert "Harbor Open" not in page(client, "/") and "Harbor Open" not in page(client, "/?q=harbor")
    assert client.get(f"/t/{tournament.slug}/standings/").status_code == 200
    client.force_login(tournament.owner)
    home = page(client, "/")
    assert list(rows(home, "My archived events")) == ["Harbor Open"] and not rows(home, "Past")
    assert "Harbor Open" in page(client, "/?show=archive") and "Harbor Open" in page(client, "/?q=harbor")
    archive_event(tournament, False)
    home = page(client, "/")
    assert list(rows(home, "Past")) == ["Harbor Open"] and "My archived events" not in home


def manifest_of(client, address: str) -> dict:
    answer = client.get(page(client, address).one("link[rel=manifest]")["href"])
    assert answer["Content-Type"].startswith("application/manifest+json")
    return json.loads(answer.content)


def test_the_app_opens_where_it_was_installed_with_icons_as_large_as_it_says(client):
    event = TournamentFactory(entries=2, name="Friday <night> & a name that is far too long for a phone")
    home, mine = f"/t/{event.slug}/", known(client, event)
    app, own = manifest_of(client, home), manifest_of(client, mine)
    assert (app["start_url"], own["start_url"]) == (home, f"{home}me/")
    assert {app["id"], own["id"], app["scope"], own["scope"]} == {home}  # one app
    assert app["name"] == event.name and len(app["short_name"]) <= 30
    kinds = {(icon["sizes"], icon["purpose"]) for icon in app["icons"]}
    assert kinds == {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    for icon in app["icons"]:
        header = Path(find(icon["src"].removeprefix("/static/"))).read_bytes()[:24]
        assert "{}x{}".format(*struct.unpack("!II", header[16:])) == icon["sizes"]


def test_browsers_ask_for_the_worker_each_time_and_get_it_once(client):
    answer = client.get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript") and answer["Cache-Control"] == "no-cache"
    assert client.get("/sw.js", headers={"If-None-Match": answer["ETag"]}).status_code == 304
