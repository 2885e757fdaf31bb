import datetime as dt
import logging

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from tests.factories import TournamentFactory, UserFactory
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
