import errno
import json
import logging
import re
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings as django_settings
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from tests.factories import TournamentFactory, UserFactory
from tests.log_lines import logged
from tests.pages import Page
from tournament.config.urls import handler400, handler403, handler404, handler500  # noqa: F401
from tournament.config.urls import urlpatterns as real
from tournament.errors import Refused
from tournament.monitoring import installation
from tournament.web import error_pages

HTMX = {"HX-Request": "true"}


def bug(request: HttpRequest) -> HttpResponse:
    raise ValueError("a bug of ours")


def never(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def too_often(request: HttpRequest) -> HttpResponse:
    raise Refused("Thirty registrations in a minute are enough.", status=429)


urlpatterns = [path("bug/", bug), path("never/", never), path("often/", too_often), *real]


@pytest.fixture
def visitor(settings) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


def test_a_bug_is_a_page_with_a_reference_that_the_log_has_too(visitor, caplog):
    # No database mark: a query of this page would fail the test.
    with caplog.at_level(logging.ERROR):
        answer = visitor.post("/bug/", {"secret": "word"})
    assert answer.status_code == 500
    reference = answer.headers["X-Request-ID"]
    assert re.fullmatch(r"\w{12}", reference) and f"Reference: {reference}" in Page(answer)
    (record,) = caplog.records
    assert record.getMessage() == "500 POST /bug/"
    assert "a bug of ours" in str(record.exc_info[1])
    assert "a bug of ours" not in Page(answer)
    assert "Everything saved earlier is safe" in Page(answer)
    assert not answer.cookies


def test_the_500_page_comes_even_where_pages_cannot_be_rendered(visitor, monkeypatch):
    monkeypatch.setattr(error_pages, "render_to_string", bug)
    answer = visitor.get("/bug/")
    assert (answer.status_code, "Reference: " in Page(answer)) == (500, True)


@contextmanager
def busy(tournament):
    """Somebody else holds the event's row, and nobody waits long for it."""
    other = connection.copy()
    mine = connection.cursor()
    if connection.vendor == "sqlite":
        mine.execute("PRAGMA busy_timeout = 50")
        other.cursor().execute("BEGIN IMMEDIATE")
    else:
        mine.execute("SET lock_timeout = 50")
        other.set_autocommit(False)
        other.cursor().execute(
            "SELECT 1 FROM tournament_tournament WHERE id = %s FOR UPDATE", [tournament.pk]
        )
    try:
        yield
    finally:
        other.cursor().execute("ROLLBACK")
        other.close()
        connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_database_that_is_locked_is_a_503_that_says_when_to_try_again(visitor, caplog, headers):
    tournament = TournamentFactory(entries=2)
    visitor.force_login(tournament.owner)
    visitor.get(f"/t/{tournament.slug}/desk/")
    with busy(tournament), caplog.at_level(logging.ERROR):
        answer = visitor.post(f"/t/{tournament.slug}/desk/announcement/", {"text": "Lunch"}, headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert "this last step may not have been saved" in Page(answer)
    assert f"Reference: {answer.headers['X-Request-ID']}" in Page(answer)
    assert f"503 POST /t/{tournament.slug}/desk/announcement/" in caplog.text
    tournament.refresh_from_db()
    assert tournament.announcement == ""


@pytest.fixture
def full_database():
    """A SQLite database that cannot grow, as on a full disk, until told otherwise."""
    cursor = connection.cursor()
    cursor.execute("VACUUM")  # no room that other tests left
    cursor.execute("PRAGMA max_page_count = 1")  # as many as it has
    yield lambda: cursor.execute("PRAGMA max_page_count = 1000000")
    connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("postgresql" in django_settings.DATABASES["default"]["ENGINE"], reason="about SQLite")
def test_a_full_disk_is_a_503_in_words_and_goes_on_when_there_is_space(visitor, full_database):
    tournament = TournamentFactory(entries=2)
    visitor.force_login(tournament.owner)
    for number in range(200):
        text = f"{number} {'Lunch is at noon. ' * 10}"
        answer = visitor.post(f"/t/{tournament.slug}/desk/announcement/", {"text": text})
        if answer.status_code != 303:
            break
    assert answer.status_code == 503
    assert "The disk of the server is full" in Page(answer)
    assert "Free some space on the server. Then go back and send it again." in Page(answer)
    tournament.refresh_from_db()
    assert tournament.announcement.startswith(f"{number - 1} ")
    assert visitor.get(f"/t/{tournament.slug}/desk/").status_code == 200
    full_database()
    again = visitor.post(f"/t/{tournament.slug}/desk/announcement/", {"text": text})
    assert again.status_code == 303
    tournament.refresh_from_db()
    assert tournament.announcement == text.strip()


@pytest.mark.django_db
def test_on_a_full_disk_no_one_is_sent_here_and_the_desk_says_why(visitor, monkeypatch):
    tournament = TournamentFactory(entries=2)
    visitor.force_login(tournament.owner)
    with monkeypatch.context() as patch:
        patch.setattr(installation, "LEAST_FREE", 10**18)
        answer = visitor.get("/readyz")
        assert (answer.status_code, answer.content) == (503, b"the disk is full: free some space\n")
        assert "The disk of the server is full. Nothing can be saved" in Page(visitor.get("/account/"))
        assert "The disk of the server is full" in Page(visitor.get(f"/t/{tournament.slug}/desk/"))
        assert "disk" not in Page(visitor.get(f"/t/{tournament.slug}/"))
    assert visitor.get("/readyz").content == b"ready\n"
    assert "The disk of the server is full" not in Page(visitor.get("/account/"))


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (psycopg.errors.DiskFull("could not extend file"), True),
        (psycopg.errors.LockNotAvailable("canceling statement due to lock timeout"), False),
        (OSError(errno.EACCES, "Permission denied"), False),
    ],
)
def test_a_full_disk_is_known_by_its_error(error, full):
    try:
        try:
            raise error
        except Exception as cause:
            raise OperationalError from cause
    except OperationalError as wrapped:
        assert installation.is_about_full_disk(wrapped) == full


CASES = [
    ("get", "/nowhere/", {}, 404, "Page not found"),
    ("get", "/t/none/", {}, 404, "Page not found"),
    ("get", "/never/", {}, 403, "You do not have access to this page"),
    ("get", "/logout/", {}, 405, "cannot be opened as a page"),
    ("get", "/often/", {}, 429, "Thirty registrations in a minute are enough."),
    ("post", "/login/", {"username": "x" * 4_000_000}, 413, "at most 3 MB"),
    ("post", "/login/", {f"n{n}": "" for n in range(6000)}, 413, "Send it in parts"),
]


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(("method", "url", "sent", "status", "words"), CASES)
def test_every_error_has_its_page_and_for_htmx_its_part(visitor, method, url, sent, status, words):
    answer = getattr(visitor, method)(url, sent)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (status, "no-store")
    assert answer.content.lstrip().startswith(b"<!doctype html>")
    assert words in Page(answer)
    assert "Nothing was changed." in Page(answer)
    assert status != 405 or "POST" in answer.headers["Allow"]
    part = getattr(visitor, method)(url, sent, headers=HTMX)
    assert (part.status_code, part.headers["HX-Retarget"]) == (status, "#problem")
    assert words in Page(part)
    assert not Page(part).all("html")


LONG = "/" + "x" * 17_000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "url", "headers"),
    [
        ("get", f"/account/?q={LONG}", {}),
        ("get", f"/rulesets?q={LONG}", {}),
        ("get", f"/admin/?q={LONG}", {}),
        ("get", f"/account/?q={'é' * 3000}", {}),  # 18,000 characters as an address
        ("post", "/account/delete/", {"Referer": f"http://testserver{LONG}"}),
        ("post", "/account/delete/", HTMX | {"HX-Current-URL": f"http://testserver{LONG}"}),
        ("get", "/admin/auth/user/?_to_field=é", {}),
        ("get", "/admin/auth/user/?_to_field=id%0AERROR", {}),
    ],
)
def test_what_django_finds_suspicious_is_a_400_and_one_warning(visitor, method, url, headers):
    if "_to_field" in url:
        visitor.force_login(UserFactory(is_staff=True, is_superuser=True))
    with logged() as streams:
        answer = getattr(visitor, method)(url, headers=headers)
    assert (answer.status_code, "could not be understood" in Page(answer)) == (400, True)
    warnings = [line for line in streams["json"].getvalue().splitlines() if "tournament.requests" not in line]
    (line,) = map(json.loads, warnings)
    assert (line["level"], "traceback" in line) == ("WARNING", False)
    assert re.fullmatch(r"Disallowed\w+: (GET|POST) /[\w/]*", line["message"])


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_an_old_form_is_told_to_be_sent_again(settings, headers):
    settings.ROOT_URLCONF = __name__
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "ada"}, headers=headers)
    assert answer.status_code == 403
    assert "This form has expired" in Page(answer)
    assert ("HX-Retarget" in answer.headers) == bool(headers)


def test_an_address_that_is_not_ours_is_told_where_to_go(visitor, settings):
    for host in ("10.9.8.7", "elsewhere.example"):
        answer = visitor.get("/", headers={"host": host})
        assert answer.status_code == 400
        assert Page(answer).all(f'[href="{settings.SITE_URL}/"]') and "what was filled in" not in Page(answer)
