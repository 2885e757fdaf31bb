"""A process killed after each statement of a large action: all of it is there, or nothing.

The action is done in a process that ends without a word after its n-th statement, for each n. Done again under the same
key, it is there once.
"""

import itertools
import json
import os
import signal
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db import connection, connections

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests import factories
from tests.steps import complete_round
from tournament.actionlog import integrity
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.models import Action, Tournament
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.rounds import publish_round
from tournament.services.undo import undo_action

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]
KEY = "one form"
SAVED = 3  # how the process ends that came to its end


class Act(NamedTuple):
    """`do` to an event of so many players and rounds that is `begun` like this."""

    do: Callable[[Tournament], Any]
    players: int = 8
    begun: dict[str, Any] = {}


def copy_of(event: Tournament) -> Tournament:
    return load_event(parse_event(json.loads(dump_event(event, with_seed=True))), slug="the-copy")


LOST = Slip("played", 0, 2)
ACTS = {
    "publish": Act(lambda event: publish_round(event, 1, key=KEY), 8, {"drafted": True}),
    "undo": Act(
        lambda event: undo_action(event, event.actions.get(kind="publish").number, key=KEY),
        8,
        {"published": True},
    ),
    "complete": Act(lambda event: complete_round(event, 1, key=KEY), 8, {"rounds": 1}),
    "pair": Act(lambda event: draft_next_round(event, key=KEY), 8, {"rounds": 1}),
    "cut": Act(lambda event: make_cut(event, 4, key=KEY), 6, {"rounds": 2}),
    "correct": Act(
        lambda event: correct_result(event, 1, 1, LOST, reason="typed wrong", key=KEY), 8, {"rounds": 2}
    ),
    "import": Act(copy_of, 6, {"rounds": 2}),
}


def killed_after(statements: int, act: Act, event: Tournament) -> bool:
    """Whether the action came to its end in a process that is killed after so many statements."""
    connections.close_all()
    if child := os.fork():
        _child, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            return False
        assert os.WEXITSTATUS(status) == SAVED
        return True
    left = statements

    def count(execute, sql, params, many, context):
        nonlocal left
        answer = execute(sql, params, many, context)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    try:
        with connection.execute_wrapper(count):
            act.do(Tournament.objects.get(pk=event.pk))
        os._exit(SAVED)
    finally:
        os._exit(1)


def facts_of(event: Tournament) -> str:
    """All that is stored of the event and of copies of it, and that all of it is whole."""
    if (
        connection.vendor == "postgresql"
    ):  # its server ends by itself the transaction of a client that is gone
        with connection.cursor() as cursor:
            others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
            for _ in range(200):
                cursor.execute(others + "pg_backend_pid() AND xact_start IS NOT NULL")
                if cursor.fetchone() == (0,):
                    break
                time.sleep(0.02)
    stored = Tournament.objects.order_by("pk")
    for each in stored:
        assert integrity.check(each) == []
    return "".join(dump_event(each, with_seed=True) for each in stored)


@pytest.mark.long
@pytest.mark.parametrize("name", ACTS)
def test_an_action_killed_after_any_statement_is_whole_or_not_there(name):
    act = ACTS[name]
    event = factories.TournamentFactory(entries=act.players, **act.begun)
    before, actions = facts_of(event), Action.objects.count()
    for statements in itertools.count(1):
        at_the_end = killed_after(statements, act, event)
        if (after := facts_of(event)) != before:
            break
        assert not at_the_end, "it said that it was saved"
    assert statements > 5  # it died within, not only before
    if name == "import":
        assert Tournament.objects.filter(slug="the-copy").count() == 1
        return
    act.do(Tournament.objects.get(pk=event.pk))  # the same form again
    assert facts_of(event) == after
    assert Action.objects.count() == actions + 1
