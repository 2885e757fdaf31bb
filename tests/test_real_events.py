"""The real events: each goes into the database and comes out again as it was."""

import json
from pathlib import Path

import pytest

from standings.event import places_of
from tournament import archive, facts, fsck, reading
from tournament.archive import read_file
from tournament.services.loading import dump_event, load_event

pytestmark = pytest.mark.django_db


def files(folder: Path) -> list[Path]:
    return [*sorted((folder / "events").glob("*.json")), folder / "clinecon.json"]


def test_every_real_event_survives_the_database_byte_for_byte(shared_data):
    found = files(shared_data)
    assert len(found) == 29
    for path in found:
        tournament = load_event(read_file(path))
        canon = dump_event(tournament)
        assert fsck.check(tournament) == [], path.name
        assert facts.state_at(tournament) == reading.read_state(tournament)[0], path.name
        tournament.slug = f"first-{tournament.pk}"
        tournament.save(update_fields=["slug"])
        assert dump_event(load_event(archive.event_of(json.loads(canon)))) == canon, path.name


def test_recorded_repeats_and_second_byes_are_kept_as_waived(shared_data):
    path = next((shared_data / "events").glob("0155-*.json"))
    tournament = load_event(read_file(path))
    reasons = {seat.match.waived_reason for seat in tournament.seats.filter(waived=True)}
    assert reasons <= {"as recorded"}


def test_reading_the_largest_event_takes_six_queries(shared_data, django_assert_max_num_queries):
    path = next((shared_data / "events").glob("1193-*.json"))
    tournament = load_event(read_file(path))
    with django_assert_max_num_queries(6):
        event = reading.event_of(tournament)
    assert len(event.entries) == 1193 and len(event.rounds) == 18


def test_a_bracket_recorded_without_seeds_keeps_its_entries_and_places(shared_data):
    for path in sorted((shared_data / "events").glob("0*-*.json"))[:12]:
        event = read_file(path)
        canon = archive.event_of(json.loads(dump_event(load_event(event))))
        assert canon.stages[1:] == event.stages[1:], path.name
        assert places_of(canon) == places_of(event), path.name
