"""The session is over while somebody types: they sign in, and what they sent is there to be sent again, once."""

import re

import pytest
from django.contrib.sessions.models import Session

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import HTMX, key, match_of
from tournament.models import Action

pytestmark = pytest.mark.django_db
SIGN_IN = {"username": "ada", "password": "correct horse"}


@pytest.fixture
def desk(client):
    """A running event, its owner signed in by the form; and her session over."""
    ada = UserFactory(**SIGN_IN)
    tournament = TournamentFactory(entries=4, owner=ada)
    RoundFactory(tournament=tournament)
    client.post("/login/", SIGN_IN)
    Session.objects.all().delete()
    return tournament


def sign_in(client, answer):
    """Through the login page the answer leads to; where it leads on."""
    address = answer["Location"] if answer.status_code == 302 else answer["HX-Redirect"]
    page = client.get(address).content.decode()
    response = client.post(
        address, {**SIGN_IN, "next": re.search(r"next=([^&]*)", address)[1].replace("%2F", "/")}
    )
    return page, response["Location"]


def fields_of(html):
    """The fields of the first form in the content that posts, as a browser would send them."""
    form = re.search(r'<form method="post" action="(/t/[^"]*)">(.*?)</form>', html, re.DOTALL)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[2]))
    areas = re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>\n(.*?)</textarea>', form[2], re.DOTALL)
    return form[1], {**fields, **dict(areas)}


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_a_result_sent_when_signed_out_is_there_after_signing_in(client, desk, headers):
    table = f"/t/{desk.slug}/rounds/1/tables/1/result/"
    sent = {"slip": "20", "version": match_of(desk).version, "key": key()}
    answer = client.post(
        table, sent, HTTP_REFERER=f"http://testserver/t/{desk.slug}/desk/rounds/1/", **headers
    )
    page, onward = sign_in(client, answer)
    assert "It is kept" in page
    assert onward.startswith("/login/typed/?next=")
    action, fields = fields_of(client.get(onward).content.decode())
    assert action == table and {name: fields[name] for name in sent} == {k: str(v) for k, v in sent.items()}
    assert match_of(desk).result is None
    for _ in "twice":
        assert client.post(action, fields).status_code == 303
    assert match_of(desk).result == "played"
    assert Action.objects.filter(key=sent["key"]).count() == 1
    assert client.get(onward).status_code == 303, "nothing is left to send"


def test_pasted_names_come_back_line_by_line(client, desk):
    names = "Ada <b>\nBo & Co\nCleo"
    answer = client.post(f"/t/{desk.slug}/desk/players/", {"names": names, "key": key()})
    _page, onward = sign_in(client, answer)
    _action, fields = fields_of(client.get(onward).content.decode())
    assert fields["names"] == "Ada &lt;b&gt;\nBo &amp; Co\nCleo"


def test_a_refused_one_stays_until_it_is_sent(client, desk):
    answer = client.post(f"/t/{desk.slug}/rounds/1/tables/1/result/", {"slip": "99", "key": key()})
    _page, onward = sign_in(client, answer)
    action, fields = fields_of(client.get(onward).content.decode())
    assert client.post(action, fields).status_code == 422
    assert client.get(onward).status_code == 200


def test_passwords_are_never_kept(client, desk):
    fields = {"old_password": "correct horse", "new_password1": "x", "new_password2": "x"}
    answer = client.post("/account/", fields)
    page, onward = sign_in(client, answer)
    assert "It is kept" not in page and onward == "/"


def test_what_is_too_long_is_not_kept(client, desk):
    answer = client.post(f"/t/{desk.slug}/desk/players/", {"names": "x\n" * 40_000, "key": key()})
    assert sign_in(client, answer)[1] == "/"


def test_a_strangers_posts_are_kept_nowhere(client):
    tournament = TournamentFactory(entries=4)
    client.post(f"/t/{tournament.slug}/desk/players/", {"names": "x"})
    assert not Session.objects.exists()


def test_somebody_else_on_the_same_device_does_not_see_it(client, desk):
    client.post(f"/t/{desk.slug}/desk/players/", {"names": "Secret Sam", "key": key()})
    UserFactory(username="eve", password="correct horse")
    assert client.post("/login/", {**SIGN_IN, "username": "eve"})["Location"] == "/"
    assert client.get("/login/typed/").status_code == 303
