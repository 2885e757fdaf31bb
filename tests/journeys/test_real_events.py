import json
from pathlib import Path

import pytest

from tests.conftest import CI
from tournament import archive
from tournament.actionlog.fold import state_at
from tournament.archive import read_file
from tournament.archive.load import dump_event, load_event
from tournament.event import read

pytestmark = pytest.mark.django_db


PARTS = 6  # so that workers share them
LARGE = 100_000  # bytes; the four larger files go through the database in CI only, and in the page tests


def files(folder: Path) -> list[Path]:
    return [*sorted((folder / "events").glob("*.json")), folder / "clinecon.json"]


@pytest.mark.long
def test_all_real_events_are_there_and_canonical_twice(shared_data):
    assert len(files(shared_data)) == 29
    for path in files(shared_data):
        canon = archive.canonical(read_file(path))
        assert archive.canonical(archive.parse_event(json.loads(canon))) == canon, path.name


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_real_event_survives_the_database_byte_for_byte(shared_data, part):
    for path in files(shared_data)[part::PARTS]:
        if not CI and path.stat().st_size > LARGE:
            continue
        tournament = load_event(read_file(path))  # with fsck: what it finds is refused
        canon = dump_event(tournament)
        assert state_at(tournament) == read.read_state(tournament)[0], path.name
        tournament.slug = f"first-{tournament.pk}"
        tournament.save(update_fields=["slug"])
        assert dump_event(load_event(archive.parse_event(json.loads(canon)))) == canon, path.name


def test_recorded_rematches_and_second_byes_are_kept_as_waived(shared_data):
    path = next((shared_data / "events").glob("0155-*.json"))
    tournament = load_event(read_file(path))
    reasons = {seat.match.waived_reason for seat in tournament.seats.filter(waived=True)}
    assert reasons <= {"as recorded"}


def test_reading_a_large_event_takes_six_queries(shared_data, django_assert_max_num_queries):
    path = next((shared_data / "events").glob("0262-*.json"))
    tournament = load_event(read_file(path))
    with django_assert_max_num_queries(6):
        event = read.load_event_values(tournament)
    assert len(event.entries) == 262 and len(event.rounds) == 12
