"""Fixtures of all tests: the real data, the browser, and how much to try.

Without a browser or the data a test is skipped with the reason; with CI=true it fails instead.
"""

import gc
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.template import Template
from hypothesis import HealthCheck, settings
from playwright.sync_api import expect

from tests.chance import same_draws, same_time

ROOT = Path(__file__).resolve().parents[1]
CI = os.environ.get("CI", "").lower() == "true"
# The engines know no database: CI tests them once, beside SQLite, and at full size.
THOROUGH = CI and not os.environ.get("DATABASE_URL")
# FULL=1: races, kills and random events as often as they are worth counting; too long for each change.
FULL = os.environ.get("FULL") == "1"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the lightest first
CHROMIUM = next((path for path in map(shutil.which, BROWSERS) if path), None)

# Playwright's own event loop makes Django think that tests are asynchronous; they are not.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


# A slow machine is no failure, and everybody looks at the same examples each time.
settings.register_profile(
    "ours",
    max_examples=200 if FULL else 50 if CI else 25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ours")
expect.set_options(timeout=20_000)  # ms: a busy machine is no failure either
RENDER = Template._render  # before Django's tests replace it


def missing(what: str) -> None:
    """Skip the test with the reason; in CI there is no excuse."""
    (pytest.fail if CI else pytest.skip)(what)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Views and services are tested with the database; a test that needs more than a transaction says so."""
    folders = item.path.relative_to(ROOT).parts
    if {"views", "services"} & {*folders} and item.get_closest_marker("django_db") is None:
        item.add_marker(pytest.mark.django_db)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every test that opens a page is a browser test, whether it says so or not.

    The whole suite is quick here: every case of the quick tests, and one event in the browser. CI takes everything
    beside SQLite, and beside PostgreSQL two cases of each test that a database can fail. A run of a folder or a file
    takes all its cases.
    """
    for item in items:
        if {"page", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)
    selection = [item for item in items if not CI or THOROUGH or differs_on_postgres(item)]
    if not FULL and config.args == config.getini("testpaths"):
        if not CI:
            selection = [item for item in selection if is_quick(item)]
        elif not THOROUGH:
            cases = [
                list(some) for _test, some in groupby(selection, lambda item: item.nodeid.partition("[")[0])
            ]
            selection = [item for some in cases for item in some[:1] + some[1:][-1:]]
    config.hook.pytest_deselected(items=list(set(items).difference(selection)))
    items[:] = selection


WHOLE_SYSTEM = {"faults", "journeys", "races", "security"}


def is_quick(item: pytest.Item) -> bool:
    if item.path.name == "test_whole_event.py":
        return True
    folder = item.path.relative_to(ROOT / "tests").parts[0]
    return folder not in WHOLE_SYSTEM and not any(map(item.get_closest_marker, ("browser", "long")))


def pytest_collection_finish() -> None:
    """Keep the garbage collector from examining loaded modules again in every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    database = Path(str(django_settings.DATABASES["default"].get("TEST", {}).get("NAME") or "none"))
    for file in database.parent.glob(f"{database.stem}*-turn"):
        file.unlink(missing_ok=True)


DATABASES = {"db", "transactional_db", "live_server", "django_db_setup"}


def differs_on_postgres(item: pytest.Item) -> bool:
    """Whether a test touches the database, by its mark or its fixtures; browser tests only with whole events."""
    marked = item.get_closest_marker
    if marked("browser") and not marked("whole_event"):
        return False
    asks_for = {*getattr(item, "fixturenames", ())}
    return bool(marked("only_on") or marked("django_db") or DATABASES & asks_for)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("slow") and not CI:
        pytest.skip("at full size: with CI=true")
    only = item.get_closest_marker("only_on")
    if only and only.args != (connection.vendor,):
        pytest.skip(f"only on {only.args[0]}, not on {connection.vendor}")
    if item.get_closest_marker("browser") and not CHROMIUM:
        missing("no chromium on this machine: apt install chromium")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    finish_background_work()


def finish_background_work() -> None:
    """Wait for what a test began in the background: it would go on in the next test, with that one's rows."""
    from tournament.actionlog.background import _all

    pools = [background._threads for background in _all if background._threads._threads]
    for pool in pools * 2:  # the work, and what the work began
        everyone = threading.Barrier(pool._max_workers + 1, timeout=60)
        for _ in range(pool._max_workers):
            pool.submit(everyone.wait)
        everyone.wait()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict) -> dict:
    """Pages as they are without a service worker; those that are about it let it in."""
    return {**browser_context_args, "service_workers": "block"}


@pytest.fixture(autouse=True, scope="session")
def templates_are_rendered_as_always(django_test_environment) -> None:
    """Django's tests note each template with a copy of its context, an eighth of the rendering; no test asks for it."""
    Template._render = RENDER


@pytest.fixture(autouse=True, scope="session")
def snapshots_are_written_elsewhere(tmp_path_factory) -> None:
    """Tests that commit publish rounds, and those leave files."""
    django_settings.VAR_DIR = tmp_path_factory.mktemp("var")


@pytest.fixture(autouse=True)
def no_files_of_the_test_before() -> None:
    """An event gets no address under which there are files: the next one of the same name would get another."""
    shutil.rmtree(Path(django_settings.VAR_DIR) / "snapshots", ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def paper_copies_are_written_where_they_are_tested(django_test_environment) -> None:
    """Each publication of a test that commits would render the paper of a whole round."""
    from tournament.actionlog import change
    from tournament.paper.everything import write_copy_after

    change._listeners.remove(write_copy_after)


@pytest.fixture(autouse=True)
def nothing_is_left_to_chance(request, monkeypatch) -> Iterator[None]:
    """Each test draws the same, at the same time, with the same names. Servers and browsers have the machine's time."""
    from tests.factories import EntryFactory, UserFactory

    UserFactory.reset_sequence(0)
    EntryFactory.reset_sequence(0)
    with same_draws(request.node.nodeid), ExitStack() as time:
        served = {"live_server", "page", "browser"} & {*request.fixturenames}
        if not served and not request.node.get_closest_marker("real_time"):
            time.enter_context(same_time())
        yield
        monkeypatch.undo()  # before the clocks go back: it may have saved one of this test


@pytest.fixture(autouse=True)
def empty_caches() -> None:
    """A test's rows are taken back, so the next event may have the same number at the same mark."""
    empty()


def empty() -> None:
    """Forget what this process keeps: also for tests that change rows past the log."""
    from django.core.cache import caches

    from standings.table.sheet import rankings
    from tournament.public.response_cache import response_cache
    from tournament.results.desk_sheet import sheets

    for counts in caches.all():
        counts.clear()
    for cache in (response_cache, sheets, rankings):
        cache.clear()  # type: ignore[attr-defined]


@pytest.fixture(autouse=THOROUGH)
def every_action_leaves_the_tables_clean(request, monkeypatch) -> None:
    """In CI, on SQLite, fsck follows each action of journeys and services in its transaction; FULL=1: of any test.

    A browser waits for whole events only.
    """
    marked = request.node.get_closest_marker
    rooms = {"journeys", "services"} & {*request.node.path.parts}
    checked = FULL or (rooms and (not marked("browser") or marked("whole_event")))
    if not checked or marked("any_value"):
        return
    from tournament.actionlog import integrity
    from tournament.actionlog.change import Log

    close = Log.close

    def close_and_check(log: Log) -> None:
        close(log)
        assert integrity.check(log.tournament) == []

    monkeypatch.setattr(Log, "close", close_and_check)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real events and worked examples: $SHARED_DATA, else beside the checkout."""
    folder = Path(os.environ.get("SHARED_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        missing(f"no real data: neither $SHARED_DATA nor {folder} is a folder")
    return folder
