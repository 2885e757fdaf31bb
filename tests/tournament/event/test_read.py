import json
import threading

import pytest
from django.db import connection, connections

from tests import factories
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event, load_event
from tournament.archive.read import parse_event
from tournament.event import read as reading
from tournament.event.pairing_record import PairingRecord
from tournament.event.read import build_event
from tournament.event.types import Clock
from tournament.models import Tournament
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import discard_draft

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("part", ["read_state", "_read_event", "_read_entries"])
def test_a_read_that_was_overtaken_is_read_again(monkeypatch, part):
    event = factories.TournamentFactory(entries=4)
    tournament = Tournament.objects.defer("revision").get(pk=event.pk)
    read, overtaken = getattr(reading, part), []

    def overtaking(*args, **kwargs):
        answer = read(*args, **kwargs)
        if not overtaken:  # somebody registers while the first read is under way
            overtaken.append(add_entries(Tournament.objects.get(pk=tournament.pk), ["Late"]))
        return answer

    monkeypatch.setattr(reading, part, overtaking)
    whole = part == "read_state"
    event = reading.load_whole_event(tournament) if whole else reading.load_event_values(tournament)
    assert len(event.entries) == 5
    assert tournament.revision == overtaken[0].number


def test_a_round_that_is_discarded_while_its_event_is_read_is_not_in_the_file(monkeypatch):
    tournament = factories.TournamentFactory(entries=4)
    factories.RoundFactory(tournament=tournament, drafted=True)
    read = reading.match_facts

    def overtaking(matches):
        answer = read(matches)
        if tournament.rounds.exists():
            discard_draft(Tournament.objects.get(pk=tournament.pk), 1)
        return answer

    monkeypatch.setattr(reading, "match_facts", overtaking)
    assert reading.load_whole_event(tournament).rounds == []


def test_rows_and_facts_tell_the_same_event_in_few_queries(django_assert_num_queries):
    running = factories.TournamentFactory(entries=5)
    factories.RoundFactory(tournament=running)
    record_result(running, 1, 1, Slip("played", 2, 0))
    drop_entry(running, "P0002")
    over = factories.TournamentFactory(entries=8, rounds=2, with_cut=4)
    data = json.loads(dump_event(over))
    data["tournament"]["slug"] = "from-a-file"
    loaded = load_event(parse_event(data))
    for event in (running, over, loaded, factories.TournamentFactory(entries=0)):
        tournament = Tournament.objects.get(pk=event.pk)
        with django_assert_num_queries(4 if tournament.profile else 5):
            quick = reading.load_event_values(tournament, paired=False)
        assert all(round_.pairing == PairingRecord() for round_ in quick.rounds)
        whole = reading.load_whole_event(tournament)
        _state, people = reading.read_state(tournament)
        assert build_event(tournament, state_at(tournament), people).replace(log=whole.log) == whole
        whole.log = whole.penalties = ()
        for round_ in whole.rounds:  # neither are these anywhere but in files
            round_.extensions, round_.clock = (), Clock()
        assert reading.load_event_values(tournament) == whole


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_reads_beside_a_busy_writer_are_never_torn():
    tournament = factories.TournamentFactory(entries=16)
    factories.RoundFactory(tournament=tournament)
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
            event = reading.load_event_values(mine)
            result = next(match.result for match in event.rounds[0].matches if match.table == 1)
            action = mine.actions.get(number=mine.revision)
            assert (result == "played") == (action.kind == "result")
    finally:
        stop.set()
        writer.join()
    assert connection.in_atomic_block is False
