import pytest
from django.contrib.sessions.models import Session

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import page
from tests.tournament.views.desk import HTMX, key, match_of
from tournament.models import Action

pytestmark = pytest.mark.django_db
SIGN_IN = {"username": "ada", "password": "correct horse"}


@pytest.fixture
def desk(client):
    ada = UserFactory(**SIGN_IN)
    tournament = TournamentFactory(entries=4, owner=ada)
    RoundFactory(tournament=tournament)
    client.post("/login/", SIGN_IN)
    Session.objects.all().delete()
    return tournament


def sign_in(client, answer):
    address = answer["Location"] if answer.status_code == 302 else answer["HX-Redirect"]
    shown = page(client, address)
    done = client.post(shown.form("Sign in").action, {**shown.form("Sign in").fields, **SIGN_IN})
    return shown, done["Location"]


def kept(client, onward):
    return page(client, onward).form("Send it now")


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_a_result_sent_when_signed_out_is_there_after_signing_in(client, desk, headers):
    table = f"/t/{desk.slug}/rounds/1/tables/1/result/"
    sent = {"slip": "20", "version": match_of(desk).version, "key": key()}
    referer = f"http://testserver/t/{desk.slug}/desk/rounds/1/"
    shown, onward = sign_in(client, client.post(table, sent, HTTP_REFERER=referer, **headers))
    assert "It is kept" in shown and onward.startswith("/login/typed/?next=")
    form = kept(client, onward)
    assert form.action == table and all(form[k] == str(v) for k, v in sent.items())
    assert match_of(desk).result is None
    assert client.post(form.action, {**form.fields, "slip": "99"}).status_code == 422
    assert kept(client, onward), "a refused one stays"
    for _ in "twice":
        assert client.post(form.action, form.fields).status_code == 303
    assert match_of(desk).result == "played"
    assert Action.objects.filter(key=sent["key"]).count() == 1
    assert client.get(onward).status_code == 303, "nothing is left to send"


def test_pasted_names_come_back_line_by_line(client, desk):
    names = "Ada <b>\nBo & Co\nCleo"
    answer = client.post(f"/t/{desk.slug}/desk/players/", {"names": names, "key": key()})
    assert kept(client, sign_in(client, answer)[1])["names"] == names


def test_neither_passwords_nor_what_is_too_long_is_kept(client, desk):
    fields = {"oldpassword": "correct horse", "password1": "x", "password2": "x"}
    shown, onward = sign_in(client, client.post("/account/password/", fields))
    assert "It is kept" not in shown and onward == "/"
    Session.objects.all().delete()
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
