import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import page
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known
from tournament.actionlog.change import open_action
from tournament.actionlog.facts import ENTRY
from tournament.history.own_data import LEFT_OUT
from tournament.models import Entry, Penalty, PushSubscription
from tournament.services.decklists import enter_decklist
from tournament.services.entries import change_personal_fields, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import extend_table
from tournament.services.self_service import send_message

OTHERS = "Bo Lindqvist|bo@mail.example|owes-a-fee|was-rude|bo-cheats|cards of P0002|olga-owner|sam-the-judge"


@pytest.fixture
def event():
    tournament = TournamentFactory(entries=4, owner=UserFactory(username="olga-owner"))
    change_settings(tournament, name_privacy="initial", reporting="staff", decklist_rule="on")
    rename_entry(tournament, "P0001", "Kim Okonkwo")
    rename_entry(tournament, "P0002", "Bo Lindqvist")
    kims = {"contact": "kim@mail.example", "alias": "The Fox", "external_id": "M-1", "last_name": "Okonkwo"}
    change_personal_fields(tournament, "P0001", notes="drives Bo Lindqvist home", **kims)
    change_personal_fields(tournament, "P0002", contact="bo@mail.example", notes="owes-a-fee")
    for number in (1, 2):
        RoundFactory(tournament=tournament)
        if number == 1:
            enter_results(tournament, 1)
    seat = tournament.seats.get(entry__code="P0001", round__number=2)
    extend_table(tournament, 2, seat.match.table, 5, "Bo Lindqvist came late", actor="sam-the-judge")
    send_message(tournament, "P0001", "My result is wrong", number=1)
    send_message(tournament, "P0002", "bo-cheats")
    for code in ("P0001", "P0002"):
        enter_decklist(tournament, code, f"60 cards of {code}", actor="sam-the-judge", reason="on paper")
    with open_action(tournament, "penalty", actor="sam-the-judge") as log:
        for place, (code, words) in enumerate((("P0001", "slow play"), ("P0002", "was-rude")), 1):
            fact = {
                "entry": code,
                "round": 1,
                "kind": "warning",
                "reason": f"{words}, Bo Lindqvist waited",
                "judge": "sam-the-judge",
            }
            log.add(Penalty, f"penalties/{place}", fact, {"description": f"{words} of Bo Lindqvist"})
    return tournament


@pytest.fixture
def phone(client, event):
    own = known(client, event, "P0001")
    keys = {"p256dh": "secret-p", "auth": "secret-a"}
    entry = event.entries.get(code="P0001")
    PushSubscription.objects.create(entry=entry, endpoint="https://push.example/secret-address", **keys)
    return client, own


def test_a_player_gets_everything_that_is_kept_about_the_player(phone, event):
    client, own = phone
    answer = client.get(f"{own}data.json")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "no-store" in answer.headers["Cache-Control"]
    data = json.loads(answer.content)
    entry = event.entries.get(code="P0001")
    assert data["player"]["name"] == "Kim Okonkwo" and data["player"]["contact"] == "kim@mail.example"
    columns = {field.name for field in Entry._meta.concrete_fields} - LEFT_OUT - {"user"}
    assert columns <= set(data["player"]), "a new column of a player belongs into the file"
    assert set(ENTRY.personal) - LEFT_OUT <= set(data["player"]) | {"user"}
    seats = entry.seats.order_by("round__number")
    assert [match["round"] for match in data["matches"]] == [1, 2]
    for match, seat in zip(data["matches"], seats, strict=True):
        assert match["table"] == seat.match.table and match["you_are"] == seat.side
        assert match["opponent"].startswith(("Bo L.", "Player"))
    assert data["matches"][0]["result"] and data["matches"][1]["result"] is None
    assert data["matches"][1]["extra_minutes"] == 5
    assert [message["text"] for message in data["messages"]] == ["My result is wrong"]
    assert [decklist["text"] for decklist in data["decklists"]] == ["60 cards of P0001"]
    assert [penalty["infraction"] for penalty in data["penalties"]] == ["slow play, ██ waited"]
    assert data["phones"][0]["push_service"] == "push.example"
    said = [line["what"] for line in data["log"]]
    assert any("contact changed" in line for line in said) and any("time extension" in line for line in said)
    assert any("Round 1" in line or "table" in line.lower() for line in said)
    assert {line["by"] for line in data["log"]} == {"staff", "you"}
    numbers = [line["number"] for line in data["log"]]
    assert numbers == sorted(set(numbers))


# What points to an entry: where it stands in the file; "" where it is another player's.
POINTING = {
    "StageEntry.entry": "sessions",
    "Seat.entry": "matches",
    "Entry.same_person_as": "",
    "Flag.entry": "messages",
    "Penalty.entry": "penalties",
    "DeckCheck.entry": "deck_checks",
    "Decklist.entry": "decklists",
    "PushSubscription.entry": "phones",
}


def test_everything_of_a_player_and_nothing_of_anyone_else_is_in_the_file(phone, event):
    client, own = phone
    pointing = {f"{each.related_model.__name__}.{each.field.name}" for each in Entry._meta.related_objects}
    columns = {field.name for field in Entry._meta.concrete_fields if field.related_model is Entry}
    assert pointing | {f"Entry.{name}" for name in columns} == set(POINTING), (
        "a new table belongs into the file"
    )
    assert set(filter(None, POINTING.values())) <= set(json.loads(client.get(f"{own}data.json").content))
    file = client.get(f"{own}data.json").content.decode()
    secret = event.entries.get(code="P0001").key_hash
    for word in (
        *OTHERS.split("|"),
        "secret-address",
        "secret-p",
        "secret-a",
        secret,
        "P0003",
        "drives",
        '"notes"',
    ):
        assert word not in file, word
    assert "slow play of ██" in file


def test_the_page_says_who_sees_what_and_how_long(phone, event, settings):
    client, own = phone
    assert page(client, own).all(f'[href="{own}data/"]')
    shown = page(client, f"{own}data/")
    for words in (
        "Kim O.",
        "Kim Okonkwo",
        "kim@mail.example",
        "M-1",
        "Messages and calls 1",
        "Penalties 1",
        "1 phone",
    ):
        assert words in shown
    assert shown.all(f'[href="{own}data.json"]') and "Until the organizer deletes the event." in shown
    settings.RETENTION_DAYS = 90
    said = "90 days after the event, contacts and messages are removed"
    assert said in page(client, f"{own}data/")


def test_the_file_takes_the_same_queries_for_few_and_for_many_actions_and_players(
    phone, event, django_assert_max_num_queries
):
    client, own = phone
    with django_assert_max_num_queries(40):
        few = json.loads(client.get(f"{own}data.json").content)
    Entry.objects.bulk_create(Entry(tournament=event, code=f"P1{n:03}", name=f"Other {n}") for n in range(30))
    for number in range(30):
        change_personal_fields(event, "P0001", contact=f"kim{number}@mail.example")
    with django_assert_max_num_queries(40):
        many = json.loads(client.get(f"{own}data.json").content)
    assert len(many["log"]) >= len(few["log"]) + 30


# --- accounts ----------------------------------------------------------------------------------------------


def test_an_account_gets_everything_that_is_kept_about_it(client, event):
    owner = User.objects.get(username="olga-owner")
    User.objects.filter(pk=owner.pk).update(email="olga@mail.example")
    client.force_login(owner)
    client.post(f"/t/{event.slug}/desk/announcement/", {"key": key(), "text": "Lunch"})
    assert page(client, "/account/").all('[href="/account/data.json"]')
    data = json.loads(client.get("/account/data.json").content)
    assert data["account"]["email"] == "olga@mail.example"
    assert data["owns"] == [{"slug": event.slug, "name": event.name}]
    assert data["staff"][0]["role"] == "owner"
    assert data["actions"][-1]["kind"] == "announce"
    assert "password" not in data["account"] and "sam-the-judge" not in json.dumps(data["actions"])
    assert Client().get("/account/data.json").status_code in (302, 303)
