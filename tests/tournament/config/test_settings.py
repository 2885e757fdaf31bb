import os
import re
import socket
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from tournament.access import throttle
from tournament.actionlog import triggers
from tournament.config import env
from tournament.config.site import site_logo, site_name
from tournament.errors import Conflict
from tournament.public.responses import digest_of_program
from tournament.web.middleware import refusal_page

ROOT = Path(__file__).resolve().parents[3]


def manage(*args: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """A command in a process of its own, with nothing of ours in its environment."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, str(ROOT / "manage.py"), *args]
    return subprocess.run(command, capture_output=True, text=True, env={**environment, **env}, check=False)


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
    db = env.database({"DATABASE_URL": url}, tmp_path)
    assert (db["NAME"], db["USER"], db["PASSWORD"]) == ("events", "ann", "p@ss")
    assert (db["HOST"], db["PORT"], db["CONN_MAX_AGE"]) == ("db.example.org", "5433", 0)
    assert db["OPTIONS"]["sslmode"] == "require"
    assert "pool" not in db["OPTIONS"]  # commands hear at once why a server refuses them
    env.pool_connections({"default": db})
    assert db["OPTIONS"]["pool"]["max_size"] > 1
    assert db["OPTIONS"]["pool"]["reconnect_timeout"] <= 10  # s: a server that was away is found again soon
    assert env.database({"DATABASE_URL": "sqlite:////srv/e.db"}, tmp_path)["NAME"] == "/srv/e.db"


def test_a_database_that_says_nothing_is_given_up_within_seconds(tmp_path):
    url = "postgres://ann@db/events"
    options = env.database({"DATABASE_URL": url}, tmp_path)["OPTIONS"]
    assert int(options["tcp_user_timeout"]) <= 10_000 and int(options["connect_timeout"]) <= 5
    own = env.database({"DATABASE_URL": f"{url}?tcp_user_timeout=1"}, tmp_path)
    assert own["OPTIONS"]["tcp_user_timeout"] == "1"


def test_a_count_in_files_lasts_as_long_as_the_longest_limit(tmp_path):
    limits = [one for one in vars(throttle).values() if isinstance(one, throttle.Limit)]
    assert len(limits) > 8
    longest = max(limit.seconds for limit in limits)
    assert env.throttle_cache({}, tmp_path, testing=False)["TIMEOUT"] >= longest


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


def test_a_hall_whose_network_leads_nowhere_still_says_its_own_address(monkeypatch):
    class NoWayOut(socket.socket):
        def connect(self, address):
            raise OSError("Network is unreachable")

    monkeypatch.setattr(env.socket, "socket", NoWayOut)
    for found, said in (
        (["127.0.0.1", "192.168.4.1", "172.17.0.1"], "192.168.4.1"),
        (["127.0.0.1"], "127.0.0.1"),
    ):
        monkeypatch.setattr(env, "own_addresses", lambda probe, found=found: iter(found))
        assert env.site_url({"HOST": "0.0.0.0"}) == f"http://{said}:8000"


def test_the_addresses_of_this_machine_are_read_from_its_interfaces():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        addresses = list(env.own_addresses(probe))
    if not env.is_loopback(env.lan_address()):
        assert env.lan_address() in addresses


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (env.site_url, {"SITE_URL": "events.example.org"}),
        (env.site_url, {"SITE_URL": "http://["}),
        (env.site_url, {"PORT": "eighty"}),
        (env.site_url, {"PORT": "0"}),
        (env.site_url, {"PORT": "²"}),
        (env.time_zone, {"TIME_ZONE": "Mars/Base"}),
        (env.time_zone, {"TIME_ZONE": "../etc"}),
        (env.mail, {"EMAIL_URL": "smtp://["}),
        (partial(env.database, var=ROOT), {"DATABASE_URL": "postgres://["}),
        (partial(env.database, var=ROOT), {"DATABASE_URL": "postgres://db:99999/events"}),
        (partial(env.database, var=ROOT), {"DATABASE_URL": "mysql://x/y"}),
        (partial(env.throttle_cache, var=ROOT, testing=False), {"REDIS_URL": "redis://["}),
        (partial(env.throttle_cache, var=ROOT, testing=False), {"REDIS_URL": "localhost:6379"}),
        (env.trusted_proxies, {"TRUSTED_PROXIES": "10.0.0.1,proxy"}),
        (env.trusted_proxies, {"TRUSTED_PROXIES": "10.0.0.1/24"}),
        (env.logging_config, {"LOG_FORMAT": "xml"}),
        (env.logging_config, {"LOG_LEVEL": "loud"}),
        (partial(env.secret, name="METRICS_TOKEN"), {"METRICS_TOKEN": "secret"}),
        (site_name, {"SITE_NAME": "x" * 61}),
        (site_logo, {"SITE_LOGO": "no/such.png"}),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_setting_that_cannot_be_read_is_refused_in_words_that_name_it(read, given):
    with pytest.raises(ImproperlyConfigured, match=f"^({'|'.join(given)}|[^ ]+ names)"):
        read(given)


def test_at_the_start_a_wrong_setting_is_one_line():
    for given in ({"TIME_ZONE": "Mars/Base"}, {"PORT": "eighty"}):
        process = manage("check", SECRET_KEY="k" * 50, **given)
        assert (process.returncode, process.stdout, process.stderr.count("\n")) == (2, "", 1)


def test_only_named_hosts_are_answered():
    hosts = env.allowed_hosts("https://events.example.org", {"ALLOWED_HOSTS": "a.example.org, b.example.org"})
    assert hosts == ["events.example.org", *env.LOOPBACK, "a.example.org", "b.example.org"]


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
    show = ("shell", "--no-imports", "-c", SHOW.format(names=names))
    process = manage(*show, SITE_URL=url, VAR_DIR=str(tmp_path))
    assert process.stdout.strip() == str(expected), process.stderr


# --- what a visitor is sent ------------------------------------------------------------------------------


def test_healthz_asks_nothing_of_the_database(client):
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_readyz_names_what_is_missing_and_looks_at_the_database_once_in_a_few_seconds(client, monkeypatch):
    assert client.get("/readyz").content == b"ready\n"
    monkeypatch.setattr(triggers, "missing_triggers", lambda: ["action_is_final"])
    with CaptureQueriesContext(connection) as queries:
        assert {client.get("/readyz").content for _ in range(5)} == {b"ready\n"}
    assert len(queries) == 0
    later = time.time() + 3.1
    monkeypatch.setattr(time, "time", lambda: later)
    answer = client.get("/readyz")
    assert answer.status_code == 503 and b"guard missing: action_is_final" in answer.content


@pytest.mark.django_db
def test_the_content_policy_allows_nothing_from_elsewhere(client):
    policy = client.get("/healthz").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'self'"
    assert "unsafe" not in policy
    assert rules["frame-ancestors"] == rules["object-src"] == rules["base-uri"] == "'none'"


# --- refusals --------------------------------------------------------------------------------------------


def test_what_a_service_refuses_is_a_page_in_its_own_words():
    error = Conflict("Table 12 was saved meanwhile.", theirs={"result": "2–0"}, yours={"result": "2–1"})
    answer = refusal_page(RequestFactory().post("/"), error)
    assert answer.status_code == 409
    for words in ("Table 12 was saved meanwhile.", "2–0", "2–1"):
        assert words in answer.content.decode()


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
        ("10.0.0.1", "203.0.113.7, 172.19.0.2", "203.0.113.7"),
        ("10.0.0.1", "6.6.6.6, 203.0.113.7, ::ffff:172.31.255.254", "203.0.113.7"),
        ("172.32.0.1", "1.1.1.1", "172.32.0.1"),  # just outside the network
        ("fd00::5", "::ffff:203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "6.6.6.6, unknown", "unknown"),
        ("10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_the_clients_address_is_read_through_our_own_proxies_only(settings, remote, forwarded, address):
    settings.TRUSTED_PROXIES = env.trusted_proxies({"TRUSTED_PROXIES": "10.0.0.1, 172.16.0.0/12,fd00::/8"})
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert throttle.client_address(RequestFactory(REMOTE_ADDR=remote).get("/", headers=headers)) == address


def test_the_proxies_named_in_deploy_are_read_whatever_address_docker_gives_them():
    files = (ROOT / "deploy" / name for name in ("swiss-tournament.env", "compose.yaml"))
    named = [re.search(r"TRUSTED_PROXIES[=:] *(\S+)", file.read_text()) for file in files]
    systemd, docker = (env.trusted_proxies({"TRUSTED_PROXIES": match[1]}) for match in named if match)
    assert "127.0.0.1" in systemd and "127.0.0.2" not in systemd
    for address in ("172.18.0.7", "192.168.0.4", "10.200.3.4"):
        assert address in docker
    assert "203.0.113.7" not in docker
    assert not re.search("ipv4_address|subnet", (ROOT / "deploy" / "compose.yaml").read_text())


def test_the_release_changes_with_any_of_its_files(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    page = tmp_path / "templates" / "page.html"
    page.parent.mkdir()
    page.write_text("old")
    old = digest_of_program.__wrapped__()
    assert old == digest_of_program.__wrapped__()
    page.write_text("new")
    assert digest_of_program.__wrapped__() != old
