"""Two-step sign-in: a code after the password, no guessing, and no way round it."""

import re

import pytest
from django.contrib import admin
from django.contrib.sessions.models import Session
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.conftest import ROOT
from tests.factories import UserFactory
from tests.tournament.access.authenticator import (
    CODE,
    KEY,
    NEW,
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
    path_of,
    sign_in,
    wait,
)
from tests.tournament.views.phones import text
from tests.tournament.web.test_sign_in import ELSEWHERE
from tournament.access.throttle import Limit
from tournament.services.account_deletion import delete_account
from tournament.services.accounts import reset_link, set_password
from tournament.services.two_step import MOST_FAILURES, turn_off, turn_on
from tournament.views import two_step as pages

pytestmark = pytest.mark.django_db
__all__ = ["ada", "wait"]  # fixtures


# --- signing in --------------------------------------------------------------------------------------------


def test_after_the_password_a_code_signs_in_and_goes_where_one_wanted(client, ada):
    address = enter_password(client, "?next=/new/")
    page = text(client.get(address))
    assert 'autocomplete="one-time-code"' in page and 'inputmode="numeric"' in page
    before = client.cookies["hall_session"].value
    answer = client.post(address, {"code": f" {app_code()[:3]} {app_code()[3:]} "})
    assert (answer.status_code, answer["Location"]) == (303, "/new/")
    assert is_signed_in(client) and client.cookies["hall_session"].value != before
    assert "half_way" not in client.session


def test_what_was_typed_while_signed_out_waits_for_the_code(client, ada):
    sign_in(client, app_code())
    Session.objects.all().delete()
    door = client.post("/account/", {"note": "typed"})["Location"]
    assert "It is kept" in text(client.get(door))
    answer = client.post(client.post(door, RIGHT)["Location"], {"code": app_code(1)})
    assert answer["Location"].startswith("/login/typed/?next=")
    assert "typed" in text(client.get(answer["Location"]))


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_no_code_leads_to_another_site(client, ada, wanted):
    client.post("/login/", {**RIGHT, "next": wanted})
    assert client.post(f"{CODE}?next={wanted}", {"code": app_code(), "next": wanted})["Location"] == "/"
    assert is_signed_in(client)


@pytest.mark.parametrize("wanted", ["standings", "logout"])
def test_a_word_is_no_address_to_go_to_and_keeps_no_one_out(client, ada, wanted):
    answer = sign_in(client, app_code(), f"?next={wanted}")
    assert (answer.status_code, answer["Location"]) == (303, wanted)
    assert is_signed_in(client)


def test_a_code_never_works_twice(client, ada):
    assert sign_in(client, app_code(-1)).status_code == 422, "that of the set-up"
    end_wait()
    assert sign_in(client, app_code()).status_code == 303
    answer = sign_in(Client(), app_code())
    assert answer.status_code == 422 and "was used before" in text(answer)
    end_wait()
    assert sign_in(Client(), app_code(1)).status_code == 303


def test_a_recovery_code_works_once_and_says_how_many_are_left(client, ada):
    first = ada.codes[0]
    sign_in(client, f"{first[:5]} {first[5:]}")
    assert "You used a recovery code. 9 are left." in text(client.get("/account/"))
    assert sign_in(Client(), first).status_code == 422
    end_wait()
    assert sign_in(Client(), ada.codes[1]).status_code == 303


@pytest.mark.parametrize(
    "typed", ["", "0", "12345", "1234567", "١٢٣٤٥٦", "+12345", "12_345", "9" * 41, "a\0b", "<b>"]
)
def test_what_is_no_code_is_refused_in_one_line(client, ada, typed):
    answer = sign_in(client, typed)
    assert answer.status_code == 422 and text(answer).count("invalid-feedback") == 1
    assert not is_signed_in(client)
    assert not TOTPDevice.objects.get().throttling_failure_count


def test_half_way_is_nobody_for_every_page(client, ada):
    enter_password(client)
    for address in ("/account/", "/account/data.json", SET_UP, OFF, RENEW, "/new/"):
        assert client.get(address)["Location"].startswith("/login/?next=")


def test_a_session_from_before_the_password_is_not_half_way(client, ada):
    planted = Client()
    planted.cookies["hall_session"] = client.session.session_key
    address = enter_password(client)
    assert client.get(address).status_code == 200
    assert planted.get(address).status_code == 303  # to the page that asks for the password


def test_a_half_way_state_ends_after_ten_minutes(client, ada, wait):
    address = enter_password(client, "?next=/new/")
    wait(601)
    answer = client.post(address, {"code": app_code()})
    assert (answer.status_code, answer["Location"]) == (303, "/login/?next=%2Fnew%2F")
    assert "Sign in again: this took too long" in text(client.get(answer["Location"]))
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
    assert "Your account, bea" in text(client.get("/account/"))


# --- guessing ----------------------------------------------------------------------------------------------


def test_each_wrong_code_doubles_the_wait_and_says_it(client, ada):
    address = enter_password(client)
    assert client.post(address, {"code": app_code(9)}).status_code == 422
    answer = client.post(address, {"code": app_code()})
    assert answer.status_code == 429 and "Wait 1 second, then try again." in text(answer)
    for _wrong in range(4):
        end_wait()
        client.post(address, {"code": app_code(9)})
    assert "Wait 16 seconds" in text(client.post(address, {"code": app_code()}))
    end_wait()
    assert client.post(address, {"code": app_code()}).status_code == 303
    assert TOTPDevice.objects.get().throttling_failure_count == 0


def test_the_wait_stops_growing_at_half_an_hour_and_recovery_codes_have_their_own(client, ada):
    address = enter_password(client)
    for _wrong in range(MOST_FAILURES + 3):
        end_wait()
        client.post(address, {"code": app_code(9)})
    seconds = int(re.search(r"Wait (\d+) seconds", text(client.post(address, {"code": app_code()})))[1])
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
    assert "wrong codes came from this network" in text(stranger.post(address, {"code": app_code(1)}))
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
    assert answer.status_code == 403 and "Only administrators of this site" in text(answer)
    registered = {model._meta.app_label for model in admin.site._registry}
    assert "tournament" in registered and not registered & {"otp_totp", "otp_static"}
    root = Client()
    root.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    assert "otp" not in text(root.get("/admin/")).lower()
    assert root.get("/admin/otp_totp/totpdevice/").status_code == 404
    assert KEY not in text(root.get(f"/admin/auth/user/{ada.pk}/change/"))


def test_a_new_password_by_a_link_still_needs_the_code(client, ada):
    assert client.post(path_of(reset_link(ada)), NEW)["Location"] == "/login/"
    assert not is_signed_in(client)
    answer = client.post("/login/", {**RIGHT, "password": NEW["new_password1"]})
    assert answer["Location"] == CODE and not is_signed_in(client)
    assert client.post(CODE, {"code": app_code()}).status_code == 303


def test_only_two_pages_and_the_new_account_sign_anyone_in():
    """Whatever calls `login` must ask for a code before."""
    calls = re.compile(r"\b(auth_)?login\(request|LoginView\b|AdminAuthenticationForm|force_login")
    apps = [path for app in ("tournament", "standings", "pairings") for path in (ROOT / app).rglob("*.py")]
    guilty = [path.name for path in apps if calls.search(path.read_text(encoding="utf-8"))]
    assert sorted(guilty) == ["accounts.py", "two_step.py"]
    accounts = (ROOT / "tournament/views/accounts.py").read_text(encoding="utf-8")
    assert len(re.findall(r"\blogin\(request", accounts)) == 1, "signing up"
