import json

import pytest
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from tests.log_lines import logged
from tests.tournament.views.desk import key, post_line
from tests.tournament.views.phones import enrol, known
from tournament.config.urls import handler400, handler403, handler404, handler500  # noqa: F401
from tournament.config.urls import urlpatterns as real
from tournament.models import Entry, Penalty, Tournament
from tournament.services.event_settings import change_registration, change_settings

pytestmark = pytest.mark.django_db

PEOPLE = ["Zyxa Quillfeather", "Wilma Wherrytree", "Ümit Öztürkoğlu", "Bo Lindqvistson"]
STAFF, PASSWORD = "olga.organizerova", "a good long Passw0rd"
SECRETS = [
    *(word for name in PEOPLE for word in name.split() if len(word) > 2),
    STAFF,
    "guessed-at-this",
    PASSWORD,
    "@mail.example",
    "FoxAlias",
    "MEMBER-77",
    "owes a fee",
    "cheats",
    "was rude",
    "203.0.113.9",
]


def bug(request: HttpRequest) -> HttpResponse:
    raise ValueError(f"no such player: {Entry.objects.first().name}")


def rule(request: HttpRequest) -> HttpResponse:
    entry = Entry.objects.first()
    entry.status = "nonsense"
    with transaction.atomic():
        entry.save()
    return HttpResponse()


urlpatterns = [path("bug/", bug), path("rule/", rule), *real]


@pytest.mark.long
def test_a_whole_event_leaves_no_one_in_the_log(settings):
    settings.ROOT_URLCONF = __name__
    keys = []
    with logged() as streams:
        for number in range(7):
            Client(REMOTE_ADDR="203.0.113.9").post(
                "/login/", {"username": STAFF, "password": f"guessed-at-this-{number}"}
            )
        desk = Client(raise_request_exception=False)
        desk.post("/signup/", {"username": STAFF, "password1": PASSWORD, "password2": PASSWORD})
        desk.post("/new/", {"key": key(), "name": "Saturday", "ruleset": "mtr", "game": "magic"})
        event = Tournament.objects.get()
        change_registration(event, self_registration=True)
        change_settings(event, reporting="on", name_privacy="initial")
        for number, name in enumerate(PEOPLE):
            about = {"contact": f"p{number}@mail.example", "alias": f"FoxAlias{number}"}
            phone = Client()
            enrol(phone, event, name, external_id=f"MEMBER-77{number}", **about)
            keys += [cookie.value for cookie in phone.cookies.values()]
        phones = {code: Client() for code in ("P0001", "P0002", "P0003", "P0004")}
        own = {code: known(phone, event, code) for code, phone in phones.items()}
        keys += [morsel.value for phone in phones.values() for morsel in phone.cookies.values()]
        base = f"/t/{event.slug}/"
        desk.post(f"{base}desk/players/P0002/contact/", {"key": key(), "notes": "owes a fee"})
        for number in (1, 2):
            desk.post(f"{base}desk/pair/", {"key": key()})
            desk.post(f"{base}desk/rounds/{number}/publish/", {"key": key()})
            for phone, address in zip(phones.values(), own.values(), strict=True):
                phone.post(f"{address}flag/", {"key": key(), "text": "My opponent cheats", "round": number})
                phone.post(f"{address}call/", {"key": key()})
                phone.post(
                    f"{address}report/", {"key": key(), "what": "report", "round": number, "slip": "20"}
                )
            about = {"code": "P0003", "kind": "warning", "infraction": "Slow", "description": "was rude"}
            desk.post(f"{base}desk/penalties/new/", {"key": key(), **about})
            for table in (1, 2):
                post_line(desk, event, f"{table} 20", number=number)
            post_line(desk, event, "quillfeather 20", number=number)
            post_line(desk, event, "1 nonsense 99", number=number)
        for address in (
            f"{base}key/{'ab' * 16}/",
            f"{base}me/P0001/",
            "/invite/SomeSecretInvite/",
            "/nowhere/",
        ):
            Client().get(address)
        Client(enforce_csrf_checks=True).post(f"{base}key/{'cd' * 16}/")
        for address in ("/bug/", f"/bug/?q={PEOPLE[0]}"):
            assert desk.get(address).status_code == 500
        assert desk.post("/rule/").status_code == 500
        phones["P0004"].post(f"{own['P0004']}leave/", {"key": key(), "sure": "on"})
        desk.post(f"{base}desk/players/P0003/anonymize/", {"key": key(), "sure": "on"})
        desk.post(f"{base}desk/settings/finish/", {"key": key()})
    text, lines = streams["text"].getvalue(), streams["json"].getvalue()
    parsed = [json.loads(line) for line in lines.splitlines()]
    kinds = {line["kind"] for line in parsed if "kind" in line}
    assert {"self-register", "publish", "report", "result", "flag", "penalty", "leave"} <= kinds
    assert Penalty.objects.exists() and len(parsed) > 40
    assert sum("traceback" in line for line in parsed) == 3
    assert any("wrong name or password" in line["message"] for line in parsed), "someone guesses"
    keys = [part for value in keys for part in value.split(".") if len(part) > 20]
    assert len(keys) >= 8
    for form in (text, lines, json.dumps(parsed, ensure_ascii=False)):
        assert [secret for secret in (*SECRETS, *keys, "ab" * 16, "cd" * 16) if secret in form] == []
