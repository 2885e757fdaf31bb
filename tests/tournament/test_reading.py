"""A read of several tables is of one moment, or it is read again."""

import threading

import pytest
from django.db import connection, connections

from tests import factories
from tournament import reading
from tournament.models import Tournament
from tournament.services.registering import add_entries
from tournament.services.results import clear_result, record_result
from tournament.slips import Slip

pytestmark = pytest.mark.django_db


def test_a_read_that_was_overtaken_is_read_again(monkeypatch):
    tournament = factories.event(4)
    whole, overtaken = reading.read_state, []

    def overtaking(*args, **kwargs):
        answer = whole(*args, **kwargs)
        if not overtaken:  # somebody registers while the first read is under way
            overtaken.append(add_entries(Tournament.objects.get(pk=tournament.pk), ["Late"]))
            return answer[0], answer[1], overtaken[0].number
        return answer

    monkeypatch.setattr(reading, "read_state", overtaking)
    event = reading.event_of(tournament)
    assert len(event.entries) == 5
    assert tournament.revision == overtaken[0].number


@pytest.mark.django_db(transaction=True)
def test_reads_beside_a_busy_writer_are_never_torn():
    tournament = factories.event(16)
    factories.pair(tournament)
    stop = threading.Event()

    def write():
        mine = Tournament.objects.get(pk=tournament.pk)
        while not stop.is_set():
            # Every other revision has a result at table 1: a torn read would not fit its mark.
            record_result(mine, 1, 1, Slip("played", 2, 0))
            clear_result(mine, 1, 1)
        connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(60):
            mine = Tournament.objects.get(pk=tournament.pk)
            event = reading.event_of(mine)
            result = next(match.result for match in event.rounds[0].matches if match.table == 1)
            action = mine.actions.get(number=mine.revision)
            assert (result == "played") == (action.kind == "result")
    finally:
        stop.set()
        writer.join()
    assert connection.in_atomic_block is False
