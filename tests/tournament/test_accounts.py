"""Accounts and events: signing up, in and out; what needs only a name and a ruleset."""

import pytest

from tests.factories import UserFactory, event
from tournament.models import Staff, Tournament

pytestmark = pytest.mark.django_db
NEW = {"name": "Friday night", "ruleset": "mtr", "key": "abc"}


def test_signing_up_signs_in_and_goes_where_one_wanted(client):
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    answer = client.post("/signup/?next=/new/", fields)
    assert (answer.status_code, answer["Location"]) == (303, "/new/")
    assert client.get("/new/").status_code == 200


def test_signing_up_never_leads_to_another_site(client):
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    assert client.post("/signup/?next=https://evil.example/", fields)["Location"] == "/"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"username": "ada", "password1": "short", "password2": "short"},
        {"username": "ada", "password1": "correct horse", "password2": "battery staple"},
        {"username": "a\x00a", "password1": "correct horse", "password2": "correct horse"},
        {"username": "x" * 999, "password1": "correct horse", "password2": "correct horse"},
    ],
)
def test_a_bad_sign_up_is_refused(client, fields):
    assert client.post("/signup/", fields).status_code == 422


def test_signing_in_and_out(client):
    UserFactory(username="ada", password="correct horse")
    assert client.post("/login/", {"username": "ada", "password": "wrong"}).status_code == 422
    answer = client.post("/login/", {"username": "ada", "password": "correct horse", "next": "/new/"})
    assert (answer.status_code, answer["Location"]) == (302, "/new/")
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").status_code == 302
    assert client.get("/new/")["Location"] == "/login/?next=%2Fnew%2F"


def test_after_five_wrong_passwords_the_door_is_shut(client, settings):
    settings.AXES_ENABLED = True
    UserFactory(username="ada", password="correct horse")
    answers = [client.post("/login/", {"username": "ada", "password": "wrong"}).status_code for _ in range(6)]
    assert answers[-1] == 429
    assert client.post("/login/", {"username": "ada", "password": "correct horse"}).status_code == 429


def test_an_event_needs_only_a_name_and_a_ruleset(client):
    owner = UserFactory()
    client.force_login(owner)
    for _ in range(2):
        answer = client.post("/new/", NEW)
        assert (answer.status_code, answer["Location"]) == (303, "/t/friday-night/desk/")
    tournament = Tournament.objects.get()
    assert Staff.objects.get(tournament=tournament, user=owner).role == "owner"


def test_what_else_an_event_may_say(client):
    client.force_login(UserFactory())
    more = {
        "rounds_planned": 6,
        "cut": 8,
        "best_of": 1,
        "round_minutes": 50,
        "starts_at": "2026-11-28T10:30",
        "time_zone": "Europe/Berlin",
    }
    client.post("/new/", {**NEW, **more})
    tournament = Tournament.objects.get()
    assert (tournament.rounds_planned, tournament.cut, tournament.best_of) == (6, 8, 1)
    assert tournament.starts_at.isoformat() == "2026-11-28T09:30:00+00:00"


def test_nonsense_about_an_event_gets_a_4xx(client):
    client.force_login(UserFactory())
    for field, values in {
        "name": ["", "\x00", "x" * 999],
        "ruleset": ["", "no such", "\x00"],
        "rounds_planned": ["-1", "99999999999", "x"],
        "cut": ["1", "65", "-2"],
        "best_of": ["2", "x"],
        "starts_at": ["yesterday", "9999999-01-01"],
        "time_zone": ["Mars/Olympus", "../etc"],
    }.items():
        for value in values:
            assert client.post("/new/", {**NEW, field: value}).status_code == 422, (field, value)
    assert not Tournament.objects.exists()


def test_the_rulesets_say_how_sure_they_are(client):
    client.force_login(UserFactory())
    html = client.get("/new/").content.decode()
    assert "Magic DCI 1999 · from the publisher&#x27;s own text" in html


def test_the_settings_show_and_change(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = event(40, owner=owner)
    page = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    assert "suggested by the ruleset" in page
    assert tournament.seed_commitment in page and tournament.seed not in page
    fields = {"name": "Saturday", "rounds_planned": 7, "cut": 4, "round_minutes": "", "key": "k1"}
    assert client.post(f"/t/{tournament.slug}/desk/settings/", fields).status_code == 303
    tournament.refresh_from_db()
    assert (tournament.name, tournament.rounds_planned, tournament.cut) == ("Saturday", 7, 4)
    fields["cut"] = 1
    assert client.post(f"/t/{tournament.slug}/desk/settings/", fields).status_code == 422


def test_the_first_page_lists_what_is_on_and_what_is_mine(client):
    owner = UserFactory()
    event(2, owner=owner, name="Mine")
    event(2, name="Theirs")
    event(2, name="Unlisted")
    Tournament.objects.filter(name="Unlisted").update(listed=False)
    html = client.get("/").content.decode()
    assert "Mine" in html and "Theirs" in html and "Unlisted" not in html
    client.force_login(owner)
    html = client.get("/").content.decode()
    assert "/t/mine/desk/" in html and "/t/theirs/desk/" not in html


def test_demo_events_go_with_one_button_and_others_stay(client):
    owner = UserFactory()
    event(2, owner=owner, name="Demo one")
    Tournament.objects.update(demo=True)
    event(2, owner=owner, name="Real")
    assert client.post("/demo/").status_code == 302
    client.force_login(UserFactory())
    assert client.post("/demo/").status_code == 403
    client.force_login(owner)
    assert "Remove demo events" in client.get("/").content.decode()
    assert "Demo one" in client.get("/demo/").content.decode()
    client.post("/demo/")
    assert list(Tournament.objects.values_list("name", flat=True)) == ["Real"]
    assert "Remove demo events" not in client.get("/").content.decode()
