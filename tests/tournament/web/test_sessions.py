import datetime as dt
import logging
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import key
from tournament.models import Staff
from tournament.services.staff import create_invite
from tournament.web.sessions import SessionStore

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "cookie", ["a\0b", '"a\\000b"', '"\\000"', '"' + "a" * 31 + '\\000"', "é" * 32, "x" * 5000, '" "']
)
def test_a_cookie_that_is_no_session_is_no_one(client, cookie):
    header = {"cookie": f"{settings.SESSION_COOKIE_NAME}={cookie}"}
    assert client.get("/account/", headers=header).status_code == 302


def test_a_session_ends_with_its_time(client):
    client.force_login(UserFactory())
    assert client.get("/account/").status_code == 200
    Session.objects.update(expire_date=timezone.now() - dt.timedelta(seconds=1))
    assert client.get("/account/").status_code == 302


@pytest.fixture
def before_saving(monkeypatch):
    """Let something happen just before `kind`, a session or its row, is saved the next time."""

    def happens(kind, what):
        save = kind.save

        def save_after(self, *args, **kwargs):
            monkeypatch.setattr(kind, "save", save)
            what()
            save(self, *args, **kwargs)

        monkeypatch.setattr(kind, "save", save_after)

    return happens


def sign_out_elsewhere():
    Session.objects.all().delete()


def fill_disk():
    raise OperationalError("database or disk is full")


@pytest.mark.parametrize(("kind", "happens"), [(SessionStore, sign_out_elsewhere), (Session, fill_disk)])
def test_what_was_saved_is_answered_as_saved_whatever_becomes_of_the_session(
    client, before_saving, kind, happens, caplog
):
    tournament = TournamentFactory(entries=2)
    client.force_login(tournament.owner)
    before_saving(kind, happens)
    with caplog.at_level(logging.WARNING):
        answer = client.post(f"/t/{tournament.slug}/desk/announcement/", {"text": "Lunch"})
    assert answer.status_code == 303
    tournament.refresh_from_db()
    assert tournament.announcement == "Lunch"
    assert "a session was not saved: POST" in caplog.text
    signed_in = client.get("/account/").status_code == 200
    assert signed_in == (happens is fill_disk)


def test_a_sign_in_that_could_not_be_saved_does_not_look_like_one(before_saving):
    UserFactory(username="ada", password="correct horse")
    visitor = Client(raise_request_exception=False)
    before_saving(Session, lambda: before_saving(Session, fill_disk))  # it is made first, and then filled
    answer = visitor.post("/login/", {"username": "ada", "password": "correct horse"})
    assert answer.status_code == 503
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    assert visitor.get("/account/").status_code == 302


NEW = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
KNOWN = {"username": "bea", "password": "correct horse"}
ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
]


def link(client, address, words):
    return page(client, address).link(words)


def invitation():
    owner = UserFactory()
    tournament = TournamentFactory(entries=2, owner=owner)
    return tournament, f"/invite/{create_invite(tournament, role='judge', people=9, hours=9, actor=owner)}/"


@pytest.mark.parametrize("opened", ["/rulesets/", "/?q=friday", "/rulesets/mtr/"])
def test_the_link_at_the_top_comes_back_to_the_page_it_is_on(client, opened):
    UserFactory(**KNOWN)
    assert client.post(link(client, opened, "Sign in"), KNOWN)["Location"] == opened


def test_whoever_wants_to_create_an_event_does_so_after_signing_up(client):
    sign_in = link(client, "/", "Sign in to run an event")
    sign_up = link(client, sign_in, "Sign up")
    assert client.post(sign_up, {}).status_code == 422
    assert client.post(sign_up, NEW)["Location"] == "/new/"


def test_an_invitation_waits_through_every_detour(client, settings):
    settings.MAIL = True
    tournament, address = invitation()
    detour = link(client, link(client, link(client, address, "Sign in"), "Sign up"), "Sign in")
    detour = link(client, link(client, detour, "Forgot your password?"), "Back to signing in")
    answer = client.post(link(client, detour, "Sign up"), NEW)
    assert answer["Location"] == address
    assert client.post(address, {"key": key()})["Location"] == f"/t/{tournament.slug}/desk/judge/"
    assert Staff.objects.get(tournament=tournament, role="judge").user.get_username() == "ada"


def test_an_invitation_waits_for_the_other_account_and_a_page_for_signing_in_is_no_page_to_come_back_to(
    client,
):
    UserFactory(**KNOWN)
    _tournament, address = invitation()
    client.force_login(UserFactory())
    form = page(client, address).form("Sign out and use another account")
    assert client.post(form.action, form.fields)["Location"] == address
    assert client.post(link(client, address, "Sign in"), KNOWN)["Location"] == address
    assert (
        link(client, "/login/", "Sign up") == "/signup/" and link(client, "/signup/", "Sign in") == "/login/"
    )
    assert client.post("/login/", KNOWN)["Location"] == "/"


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_nothing_leads_to_another_site(client, wanted):
    UserFactory(**KNOWN)
    assert client.post("/login/", {**KNOWN, "next": wanted})["Location"] == "/"
    assert client.post("/logout/", {"next": wanted})["Location"] == "/"
    assert client.post("/signup/", {**NEW, "next": wanted})["Location"] == "/"


def test_a_player_who_opens_my_page_registers_and_gets_there(client):
    tournament = TournamentFactory(entries=2, self_registration=True)
    form = page(client, link(client, f"/t/{tournament.slug}/me/", "Register"))
    shown = press(client, form, "Register", name="Zoe Zorn")
    assert shown.answer.redirect_chain[-1][0].endswith("/link/?new=1")
    assert "Zoe Zorn" in page(client, shown.link("Go to my page"))


@pytest.mark.parametrize("header", ["Referer", "HX-Current-URL"])
@pytest.mark.parametrize("htmx", [{}, {"HX-Request": "true"}])
def test_an_address_that_is_none_leads_home(client, header, htmx):
    for address in ("http://[", "//[", "http://]", "http://[::1", "http://[v1.x]/"):
        answer = client.post("/account/password/", {}, headers={header: address, **htmx})
        assert answer.status_code == (401 if htmx else 302)
        assert answer.get("HX-Redirect", answer.get("Location")).startswith("/login/?next=%2F")


def test_a_form_sent_from_another_site_comes_back_to_the_home_page(client):
    for referer, back in (("https://evil.example/account/", "/"), ("http://testserver/new/", "/new/")):
        answer = client.post("/account/password/", {}, headers={"Referer": referer})
        assert answer["Location"] == f"/login/?{urlencode({'next': back, 'unsaved': 1})}"


def test_a_stranger_is_told_that_nothing_was_saved_and_nothing_is_kept(client):
    players = f"/t/{TournamentFactory(entries=4).slug}/desk/players/"
    assert "What you sent was not saved." in Page(client.post(players, {"names": "x"}, follow=True))
    assert "messages" not in client.cookies and not Session.objects.exists()
    assert "What you sent was not saved." not in page(client, players)
