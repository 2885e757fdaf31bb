"""An account is deleted: its name is in no event and no log anymore, what it entered stays, and owners are refused."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import PublisherFactory, RoundFactory, TournamentFactory, UserFactory
from tests.tournament.services.test_anonymity import stored_texts
from tests.tournament.views.phones import text
from tournament.actionlog import integrity
from tournament.actionlog.change import open_action
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import NotFound
from tournament.event.replay import differences_from_log
from tournament.models import EventTemplate, Penalty, PublisherMember, Tournament
from tournament.results.slip import Slip
from tournament.services import account_deletion, invites
from tournament.services.deck_checks import start_deck_check
from tournament.services.decklists import enter_decklist
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_settings
from tournament.services.invites import accept_invite, create_invite
from tournament.services.judge_calls import answer_call, call_judge
from tournament.services.results import record_result
from tournament.services.staff import change_role, link_entry, transfer_ownership

pytestmark = pytest.mark.django_db

NAME, PASSWORD = "jürgen.wherrytree", "a good long password"


@pytest.fixture(autouse=True)
def own_var(settings, tmp_path):
    settings.VAR_DIR = tmp_path


@pytest.fixture
def jurgen():
    return UserFactory(username=NAME, password=PASSWORD)


@pytest.fixture
def event(jurgen):
    """He judged and kept score where someone else is the owner, and his name is wherever it can be."""
    owner = UserFactory(username="olga")
    tournament = TournamentFactory(entries=6, owner=owner, slug="saturday")
    accept_invite(create_invite(tournament, "judge", actor=owner), jurgen)
    tournament.refresh_from_db()
    change_role(tournament, NAME, "scorekeeper", actor=owner)
    link_entry(tournament, "P0002", NAME, actor=owner)
    create_invite(tournament, "judge", actor=jurgen)
    RoundFactory(tournament=tournament, actor=jurgen)
    start_deck_check(tournament, 1, 2, judge=NAME, actor=jurgen)
    call_judge(tournament, tournament.seats.filter(match__table=3)[0].entry.code)
    answer_call(tournament, 1, actor=jurgen)
    record_result(tournament, 1, 1, Slip("played", 2, 0), actor=jurgen)
    with open_action(tournament, "penalty", actor=jurgen) as log:
        fact = {"entry": "P0001", "round": 1, "kind": "warning", "reason": "late", "judge": NAME}
        log.add(Penalty, "penalties/1", fact)
    change_settings(tournament, decklist_rule="on")
    enter_decklist(tournament, "P0003", "60 cards", actor=jurgen, reason="on paper")
    tournament.refresh_from_db()
    loaded = load_event(
        event_of(json.loads(dump_event(tournament, with_seed=True))), owner=owner, slug="copy"
    )
    write_snapshot(loaded, loaded.revision, "by-hand")
    EventTemplate.objects.create(owner=jurgen, name="Weekly")
    return tournament


def sign_in():
    client = Client()
    assert client.login(request=None, username=NAME, password=PASSWORD)
    return client


def test_an_account_that_is_deleted_is_named_nowhere(event, jurgen, settings, tmp_path):
    client = sign_in()
    assert "Delete my account" in text(client.get("/account/"))
    states = [dump_event(each, with_seed=True) for each in Tournament.objects.order_by("slug")]
    wrong = client.post("/account/delete/", {"password": "not this one"})
    assert wrong.status_code == 422 and User.objects.filter(username=NAME).exists()
    done = client.post("/account/delete/", {"password": PASSWORD})
    assert (done.status_code, done["Location"]) == (303, "/")
    assert client.get("/account/").status_code != 200
    assert not User.objects.filter(username=NAME).exists()
    named = {table: texts for table, texts in stored_texts().items() if NAME in texts}
    assert named == {}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and [path for path in files if NAME in path.read_text(errors="replace")] == []
    for before, tournament in zip(states, Tournament.objects.order_by("slug"), strict=True):
        assert integrity.check(tournament) == differences_from_log(tournament) == []
        assert not tournament.staff.filter(user__username=NAME).exists()
        now = json.loads(dump_event(tournament, with_seed=True))
        expected = json.loads(before.replace(NAME, "██"))
        assert now["rounds"] == expected["rounds"] and now["penalties"] == expected["penalties"]
        assert now["log"][: len(expected["log"])] == expected["log"]
    assert snapshots_of(Tournament.objects.get(slug="copy"))
    page = sign_in_as("olga").get("/t/saturday/desk/log/")
    assert "██" in text(page) and page.status_code == 200


def sign_in_as(username):
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client


def test_who_owns_an_event_is_told_which_and_nothing_is_deleted(jurgen, event):
    TournamentFactory(entries=0, owner=jurgen, name="Sunday Cup")
    client = sign_in()
    for answer in (client.get("/account/delete/"), client.post("/account/delete/", {"password": PASSWORD})):
        assert "You own events: “Sunday Cup”. Transfer or delete them first." in text(answer)
    assert answer.status_code == 409
    assert event.staff.filter(user=jurgen).exists()


def test_a_publisher_keeps_an_owner(jurgen):
    publisher = PublisherFactory(owner=jurgen, name="North League")
    client = sign_in()
    assert "only owner of the publisher “North League”" in text(client.get("/account/delete/"))
    PublisherMember.objects.create(publisher=publisher, user=UserFactory(), role="owner")
    assert client.post("/account/delete/", {"password": PASSWORD}).status_code == 303
    assert publisher.members.count() == 1


def test_who_signs_up_under_the_same_name_gets_nothing_of_it(jurgen, event):
    sign_in().post("/account/delete/", {"password": PASSWORD})
    UserFactory(username=NAME, password=PASSWORD)
    data = sign_in().get("/account/data.json").json()
    assert data["actions"] == data["staff"] == []


def test_names_that_only_look_alike_stay(jurgen, event):
    other = UserFactory(username=f"{NAME}2")
    add_entries(event, ["Eve"], actor=other)
    sign_in().post("/account/delete/", {"password": PASSWORD})
    assert event.actions.filter(actor=other.username).exists()


def test_an_account_deleted_twice_at_once_is_deleted_once(jurgen, event, monkeypatch):
    client = sign_in()

    def repeat_events(user):
        monkeypatch.undo()
        account_deletion.delete_account(User.objects.get(pk=user.pk))
        return Tournament.objects.none()

    monkeypatch.setattr(account_deletion, "events_that_name", repeat_events)
    done = client.post("/account/delete/", {"password": PASSWORD})
    assert (done.status_code, done["Location"]) == (303, "/")
    assert "Your account is deleted." in text(client.get("/"))
    assert not User.objects.filter(username=NAME).exists()
    assert {table: texts for table, texts in stored_texts().items() if NAME in texts} == {}


def test_who_is_given_an_event_while_the_account_is_being_deleted_keeps_both(jurgen, event, monkeypatch):
    events_that_name = account_deletion.events_that_name

    def transfer_meanwhile(user):
        events = list(events_that_name(user))
        transfer_ownership(event, NAME, by=event.owner, actor=event.owner)
        return events

    monkeypatch.setattr(account_deletion, "events_that_name", transfer_meanwhile)
    done = sign_in().post("/account/delete/", {"password": PASSWORD})
    assert done.status_code == 409 and "You own events" in text(done)
    assert event.staff.get(user=jurgen).role == "owner"
    assert sign_in().get("/t/saturday/desk/settings/").status_code == 200


def test_an_invitation_that_goes_with_its_sender_is_refused_in_words(jurgen, event, monkeypatch):
    key = create_invite(event, "judge", actor=jurgen)
    join_staff = invites.join_staff

    def join_too_late(*args, **kwargs):
        account_deletion.delete_account(User.objects.get(pk=jurgen.pk))
        return join_staff(*args, **kwargs)

    monkeypatch.setattr(invites, "join_staff", join_too_late)
    with pytest.raises(NotFound, match="There is no such invitation in this event"):
        accept_invite(key, UserFactory())
