import datetime as dt
import zoneinfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from standings.table.next_day import add_next_day
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page, words_in
from tournament.models import Staff, Tournament
from tournament.progress.posted_rounds import rounds_now_of
from tournament.services.clock import pause_clock, start_clock
from tournament.services.events import archive_event
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def listed(name, state="open", days=1, **fields):
    copy = TournamentFactory(entries=0, name=name, **fields)
    Tournament.objects.filter(pk=copy.pk).update(
        state=state, starts_at=timezone.now() + dt.timedelta(days=days)
    )
    return copy


def rows(shown: Page, title: str) -> dict[str, str]:
    headings = [heading for heading in shown.soup.select("h2") if words_in(heading) == title]
    found = headings[0].find_parent("section").select("tr") if headings else []
    return {words_in(row.a): words_in(row) for row in found if row.a}


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
        assert words in coming[name] and words in page(client, home.link(name))
    assert set(rows(home, "Past")) == {"Done", "Never began"}
    assert "Being set up" not in home and "Only by its address" not in home


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


def test_an_empty_house_says_what_to_do(client):
    home = page(client, "/")
    assert "Run a tournament here, or follow one" in home and "Past" not in home
    client.force_login(UserFactory())
    assert "You have no events yet. Create one: a name and a game are enough" in page(client, "/?show=mine")


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
        assert first == name and f"your role: {part}" in row and home.link(name).endswith("/desk/")
    assert all(home.all("a").count(name) == 1 for name in ("Old", "Mine", "Helped", "Theirs", "Theirs too"))
    only = page(client, "/", show="mine")
    assert only.link("Mine") == "/t/mine/desk/" and only.link("Old") and "Theirs" not in only


def test_a_running_event_shows_its_round_tables_outstanding_and_clock(client):
    tournament = TournamentFactory(
        entries=5, rounds=1, published=True, round_minutes=50, time_zone="Asia/Tokyo"
    )
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
    assert rounds_now_of([bracket.pk])[bracket.pk][0].number == 2


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
    assert page(client, "/?q=hidden").link("Hidden Friday") == "/t/hidden-friday/desk/"


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
