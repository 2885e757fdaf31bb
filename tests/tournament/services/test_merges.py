import json

import pytest

from standings.bracket.cut import make_cut
from standings.table.swiss import compute_standings
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import is_sound
from tournament import archive
from tournament.archive.load import dump_event, load_event
from tournament.errors import NotFound, WrongState
from tournament.event.display_names import load_names, load_public_names, names_in
from tournament.event.read import load_event_values, read_state
from tournament.exports import players_csv
from tournament.history.describe import describe_actions
from tournament.progress.check_in import count_players, list_players
from tournament.progress.next_step import load_progress_facts
from tournament.services.corrections import correct_participation, correct_seats, merge_entries
from tournament.services.drops import check_in_entry, disqualify_entry, drop_entry, reinstate_entry
from tournament.services.entries import (
    add_entries,
    admit_entry,
    change_entry,
    change_personal_fields,
    change_team,
    prohibit_pair,
    remove_entry,
    rename_entry,
    taken_spots,
    waitlist_position,
)
from tournament.services.event_settings import change_registration
from tournament.services.events import finish_tournament
from tournament.services.imports import plan_import
from tournament.services.self_service import check_in_self, drop_self, register_self, send_message
from tournament.services.staff import link_entry
from tournament.services.stage_entries import list_person_entries, person_is_in
from tournament.services.stages import add_re_entry, add_stage, move_entry
from tournament.services.undo import undo_action

WHY = {"reason": "registered at the desk and on the phone"}


@pytest.fixture
def twice():
    """P0001 dropped after round 1 by mistake; the same player came back as P0008 and played rounds 2 and 3."""
    event = TournamentFactory(entries=7, rounds=1)
    drop_entry(event, "P0001")
    add_entries(event, ["Player 01"])
    for _round in (2, 3):
        enter_results(event, RoundFactory(tournament=event).number)
    return event


def rounds_of(event, code):
    return dict(event.seats.filter(entry__code=code).values_list("round__number", "kind"))


def merge(event, keep, other):
    """Merge; the facts stay sound, the log says them, and one undo restores each of them."""
    before = read_state(event)
    action = merge_entries(event, keep, other, **WHY)
    assert is_sound(event)
    after = read_state(event)[0]
    undo_action(event, action.number)
    assert read_state(event) == before and is_sound(event)
    action = merge_entries(event, keep, other, **WHY)
    assert read_state(event)[0] == after
    return action


@pytest.mark.parametrize(("keep", "other"), [("P0001", "P0008"), ("P0008", "P0001")])
def test_rounds_that_only_the_other_played_go_to_the_one_that_stays_also_after_the_end(twice, keep, other):
    both = {1: rounds_of(twice, "P0001")[1], 2: rounds_of(twice, "P0008")[2], 3: rounds_of(twice, "P0008")[3]}
    finish_tournament(twice)
    rename_entry(twice, other, "Ada Ruiz")
    sentence = describe_actions(twice, [merge(twice, keep, other)])[0].sentence
    assert f"Ada Ruiz ({other}) merged into Player 01 ({keep})" in sentence and "withdrawn" not in sentence
    assert (rounds_of(twice, keep), rounds_of(twice, other)) == (both, {})
    kept = twice.entries.get(code=keep)
    assert (kept.status, kept.dropped_after, kept.joined_round, kept.late) == ("playing", None, None, False)


def test_the_other_entry_plays_nowhere_and_is_ranked_and_numbered_nowhere(twice):
    assert load_names(twice)["P0001"] == "Player 01 (1 of 2)"
    merge(twice, "P0001", "P0008")
    ranked = [row.entry for row in compute_standings(load_event_values(twice))]
    assert "P0001" in ranked and "P0008" not in ranked and len(ranked) == 7
    assert twice.entries.get(code="P0008").status == "merged"
    assert load_names(twice)["P0001"] == "Player 01" == names_in(load_event_values(twice))["P0001"]
    assert load_public_names(twice)["P0001"] == "Player 01"


def test_after_the_cut_the_entry_in_the_bracket_stays(twice):
    make_cut(twice, 4)
    seeded = twice.entries.filter(stage_entries__seed__isnull=False).order_by("code")
    seeds = list(seeded.values_list("code", flat=True))
    with pytest.raises(WrongState, match="has a place in the bracket"):
        merge_entries(twice, "P0001", seeds[0], **WHY)
    keep, other = ("P0008", "P0001") if "P0008" in seeds else ("P0001", "P0008")
    merge(twice, keep, other)
    assert list(seeded.values_list("code", flat=True)) == seeds


@pytest.mark.parametrize("keeps_the_late_one", [True, False])
def test_a_bye_counts_before_a_missed_round(keeps_the_late_one):
    event = TournamentFactory(entries=7, rounds=1)
    bye = event.seats.get(kind="bye").entry.code
    drop_entry(event, bye)
    add_entries(event, ["Lou"])
    enter_results(event, RoundFactory(tournament=event).number)
    second = rounds_of(event, "P0008")[2]
    keep, other = ("P0008", bye) if keeps_the_late_one else (bye, "P0008")
    merge(event, keep, other)
    assert rounds_of(event, keep) == {1: "bye", 2: second} and rounds_of(event, other) == {}


def test_what_names_the_other_entry_names_the_one_that_stays_who_stays_disqualified(twice):
    prohibit_pair(twice, "P0008", "P0002")
    prohibit_pair(twice, "P0001", "P0002")
    prohibit_pair(twice, "P0001", "P0008")
    send_message(twice, "P0008", "My table is wrong")
    disqualify_entry(twice, "P0008", "cheating")
    merge(twice, "P0001", "P0008")
    twice.refresh_from_db()
    kept = twice.entries.get(code="P0001")
    assert twice.forbidden == [["P0001", "P0002"]]
    assert twice.flags.get().entry == twice.penalties.get().entry == kept
    assert (kept.status, kept.dropped_after) == ("disqualified", 3)


def test_empty_contacts_are_filled_in_and_go_with_an_undo_while_others_stay(twice):
    change_personal_fields(twice, "P0001", contact="desk@example.org")
    change_personal_fields(twice, "P0008", contact="phone@example.org", alias="Zed", notes="vegan")
    twice.entries.filter(code="P0008").update(user=UserFactory(username="zed"))
    action = merge_entries(twice, "P0001", "P0008", **WHY)
    kept = twice.entries.get(code="P0001")
    assert (kept.contact, kept.alias, kept.user.username) == ("desk@example.org", "Zed", "zed")
    assert kept.notes == "vegan" and "vegan" not in str(action.changes)
    change_personal_fields(twice, "P0001", notes="vegan, comes by train")
    undo = undo_action(twice, action.number)
    kept.refresh_from_db()
    assert (kept.contact, kept.alias, kept.user) == ("desk@example.org", "", None)
    assert kept.notes == "vegan, comes by train", "what was written since stays"
    undo_action(twice, undo.number)
    kept.refresh_from_db()
    assert (kept.alias, kept.user.username) == ("Zed", "zed")


def test_entries_of_two_sessions_are_linked_as_one_person():
    event = TournamentFactory(entries=8, rounds=1)
    add_stage(event)
    add_entries(event, ["Lou", "Player 02"], stage=2)
    before = read_state(event)[0]
    action = merge_entries(event, "P0002", "P0010", **WHY)
    assert event.entries.get(code="P0010").same_person_as.code == "P0002"
    assert event.entries.get(code="P0010").status == "playing"
    sentence = describe_actions(event, [action])[0].sentence
    assert sentence == "Player 02 (2 of 2) (P0010) is the same person as Player 02 (1 of 2) (P0002)"
    assert merge_entries(event, "P0002", "P0010", **WHY) is None, "they are linked already"
    assert merge_entries(event, "P0010", "P0002", **WHY) is None
    undo_action(event, action.number)
    assert read_state(event)[0] == before


def test_a_waitlisted_entry_gives_its_place_on_the_waitlist_to_a_withdrawn_one():
    event = TournamentFactory(entries=4)
    drop_entry(event, "P0001")
    change_registration(event, capacity=3, self_registration=True)
    event.refresh_from_db()
    for name in ("Player 01", "Lou"):
        register_self(event, name, key_hash="")
    merge(event, "P0001", "P0005")
    assert waitlist_position(event.entries.get(code="P0001")) == 1
    merge(event, "P0006", "P0001")
    assert waitlist_position(event.entries.get(code="P0006")) == 1, "the earlier of the two places"


@pytest.fixture
def three_sessions():
    """P0001 played session 1 and re-entered session 2 as P0009; P0010 is in session 3."""
    event = TournamentFactory(entries=8, rounds=1)
    add_stage(event)
    add_re_entry(event, "P0001")
    add_stage(event)
    add_entries(event, ["Ada Ruiz"], stage=3)
    return event


def persons(event):
    """{code: the entry it is linked to} of those that are linked."""
    linked = event.entries.exclude(same_person_as=None)
    return dict(linked.values_list("code", "same_person_as__code"))


def test_linking_one_of_several_entries_links_them_all_and_a_merged_one_takes_its_links_along(three_sessions):
    event = three_sessions
    action = merge_entries(event, "P0010", "P0001", **WHY)
    assert persons(event) == {"P0001": "P0010", "P0009": "P0010"}
    assert person_is_in(event.entries.get(code="P0009"), event.stages.get(number=3))
    undo_action(event, action.number)
    assert persons(event) == {"P0009": "P0001"}
    add_entries(event, ["Ada Ruiz"], stage=2)
    merge_entries(event, "P0010", "P0011", **WHY)
    assert persons(event) == {"P0009": "P0001", "P0011": "P0010"}, "linked: they are in two sessions"
    merge(event, "P0009", "P0011")
    assert persons(event) == {"P0009": "P0001", "P0010": "P0001", "P0011": "P0009"}
    codes = [entry.code for entry in list_person_entries(event.entries.get(code="P0011"))]
    assert codes == ["P0001", "P0009", "P0010", "P0011"]


def test_no_service_writes_about_a_merged_entry(twice):
    merge_entries(twice, "P0001", "P0008", **WHY)
    services = (
        drop_entry,
        drop_self,
        reinstate_entry,
        admit_entry,
        add_re_entry,
        check_in_entry,
        check_in_self,
    )
    for service, *given in (
        *((service,) for service in services),
        *((service,) for service in (change_entry, change_personal_fields, remove_entry)),
        (disqualify_entry, "cheating"), (move_entry, 2), (rename_entry, "Bo Lind"), (link_entry, ""),
        (correct_participation, 1), (merge_entries, "P0002"),
    ):  # fmt: skip
        with pytest.raises(WrongState, match=r"P0008 was merged into P0001\. Use that entry\."):
            service(twice, "P0008", *given)


def test_a_merged_entry_is_seated_by_no_correction_on_no_do_not_pair_list_and_its_team_stays(twice):
    merge_entries(twice, "P0001", "P0008", **WHY)
    table = twice.seats.filter(round__number=2, opponent__isnull=False).first().match.table
    with pytest.raises(WrongState, match="P0008 was merged into P0001"):
        correct_seats(twice, 2, table, "P0008", "P0002", **WHY)
    with pytest.raises(WrongState, match="P0008 was merged into P0001"):
        merge_entries(twice, "P0002", "P0008", **WHY)
    with pytest.raises(NotFound, match="Choose 2 players"):
        prohibit_pair(twice, "P0008", "P0002")
    event = TournamentFactory(entries=4, team=True)
    merge_entries(event, "P0001", "P0002", **WHY)
    with pytest.raises(WrongState, match="P0002 was merged into P0001"):
        change_team(event, "P0002", ["Ada", "Bo"], 0)
    with pytest.raises(WrongState, match="linked to another entry"):
        remove_entry(event, "P0001")


def test_a_merged_entry_is_no_player_in_counts_lists_check_in_and_exports():
    event = TournamentFactory(entries=8, capacity=8)
    check_in_entry(event, "P0007")
    merge(event, "P0003", "P0007")
    assert load_progress_facts(event).players == taken_spots(event) == 7
    assert "P0007" not in [person.code for person in list_players(event)]
    assert count_players(event)["here"] == 1, "the entry that stays is checked in as the other one was"
    assert "P0007" not in players_csv(event) and "P0007" not in load_names(event, merged=False)
    assert plan_import(event, [{"name": "Player 07"}]).added, "a merged entry is no namesake"
    number = RoundFactory(tournament=event).number
    assert not event.seats.filter(round__number=number, entry__code="P0007").exists()


def test_a_file_keeps_that_an_entry_was_merged_and_a_list_finds_the_one_that_stays(twice):
    change_personal_fields(twice, "P0008", external_id="DCI-8")
    merge_entries(twice, "P0001", "P0008", **WHY)
    plan = plan_import(twice, [{"name": "Player 01", "external_id": "DCI-8", "rating": 1900}])
    assert [(row.code, row.fields) for row in plan.changed] == [("P0001", {"rating": (None, 1900)})]
    data = json.loads(dump_event(twice))
    copy = load_event(archive.parse_event(data), slug="copy")
    assert copy.entries.get(code="P0008").status == "merged" and is_sound(copy)
    assert json.loads(dump_event(copy))["entries"] == data["entries"]
    del data["stages"][0]["entries"]
    event = archive.parse_event(data)
    assert "P0008" not in event.entries_of(event.stages[0])


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
        archive.parse_event(data)
    assert refusal.value.path == path


def test_a_re_entry_that_was_withdrawn_before_it_played_is_not_merged():
    event = TournamentFactory(entries=8, rounds=1)
    add_stage(event)
    add_re_entry(event, "P0001")
    drop_entry(event, "P0009")
    again = event.entries.get(code="P0009")
    assert (again.status, again.dropped_after, again.same_person_as.code) == ("dropped", 0, "P0001")
    assert load_names(event)["P0009"] == "Player 01 (2 of 2)"
    assert reinstate_entry(event, "P0009"), "it is an entry like any other"
