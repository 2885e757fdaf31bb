import logging
import os
import pickle
import uuid

import pytest
from django.core.cache import caches
from django.test import RequestFactory

from tests.conftest import ROOT
from tests.served import free_port
from tournament.access import throttle
from tournament.access.throttle import Counts, Limit
from tournament.config import env

REDIS = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/9")


@pytest.fixture
def counting_in(settings, monkeypatch):
    """Count where these settings say, as another process would."""

    def use(var, redis=""):
        settings.CACHES = {"default": env.throttle_cache({"REDIS_URL": redis}, var, testing=False)}
        monkeypatch.setattr(throttle, "_counts", Counts())

    yield use
    caches["default"].close()


def test_processes_of_one_machine_count_together(counting_in, tmp_path):
    limit = Limit("guesses", most=3, seconds=600)
    for _process in range(3):
        counting_in(tmp_path)
        assert limit.count("10.0.0.7")
    counting_in(tmp_path)
    assert limit.is_spent("10.0.0.7") and not limit.count("10.0.0.7")
    assert limit.count("10.0.0.8") and Limit("others", most=3, seconds=600).count("10.0.0.7")
    assert len(list((tmp_path / "throttle").iterdir())) == 3, "in files, not in the memory of one"


def test_machines_count_together_in_redis(counting_in, tmp_path):
    redis = pytest.importorskip("redis")
    try:
        redis.from_url(REDIS, socket_connect_timeout=1).ping()
    except redis.RedisError:
        pytest.skip(f"no Redis at {REDIS}")
    name = uuid.uuid4().hex
    for machine in ("one", "another"):
        counting_in(tmp_path / machine, REDIS)
        assert Limit(name, most=2, seconds=60).count("10.0.0.7")
    assert not Limit(name, most=2, seconds=60).count("10.0.0.7")
    assert not list(tmp_path.iterdir())
    redis.from_url(REDIS).set(caches["default"].make_key(name), pickle.dumps("someone else's"))
    with pytest.raises(ValueError):  # not unpickled, which would run what someone else put there
        caches["default"].get(name)


def test_redis_holds_counts_and_answers():
    options = env.throttle_cache({"REDIS_URL": "redis://127.0.0.1"}, ROOT, testing=False)["OPTIONS"]
    written = options["serializer"].dumps
    assert written(7) == "7", "as INCR reads it"
    for value in (7, ["Saved.", "/account/"], [1764270000.25]):
        assert options["serializer"].loads(written(value).encode()) == value


def test_without_redis_the_site_goes_on_and_the_log_says_so_once(counting_in, tmp_path, caplog, monkeypatch):
    counting_in(tmp_path, f"redis://127.0.0.1:{free_port()}")
    limit, questions = Limit("guesses", most=1, seconds=60), []
    with caplog.at_level(logging.ERROR):
        assert limit.count("10.0.0.7")
        throttle._counts.ask(lambda: questions.append(1) or 1)
        assert questions == [], "one that is away is not asked each time"
        monkeypatch.setattr(Counts, "PAUSE", 0)
        monkeypatch.setattr(throttle._counts, "_asked_again", 0)
        assert [limit.count("10.0.0.7") for _ in range(3)] == [True, True, True]
        assert not limit.is_spent("10.0.0.7")
    (record,) = caplog.records
    assert record.getMessage().startswith("nothing is limited: RedisCache does not answer: ")


def test_a_limit_ends_with_its_time_even_where_someone_always_asks(counting_in, tmp_path, monkeypatch):
    counting_in(tmp_path)
    limit = Limit("guesses", most=2, seconds=60)
    for second in (6000, 6030, 6050, 6060, 6090, 6110):
        monkeypatch.setattr(throttle.time, "time", lambda second=second: float(second))
        assert limit.count("10.0.0.7") == (second not in (6050, 6110)), second


def test_all_addresses_of_one_line_are_one():
    limit = Limit("guesses", most=1, seconds=60)
    factory = RequestFactory()
    assert limit.allows(factory.get("/", REMOTE_ADDR="2001:db8:1:2::1"))
    assert not limit.allows(factory.get("/", REMOTE_ADDR="2001:db8:1:2:ffff::7"))
    assert limit.allows(factory.get("/", REMOTE_ADDR="2001:db8:1:3::1"))
    assert throttle.find_network("fe80::1%eth0") == "fe80::/64"
    assert throttle.find_network("not:an:address") == "not:an:address"
