"""Several people at once, with real connections; and how often each race is run."""

import threading
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from django.db import connection, connections
from django.db.models import Model

from tests.conftest import CI, FULL
from tournament.actionlog import integrity
from tournament.errors import Refused
from tournament.models import Tournament

Row = TypeVar("Row", bound=Model)
TIMES, FEW = (200, 200) if FULL else (30, 8) if CI else (8, 2)


def again(times: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def decorate(test: Callable[[], None]) -> Callable[[], None]:
        @wraps(test)
        def repeated() -> None:
            for _ in range(times):
                test()

        return repeated

    return decorate


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run each call in a thread of its own, started together. Returns what each returned or raised."""
    barrier = threading.Barrier(len(calls), timeout=60)
    answers: list[Any] = [None] * len(calls)

    def run(index: int, call: Callable[[], Any]) -> None:
        try:
            connection.ensure_connection()
            barrier.wait()
            answers[index] = call()
        except Exception as error:
            answers[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def fresh(row: Row) -> Row:
    return type(row)._default_manager.get(pk=row.pk)


def refusals(answers: list[Any]) -> list[Refused]:
    """The refusals among the answers; anything else that was raised is our own fault."""
    raised = [answer for answer in answers if isinstance(answer, Exception)]
    assert all(isinstance(error, Refused) for error in raised), raised
    return raised


def race(event: Tournament, *acts: Callable[[Tournament], Any]) -> list[Refused]:
    """Do these things to an event at once. Returns what was refused; whatever came first, the event is whole."""
    refused = refusals(at_once(*(partial(act, fresh(event)) for act in acts)))
    assert integrity.check(fresh(event)) == []
    return refused
