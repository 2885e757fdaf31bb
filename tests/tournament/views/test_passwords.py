import re

import pytest
from django.conf import settings as live
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import UserFactory
from tests.pages import Page, page
from tournament.config import env
from tournament.services import accounts

pytestmark = pytest.mark.django_db
NEW = {"new_password1": "another good one", "new_password2": "another good one"}


@pytest.fixture
def letters(settings, monkeypatch):
    """A mail server is named, and letters leave at once."""
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    monkeypatch.setattr(accounts, "run_in_background", lambda function, *args: function(*args))
    return mail.outbox


def printed(capsys, *args, **options):
    call_command("reset_password", *args, **options)
    return capsys.readouterr().out


def path_in(text):
    return re.search(re.escape(live.SITE_URL) + r"(/password/\S+)", text)[1]


def test_a_command_prints_a_link_that_sets_a_password_once(client, capsys):
    ada = UserFactory(username="ada")
    elsewhere = Client()
    elsewhere.force_login(ada)
    path = path_in(printed(capsys, "ada"))
    assert "New password for ada" in page(client, path)
    assert client.post(path, {**NEW, "new_password2": "other"}).status_code == 422
    assert client.post(path, NEW)["Location"] == "/login/"
    signing_in = {"username": "ada", "password": NEW["new_password1"]}
    assert client.post("/login/", signing_in).status_code == 302
    assert elsewhere.get("/new/").status_code == 302, "other devices are signed out"
    for again in (client.get(path), client.post(path, NEW)):
        assert again.status_code == 410 and "no longer works" in Page(again)


def test_a_made_up_link_is_refused(client):
    UserFactory()
    for path in ("MQ/x", "MQ/abc123-0123", "--/x", "OTk5OTk5OTk5OTk5OTk5OTk5/x", "4pi6/x"):
        assert client.get(f"/password/{path}/").status_code == 410
        assert client.post(f"/password/{path}/", NEW).status_code == 410


def test_the_first_account_is_made_by_command_where_sign_up_is_closed(client, settings, capsys):
    settings.SIGN_UP_OPEN = False
    fields = {"username": "eve", "password1": "correct horse", "password2": "correct horse"}
    assert client.post("/signup/", fields).status_code == 403 and not User.objects.exists()
    assert "Sign-up is closed here" in Page(client.get("/signup/"))
    sign_in = page(client, "/login/")
    assert "Sign-up is closed here" in sign_in and not sign_in.all('[href^="/signup/"]')
    path = path_in(printed(capsys, "ada", create=True))
    client.post(path, NEW)
    assert client.login(username="ada", password=NEW["new_password1"])


def test_the_command_says_what_is_wrong_and_writes_nothing():
    UserFactory(username="ada")
    for args, words in [
        (["nobody"], "no account"),
        (["ada", "--create"], "already"),
        (["Ada", "--create"], "only in capital letters"),
        (["a b", "--create"], "valid username"),
        (["x" * 151, "--create"], "too long"),
    ]:
        with pytest.raises(CommandError, match=words):
            call_command("reset_password", *args)
    assert User.objects.count() == 1


def test_the_command_takes_a_password_from_standard_input(capsys, monkeypatch):
    ada = UserFactory(username="ada")
    monkeypatch.setattr("sys.stdin.readline", lambda: "short\n", raising=False)
    with pytest.raises(CommandError, match="too short"):
        call_command("reset_password", "ada", stdin=True)
    monkeypatch.setattr("sys.stdin.readline", lambda: "a long enough one\n", raising=False)
    assert "new password" in printed(capsys, "ada", stdin=True)
    ada.refresh_from_db()
    assert ada.check_password("a long enough one")


def test_without_a_mail_server_the_page_names_the_command(client):
    assert "reset_password" in page(client, "/password/")
    assert client.post("/password/", {"email": "ada@example.org"}).status_code == 404


def test_a_letter_brings_the_link(client, letters):
    UserFactory(username="ada", email="Ada@example.org")
    assert client.post("/password/", {"email": "ada@example.org"}).status_code == 200
    (letter,) = letters
    assert letter.to == ["Ada@example.org"] and "Hello ada" in letter.body
    assert client.post(path_in(letter.body), NEW)["Location"] == "/login/"
    client.post("/password/", {"email": "ada@example.org"})
    assert len(letters) == 1, "not again within ten minutes"


def test_known_and_unknown_addresses_get_the_same_answer_for_the_same_work(client, letters):
    UserFactory(username="ada", email="ada@example.org")
    answers = []
    for address in ("ada@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.post("/password/", {"email": address})
        answers.append((answer.status_code, Page(answer).words, len(queries)))
    assert answers[0] == answers[1]
    assert len(letters) == 1


def test_letters_never_leave_while_somebody_waits(client, settings, monkeypatch):
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    started = []
    monkeypatch.setattr(accounts, "run_in_background", lambda function, *args: started.append(args))
    UserFactory(email="ada@example.org")
    for address in ("ada@example.org", "nobody@example.org"):
        client.post("/password/", {"email": address})
    assert [len(letters) for (letters,) in started] == [1, 0] and mail.outbox == []


def test_an_address_is_asked_for_only_where_letters_can_be_sent(client, settings):
    assert not page(client, "/signup/").all("[name=email]")
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    assert client.post("/signup/", {**fields, "email": "ada@example.org"}).status_code == 303
    assert User.objects.get().email == "ada@example.org"
    for wrong in ({"email": "nonsense"}, {"password": "guess"}, {"password": ""}):
        sent = {"email": "new@example.org", "password": "correct horse"} | wrong
        assert client.post("/account/mail/", sent).status_code == 422
    assert User.objects.get().email == "ada@example.org"
    sent = {"email": "new@example.org", "password": "correct horse"}
    assert client.post("/account/mail/", sent).status_code == 303
    assert User.objects.get().email == "new@example.org"


def test_changing_ones_password_keeps_this_device_signed_in_and_no_other(client):
    ada = UserFactory(username="ada", password="correct horse")
    other = Client()
    for browser in (client, other):
        browser.force_login(ada)
    assert client.post("/account/", {"old_password": "wrong", **NEW}).status_code == 422
    assert client.post("/account/", {"old_password": "correct horse", **NEW}).status_code == 303
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_sign_up_is_open_or_closed_and_nothing_else():
    assert env.sign_up_open({}) and env.sign_up_open({"SIGNUP": "open"})
    assert not env.sign_up_open({"SIGNUP": "closed"})
    with pytest.raises(ImproperlyConfigured, match="SIGNUP"):
        env.sign_up_open({"SIGNUP": "perhaps"})


def test_a_mail_server_is_one_address_and_a_wrong_one_is_refused_in_words():
    server, sender = "mail.example.org", {"EMAIL_FROM": "a@b.c"}
    assert env.mail({}) == {}
    full = env.mail({"EMAIL_URL": f"smtp://ada%40example.org:p%3Aw@{server}"})
    assert (full["EMAIL_PORT"], full["EMAIL_HOST_PASSWORD"]) == (587, "p:w")
    assert (full["EMAIL_USE_TLS"], full["EMAIL_USE_SSL"]) == (True, False)
    safe = env.mail({"EMAIL_URL": f"smtps://{server}", **sender})
    assert (safe["EMAIL_PORT"], safe["EMAIL_USE_SSL"], safe["DEFAULT_FROM_EMAIL"]) == (465, True, "a@b.c")
    assert not env.mail({"EMAIL_URL": "smtp://127.0.0.1:25?starttls=no", **sender})["EMAIL_USE_TLS"]
    for wrong in (
        {"EMAIL_URL": server, **sender},
        {"EMAIL_URL": f"smtp://{server}"},
        {"EMAIL_URL": f"smtp://{server}?tls=1", **sender},
    ):
        with pytest.raises(ImproperlyConfigured, match="EMAIL_"):
            env.mail(wrong)
