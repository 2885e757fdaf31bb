import threading

import pytest
from django.conf import settings
from django.db import connections, transaction

from tests.factories import TournamentFactory
from tournament.actionlog import change
from tournament.actionlog.turns import turn_to_write
from tournament.services.event_settings import change_announcement

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("postgresql" in settings.DATABASES["default"]["ENGINE"], reason="about SQLite"),
]


def in_thread(call):
    def run():
        try:
            call()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def test_the_next_writer_comes_before_what_listeners_do_after_a_commit(monkeypatch):
    first, second = TournamentFactory(), TournamentFactory()
    waited = []

    def listener(tournament, _action):
        if tournament.pk == first.pk:
            thread = in_thread(lambda: change_announcement(second, "Lunch"))
            thread.join(10)
            waited.append(thread.is_alive())

    monkeypatch.setattr(change, "_listeners", [listener])
    change_announcement(first, "Round 2 at noon")
    assert waited == [False]


def test_writers_come_one_after_the_other_and_a_failed_one_lets_the_next_in():
    inside, order = threading.Event(), []

    def write():
        inside.wait(10)
        with turn_to_write():
            order.append("second")

    thread = in_thread(write)
    with pytest.raises(ZeroDivisionError), turn_to_write():
        inside.set()
        thread.join(0.2)
        order.append("first")
        raise ZeroDivisionError
    thread.join(10)
    assert order == ["first", "second"]


def test_who_is_inside_a_transaction_does_not_wait_for_a_turn():
    tournament = TournamentFactory()
    has_turn, over, in_time = threading.Event(), threading.Event(), []

    def write():
        with turn_to_write():
            has_turn.set()
            in_time.append(over.wait(5))

    with transaction.atomic():
        thread = in_thread(write)
        assert has_turn.wait(10)
        change_announcement(tournament, "Lunch")
    over.set()
    thread.join(10)
    assert in_time == [True]
