import os
import re
from contextlib import contextmanager
from gettext import GNUTranslations
from urllib.parse import urlsplit

import pytest
from django.conf import settings as live
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.security.test_sign_in import without_tokens
from tests.tournament.views.phones import text
from tournament.access.throttle import EMAILS
from tournament.actionlog import background
from tournament.config import env
from tournament.config.catalogs import compile_catalogs
from tournament.forms import accounts as forms
from tournament.models import Tournament
from tournament.services import events
from tournament.services.accounts import reset_link
from tournament.web import account_adapter

ADA = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}


@pytest.mark.parametrize(("wanted", "lands"), [("/new/", "/new/"), ("https://evil.example/", "/")])
def test_signing_up_signs_in_and_goes_where_one_wanted_on_this_site(client, wanted, lands):
    answer = client.post(f"/signup/?next={wanted}", ADA)
    assert (answer.status_code, answer["Location"]) == (302, lands)
    assert client.get("/new/").status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"username": "ada", "password1": "short", "password2": "short"},
        ADA | {"password2": "battery staple"},
        ADA | {"username": "a\x00a"},
        ADA | {"username": "x" * 999},
    ],
)
def test_a_bad_sign_up_is_refused(client, fields):
    assert client.post("/signup/", fields).status_code == 422


def test_a_sign_up_sent_twice_at_once_makes_one_account_and_says_that_the_name_is_taken(client, monkeypatch):
    @contextmanager
    def late_turn(request):
        UserFactory(username="ada")
        yield

    monkeypatch.setattr("tournament.web.account_adapter.password_turn", late_turn)
    for _ in range(2):
        answer = client.post("/signup/", ADA)
        assert answer.status_code == 422
        assert "A user with that username already exists." in Page(answer)
    assert User.objects.count() == 1 and "_auth_user_id" not in client.session


def test_demo_events_go_with_one_button_and_others_stay(client, monkeypatch):
    owner = UserFactory()
    for name in ("Demo one", "Demo two"):
        TournamentFactory(entries=2, owner=owner, name=name)
    Tournament.objects.update(demo=True)
    TournamentFactory(entries=2, owner=owner, name="Real")
    assert client.post("/demo/").status_code == 302
    client.force_login(UserFactory())
    assert client.post("/demo/").status_code == 403
    client.force_login(owner)
    assert "Demo one" in page(client, page(client, "/").link("Remove demo events"))
    delete = events._delete

    def delete_all(tournament):  # as a second press at the same moment does
        for each in Tournament.objects.filter(demo=True):
            delete(each)

    monkeypatch.setattr(events, "_delete", delete_all)
    home = Page(client.post("/demo/", follow=True))
    assert "Removed: 1 demo events." in home and "Remove demo events" not in home
    assert list(Tournament.objects.values_list("name", flat=True)) == ["Real"]


NEW = {"password1": "another good one", "password2": "another good one"}


@pytest.fixture
def letters(settings, monkeypatch):
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
    for module in (account_adapter, forms):
        monkeypatch.setattr(module, "run_in_background", lambda function, *args: function(*args))
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
    form = client.get(path)["Location"]
    assert client.post(form, {**NEW, "password2": "other"}).status_code == 422
    assert client.post(form, NEW)["Location"] == "/login/"
    signing_in = {"username": "ada", "password": NEW["password1"]}
    assert client.post("/login/", signing_in).status_code == 302
    assert elsewhere.get("/new/").status_code == 302, "other devices are signed out"
    for again in (client.get(path), Client().post(path, NEW), Client().post(form, NEW)):
        assert again.status_code == 410 and "This link no longer works" in Page(again)


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
    assert "The person who runs this site creates accounts." in sign_in and not sign_in.all(
        '[href^="/signup/"]'
    )
    path = path_in(printed(capsys, "ada", create=True))
    client.post(client.get(path)["Location"], NEW)
    assert client.login(username="ada", password=NEW["password1"])


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
    UserFactory(username="ada", email="ada@example.org")
    assert client.post("/password/", {"email": "Ada@example.org"})["Location"] == "/password/sent/"
    (letter,) = letters
    assert letter.to == ["ada@example.org"] and "your username is ada" in letter.body
    assert client.post(client.get(path_in(letter.body))["Location"], NEW)["Location"] == "/login/"
    for _ in range(EMAILS.most):
        assert client.post("/password/", {"email": "ada@example.org"}).status_code == 302
    assert len(letters) == EMAILS.most, "no more within ten minutes"


def test_known_and_unknown_addresses_get_the_same_answer(client, letters):
    UserFactory(username="ada", email="ada@example.org")
    UserFactory(email="closed@example.org", is_active=False)
    answers = []
    for name in ("ada", "nobody", "closed"):
        answer = client.post("/password/", {"email": f"{name}@example.org"}, follow=True)
        answers.append((answer.redirect_chain, without_tokens(answer)))
    assert answers[0] == answers[1] == answers[2]
    assert [letter.to for letter in letters] == [["ada@example.org"]]


def test_known_and_unknown_addresses_are_the_same_work_and_no_letter_leaves_while_somebody_waits(
    client, settings, monkeypatch
):
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    started = []
    monkeypatch.setattr(forms, "run_in_background", lambda *call: started.append(call))
    UserFactory(email="ada@example.org")
    counts = []
    for address in ("ada@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            client.post("/password/", {"email": address})
        counts.append(len(queries))
    assert counts[0] == counts[1] and len(started) == 2 and mail.outbox == []


def test_an_address_is_asked_for_only_where_letters_can_be_sent(client, letters, settings):
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    assert client.post("/signup/", {**fields, "email": "ada@example.org"}).status_code == 302
    assert User.objects.get().email == "ada@example.org" and not letters
    settings.MAIL = {}
    assert client.get("/account/mail/").status_code == client.post("/account/mail/").status_code == 404
    assert not page(client, "/account/").all('[href="/account/mail/"]')


def test_a_new_address_is_saved_by_a_letter_to_it_after_the_password(client, letters):
    ada = UserFactory(username="ada", password="correct horse", email="ada@example.org")
    ada.emailaddress_set.create(email=ada.email, verified=True, primary=True)
    client.force_login(ada)
    sent = {"email": "new@example.org", "action_add": ""}
    door = client.post("/account/mail/", sent)["Location"]
    assert door.startswith("/account/confirm/") and not letters
    client.post(door, {"password": "correct horse"})
    (letter,) = letters
    assert letter.to == ["new@example.org"] and User.objects.get().email == "ada@example.org"
    assert client.post("/account/mail/", {"email": "nonsense", "action_add": ""}).status_code == 422
    for _ in range(EMAILS.most):
        client.post("/account/mail/", {"email": "new@example.org", "action_send": ""})
    assert len(letters) == EMAILS.most, "no more within ten minutes"
    link = re.search(re.escape(live.SITE_URL) + r"(/account/mail/\S+)", letter.body)[1]
    assert "new@example.org" in page(client, link) and User.objects.get().email == "ada@example.org"
    assert client.post(link)["Location"] == "/"
    assert User.objects.get().email == "new@example.org"


def test_a_mail_server_that_does_not_answer_is_a_line_in_the_log(client, settings, monkeypatch, caplog):
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9

    monkeypatch.setattr(background.Background, "submit", background.Background._run)
    monkeypatch.setattr(background.connections, "close_all", lambda: None)
    UserFactory(email="ada@example.org")
    assert client.post("/password/", {"email": "ada@example.org"}).status_code == 302
    assert "a delivery of an email failed" in caplog.messages


def test_changing_ones_password_keeps_this_device_signed_in_and_no_other(client):
    ada = UserFactory(username="ada", password="correct horse")
    other = Client()
    for browser in (client, other):
        browser.force_login(ada)
    assert client.post("/account/password/", {"oldpassword": "wrong", **NEW}).status_code == 422
    answer = client.post("/account/password/", {"oldpassword": "correct horse", **NEW})
    assert (answer.status_code, answer["Location"]) == (302, "/account/")
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_a_setting_of_one_word_is_one_of_those_that_are_known():
    words = ("open", "closed")
    assert env.choose_word({}, "SIGNUP", *words) == "open"
    assert env.choose_word({"SIGNUP": "Closed"}, "SIGNUP", *words) == "closed"
    with pytest.raises(ImproperlyConfigured, match="SIGNUP"):
        env.choose_word({"SIGNUP": "perhaps"}, "SIGNUP", *words)


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


OLD, NEXT = "a good long password", "correct horse battery"
NEW_TWICE = {"password1": NEXT, "password2": NEXT}


@pytest.fixture
def ada():
    return UserFactory(username="ada", password=OLD)


def test_signing_up_makes_one_account_and_signs_in(client):
    fields = {"username": "ada", "password1": NEXT, "password2": NEXT}
    assert client.post("/signup/", fields).status_code == 302
    assert "Sign out" in page(client, "/") and get_user_model().objects.count() == 1
    stranger = Client().post("/signup/", {**fields, "password1": OLD, "password2": OLD})
    assert stranger.status_code == 422 and "already exists" in text(stranger)


@pytest.mark.parametrize(
    ("address", "fields", "said"),
    [
        ("/account/password/", {"oldpassword": OLD, **NEW_TWICE}, "Password successfully changed."),
        ("/demo/", {}, "Removed: 1 demo events."),
        ("/t/friday-night/desk/settings/delete/", {"name": "Friday night"}, "Friday night is deleted."),
    ],
)
def test_what_is_done_is_said(client, ada, address, fields, said):
    if "account" not in address:
        TournamentFactory(entries=0, owner=ada, demo="demo" in address)
    client.force_login(ada)
    if fields:
        wrong = {name: value.upper() for name, value in fields.items()}
        assert client.post(address, wrong).status_code == 422
    assert said in page(client, client.post(address, fields)["Location"])
    assert not Tournament.objects.exists()


def test_an_account_is_deleted_after_the_password(client, ada):
    client.force_login(ada)
    client.post("/account/confirm/", {"password": OLD})
    assert "Your account is deleted." in page(client, client.post("/account/delete/")["Location"])


def test_a_reset_link_sets_the_password_once(client, ada):
    address = client.get(urlsplit(reset_link(ada)).path)["Location"]
    said = "Password successfully changed."
    assert said in page(client, client.post(address, NEW_TWICE)["Location"])
    late = client.post(address, {"password1": OLD, "password2": OLD})
    assert late.status_code == 410
    ada.refresh_from_db()
    assert ada.check_password(NEXT)
    assert reverse("account_login") in client.get("/account/")["Location"]


CAPITALS = re.compile(r"\b[A-Z][a-z]+ (?:and |a |the )?[A-Z][a-z]+")


def test_pages_of_accounts_speak_as_all_others_do(client, settings):
    settings.MAIL = {"EMAIL_HOST": "localhost"}
    client.post("/signup/", ADA)
    said = []
    for name in (
        "account_login account_signup account_reset_password account_change_password account_email"
        " account_reauthenticate mfa_index mfa_activate_totp mfa_generate_recovery_codes mfa_list_webauthn"
    ).split():
        shown = Page(client.get(reverse(name), follow=True))
        said += [words for css in ("h1", "h2", "main label", "main button") for words in shown.all(css)]
    assert not [words for words in said if CAPITALS.search(words)], said
    assert "Change the password" in said


def test_a_changed_catalog_is_compiled_again_and_an_unchanged_one_is_not(tmp_path):
    folder = tmp_path / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalog, compiled = folder / "django.po", folder / "django.mo"
    for translated, changed in (("one", 1), ("two", 2), ("three", 2)):
        catalog.write_text(f'msgid "word"\nmsgstr "{translated}"\n')
        os.utime(catalog, (changed, changed))
        compile_catalogs(tmp_path)
        with compiled.open("rb") as file:
            assert GNUTranslations(file).gettext("word") == {1: "one", 2: "two"}[changed]
        os.utime(compiled, (changed, changed))
