import json
import logging
import re

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client

from tests.conftest import ROOT
from tests.factories import UserFactory
from tests.pages import Page, page
from tests.test_house import APPS
from tests.tournament.access.authenticator import (
    CODE,
    CODES,
    KEY,
    OFF,
    RENEW,
    RIGHT,
    SET_UP,
    TWO_STEP,
    ada,
    app_code,
    confirm,
    enter_password,
    is_signed_in,
    set_up,
    shown_codes,
    sign_in,
    wait,
    with_two_step,
)
from tests.tournament.web.test_sessions import ELSEWHERE
from tournament.access.throttle import WRONG_SIGN_IN_CODES
from tournament.services.accounts import delete_account, reset_link, set_password, turn_off_two_step

pytestmark = pytest.mark.django_db
__all__ = ["ada", "wait"]  # fixtures
NEW = {"password1": "another good one", "password2": "another good one"}
KEYS = f"{TWO_STEP}keys/"


def test_after_the_password_a_code_signs_in_and_goes_where_one_wanted(client, ada):
    address = enter_password(client, "?next=/new/")
    assert page(client, address).one('[name="code"][autocomplete="one-time-code"]')
    before = client.cookies["hall_session"].value
    answer = client.post(address, {"code": f" {app_code()[:3]} {app_code()[3:]} "})
    assert (answer.status_code, answer["Location"]) == (302, "/new/")
    assert is_signed_in(client) and client.cookies["hall_session"].value != before
    assert "half_way" not in client.session


@pytest.mark.parametrize("wanted", [*ELSEWHERE, "standings", "logout"])
def test_no_code_leads_to_another_site_and_a_word_is_no_address(client, ada, wanted):
    client.post("/login/", {**RIGHT, "next": wanted})
    answer = client.post(f"{CODE}?next={wanted}", {"code": app_code(), "next": wanted})
    assert (answer.status_code, answer["Location"]) == (302, "/" if wanted in ELSEWHERE else wanted)
    assert is_signed_in(client)


def test_a_code_never_works_twice(client, ada):
    assert sign_in(client, app_code()).status_code == 302
    answer = sign_in(Client(), app_code())
    assert answer.status_code == 422 and "Incorrect code" in Page(answer)
    assert sign_in(Client(), app_code(1)).status_code == 302


def test_the_code_of_the_set_up_signs_no_one_in(client):
    client.force_login(UserFactory(**RIGHT))
    key, _answer = set_up(client)
    assert sign_in(Client(), app_code(key=key)).status_code == 422
    assert sign_in(Client(), app_code(1, key)).status_code == 302


def test_a_recovery_code_works_once_and_the_page_says_how_many_are_left(client, ada):
    first = ada.codes[0]
    assert sign_in(client, f"{first[:4]} {first[4:]}").status_code == 302
    assert "Recovery codes 9 left" in page(client, TWO_STEP)
    assert sign_in(Client(), first).status_code == 422
    assert sign_in(Client(), ada.codes[1]).status_code == 302


@pytest.mark.parametrize(
    "typed", ["", "0", "12345", "1234567", "١٢٣٤٥٦", "+12345", "12_345", "9" * 9999, "a\0b", "<b>"]
)
def test_what_is_no_code_is_refused_in_one_line(client, ada, typed):
    answer = sign_in(client, typed)
    assert answer.status_code == 422 and len(Page(answer).all(".error")) == 1
    assert not is_signed_in(client)


def test_half_way_is_nobody_for_every_page_and_ends_after_a_quarter_of_an_hour(client, ada, wait):
    address = enter_password(client, "?next=/new/")
    for other in ("/account/", "/account/data.json", SET_UP, OFF, RENEW, CODES, KEYS, "/new/"):
        assert client.get(other)["Location"].startswith("/login/?next=")
    wait(901)
    assert client.post(address, {"code": app_code()})["Location"] == "/login/"
    assert not is_signed_in(client)
    assert sign_in(client, app_code()).status_code == 302


@pytest.mark.parametrize("happens", ["password", "inactive", "off", "deleted"])
def test_a_half_way_state_ends_with_what_it_was_for(client, ada, happens):
    address = enter_password(client)
    if happens == "password":
        set_password(ada, NEW["password1"])
    elif happens == "inactive":
        ada.is_active = False
        ada.save()
    elif happens == "deleted":
        delete_account(ada)
    else:
        turn_off_two_step(ada)
    for digits in (app_code(), ada.codes[0]):
        assert client.post(address, {"code": digits})["Location"] == "/login/"
    assert not is_signed_in(client) and client.get("/login/").status_code == 200


def test_without_a_password_the_page_for_codes_leads_to_the_page_that_asks_for_it(client, ada):
    assert client.get(CODE)["Location"] == client.post(CODE, {"code": app_code()})["Location"] == "/login/"
    assert not is_signed_in(client)


def test_wrong_codes_end_and_known_devices_stay(client, ada):
    known = Client()
    sign_in(known, app_code())
    known.post("/logout/")
    address = enter_password(client)
    guesses = [f"{n:06d}" for n in range(WRONG_SIGN_IN_CODES.most)]
    assert {client.post(address, {"code": guess}).status_code for guess in guesses} == {422}
    for code in (app_code(1), ada.codes[0]):
        answer = client.post(address, {"code": code})
        assert answer.status_code == 429 and "Too many wrong codes" in Page(answer)
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9"), app_code(1)).status_code == 429, "wherever it comes from"
    assert sign_in(known, app_code(1)).status_code == 302


def test_the_admin_leads_to_the_same_door(client, ada):
    ada.is_superuser = ada.is_staff = True
    ada.save()
    address = client.get("/admin/")["Location"]
    assert address == "/admin/login/?next=/admin/"
    for answer in (client.get(address), client.post(address, {**RIGHT, "next": "/admin/"})):
        assert (answer.status_code, answer["Location"]) == (302, "/login/?next=%2Fadmin%2F")
    enter_password(client)
    assert client.get("/admin/").status_code == 302
    assert sign_in(client, app_code(), "?next=/admin/")["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_the_admin_says_no_to_who_may_not_open_it_and_shows_no_key(client, ada):
    sign_in(client, app_code())
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.status_code == 403 and "Only administrators of this site" in Page(answer)
    registered = {model._meta.app_label for model in admin.site._registry}
    assert "tournament" in registered and "mfa" not in registered
    root = Client()
    root.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    assert root.get("/admin/mfa/authenticator/").status_code == 404


def test_a_new_password_by_a_link_still_needs_the_code(client, ada):
    address = client.get("/password/" + reset_link(ada).partition("/password/")[2])["Location"]
    assert client.post(address, NEW)["Location"] == "/login/"
    assert not is_signed_in(client)
    answer = client.post("/login/", {**RIGHT, "password": NEW["password1"]})
    assert answer["Location"] == CODE and not is_signed_in(client)
    assert client.post(CODE, {"code": app_code()}).status_code == 302


def test_only_the_steps_of_allauth_sign_anyone_in():
    calls = re.compile(r"\b(auth_|django_)?login\(|AdminAuthenticationForm|force_login")
    apps = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    lines = [(path.name, line.strip()) for path in apps for line in path.read_text("utf-8").splitlines()]
    assert [line for name, line in lines if calls.search(line) and not line.startswith("def ")] == [
        "super().login(request, user)",
    ]


def test_it_is_set_up_by_a_first_code_which_shows_ten_recovery_codes(
    client, django_capture_on_commit_callbacks
):
    ada, elsewhere, other = UserFactory(**RIGHT), Client(), Client()
    other.force_login(UserFactory())
    for browser in (client, elsewhere):
        browser.force_login(ada)
    assert page(client, "/account/").one(f'a[href="{TWO_STEP}"]') and page(client, TWO_STEP)
    confirm(client, SET_UP)
    key = page(client, SET_UP).one("#authenticator_secret").text.strip()
    for wrong in ("123456", "12345", "x" * 99):
        assert client.post(SET_UP, {"code": wrong}).status_code == 422
    assert not Authenticator.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(SET_UP, {"code": app_code(key=key)})
    assert (answer.status_code, answer["Location"]) == (302, CODES)
    shown = client.get(CODES)
    assert "no-store" in shown["Cache-Control"] and len(set(shown_codes(shown))) == 10
    assert "Two-step sign-in on" in page(client, "/account/")
    assert not is_signed_in(elsewhere), "other devices are signed out"
    assert is_signed_in(other)
    assert Authenticator.objects.count() == 2


def test_a_set_up_sent_twice_at_once_is_one(client, monkeypatch):
    client.force_login(UserFactory(**RIGHT))
    save = Authenticator.save

    def save_late(self, *args, **options):
        monkeypatch.setattr(Authenticator, "save", save)
        with_two_step(self.user)
        raise IntegrityError

    monkeypatch.setattr(Authenticator, "save", save_late)
    _key, answer = set_up(client)
    assert answer.status_code == 302 and Authenticator.objects.count() == 2


@pytest.mark.parametrize("address", [SET_UP, OFF, RENEW, CODES, f"{CODES}file/", f"{KEYS}new/"])
def test_changing_and_seeing_it_needs_the_password(client, ada, address):
    sign_in(client, app_code())
    if address == SET_UP:
        turn_off_two_step(ada)
    before = Authenticator.objects.count()
    assert confirm(client, address, "guess").status_code == 422
    assert client.get(address).status_code == 302
    assert confirm(client, address)["Location"] == address
    assert client.get(address).status_code == 200
    other = Client()
    other.force_login(ada)
    answer = other.post(address)
    assert answer.status_code == 405 or answer["Location"].startswith("/account/confirm/")
    assert Authenticator.objects.count() == before


def test_turning_it_off_and_new_codes(client, ada):
    sign_in(client, app_code())
    confirm(client, RENEW)
    assert client.post(RENEW)["Location"] == CODES
    renewed = shown_codes(client.get(CODES))
    assert len(renewed) == 10 and not set(renewed) & set(ada.codes)
    assert client.post(OFF)["Location"] == TWO_STEP
    assert not Authenticator.objects.exists()
    assert client.post(OFF).status_code == client.get(OFF).status_code == 404
    assert client.post("/login/", RIGHT)["Location"] == "/" and is_signed_in(client)


def test_keys_and_codes_are_stored_encrypted(client, ada, settings):
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert KEY not in stored and not any(code in stored for code in ada.codes)
    settings.SECRET_KEY = "another"
    for code in (app_code(), ada.codes[0]):
        assert sign_in(Client(), code).status_code == 422


def test_who_finds_a_browser_open_guesses_twenty_times_and_no_more(client, ada):
    sign_in(client, app_code())
    answers = [confirm(client, OFF, f"guess {n}").status_code for n in range(27)]
    assert answers == [422] * 25 + [429] * 2, "as on any device afterwards"
    assert confirm(client, OFF).status_code == 429


def test_the_command_turns_it_off_for_who_lost_phone_and_codes(client, ada, capsys):
    address = enter_password(client)
    call_command("reset_password", "ada", "--turn-off-two-step")
    assert "Two-step sign-in of ada is off.\nOne-time link for ada" in capsys.readouterr().out
    assert client.post(address, {"code": app_code()})["Location"] == "/login/"
    assert client.post("/login/", RIGHT).status_code == 302 and is_signed_in(client)
    assert not Authenticator.objects.exists()
    call_command("reset_password", "ada", "--turn-off-two-step", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["two_step_turned_off"] is False and "/password/" in answer["link"]
    with pytest.raises(CommandError, match="has no two-step sign-in"):
        call_command("reset_password", "new", "--create", "--turn-off-two-step")


def test_a_refused_command_leaves_it_on(ada, monkeypatch):
    monkeypatch.setattr("sys.stdin.readline", lambda: "short\n", raising=False)
    with pytest.raises(CommandError):
        call_command("reset_password", "ada", "--turn-off-two-step", "--stdin")
    assert Authenticator.objects.exists()


def test_the_accounts_file_says_that_it_is_on_and_no_secret(client, ada):
    sign_in(client, app_code())
    file = client.get("/account/data.json").content.decode()
    assert json.loads(file)["account"]["two_step_sign_in"] is True
    assert not any(secret in file for secret in (KEY, *ada.codes))
    turn_off_two_step(ada)
    assert client.get("/account/data.json").json()["account"]["two_step_sign_in"] is False


def test_each_step_is_one_line_in_the_log_without_name_or_secret(
    client, caplog, django_capture_on_commit_callbacks
):
    ada = UserFactory(**RIGHT)
    with caplog.at_level(logging.INFO, logger="tournament.accounts"):
        client.force_login(ada)
        key, _answer = set_up(client)
        (code, *_others) = shown_codes(client.get(CODES))
        client.post("/logout/")
        sign_in(client, app_code(9, key))
        sign_in(client, app_code(1, key))
        client.post("/logout/")
        sign_in(client, code)
        confirm(client, RENEW)
        with django_capture_on_commit_callbacks(execute=True):
            client.post(RENEW)
        client.post(OFF)
    lines = [record.getMessage() for record in caplog.records if record.name == "tournament.accounts"]
    assert lines == [
        f"code added for account {ada.pk}",
        f"recovery code added for account {ada.pk}",
        f"wrong sign-in code for account {ada.pk}",
        f"account {ada.pk} signed in with a code",
        f"account {ada.pk} signed in with a recovery code",
        f"recovery code renewed for account {ada.pk}",
        f"code removed for account {ada.pk}",
        f"recovery code removed for account {ada.pk}",
    ]
