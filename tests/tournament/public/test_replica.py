"""Pages from a replica: as new as they say, and no phone goes back. The replica is a copy that stands still."""

import datetime as dt
import logging
import random
import re
import secrets
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from types import MethodType

import pytest
from django.db import OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.urls import reverse

from tests.conftest import CI, empty
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.journeys.play import Play
from tests.tournament.access.access_table import PAGES
from tests.tournament.access.test_permissions import parts_of
from tests.tournament.public.test_kept_answers import addresses_of, mark_in
from tests.tournament.public.test_secrets import ARGS, SHARED
from tests.tournament.views.phones import known
from tournament.event.read import event_of
from tournament.models import Tournament
from tournament.models.replica import REPLICA, NeedsPrimary, Source, read_from, source
from tournament.monitoring import replica_lag
from tournament.monitoring.replica_lag import LIMIT, SAID_FROM, ReplicaLag, lag
from tournament.public import replica
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db(transaction=True)
WROTE = {"hall_wrote": "1"}


def connect(here: BaseDatabaseWrapper) -> None:
    """As Django's, which in tests opens only the databases that it set up."""
    if here.connection is None:
        with here.wrap_database_errors:
            here.connect()


@pytest.fixture
def freeze(monkeypatch, tmp_path):
    """Give the app a replica, thought to be up to date; each call makes it a copy of the database as it is now.

    On SQLite, where that costs nothing; `tests.benchmarks.cluster` has a real one.
    """
    if connection.vendor != "sqlite":
        pytest.skip("about pages: once, beside SQLite")
    here, name = connections["default"].settings_dict, str(tmp_path / "replica.sqlite3")
    monkeypatch.setitem(connections.settings, REPLICA, {**here, "NAME": name})
    connections[REPLICA].ensure_connection = MethodType(connect, connections[REPLICA])
    monkeypatch.setattr(ReplicaLag, "_watch", lambda self: None)
    monkeypatch.setattr(lag, "complete_at", float("inf"))
    monkeypatch.setattr(lag, "problem", "")
    monkeypatch.setattr(lag, "has_primary", True)
    monkeypatch.setattr(lag, "_used", True)

    def copy() -> None:
        connections[REPLICA].close()
        with closing(sqlite3.connect(here["NAME"])) as now, closing(sqlite3.connect(name)) as then:
            now.backup(then)

    yield copy
    connections[REPLICA].close()
    del connections[REPLICA]


@pytest.fixture
def event() -> Tournament:
    """8 players in round 1."""
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    return tournament


def next_round(tournament: Tournament) -> None:
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)


def behind(monkeypatch, seconds: float) -> None:
    monkeypatch.setattr(lag, "complete_at", time.monotonic() - seconds)


def test_a_phone_that_has_nothing_is_shown_the_replica(freeze, event):
    freeze()
    next_round(event)
    assert "Round 1" in Client().get(f"/t/{event.slug}/now/").content.decode()


@pytest.mark.parametrize("kept", [True, False])
def test_a_phone_that_saw_the_primary_is_not_sent_back(freeze, event, kept):
    freeze()
    next_round(event)
    first, phone = Client(), Client()
    for address in (f"/t/{event.slug}/now/", f"/t/{event.slug}/players/P0001/"):
        if kept:
            assert "Round 1" in first.get(address).content.decode()
        phone.cookies.load(WROTE)
        seen = phone.get(address)
        assert "Round 2" in seen.content.decode()
        phone.cookies.clear()
        if kept:
            assert "Round 1" in first.get(address).content.decode()
        mark, tag = mark_in(seen.content.decode()), seen.get("ETag", "")
        again = (
            phone.get(address, headers={"if-none-match": tag}) if tag else phone.get(f"{address}?v={mark}")
        )
        assert (again.status_code, "Round 1" in again.content.decode()) == (304 if tag else 204, False)


@pytest.mark.long
def test_whatever_is_done_and_however_far_it_is_behind_no_phone_goes_back(freeze):
    """Every answer is a state that the primary had, and none before the one that this phone saw last."""
    play, client, reader = Play("fide", seed=1 if CI else secrets.randbits(32)), Client(), Client()
    reader.cookies.load(WROTE)
    chance = random.Random(play.chance.random())
    seen: dict[str, tuple[int, str, str]] = {}  # address: state, `?v=`, ETag
    states: dict[str, list[str]] = {}
    freezes = {0, 4}
    for turn in range(8):
        for _ in range(8):
            play.take_a_step()
        addresses = [
            address for address in addresses_of(play.tournament) if not address.endswith("/bracket/tree/")
        ]
        for address in addresses:
            states.setdefault(address, []).append(reader.get(address).content.decode())
        if turn in freezes:
            freeze()
        for address in chance.sample(addresses, 8):
            if chance.random() < 0.5:
                empty()  # as another process
            if chance.random() < 0.5:
                client.cookies.load(WROTE)  # as on a machine without a replica
            else:
                client.cookies.clear()
            state, mark, tag = seen.get(address, (0, "", ""))
            answer = client.get(f"{address}?v={mark}" if mark else address, headers={"if-none-match": tag})
            if answer.status_code in (204, 304):
                assert mark or tag
                continue
            text = answer.content.decode()
            later = [
                number for number, known in enumerate(states[address]) if number >= state and known == text
            ]
            assert later, address
            mark = mark_in(text) if "data-poll" in text and not answer.get("ETag") else ""
            seen[address] = later[-1], mark, answer.get("ETag", "")


def test_who_wrote_reads_the_primary_for_a_while(freeze, event, settings):
    change_settings(event, reporting="on")
    phone = Client()
    own = known(phone, event, "P0001")
    freeze()
    enter_results(event, 1)
    public = f"/t/{event.slug}/players/P0001/"
    assert "is outstanding" not in phone.get(own).content.decode()  # the own page is the primary's
    before = phone.get(public).content
    answer = phone.post(f"{own}flag/", {"text": "The score is wrong", "key": secrets.token_hex(16)})
    assert answer.status_code == 303
    cookie = answer.cookies["hall_wrote"]
    assert cookie["max-age"] > LIMIT and cookie["httponly"]
    assert phone.get(public).content != before
    phone.cookies.pop("hall_wrote")
    assert phone.get(public).content == before


def test_what_the_replica_has_not_yet_is_the_primarys(freeze, event):
    freeze()
    next_round(event)
    other = TournamentFactory(entries=4, rounds=1)
    for address in (f"/t/{event.slug}/rounds/2/", f"/t/{other.slug}/", f"/t/{other.slug}/players/P0001/now/"):
        assert Client().get(address).status_code == 200, address
    assert Client().get("/t/nowhere/").status_code == 404


@pytest.mark.parametrize("warm", [True, False])
def test_a_replica_that_is_gone_costs_no_one_a_page(freeze, event, caplog, monkeypatch, warm):
    freeze()
    address = f"/t/{event.slug}/now/"
    if warm:
        Client().get(address)
    connections[REPLICA].close()
    monkeypatch.setitem(connections[REPLICA].settings_dict, "NAME", "/nowhere/at/all")
    next_round(event)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            answer = Client().get(address)
            assert (answer.status_code, "Round 2" in answer.content.decode()) == (200, True)
    assert [record.message for record in caplog.records] == [
        "the replica is not used: OperationalError: public pages are read from the primary"
    ]


def as_of(answer) -> str:
    """What a page says of how old it is."""
    return " ".join(re.search(r'id="offline"[^>]*>([^<]*)<', answer.content.decode())[1].split())


def test_a_page_that_is_behind_says_as_of_when(freeze, event, monkeypatch):
    change_settings(event, time_zone="Asia/Tokyo")
    freeze()
    next_round(event)
    address = f"/t/{event.slug}/rounds/1/"
    assert as_of(Client().get(address)) == ""
    behind(monkeypatch, SAID_FROM + 2)
    answer = Client().get(address)
    moment = dt.datetime.fromtimestamp(float(answer["X-As-Of"]) / 1000, dt.UTC)
    assert abs((dt.datetime.now(dt.UTC) - moment).total_seconds() - SAID_FROM - 2) < 2
    tokyo = moment + dt.timedelta(hours=9)
    assert as_of(answer) == f"As of {tokyo:%H:%M}. This page updates automatically."
    poll = Client().get(f"{address}pairings/?by=name&v={mark_in(answer.content.decode())}")
    assert (poll.status_code, "X-As-Of" in poll) == (204, True)
    behind(monkeypatch, LIMIT + 1)
    answer = Client().get(address)
    assert "X-As-Of" not in answer and "/rounds/2/" in answer.content.decode()
    monkeypatch.setattr(lag, "has_primary", False)  # then it is all there is
    assert "X-As-Of" in Client().get(address)


def test_a_page_that_was_not_behind_is_not_given_again_by_one_that_is(freeze, event, monkeypatch):
    freeze()
    address, phone = f"/t/{event.slug}/standings/", Client()
    tag = phone.get(address)["ETag"]
    behind(monkeypatch, SAID_FROM + 2)
    assert "X-As-Of" not in phone.get(address, headers={"if-none-match": tag})  # the primary confirms it
    assert as_of(phone.get(address)) != ""
    behind(monkeypatch, 0)
    assert as_of(phone.get(address)) == ""


def test_only_what_everyone_may_keep_is_read_from_the_replica():
    for name, page in PAGES.items():
        if "slug" not in parts_of(name):
            continue
        parts = (
            ARGS
            | page.args
            | {"slug": "event", "table": 1, "key": page.args.get("key", "0" * 32), "check": "AA"}
        )
        address = reverse(name, kwargs={part: parts[part] for part in parts_of(name)})
        shared = name in SHARED and "screen" not in name and name != "public-clock"
        assert bool(replica.SHARED.fullmatch(address)) == shared, name


def test_a_signed_in_persons_own_pages_and_all_writes_are_the_primarys(freeze, event, client):
    freeze()
    next_round(event)
    client.force_login(event.owner)
    assert "Round 2" in client.get(f"/t/{event.slug}/desk/").content.decode()
    assert "hall_wrote" not in Client().get(f"/t/{event.slug}/").cookies


def test_a_read_that_needs_a_lock_is_not_the_replicas(freeze, event):
    freeze()
    with read_from(Source(REPLICA)), pytest.MonkeyPatch.context() as patch:
        tournament = Tournament.objects.get(pk=event.pk)
        assert tournament._state.db == REPLICA
        patch.setattr("tournament.event.from_rows.read", lambda *_args, **_how: (None, -1))
        with pytest.raises(NeedsPrimary):
            event_of(tournament)
    assert source().alias == "default"


# --- the lag ----------------------------------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch) -> Callable[..., ReplicaLag]:
    """A lag measured once with these positions; a text is an error, None for `replayed` no standby."""
    times = iter(range(1000, 2000))
    monkeypatch.setattr(replica_lag, "PAUSE", 0)
    found = ReplicaLag()

    def measure(written: int | str, replayed: int | str | None) -> ReplicaLag:
        def ask(alias: str, _statement: str) -> tuple:
            value = written if alias == "default" else replayed
            if isinstance(value, str):
                raise OperationalError(value)
            return (value,) if alias == "default" else (value is not None, value)

        monkeypatch.setattr(replica_lag, "_ask", ask)
        now = next(times)
        monkeypatch.setattr(replica_lag.time, "monotonic", lambda: now)
        found.measure()
        return found

    return measure


def test_the_replica_is_complete_as_of_the_last_position_it_has_passed(measured):
    assert not measured(10, 5).is_usable  # nothing is known yet
    assert measured(20, 12).complete_at == 1000  # it has everything of the first moment, not of this one
    assert measured(30, 30).seconds == 0
    for _ in range(int(LIMIT)):
        assert measured(40, 30).is_usable
    assert not measured(40, 39).is_usable
    assert measured(40, 40).is_usable


def test_an_idle_primary_has_a_replica_without_lag(measured):
    assert [measured(10, 10).seconds for _ in range(30)] == [0] * 30


def test_without_the_primary_the_last_known_moment_stays(measured):
    measured(10, 10)
    for second in range(1, 30):
        found = measured("gone", 10)
        assert (found.seconds, found.is_usable) == (second, True)
    assert found.source().as_of


@pytest.mark.parametrize(("replayed", "why"), [(None, "it is no standby"), ("gone", "OperationalError")])
def test_a_replica_that_was_promoted_or_is_gone_is_not_used(measured, caplog, replayed, why):
    measured(10, 10)
    for _ in range(3):
        assert not measured(10, replayed).is_usable
    assert measured(10, 10).is_usable
    assert [record.message for record in caplog.records] == [
        f"the replica is not used: {why}: public pages are read from the primary",
        "public pages are read from the replica again",
    ]


def test_monitoring_is_told_how_far_the_replica_is_behind(client, freeze, event, monkeypatch):
    freeze()
    behind(monkeypatch, 2)
    assert re.search(r"the replica is 2\.\d s behind", client.get("/readyz").content.decode())
    metrics = client.get("/metrics", headers={"host": "127.0.0.1"}).content.decode()
    assert re.search(r"^swiss_replica_behind_seconds 2\.", metrics, re.MULTILINE)


def test_without_the_primary_monitoring_waits_for_it_once(client, freeze, event, monkeypatch):
    freeze()
    behind(monkeypatch, 20)
    monkeypatch.setattr("tournament.config.health.find_problems", lambda: ["database not reachable"])
    monkeypatch.setattr(lag, "measure", lambda: pytest.fail("the primary is asked again"))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.content.decode().splitlines()[0]) == (503, "database not reachable")
    assert "the replica is 20." in answer.content.decode()


def test_only_postgresql_has_a_replica():
    from django.core.exceptions import ImproperlyConfigured

    from tournament.config.env import replica as read

    url = "postgres://ann@127.0.0.1:5433/events"
    assert read({}) == {}
    found = read({"DATABASE_URL": url, "REPLICA_URL": url})["replica"]
    assert "default_transaction_read_only=on" in found["OPTIONS"]["options"]
    for given in ({"REPLICA_URL": url}, {"DATABASE_URL": url, "REPLICA_URL": "sqlite:////srv/e.db"}):
        with pytest.raises(ImproperlyConfigured, match="REPLICA_URL needs PostgreSQL"):
            read(given)
