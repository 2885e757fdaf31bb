import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import RoundFactory, RulesetFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.services.test_anonymity import stored_texts
from tournament.actionlog import integrity
from tournament.actionlog.change import open_action
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import NotFound
from tournament.event.read import differences_from_log
from tournament.models import Penalty, Ruleset, Tournament
from tournament.results.slip import Slip
from tournament.services import accounts, staff
from tournament.services.decklists import enter_decklist
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_settings
from tournament.services.judging import answer_call, call_judge, start_deck_check
from tournament.services.results import record_result
from tournament.services.rulesets import find_newest_version, save_draft
from tournament.services.staff import (
    accept_invite,
    change_role,
    create_invite,
    link_entry,
    transfer_ownership,
)

NAME, PASSWORD = "jürgen.wherrytree", "a good long password"


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
    file = json.loads(dump_event(tournament, with_seed=True))
    loaded = load_event(parse_event(file), owner=owner, slug="copy")
    write_snapshot(loaded, loaded.revision, "by-hand")
    return tournament


def sign_in(username=NAME):
    client = Client()
    client.force_login(User.objects.get(username=username))
    client.post("/account/confirm/", {"password": PASSWORD})
    return client


def test_an_account_that_is_deleted_is_named_nowhere(event, jurgen, tmp_path):
    client = sign_in()
    assert "Delete my account" in page(client, "/account/")
    states = [dump_event(each, with_seed=True) for each in Tournament.objects.order_by("slug")]
    other = Client()
    other.force_login(jurgen)
    assert other.post("/account/delete/")["Location"].startswith("/account/confirm/")
    assert other.post("/account/confirm/", {"password": "not this one"}).status_code == 422
    assert User.objects.filter(username=NAME).exists()
    done = client.post("/account/delete/")
    assert (done.status_code, done["Location"]) == (303, "/")
    assert client.get("/account/").status_code != 200
    assert not User.objects.filter(username=NAME).exists()
    assert {table: texts for table, texts in stored_texts().items() if NAME in texts} == {}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and [path for path in files if NAME in path.read_text(errors="replace")] == []
    for before, tournament in zip(states, Tournament.objects.order_by("slug"), strict=True):
        assert integrity.check(tournament) == differences_from_log(tournament) == []
        assert not tournament.staff.filter(user__username=NAME).exists()
        now = json.loads(dump_event(tournament, with_seed=True))
        expected = json.loads(before.replace(NAME, "██"))
        assert now["rounds"] == expected["rounds"] and now["penalties"] == expected["penalties"]
        assert now["log"][: len(expected["log"])] == expected["log"]
    assert list_snapshots(Tournament.objects.get(slug="copy"))
    assert "██" in page(sign_in("olga"), "/t/saturday/desk/log/")


def test_who_owns_an_event_is_told_which_and_nothing_is_deleted(jurgen, event):
    TournamentFactory(entries=0, owner=jurgen, name="Sunday Cup")
    client = sign_in()
    for answer in (client.get("/account/delete/"), client.post("/account/delete/")):
        assert "You own events: “Sunday Cup”. Transfer or delete them first." in Page(answer)
    assert answer.status_code == 409 and event.staff.filter(user=jurgen).exists()


def test_unpublished_rulesets_go_along_and_published_versions_stay_without_an_owner(jurgen):
    RulesetFactory(owner=jurgen, name="Only a draft")
    ruleset = RulesetFactory(owner=jurgen, published="First version.")
    save_draft(ruleset, {**find_newest_version(ruleset).profile, "source": "Jürgen"})
    client = sign_in()
    assert "Versions that you published stay, without an owner." in page(client, "/account/delete/")
    assert client.post("/account/delete/").status_code == 303
    [left] = Ruleset.objects.filter(key__contains="-").values_list("key", "owner", "draft")
    assert left == (ruleset.key, None, None)
    assert "by an organizer" in page(Client(), f"/rulesets/{ruleset.key}/")


def test_who_has_the_same_name_later_gets_nothing_of_it_and_a_name_that_looks_alike_stays(jurgen, event):
    other = UserFactory(username=f"{NAME}2")
    add_entries(event, ["Eve"], actor=other)
    sign_in().post("/account/delete/")
    assert event.actions.filter(actor=other.username).exists()
    UserFactory(username=NAME)
    data = sign_in().get("/account/data.json").json()
    assert data["actions"] == data["staff"] == []


def test_an_account_deleted_twice_at_once_is_deleted_once(jurgen, event, monkeypatch):
    client = sign_in()

    def repeat_events(user):
        monkeypatch.undo()
        accounts.delete_account(User.objects.get(pk=user.pk))
        return Tournament.objects.none()

    monkeypatch.setattr(accounts, "events_that_name", repeat_events)
    done = client.post("/account/delete/")
    assert (done.status_code, done["Location"]) == (303, "/")
    assert "Your account is deleted." in page(client, "/")
    assert not User.objects.filter(username=NAME).exists()
    assert {table: texts for table, texts in stored_texts().items() if NAME in texts} == {}


def test_who_is_given_an_event_while_the_account_is_being_deleted_keeps_both(jurgen, event, monkeypatch):
    events_that_name = accounts.events_that_name

    def transfer_meanwhile(user):
        events = list(events_that_name(user))
        transfer_ownership(event, NAME, by=event.owner, actor=event.owner)
        return events

    monkeypatch.setattr(accounts, "events_that_name", transfer_meanwhile)
    done = sign_in().post("/account/delete/")
    assert done.status_code == 409 and "You own events" in Page(done)
    assert event.staff.get(user=jurgen).role == "owner"
    assert sign_in().get("/t/saturday/desk/settings/").status_code == 200


def test_an_invitation_that_goes_with_its_sender_is_refused_in_words(jurgen, event, monkeypatch):
    key = create_invite(event, "judge", actor=jurgen)
    join_staff = staff.join_staff

    def join_too_late(*args, **kwargs):
        accounts.delete_account(User.objects.get(pk=jurgen.pk))
        return join_staff(*args, **kwargs)

    monkeypatch.setattr(staff, "join_staff", join_too_late)
    with pytest.raises(NotFound, match="There is no such invitation in this event"):
        accept_invite(key, UserFactory())
