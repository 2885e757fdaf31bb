"""However long the log of an event is, no page and no form reads more of it: SQLite counts the steps of its statements.

Every address is asked for as someone who may, with a long log and with one twice as long.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection

from tests.conftest import empty
from tests.factories import TournamentFactory, lengthen_log
from tests.steps import undo_last
from tests.tournament.access.access_table import PAGES
from tests.tournament.access.test_permissions import built, world  # noqa: F401  (fixtures)
from tournament.services.drops import drop_entry

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        "postgresql" in settings.DATABASES["default"]["ENGINE"], reason="SQLite counts its steps"
    ),
]

LONGER = 2_000  # actions; each costs a statement that reads it five steps and more
WHOLE_LOG = {
    "account-data": "lists what the account did",
    "me-data-file": "lists what the log says of a player",
    "export-archive": "holds the log",
    "export-bundle": "holds the log",
    "snapshots": "holds the log",
    "anonymize": "replaces a name in the log",
    "remove-demo": "deletes the log",
    "finish": "checks that the log has no gap",
    "pair": "the same, as it completes the round before",
    "repair": "looks through everything since the round was paired",
    "why-not": "takes back everything since the round was paired",
}


def steps_of(ask: Callable[[], Any]) -> int:
    """How many hundreds of steps SQLite's machine takes for what is asked, while nothing is kept."""
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    empty()
    connection.connection.set_progress_handler(step, 100)
    try:
        ask()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return count


def steps_by_address(world) -> dict[str, int]:  # noqa: F811
    steps = {}
    for event in world.events.values():
        lengthen_log(event, LONGER)
    for name, page in PAGES.items():
        sent = replace(page, send={**page.send, "key": uuid4().hex})
        steps[name] = steps_of(lambda: world.ask_as_who_may(name, sent))  # noqa: B023
    return steps


@pytest.mark.long
def test_no_page_and_no_form_reads_more_of_a_longer_log(world):  # noqa: F811
    steps, longer = steps_by_address(world), steps_by_address(world)
    more = {name: longer[name] - steps[name] for name in steps if longer[name] > steps[name] + LONGER / 100}
    assert set(more) == set(WHOLE_LOG), more


def test_undo_reads_no_more_than_what_came_after():
    tournament, steps = TournamentFactory(rounds=1, published=True), []
    for _ in range(2):
        lengthen_log(tournament, LONGER)
        drop_entry(tournament, "P0001")
        steps.append(steps_of(lambda: undo_last(tournament)))
        tournament.refresh_from_db()
    assert steps[1] < steps[0] + LONGER / 100
