import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from tests.factories import TournamentFactory
from tests.pages import page
from tests.tournament.views.desk import post_line, running
from tournament.config import env
from tournament.monitoring import installation
from tournament.monitoring.installation import FOLDER, share_metrics

ROOT = Path(__file__).resolve().parents[3]
HERE = {"HTTP_HOST": "127.0.0.1:8000"}
TOKEN = "a-token-of-many-letters"


def counts(**headers) -> dict[tuple, float]:
    """{(name, label values in alphabetical order): value} of what /metrics says."""
    text = Client(**HERE).get("/metrics", headers=headers).content.decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def since():
    before = counts()
    while True:  # the browser of an earlier test may still wait for an answer
        time.sleep(0.1)
        now = counts()
        if all(now[name] == before.get(name) for name in now if name[0] == "swiss_polls_total"):
            break
        before = now

    def grown(name, *labels):
        key = (name, *sorted(labels))
        return counts().get(key, 0) - before.get(key, 0)

    return grown


@pytest.mark.long
@pytest.mark.django_db
def test_requests_saves_polls_queue_database_and_caches_are_counted(client, since):
    tournament = running(client)
    status = post_line(client, tournament, "1 20").status_code
    public = f"/t/{tournament.slug}/standings/"
    for _ in range(3):
        assert Client().get(public).status_code == 200
    mark = page(client, f"/t/{tournament.slug}/now/").one("[data-v]")["data-v"]
    for _ in range(2):
        assert client.get(f"/t/{tournament.slug}/now/?v={mark}").status_code == 204
    client.get("/nowhere/")
    assert since("swiss_requests_total", "box", "POST", str(status)) == 1
    assert since("swiss_requests_total", "standings", "GET", "200") == 3
    assert since("swiss_requests_total", "none", "GET", "404") == 1
    assert since("swiss_request_seconds_count", "standings") == 3
    assert since("swiss_polls_total", "unchanged") == 2
    assert since("swiss_saves_total", "result") == since("swiss_saves_total", "publish") == 1
    assert since("swiss_queue_seconds_count", "save") == since("swiss_save_seconds_count") > 1
    assert since("swiss_query_seconds_count") > 10
    assert since("swiss_cache_reads_total", "responses", "hit") == 4  # two pages, two polls
    assert since("swiss_cache_reads_total", "rankings", "miss") == 1
    assert counts()["swiss_cache_size", "responses"] > 1000


@pytest.mark.django_db
def test_the_database_and_the_disk_are_measured_when_asked_and_failed_queries_counted(since):
    TournamentFactory(entries=2)
    with pytest.raises(DatabaseError), transaction.atomic():
        connection.cursor().execute("SELECT 1 FROM no_such_table")
    now = counts()
    assert since("swiss_events", "open") == 1
    assert now["swiss_database_bytes",] > 10_000 and now["swiss_disk_free_bytes",] > 0
    assert now["swiss_database_up",] == 1
    assert sum(value for name, value in now.items() if name[0] == "swiss_database_errors_total") >= 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "host", "headers", "token", "status"),
    [
        ("127.0.0.1", "127.0.0.1:8000", {}, "", 200),
        ("::1", "[::1]:8000", {}, "", 200),
        ("127.0.0.1", "events.example.org", {}, "", 404),
        ("127.0.0.1", "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, "", 404),
        ("127.0.0.1", "127.0.0.1", {"X-Forwarded-Proto": "https"}, "", 404),
        ("127.0.0.1", "127.0.0.1", {"Forwarded": "for=127.0.0.1"}, "", 404),
        ("10.0.0.7", "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, "", 404),
        ("10.0.0.7", "events.example.org", {}, TOKEN, 404),
        ("10.0.0.7", "events.example.org", {"Authorization": "Bearer "}, "", 404),
        ("10.0.0.7", "events.example.org", {"Authorization": f"Bearer {TOKEN}x"}, TOKEN, 404),
        ("10.0.0.7", "events.example.org", {"Authorization": TOKEN}, TOKEN, 404),
        ("10.0.0.7", "events.example.org", {"Authorization": f"Bearer {TOKEN}"}, TOKEN, 200),
    ],
)
def test_only_who_has_the_token_and_this_machine_see_metrics(settings, address, host, headers, token, status):
    settings.METRICS_TOKEN = token
    settings.TRUSTED_PROXIES = env.trusted_proxies({"TRUSTED_PROXIES": "127.0.0.1,10.0.0.7"})
    settings.ALLOWED_HOSTS = ["events.example.org", *env.LOOPBACK]
    answer = Client(REMOTE_ADDR=address, HTTP_HOST=host).get("/metrics", headers=headers)
    assert answer.status_code == status
    assert ("swiss_requests_total" in answer.content.decode()) == (status == 200)


@pytest.mark.django_db
def test_no_count_is_about_anyone(client):
    tournament = running(client)
    client.get(f"/t/{tournament.slug}/players/P0001/")
    client.get(f"/t/{tournament.slug}/key/{'0a' * 16}/")
    text = Client(**HERE).get("/metrics").content.decode()
    for word in (tournament.slug, "P0001", "0a0a", tournament.owner.username):
        assert word not in text, word


# --- several workers ---------------------------------------------------------------------------------------

WORKER = """
import sys
from tournament.monitoring.metrics import CACHE_SIZE, POLLS, REQUEST_SECONDS
POLLS.labels("unchanged").inc(float(sys.argv[1]))
REQUEST_SECONDS.labels("box").observe(0.003)
CACHE_SIZE.labels("responses").set(100)
print("counted", flush=True)
sys.stdin.read()
"""


class Worker:
    def __init__(self, polls: int):
        command = [sys.executable, "-c", WORKER, str(polls)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, cwd=ROOT, **pipes)
        assert self.process.stdout.readline() == "counted\n"

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.setenv(FOLDER, "")
    share_metrics(os.getpid())  # no port: beside those of a server
    folder = Path(os.environ[FOLDER])
    yield folder
    shutil.rmtree(folder)


on_posix = pytest.mark.skipif(sys.platform == "win32", reason="there each worker counts for itself")


@pytest.mark.django_db
@on_posix
def test_workers_that_die_leave_their_counts(folder):
    one, two = Worker(5), Worker(7)
    try:
        assert counts()["swiss_polls_total", "unchanged"] == 12
        assert counts()["swiss_cache_size", "responses"] == 200
        one.kill()
        assert counts()["swiss_polls_total", "unchanged"] == 12
        assert counts()["swiss_cache_size", "responses"] == 100  # what it kept in memory is gone
        for polls in (1, 2, 3):
            Worker(polls).kill()
        one = Worker(4)
        assert counts()["swiss_polls_total", "unchanged"] == 22
        assert counts()["swiss_request_seconds_count", "box"] == 6
        assert counts()["swiss_cache_size", "responses"] == 200
        share_metrics(os.getpid())
        assert list(folder.iterdir()) == []
    finally:
        one.kill()
        two.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="there such files are on the disk")
def test_files_that_grow_are_in_memory_where_a_full_disk_kills_no_worker(folder):
    assert folder.parent == Path("/dev/shm")


@on_posix
def test_without_a_folder_each_worker_counts_for_itself(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.setattr(installation, "MEMORY", tmp_path)
    (tmp_path / f"swiss-metrics-{os.getuid()}-8000").touch()
    share_metrics(8000)
    assert "Each worker shows its own metrics only: [Errno 17]" in capsys.readouterr().err
    assert os.environ[FOLDER] == ""
