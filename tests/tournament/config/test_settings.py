"""The settings as they work: the database's promises, the modes of the address, what a visitor is sent."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import django
import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from tournament.access import throttle
from tournament.actionlog import triggers
from tournament.config import env
from tournament.errors import Conflict, Refused
from tournament.public.release import release
from tournament.web.middleware import RefusedMiddleware, refusal_page

ROOT = Path(__file__).resolve().parents[3]


def manage(*args: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, with nothing of ours in its environment."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, str(ROOT / "manage.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, env={**environment, **env}, check=False)


def test_django_has_the_security_fixes_we_rely_on():
    assert django.VERSION[:3] >= (5, 2, 19)


# --- the database ----------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("postgresql" in settings.DATABASES["default"]["ENGINE"], reason="about SQLite")
def test_sqlite_queues_writers_and_survives_a_power_cut():
    def pragma(name: str) -> object:
        with connection.cursor() as cursor:
            return cursor.execute(f"PRAGMA {name}").fetchone()[0]

    assert Path(str(connection.settings_dict["NAME"])).is_file()
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2  # FULL
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 20000
    assert connection.transaction_mode == "IMMEDIATE"
    assert connection.settings_dict["CONN_MAX_AGE"] is None
    assert connection.settings_dict["ATOMIC_REQUESTS"] is False


@pytest.mark.django_db
@pytest.mark.skipif("sqlite" in settings.DATABASES["default"]["ENGINE"], reason="about PostgreSQL")
def test_postgresql_waits_for_a_lock_no_longer_than_sqlite_does():
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone()[0] == "20s"


def test_a_database_url_is_read_in_full(tmp_path):
    url = "postgres://ann:p%40ss@db.example.org:5433/events?sslmode=require"
    db = env.database({"DATABASE_URL": url}, tmp_path, testing=False)
    assert (db["NAME"], db["USER"], db["PASSWORD"]) == ("events", "ann", "p@ss")
    assert (db["HOST"], db["PORT"], db["CONN_MAX_AGE"]) == ("db.example.org", "5433", 0)
    assert db["OPTIONS"]["sslmode"] == "require"
    assert db["OPTIONS"]["pool"]["max_size"] > 1
    assert db["OPTIONS"]["pool"]["reconnect_timeout"] <= 10  # s: a server that was away is found again soon
    assert "pool" not in env.database({"DATABASE_URL": url}, tmp_path, testing=True)["OPTIONS"]
    assert (
        env.database({"DATABASE_URL": "sqlite:////srv/e.db"}, tmp_path, testing=False)["NAME"] == "/srv/e.db"
    )
    with pytest.raises(ImproperlyConfigured, match="mysql"):
        env.database({"DATABASE_URL": "mysql://x/y"}, tmp_path, testing=False)


def test_a_database_that_says_nothing_is_given_up_within_seconds(tmp_path):
    urls = {"DATABASE_URL": "postgres://ann@db/events", "REPLICA_URL": "postgres://ann@db2/events"}
    options = env.database(urls, tmp_path, testing=False)["OPTIONS"]
    assert int(options["tcp_user_timeout"]) <= 10_000 and int(options["connect_timeout"]) <= 5
    assert env.replica(urls)["replica"]["OPTIONS"]["tcp_user_timeout"] == "3000"
    own = {name: f"{url}?tcp_user_timeout=1" for name, url in urls.items()}
    assert env.database(own, tmp_path, testing=False)["OPTIONS"]["tcp_user_timeout"] == "1"
    assert env.replica(own)["replica"]["OPTIONS"]["tcp_user_timeout"] == "1"


def test_a_count_in_files_lasts_as_long_as_the_longest_limit(tmp_path):
    from tournament.access import throttle
    from tournament.exports.static_copy import COPIES

    limits = [one for one in (*vars(throttle).values(), COPIES) if isinstance(one, throttle.Limit)]
    assert len(limits) > 8
    cache = env.throttle_cache({}, tmp_path, testing=False)
    assert cache["TIMEOUT"] >= max(limit.seconds for limit in limits)


# --- key and address -------------------------------------------------------------------------------------


def test_the_secret_key_is_made_once_and_only_its_owner_reads_it(tmp_path):
    key = env.secret_key({}, tmp_path / "var")
    assert len(key) >= 50
    assert env.secret_key({}, tmp_path / "var") == key
    assert stat.S_IMODE((tmp_path / "var" / "secret-key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret-key"]
    assert env.secret_key({"SECRET_KEY": "given"}, tmp_path / "var") == "given"


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe" * 20, b"short"])
def test_a_damaged_secret_key_is_said_in_one_line(tmp_path, content):
    (tmp_path / "secret-key").write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match="holds no key"):
        env.secret_key({}, tmp_path)


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"PORT": "8080"}, "http://127.0.0.1:8080"),
        ({"HOST": "192.168.1.5", "PORT": "80"}, "http://192.168.1.5:80"),
        ({"SITE_URL": "https://events.example.org/"}, "https://events.example.org"),
    ],
)
def test_the_address_is_the_given_one_or_made_of_host_and_port(given, url):
    assert env.site_url(given) == url


class NoWayOut:
    """A socket on a network that leads nowhere: a hall's own, without a router."""

    def __init__(self, *kind):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def connect(self, address):
        raise OSError("Network is unreachable")


def test_a_hall_whose_network_leads_nowhere_still_says_its_own_address(monkeypatch):
    monkeypatch.setattr(env.socket, "socket", NoWayOut)
    for interfaces, words in (
        (["127.0.0.1", "192.168.4.1", "172.17.0.1"], "192.168.4.1"),
        (["127.0.0.1"], "127.0.0.1"),
    ):
        monkeypatch.setattr(env, "own_addresses", lambda probe, found=interfaces: iter(found))
        assert env.site_url({"HOST": "0.0.0.0"}) == f"http://{words}:8000"


def test_the_addresses_of_this_machine_are_read_from_its_interfaces():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        addresses = list(env.own_addresses(probe))
    if not env.is_loopback(env.lan_address()):
        assert env.lan_address() in addresses


@pytest.mark.parametrize(
    "given",
    [
        {"TIME_ZONE": "Mars/Base"},
        {"TIME_ZONE": "../etc"},
        {"DATABASE_URL": "postgres://["},
        {"DATABASE_URL": "postgres://db:99999/events"},
        {"EMAIL_URL": "smtp://["},
        {"REDIS_URL": "redis://["},
        {"DATABASE_URL": "postgres://db/events", "REPLICA_URL": "postgres://["},
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_read_is_refused_in_one_line(given):
    process = manage("check", SECRET_KEY="k" * 50, **given)
    assert (process.returncode, process.stdout, process.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "given",
    [
        {"SITE_URL": "events.example.org"},
        {"SITE_URL": "http://["},
        {"PORT": "eighty"},
        {"PORT": "0"},
        {"PORT": "²"},
    ],
)
def test_an_impossible_address_is_refused_in_words(given):
    with pytest.raises(ImproperlyConfigured):
        env.site_url(given)
    process = manage("check", SECRET_KEY="k" * 50, **given)
    assert (process.returncode, process.stdout, process.stderr.count("\n")) == (2, "", 1)


def test_only_named_hosts_are_answered():
    hosts = env.allowed_hosts("https://events.example.org", {"ALLOWED_HOSTS": "a.example.org, b.example.org"})
    assert hosts == [
        "events.example.org",
        "127.0.0.1",
        "localhost",
        "[::1]",
        "a.example.org",
        "b.example.org",
    ]


def test_an_https_site_passes_djangos_own_deployment_check(tmp_path):
    env = {"SITE_URL": "https://events.example.org", "VAR_DIR": str(tmp_path)}
    process = manage("check", "--deploy", "--fail-level", "WARNING", **env)
    assert process.returncode == 0, process.stderr


SHOW = "from django.conf import settings as s; print([getattr(s, n) for n in {names!r}.split()])"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://events.example.org", ["__Host-session", "__Host-csrf", True, True, True, False]),
        ("http://192.168.1.5:8000", ["hall_session", "hall_csrf", False, False, False, True]),
        ("http://127.0.0.1:8000", ["hall_session", "hall_csrf", False, False, False, False]),
    ],
)
def test_the_address_decides_what_the_cookies_are(tmp_path, url, expected):
    names = "SESSION_COOKIE_NAME CSRF_COOKIE_NAME SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE HTTPS HALL_MODE"
    process = manage(
        "shell", "--no-imports", "-c", SHOW.format(names=names), SITE_URL=url, VAR_DIR=str(tmp_path)
    )
    assert process.stdout.strip() == str(expected), process.stderr


# --- what a visitor is sent ------------------------------------------------------------------------------


def test_healthz_asks_nothing_of_the_database(client):
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_readyz_names_what_is_missing(client, monkeypatch):
    assert client.get("/readyz").content == b"ready\n"
    monkeypatch.setattr(triggers, "missing_triggers", lambda: ["action_is_final"])
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert b"guard missing: action_is_final" in answer.content


@pytest.mark.django_db
def test_the_content_policy_allows_nothing_from_elsewhere(client):
    policy = client.get("/healthz").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'self'"
    assert "unsafe" not in policy
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "404", "409", "429", "500", "503"])
def test_error_pages_stand_alone(name):
    page = render_to_string(f"{name}.html")
    assert page.lstrip().startswith("<!doctype html>")
    assert "/static/site.css" in page
    assert "<h1>" in page


class Nobody:
    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a public page asked for {name}")


def test_a_public_page_asks_for_no_user_session_or_token():
    request = RequestFactory().get("/")
    request.user = request.session = request._messages = Nobody()
    page = render_to_string("public.html", request=request)
    assert "csrf" not in page.lower()
    assert "CSRF_COOKIE" not in request.META


def test_a_staff_page_gives_htmx_the_token():
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    assert "x-csrftoken" in render_to_string("app.html", request=request)


# --- refusals --------------------------------------------------------------------------------------------


def test_what_a_service_refuses_is_a_page_in_its_own_words():
    error = Conflict("Table 12 was saved meanwhile.", theirs={"result": "2–0"}, yours={"result": "2–1"})
    answer = refusal_page(RequestFactory().post("/"), error)
    assert answer.status_code == 409
    for words in ("Table 12 was saved meanwhile.", "2–0", "2–1"):
        assert words in answer.content.decode()


def test_for_htmx_a_refusal_goes_to_the_problem_region():
    answer = refusal_page(RequestFactory().post("/", headers={"HX-Request": "true"}), Refused("No table 99."))
    assert (answer.status_code, answer["HX-Retarget"]) == (400, "#problem")
    assert "<html" not in answer.content.decode()


def test_an_error_of_our_own_stays_an_error():
    middleware = RefusedMiddleware(lambda request: HttpResponse())
    assert middleware.process_exception(HttpRequest(), ValueError("a bug")) is None


# --- people ----------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_reading_never_renews_a_session_and_posting_does(client):
    client.force_login(User.objects.create_user("ann"))
    before = Session.objects.get().expire_date
    client.get("/healthz")
    client.get("/login/")
    assert Session.objects.get().expire_date == before
    client.post("/login/", {"username": "ann", "password": "wrong"})
    assert Session.objects.get().expire_date > before


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("10.0.0.9", "1.1.1.1", "10.0.0.9"),  # not a proxy of ours: what it forwards is hearsay
        ("10.0.0.1", "6.6.6.6, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_the_clients_address_is_read_through_our_own_proxies_only(settings, remote, forwarded, address):
    settings.TRUSTED_PROXIES = ["10.0.0.1", "10.0.0.2"]
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert throttle.client_address(RequestFactory(REMOTE_ADDR=remote).get("/", headers=headers)) == address


@pytest.mark.django_db
def test_guessing_locks_one_name_on_one_address_and_never_a_known_device(settings):
    settings.AXES_ENABLED = True
    for name in ("ann", "bob"):
        User.objects.create_superuser(name, password="correct horse")

    def sign_in(client: Client, name: str, password: str) -> int:
        return client.post("/login/", {"username": name, "password": password}).status_code

    for _ in range(settings.AXES_FAILURE_LIMIT):
        last = sign_in(Client(), "ann", "guess")
    assert last == 429
    assert sign_in(Client(), "ann", "correct horse") == 429
    assert sign_in(Client(), "bob", "correct horse") == 302
    known = Client()
    answer = HttpResponse()
    throttle.remember_device(answer, "ann")
    known.cookies.update(answer.cookies)
    assert sign_in(known, "ann", "correct horse") == 302
    known.post("/logout/")
    for _ in range(settings.AXES_FAILURE_LIMIT):  # under another name it is a device like any
        last = sign_in(known, "bob", "guess")
    assert last == 429


def test_the_release_changes_with_any_of_its_files(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    page = tmp_path / "templates" / "page.html"
    page.parent.mkdir()
    page.write_text("old")
    old = release.__wrapped__()
    assert old == release.__wrapped__()
    page.write_text("new")
    assert release.__wrapped__() != old
