"""Two-step sign-in is set up, turned off and lost; what is kept of it, and who is told."""

import base64
import json
import logging

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.factories import UserFactory
from tests.tournament.access.authenticator import (
    KEY,
    OFF,
    PASSWORD,
    RENEW,
    RIGHT,
    SET_UP,
    ada,
    app_code,
    end_wait,
    enter_password,
    is_signed_in,
    new_key,
    path_of,
    recovery_codes,
    renewal,
    sign_in,
    wait,
)
from tests.tournament.views.phones import text
from tournament.errors import Conflict
from tournament.services.accounts import reset_link
from tournament.services.two_step import (
    hash_of,
    read_digits,
    recovery_set_of,
    renew_recovery_codes,
    turn_off,
    turn_on,
    use_code,
)

pytestmark = pytest.mark.django_db
__all__ = ["ada", "wait"]  # fixtures


def stored(user, codes):
    """How many of these recovery codes would let the user in; none is there to be read."""
    codes = [read_digits(code) for code in codes]
    assert not StaticToken.objects.filter(token__in=codes).exists()
    return StaticToken.objects.filter(token__in=[hash_of(user, code) for code in codes]).count()


# --- setting it up -----------------------------------------------------------------------------------------


def test_it_is_set_up_by_a_first_code_which_shows_ten_recovery_codes_once(client):
    ada, elsewhere = UserFactory(**RIGHT), Client()
    link = path_of(reset_link(ada))
    for browser in (client, elsewhere):
        browser.force_login(ada)
    assert f'href="{SET_UP}"' in text(client.get("/account/"))
    key, signed = new_key(client)
    assert not TOTPDevice.objects.exists(), "nothing is written by looking"
    sent = {"signed_key": signed, "code": app_code(key=key), "password": PASSWORD}
    for wrong in (
        {"code": app_code(9, key=key)},
        {"code": "12345"},
        {"code": "x" * 99},
        {"password": "guess"},
    ):
        answer = client.post(SET_UP, sent | wrong)
        assert answer.status_code == 422 and not TOTPDevice.objects.exists()
        assert signed in text(answer), "the app keeps its key"
    answer = client.post(SET_UP, sent)
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    codes = recovery_codes(answer)
    assert len(set(codes)) == 10
    page = text(client.get("/account/"))
    assert "10 recovery codes are left" in page and not any(code in page for code in codes)
    assert not is_signed_in(elsewhere), "other devices are signed out"
    assert client.get(link).status_code == 410, "links for a new password end"
    assert client.get(SET_UP)["Location"] == "/account/"
    assert client.post(SET_UP, sent).status_code == 409
    assert TOTPDevice.objects.count() == 1


def test_a_key_of_someone_else_and_an_old_page_set_nothing_up(client, wait):
    UserFactory(**RIGHT)
    other = Client()
    other.force_login(UserFactory())
    key, signed = new_key(other)
    client.post("/login/", RIGHT)
    own_key, own_signed = new_key(client)
    sent = {"code": app_code(key=key), "password": PASSWORD}
    for bad in (signed, signed[:-1], "", "x:y:z"):
        assert client.post(SET_UP, {**sent, "signed_key": bad})["Location"] == SET_UP
    wait(3601)
    sent = {"code": app_code(key=own_key), "password": PASSWORD, "signed_key": own_signed}
    assert client.post(SET_UP, sent)["Location"] == SET_UP
    assert "That page was too old" in text(client.get(SET_UP)) and not TOTPDevice.objects.exists()


def test_turning_it_off_and_new_codes_need_the_password_or_a_code(client, ada):
    sign_in(client, app_code())
    for address in (OFF, RENEW):
        for wrong in ("", "guess", "1234567890", "123456"):
            end_wait()
            assert client.post(address, {"password": wrong}).status_code == 422
    assert TOTPDevice.objects.exists() and stored(ada, ada.codes) == 10
    end_wait()
    renewed = recovery_codes(client.post(RENEW, renewal(client, app_code(1))))
    assert len(renewed) == 10 and stored(ada, ada.codes) == 0
    late = renewal(client, PASSWORD)
    assert client.post(OFF, {"password": PASSWORD})["Location"] == "/account/"
    assert not TOTPDevice.objects.exists() and not StaticToken.objects.exists()
    assert client.post("/login/", RIGHT).status_code == 302
    assert client.post(RENEW, late).status_code == 409


def test_a_second_press_shows_the_same_codes_and_an_old_page_brings_none_back(client, ada):
    sign_in(client, app_code())
    first, second = renewal(client, PASSWORD), renewal(client, PASSWORD)
    codes = recovery_codes(client.post(RENEW, first))
    assert recovery_codes(client.post(RENEW, first)) == codes and stored(ada, codes) == 10
    assert use_code(ada, codes[0])
    assert recovery_codes(client.post(RENEW, first)) == codes[1:], "only those that still work"
    refused = client.post(RENEW, second)
    assert refused.status_code == 409 and "Other recovery codes were made" in text(refused)
    others = recovery_codes(client.post(RENEW, renewal(client, PASSWORD)))
    assert client.post(RENEW, first).status_code == 409
    now = renewal(client, PASSWORD)["seen"]
    last = recovery_codes(client.post(RENEW, {**first, "seen": now}))
    assert not set(last) & {*codes, *others}, "nor does its key"
    assert stored(ada, [*codes, *others]) == 0


def test_a_key_that_is_set_up_again_brings_no_old_codes_back(ada):
    turn_off(ada)
    again = turn_on(ada, KEY, app_code(), PASSWORD)
    assert not set(again) & set(ada.codes) and stored(ada, again) == 10 and stored(ada, ada.codes) == 0


def test_recovery_codes_follow_from_the_secret_key(ada, settings):
    seen = recovery_set_of(ada)
    codes = renew_recovery_codes(ada, seen=seen, key="abc")
    settings.SECRET_KEY = "another"
    with pytest.raises(Conflict):
        renew_recovery_codes(ada, seen=seen, key="abc")
    assert not set(codes) & set(renew_recovery_codes(ada, seen=recovery_set_of(ada), key="abc"))


def test_who_finds_a_browser_open_guesses_ten_times_and_no_more(client, ada):
    sign_in(client, app_code())
    answers = [client.post(OFF, {"password": f"guess {n}"}).status_code for n in range(12)]
    assert answers == [422] * 10 + [429] * 2
    assert client.post(OFF, {"password": PASSWORD}).status_code == 429


# --- ways back, and what is kept ---------------------------------------------------------------------------


def test_the_command_turns_it_off_for_who_lost_phone_and_codes(client, ada, capsys):
    address = enter_password(client)
    call_command("reset_password", "ada", "--turn-off-two-step")
    assert "Two-step sign-in of ada is off.\nOne-time link for ada" in capsys.readouterr().out
    assert client.post(address, {"code": app_code()})["Location"] == "/login/"
    assert client.post("/login/", RIGHT).status_code == 302 and is_signed_in(client)
    assert not StaticDevice.objects.exists()
    call_command("reset_password", "ada", "--turn-off-two-step", "--json")
    answer = json.loads(capsys.readouterr().out)
    assert answer["two_step_turned_off"] is False and "/password/" in answer["link"]
    with pytest.raises(CommandError, match="has no two-step sign-in"):
        call_command("reset_password", "new", "--create", "--turn-off-two-step")


def test_a_refused_command_leaves_it_on(ada, monkeypatch):
    monkeypatch.setattr("sys.stdin.readline", lambda: "short\n", raising=False)
    with pytest.raises(CommandError):
        call_command("reset_password", "ada", "--turn-off-two-step", "--stdin")
    assert TOTPDevice.objects.exists()


def test_the_accounts_file_says_that_it_is_on_and_no_secret(client, ada):
    sign_in(client, app_code())
    file = client.get("/account/data.json").content.decode()
    assert json.loads(file)["account"]["two_step_sign_in"] is True
    base32 = base64.b32encode(bytes.fromhex(KEY)).decode()
    assert not any(secret in file for secret in (KEY, base32, *ada.codes))
    turn_off(ada)
    assert client.get("/account/data.json").json()["account"]["two_step_sign_in"] is False


def test_a_deleted_account_leaves_no_key(client, ada):
    sign_in(client, app_code())
    client.post("/account/delete/", {"password": PASSWORD})
    assert not any(table.objects.exists() for table in (TOTPDevice, StaticDevice, StaticToken))


def test_each_step_is_one_line_in_the_log_without_name_or_secret(client, caplog):
    ada = UserFactory(**RIGHT)
    with caplog.at_level(logging.INFO, logger="tournament.accounts"):
        client.force_login(ada)
        key, signed = new_key(client)
        sent = {"signed_key": signed, "code": app_code(-1, key), "password": PASSWORD}
        codes = [code.replace(" ", "") for code in recovery_codes(client.post(SET_UP, sent))]
        client.post("/logout/")
        sign_in(client, app_code(9, key))
        end_wait()
        sign_in(client, app_code(key=key))
        client.post("/logout/")
        sign_in(client, codes[0])
        client.post(RENEW, renewal(client, PASSWORD))
        client.post(OFF, {"password": PASSWORD})
    lines = [record.getMessage() for record in caplog.records if record.name == "tournament.accounts"]
    assert lines == [
        f"two-step sign-in turned on for account {ada.pk}",
        f"wrong sign-in code for account {ada.pk}",
        f"account {ada.pk} signed in with a code",
        f"account {ada.pk} signed in with a recovery code",
        f"new recovery codes for account {ada.pk}",
        f"two-step sign-in turned off for account {ada.pk}",
    ]
