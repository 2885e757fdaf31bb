"""The first page: what is on, what is coming, what is mine, and a search by name, game and venue."""

import datetime as dt
import re
import zoneinfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from standings.rulesets.trial.events import events_visible_to
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory
from tournament.models import Staff, Tournament
from tournament.progress.rounds_now import rounds_now_of
from tournament.services.clock import pause_clock, start_clock
from tournament.services.events import archive_event
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def page(client, address="/"):
    return client.get(address).content.decode()


def listed(name, state="open", days=1, **fields):
    copy = TournamentFactory(entries=0, name=name, **fields)
    Tournament.objects.filter(pk=copy.pk).update(
        state=state, starts_at=timezone.now() + dt.timedelta(days=days)
    )
    return copy


def section(text, title):
    """The part of the page under one heading."""
    return text.split(f">{title}</h2>")[1].split("</section>")[0] if f">{title}</h2>" in text else ""


def test_events_stand_where_they_are_on_their_way(client):
    listed("Tonight", "running", 0)
    listed("Later", days=9)
    listed("Soon", days=1)
    listed("Done", "finished", -3)
    listed("Never began", days=-30)
    listed("Being set up", "draft")
    listed("Only by its address", listed=False)
    text = page(client)
    assert "Tonight" in section(text, "Running")
    coming = section(text, "Upcoming")
    assert 0 < coming.index("Soon") < coming.index("Later") and "Never began" not in coming
    assert "Done" in section(text, "Past") and "Never began" in section(text, "Past")
    assert "Being set up" not in text and "Only by its address" not in text


def test_registration_is_open_only_where_players_register_themselves(client):
    by_staff, by_phone = listed("By staff"), listed("By phone", self_registration=True)
    rows = {
        name: page(client).split(f">{name}</a>")[1].split("</tr>")[0] for name in ("By staff", "By phone")
    }
    assert "not started yet" in rows["By staff"] and "registration open" in rows["By phone"]
    for event, words in ((by_staff, "not started yet"), (by_phone, "registration open")):
        assert words in page(client, event.get_absolute_url())


def test_an_empty_house_says_what_to_do(client):
    assert "Run a tournament here, or follow one" in page(client)
    assert "No events are running right now" in page(client) and "No upcoming events" in page(client)
    assert "Past" not in page(client)
    client.force_login(UserFactory())
    assert "You have no events yet. Create one: a name and a game are enough" in page(client, "/?show=mine")
    assert "Only my events" not in page(client)


def test_every_event_stands_once_mine_first_and_marked_with_my_part_in_it(client):
    me = UserFactory()
    listed("Old", "finished", -5, owner=me)
    listed("Mine", "draft", 9, owner=me, listed=False)
    helped = listed("Helped", "running", 0)
    Staff.objects.create(tournament=helped, user=me, role="judge")
    listed("Theirs")
    listed("Theirs too", "finished", -1)
    assert "your role" not in page(client) and "Mine" not in page(client)
    client.force_login(me)
    text = page(client)
    for title, name, part in (
        ("Running", "Helped", "judge"),
        ("Upcoming", "Mine", "organizer"),
        ("Past", "Old", "organizer"),
    ):
        row = section(text, title).split("</tr>")[1]
        assert f'/desk/">{name}</a>' in row and f"your role: {part}" in row, title
    assert all(text.count(f">{name}</a>") == 1 for name in ("Old", "Mine", "Helped", "Theirs", "Theirs too"))
    only = page(client, "/?show=mine")
    assert '"/t/mine/desk/"' in only and "/t/old/desk/" in only and "Theirs" not in only


def test_a_running_event_shows_its_round_tables_outstanding_and_clock(client):
    tournament = TournamentFactory(
        entries=5, rounds=1, published=True, round_minutes=50, time_zone="Asia/Tokyo"
    )
    start_clock(tournament, 2)
    ends = tournament.rounds.get(number=2).ends_at.astimezone(zoneinfo.ZoneInfo("Asia/Tokyo"))

    def now():
        return " ".join(re.sub(r"<[^>]+>", " ", section(page(client), "Running")).split())

    assert "Round 2 · 2 of 2 tables outstanding" in now() and f"ends {ends:%H:%M}" in now()
    record_result(tournament, 2, 1, TWO_NIL)
    pause_clock(tournament, 2)
    assert "Round 2 · 1 of 2 tables outstanding paused with" in now()
    record_result(tournament, 2, 2, TWO_NIL)
    assert "Round 2 · all results entered" in now() and "ends" not in now()
    RoundFactory(tournament=tournament, drafted=True)
    assert "Round 2 · all results entered" in now()
    listed("On its way", "running")
    assert "running" in section(page(client), "Running").split("On its way")[1]


def test_a_bracket_counts_the_matches_of_all_its_rounds(client):
    tournament = TournamentFactory(entries=8, rounds=1, with_cut=4)
    assert "2 of 2 tables outstanding" in section(page(client), "Running")
    assert "Bracket" in section(page(client), "Running") and "Round" not in section(page(client), "Running")
    assert rounds_now_of([tournament.pk])[tournament.pk][0].number == 2


def test_a_search_finds_words_of_name_game_and_venue_whatever_the_accents(client):
    listed("Friday Cup", game="Pokémon TCG", venue="Café Zürich")
    listed("Friday Open", game="Chess")
    listed("Hidden Friday", listed=False)
    text = page(client, "/?q=FRIDAY+pokemon+ZURICH")
    assert "1 event with" in text and "Friday Cup" in text and "Friday Open" not in text
    assert "2 events with" in page(client, "/?q=friday")
    assert "No event with that name" in page(client, "/?q=saturday")
    assert "&lt;script&gt;" in page(client, "/?q=<script>") and client.get("/?q=%00").status_code == 200


def test_a_search_finds_ones_own_unlisted_events_too(client):
    me = UserFactory()
    listed("My secret", owner=me, listed=False)
    client.force_login(me)
    assert "/t/my-secret/desk/" in page(client, "/?q=secret")


@pytest.mark.long
def test_hundreds_of_events_are_paged_and_cost_the_same(client):
    client.force_login(UserFactory())
    counts = []
    for many in (1, 60):
        one = Tournament.objects.first() or listed("Event 000")
        Tournament.objects.bulk_create(
            Tournament(
                name=f"Event {n:03}", slug=f"event-{many}-{n}", ruleset=one.ruleset, starts_at=one.starts_at
            )
            for n in range(many)
        )
        Tournament.objects.bulk_create(
            Tournament(name="Live", slug=f"live-{many}-{n}", ruleset=one.ruleset, state="running")
            for n in range(min(many, 9))
        )
        for address in ("/", "/?show=coming", "/?q=event", "/?show=running", "/?show=nonsense"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            counts.append((address, len(queries)))
    assert [n for _a, n in counts[:3]] == [n for _a, n in counts[5:8]]
    assert max(n for _a, n in counts) <= 9
    assert "?show=coming" in page(client) and page(client).count("/t/event-") <= 10
    assert page(client, "/?show=coming").count('href="/t/event-') == 50
    assert "page 2 of 2" in page(client, "/?show=coming&page=2")


def test_an_archived_event_leaves_every_list_and_search_but_its_staffs_and_stays_at_its_address(client):
    tournament = TournamentFactory(name="Harbor Open", entries=4, rounds=1, finished=True)
    archive_event(tournament, actor=tournament.owner)
    assert "Harbor Open" not in page(client) and "Harbor Open" not in page(client, "/?q=harbor")
    assert client.get(f"/t/{tournament.slug}/standings/").status_code == 200
    assert tournament not in events_visible_to(UserFactory())
    client.force_login(tournament.owner)
    home = page(client)
    assert "Harbor Open" not in section(home, "Past")
    assert f'"/t/{tournament.slug}/desk/"' in section(home, "My archived events")
    assert "Harbor Open" in page(client, "/?show=archive") and "Harbor Open" in page(client, "/?q=harbor")
    archive_event(tournament, False)
    assert "Harbor Open" in section(page(client), "Past")
    assert "My archived events" not in page(client)
