"""The first page: what is on, what is coming, what is mine, and a search by name, game and venue."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from standings.rulesets.trial.events import events_visible_to
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Staff, Tournament
from tournament.services.events import archive_event

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
    assert "No events are running right now" in page(client) and "No upcoming events" in page(client)
    assert "Past" not in page(client)
    client.force_login(UserFactory())
    assert "You have no events yet. Create one: a name and a game are enough" in page(client)


def test_my_events_lead_to_their_desks_the_finished_ones_last(client):
    me = UserFactory()
    listed("Old", "finished", 5, owner=me)
    listed("Mine", owner=me, listed=False)
    helped = listed("Helped")
    Staff.objects.create(tournament=helped, user=me, role="judge")
    listed("Theirs")
    assert "My events" not in page(client)
    client.force_login(me)
    mine = section(page(client), "My events")
    assert mine.index("/t/mine/desk/") < mine.index("/t/old/desk/")
    assert "/t/helped/desk/" in mine and "Theirs" not in mine


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
        for address in ("/", "/?show=coming", "/?q=event", "/?show=coming&page=2", "/?show=nonsense"):
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
    assert "Harbor Open" not in section(home, "My events") + section(home, "Past")
    assert f'"/t/{tournament.slug}/desk/"' in section(home, "My archived events")
    assert "Harbor Open" in page(client, "/?show=archive") and "Harbor Open" in page(client, "/?q=harbor")
    archive_event(tournament, False)
    assert "Harbor Open" in section(page(client), "Past")
    assert "My archived events" not in page(client)
