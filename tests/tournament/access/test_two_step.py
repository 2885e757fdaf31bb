"""Two-step sign-in: a code after the password, no guessing, no way round it; set up, turned off and lost."""

import base64
import json
import logging
import re

import pytest
from django.contrib import admin
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.conftest import ROOT
from tests.factories import UserFactory
from tests.pages import Page, page
from tests.test_house import APPS
from tests.tournament.access.authenticator import (
    CODE,
    KEY,
    PASSWORD,
    RIGHT,
    SET_UP,
    ada,
    app_code,
    end_wait,
    enter_password,
    is_signed_in,
    new_key,
    sign_in,
    wait,
)
from tests.tournament.web.test_sign_in import ELSEWHERE
from tournament.access.throttle import Limit
from tournament.errors import Conflict
from tournament.services.accounts import delete_account, reset_link, set_password
from tournament.services.two_step import (
    MOST_FAILURES,
    hash_of,
    read_digits,
    recovery_set_of,
    renew_recovery_codes,
    turn_off,
    turn_on,
    use_code,
)
from tournament.views import two_step as pages

pytestmark = pytest.mark.django_db
__all__ = ["ada", "wait"]  # fixtures
OFF, RENEW = "/account/two-step/off/", "/account/two-step/codes/"
NEW = {"new_password1": "another good one", "new_password2": "another good one"}


def path_of(link):
    return "/password/" + link.partition("/password/")[2]


def recovery_codes(answer):
    return re.findall(r"\b\d{5} \d{5}\b", Page(answer).words)


def renewal(client, password):
    """What the form for new recovery codes sends, as the page shows it now."""
    (form,) = (form for form in page(client, RENEW).forms if "seen" in form.fields)
    return {"key": form["key"], "seen": form["seen"], "password": password}


def stored(user, codes):
    """How many of these recovery codes would let the user in; none is there to be read."""
    codes = [read_digits(code) for code in codes]
    assert not StaticToken.objects.filter(token__in=codes).exists()
    return StaticToken.objects.filter(token__in=[hash_of(user, code) for code in codes]).count()


# --- signing in --------------------------------------------------------------------------------------------


def test_after_the_password_a_code_signs_in_and_goes_where_one_wanted(client, ada):
    address = enter_password(client, "?next=/new/")
    assert page(client, address).one('[name="code"][autocomplete="one-time-code"][inputmode="numeric"]')
    before = client.cookies["hall_session"].value
    answer = client.post(address, {"code": f" {app_code()[:3]} {app_code()[3:]} "})
    assert (answer.status_code, answer["Location"]) == (303, "/new/")
    assert is_signed_in(client) and client.cookies["hall_session"].value != before
    assert "half_way" not in client.session


def test_what_was_typed_while_signed_out_waits_for_the_code(client, ada):
    sign_in(client, app_code())
    Session.objects.all().delete()
    door = client.post("/account/", {"note": "typed"})["Location"]
    assert "It is kept" in page(client, door)
    answer = client.post(client.post(door, RIGHT)["Location"], {"code": app_code(1)})
    assert answer["Location"].startswith("/login/typed/?next=")
    assert "typed" in client.get(answer["Location"]).content.decode()


@pytest.mark.parametrize("wanted", [*ELSEWHERE, "standings", "logout"])
def test_no_code_leads_to_another_site_and_a_word_is_no_address(client, ada, wanted):
    client.post("/login/", {**RIGHT, "next": wanted})
    answer = client.post(f"{CODE}?next={wanted}", {"code": app_code(), "next": wanted})
    assert (answer.status_code, answer["Location"]) == (303, "/" if wanted in ELSEWHERE else wanted)
    assert is_signed_in(client)


def test_a_code_never_works_twice(client, ada):
    assert sign_in(client, app_code(-1)).status_code == 422, "that of the set-up"
    end_wait()
    assert sign_in(client, app_code()).status_code == 303
    answer = sign_in(Client(), app_code())
    assert answer.status_code == 422 and "was used before" in Page(answer)
    end_wait()
    assert sign_in(Client(), app_code(1)).status_code == 303


def test_a_recovery_code_works_once_and_says_how_many_are_left(client, ada):
    first = ada.codes[0]
    sign_in(client, f"{first[:5]} {first[5:]}")
    assert "You used a recovery code. 9 are left." in page(client, "/account/")
    assert sign_in(Client(), first).status_code == 422
    end_wait()
    assert sign_in(Client(), ada.codes[1]).status_code == 303


@pytest.mark.parametrize(
    "typed", ["", "0", "12345", "1234567", "١٢٣٤٥٦", "+12345", "12_345", "9" * 41, "a\0b", "<b>"]
)
def test_what_is_no_code_is_refused_in_one_line(client, ada, typed):
    answer = sign_in(client, typed)
    assert answer.status_code == 422 and len(Page(answer).all(".invalid-feedback")) == 1
    assert not is_signed_in(client)
    assert not TOTPDevice.objects.get().throttling_failure_count


def test_half_way_is_nobody_for_every_page_and_ends_after_ten_minutes(client, ada, wait):
    address = enter_password(client, "?next=/new/")
    for other in ("/account/", "/account/data.json", SET_UP, OFF, RENEW, "/new/"):
        assert client.get(other)["Location"].startswith("/login/?next=")
    wait(601)
    answer = client.post(address, {"code": app_code()})
    assert (answer.status_code, answer["Location"]) == (303, "/login/?next=%2Fnew%2F")
    assert "Sign in again: this took too long" in page(client, answer["Location"])
    assert not is_signed_in(client)
    assert sign_in(client, app_code()).status_code == 303


@pytest.mark.parametrize("happens", ["password", "inactive", "off", "deleted", "new key"])
def test_a_half_way_state_ends_with_what_it_was_for(client, ada, happens):
    address = enter_password(client)
    if happens == "password":
        set_password(ada, NEW["new_password1"])
    elif happens == "inactive":
        ada.is_active = False
        ada.save()
    elif happens == "deleted":
        delete_account(ada)
    else:
        turn_off(ada)
    if happens == "new key":
        ada.refresh_from_db()
        turn_on(ada, KEY[::-1], app_code(-1, KEY[::-1]), PASSWORD)
    for digits in (app_code(), app_code(key=KEY[::-1]), ada.codes[0]):
        assert client.post(address, {"code": digits})["Location"] == "/login/"
    assert not is_signed_in(client)


def test_without_a_password_the_page_for_codes_leads_to_the_page_that_asks_for_it(client, ada):
    assert client.get(CODE)["Location"] == "/login/"
    assert client.post(f"{CODE}?next=/new/", {"code": app_code()})["Location"] == "/login/?next=%2Fnew%2F"
    assert not is_signed_in(client)


def test_the_code_of_one_account_signs_no_other_in(client, ada):
    UserFactory(username="bea", password=PASSWORD)
    address = enter_password(client)
    assert client.post("/login/", {**RIGHT, "username": "bea"}).status_code == 302
    client.post(address, {"code": app_code()})
    assert "Your account, bea" in page(client, "/account/")


# --- guessing ----------------------------------------------------------------------------------------------


def test_each_wrong_code_doubles_the_wait_and_says_it(client, ada):
    address = enter_password(client)
    assert client.post(address, {"code": app_code(9)}).status_code == 422
    answer = client.post(address, {"code": app_code()})
    assert answer.status_code == 429 and "Wait 1 second, then try again." in Page(answer)
    for _wrong in range(4):
        end_wait()
        client.post(address, {"code": app_code(9)})
    assert "Wait 16 seconds" in Page(client.post(address, {"code": app_code()}))
    end_wait()
    assert client.post(address, {"code": app_code()}).status_code == 303
    assert TOTPDevice.objects.get().throttling_failure_count == 0


def test_the_wait_stops_growing_at_half_an_hour_and_recovery_codes_have_their_own(client, ada):
    address = enter_password(client)
    for _wrong in range(MOST_FAILURES + 3):
        end_wait()
        client.post(address, {"code": app_code(9)})
    seconds = int(re.search(r"Wait (\d+) seconds", Page(client.post(address, {"code": app_code()})).words)[1])
    assert 30 * 60 < seconds <= 2 ** (MOST_FAILURES - 1)
    assert client.post(address, {"code": ada.codes[0]}).status_code == 303


def test_many_wrong_codes_from_one_network_end_and_known_devices_stay(monkeypatch, ada):
    known = Client()
    sign_in(known, app_code())
    known.post("/logout/")
    monkeypatch.setattr(pages, "WRONG_SIGN_IN_CODES", Limit("test", most=3, seconds=300))
    stranger = Client()
    address = enter_password(stranger)
    answers = [stranger.post(address, {"code": "12345"}).status_code for _ in range(4)]
    assert answers == [422, 422, 422, 429]
    assert "wrong codes came from this network" in Page(stranger.post(address, {"code": app_code(1)}))
    assert sign_in(known, app_code(1)).status_code == 303


# --- no way round ------------------------------------------------------------------------------------------


def test_the_admin_leads_to_the_same_door(client, ada):
    ada.is_superuser = ada.is_staff = True
    ada.save()
    address = client.get("/admin/")["Location"]
    assert address == "/admin/login/?next=/admin/"
    for answer in (client.get(address), client.post(address, {**RIGHT, "next": "/admin/"})):
        assert (answer.status_code, answer["Location"]) == (302, "/login/?next=%2Fadmin%2F")
    assert client.get("/admin/").status_code == 302
    assert sign_in(client, app_code(), "?next=/admin/")["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_the_admin_says_no_to_who_may_not_open_it_and_shows_no_key(client, ada):
    sign_in(client, app_code())
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.status_code == 403 and "Only administrators of this site" in Page(answer)
    registered = {model._meta.app_label for model in admin.site._registry}
    assert "tournament" in registered and not registered & {"otp_totp", "otp_static"}
    root = Client()
    root.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    assert root.get("/admin/otp_totp/totpdevice/").status_code == 404
    assert KEY not in root.get(f"/admin/auth/user/{ada.pk}/change/").content.decode()


def test_a_new_password_by_a_link_still_needs_the_code(client, ada):
    assert client.post(path_of(reset_link(ada)), NEW)["Location"] == "/login/"
    assert not is_signed_in(client)
    answer = client.post("/login/", {**RIGHT, "password": NEW["new_password1"]})
    assert answer["Location"] == CODE and not is_signed_in(client)
    assert client.post(CODE, {"code": app_code()}).status_code == 303


def test_only_two_pages_and_the_new_account_sign_anyone_in():
    """Whatever calls `login` must ask for a code before."""
    calls = re.compile(r"\b(auth_)?login\(request|LoginView\b|AdminAuthenticationForm|force_login")
    apps = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    guilty = [path.name for path in apps if calls.search(path.read_text(encoding="utf-8"))]
    assert sorted(guilty) == ["accounts.py", "two_step.py"]
    accounts = (ROOT / "tournament/views/accounts.py").read_text(encoding="utf-8")
    assert len(re.findall(r"\blogin\(request", accounts)) == 1, "signing up"


# --- setting it up -----------------------------------------------------------------------------------------


def test_it_is_set_up_by_a_first_code_which_shows_ten_recovery_codes_once(client):
    ada, elsewhere = UserFactory(**RIGHT), Client()
    link = path_of(reset_link(ada))
    for browser in (client, elsewhere):
        browser.force_login(ada)
    assert page(client, "/account/").one(f'a[href="{SET_UP}"]')
    key, signed = new_key(client)
    assert not TOTPDevice.objects.exists(), "nothing is written by looking"
    sent = {"signed_key": signed, "code": app_code(key=key), "password": PASSWORD}
    wrong_codes = [{"code": code} for code in (app_code(9, key=key), "12345", "x" * 99)]
    for wrong in (*wrong_codes, {"password": "guess"}):
        answer = client.post(SET_UP, sent | wrong)
        assert answer.status_code == 422 and not TOTPDevice.objects.exists()
        assert Page(answer).one('[name="signed_key"]')["value"] == signed, "the app keeps its key"
    answer = client.post(SET_UP, sent)
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    codes = recovery_codes(answer)
    assert len(set(codes)) == 10
    account = page(client, "/account/")
    assert "10 recovery codes are left" in account and not any(code in account for code in codes)
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
    assert "That page was too old" in page(client, SET_UP) and not TOTPDevice.objects.exists()


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
    assert refused.status_code == 409 and "Other recovery codes were made" in Page(refused)
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
