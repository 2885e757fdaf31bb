"""An entry that was merged into another is no player of its own: no service writes about it, no list has it."""

import importlib
import json

import pytest
from django.apps import apps

from tests.factories import RoundFactory, TournamentFactory
from tests.tournament.services.test_merges import WHY, merge, twice
from tournament import archive
from tournament.actionlog import integrity, triggers
from tournament.actionlog.fold import state_at
from tournament.archive.load import dump_event, load_event
from tournament.errors import NotFound, WrongState
from tournament.event.read import read_state
from tournament.exports.staff_csv import players_csv
from tournament.models import Action
from tournament.players.checkin_list import check_in_list_of
from tournament.progress.facts import progress_facts_of
from tournament.services.check_in import check_in_entry
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.entries import (
    add_entries,
    admit_entry,
    change_entry,
    change_personal_fields,
    change_team,
    remove_entry,
    rename_entry,
)
from tournament.services.imports import plan_import
from tournament.services.merges import merge_entries
from tournament.services.participation import correct_participation
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.re_entries import add_re_entry
from tournament.services.seat_corrections import correct_seats
from tournament.services.self_service import check_in_self, drop_self
from tournament.services.staff import link_entry
from tournament.services.stages import add_stage, move_entry
from tournament.services.waitlist import taken_spots
from tournament.text.display_names import names_of

pytestmark = pytest.mark.django_db
migration = importlib.import_module("tournament.migrations.0013_merged_entries")

__all__ = ["twice"]  # the fixture

# Each service that writes about one player, by what it is given besides the event and the code.
WRITES = [
    (drop_entry, ()),
    (drop_self, ()),
    (reinstate_entry, ()),
    (disqualify_entry, ("cheating",)),
    (admit_entry, ()),
    (add_re_entry, ()),
    (move_entry, (2,)),
    (check_in_entry, ()),
    (check_in_self, ()),
    (rename_entry, ("Bo Lind",)),
    (change_entry, ()),
    (change_personal_fields, ()),
    (remove_entry, ()),
    (link_entry, ("",)),
    (correct_participation, (1,)),
    (merge_entries, ("P0002",)),
]


@pytest.mark.parametrize(("service", "given"), WRITES, ids=lambda value: getattr(value, "__name__", ""))
def test_no_service_writes_about_a_merged_entry(twice, service, given):
    merge_entries(twice, "P0001", "P0008", **WHY)
    with pytest.raises(WrongState, match=r"P0008 was merged into P0001\. Use that entry\."):
        service(twice, "P0008", *given)


def test_the_team_of_a_merged_entry_does_not_change():
    event = TournamentFactory(entries=4, team=True)
    merge_entries(event, "P0001", "P0002", **WHY)
    with pytest.raises(WrongState, match="P0002 was merged into P0001"):
        change_team(event, "P0002", ["Ada", "Bo"], 0)


def test_a_merged_entry_is_seated_by_no_correction_and_on_no_do_not_pair_list(twice):
    merge_entries(twice, "P0001", "P0008", **WHY)
    table = twice.seats.filter(round__number=2, opponent__isnull=False).first().match.table
    with pytest.raises(WrongState, match="P0008 was merged into P0001"):
        correct_seats(twice, 2, table, "P0008", "P0002", **WHY)
    with pytest.raises(WrongState, match="P0008 was merged into P0001"):
        merge_entries(twice, "P0002", "P0008", **WHY)
    with pytest.raises(NotFound, match="Choose 2 players"):
        prohibit_pair(twice, "P0008", "P0002")


def test_a_merged_entry_is_no_player_in_counts_lists_check_in_and_exports():
    event = TournamentFactory(entries=8, capacity=8)
    check_in_entry(event, "P0007")
    merge(event, "P0003", "P0007")
    assert progress_facts_of(event).players == taken_spots(event) == 7
    assert [person for person in check_in_list_of(event).people if person == "P0007"] == []
    assert check_in_list_of(event).counts["here"] == 1, (
        "the entry that stays is checked in as the other one was"
    )
    assert "P0007" not in players_csv(event) and "P0007" not in names_of(event, merged=False)
    assert plan_import(event, [{"name": "Player 07"}]).added, "a merged entry is no namesake"
    number = RoundFactory(tournament=event).number
    assert not event.seats.filter(round__number=number, entry__code="P0007").exists()


def test_a_membership_number_of_a_merged_entry_means_the_one_that_stays(twice):
    change_personal_fields(twice, "P0008", external_id="DCI-8")
    merge_entries(twice, "P0001", "P0008", **WHY)
    plan = plan_import(twice, [{"name": "Player 01", "external_id": "DCI-8", "rating": 1900}])
    assert [(row.code, row.fields) for row in plan.changed] == [("P0001", {"rating": (None, 1900)})]


def test_a_file_keeps_that_an_entry_was_merged(twice):
    merge_entries(twice, "P0001", "P0008", **WHY)
    text = dump_event(twice)
    copy = load_event(archive.event_of(json.loads(text)), slug="copy")
    assert copy.entries.get(code="P0008").status == "merged"
    assert integrity.check(copy) == []
    assert json.loads(dump_event(copy))["entries"] == json.loads(text)["entries"]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda data: data["entries"][7].pop("same_person_as"), "entries[7].same_person_as"),
        (lambda data: data["stages"][0]["entries"].append("P0008"), "stages[0].entries[7]"),
        (lambda data: data["rounds"][0]["matches"][0].update(a="P0008"), "rounds[0].matches[0].a"),
    ],
)
def test_a_file_in_which_a_merged_entry_still_plays_is_refused(twice, change, path):
    merge_entries(twice, "P0001", "P0008", **WHY)
    data = json.loads(dump_event(twice))
    change(data)
    with pytest.raises(archive.ArchiveError) as refusal:
        archive.event_of(data)
    assert refusal.value.path == path


def test_in_a_file_whose_stage_lists_no_entries_a_merged_one_plays_in_none(twice):
    merge_entries(twice, "P0001", "P0008", **WHY)
    data = json.loads(dump_event(twice))
    del data["stages"][0]["entries"]
    event = archive.event_of(data)
    assert "P0008" not in event.entries_of(event.stages[0])


def test_fsck_finds_a_merged_entry_that_still_plays(twice):
    twice.entries.filter(code="P0008").update(status="merged")
    assert "P0008 is merged but has a place, or names no other entry" in integrity.check(twice)


def test_a_re_entry_that_was_withdrawn_before_it_played_is_not_merged():
    event = TournamentFactory(entries=8, rounds=1)
    add_stage(event)
    add_re_entry(event, "P0001")
    drop_entry(event, "P0009")
    again = event.entries.get(code="P0009")
    assert (again.status, again.dropped_after, again.same_person_as.code) == ("dropped", 0, "P0001")
    assert names_of(event)["P0009"] == "Player 01 (2 of 2)"
    assert reinstate_entry(event, "P0009"), "it is an entry like any other"


def test_the_migration_names_what_was_merged_and_replay_agrees(twice):
    """As merged entries were before: withdrawn, told from others by their link alone."""
    action = merge_entries(twice, "P0001", "P0008", **WHY)
    for change in action.changes:
        if (change["after"] or {}).get("status") == "merged":
            change["after"]["status"] = "dropped"
    with triggers.without_triggers():
        Action.objects.filter(pk=action.pk).update(changes=action.changes)
        twice.entries.filter(code="P0008").update(status="dropped")
        assert state_at(twice) == read_state(twice)[0]
        migration.name_merged_entries(apps, None)
    assert twice.entries.get(code="P0008").status == "merged"
    assert state_at(twice) == read_state(twice)[0]


def test_the_migration_leaves_a_withdrawn_re_entry_alone():
    event = TournamentFactory(entries=8, rounds=1)
    add_stage(event)
    add_entries(event, ["Lou"], stage=2)
    merge_entries(event, "P0002", "P0009", **WHY)
    drop_entry(event, "P0009")
    migration.name_merged_entries(apps, None)
    assert event.entries.get(code="P0009").status == "dropped"
