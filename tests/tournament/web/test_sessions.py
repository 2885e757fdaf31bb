"""Sessions: a cookie may hold anything, and one whose time is up signs no one in."""

import datetime as dt

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("cookie", ["a\0b", "é" * 32, "x" * 5000, " "])
def test_a_cookie_that_is_no_session_is_no_one(client, cookie):
    client.cookies[settings.SESSION_COOKIE_NAME] = cookie
    assert client.get("/account/").status_code == 302


def test_a_session_ends_with_its_time(client):
    client.force_login(UserFactory())
    assert client.get("/account/").status_code == 200
    Session.objects.update(expire_date=timezone.now() - dt.timedelta(seconds=1))
    assert client.get("/account/").status_code == 302
