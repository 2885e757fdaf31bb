"""One person registered twice: two entries become one, and one undo brings both back."""

from itertools import permutations

import pytest

from standings.bracket.cut import make_cut
from standings.event.swiss import standings_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.read import event_of, read_state
from tournament.history.describe import describe_actions
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import (
    add_entries,
    change_personal_fields,
    remove_entry,
    rename_entry,
)
from tournament.services.event_settings import change_registration
from tournament.services.events import finish_tournament
from tournament.services.merges import merge_entries
from tournament.services.player_messages import send_message
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.re_entries import add_re_entry
from tournament.services.self_service import register_self
from tournament.services.stage_entries import entries_of_person, person_is_in
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action
from tournament.services.waitlist import waitlist_position
from tournament.text.display_names import names_in, names_of, public_names_of

pytestmark = pytest.mark.django_db

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
    """{round: kind of the seat} of an entry."""
    return dict(event.seats.filter(entry__code=code).values_list("round__number", "kind"))


def merge(event, keep, other):
    """Merge; the facts stay sound, the log says them, and one undo restores each of them."""
    before, people = read_state(event)[0], read_state(event)[1]
    action = merge_entries(event, keep, other, **WHY)
    assert integrity.check(event) == []
    after = read_state(event)[0]
    assert state_at(event) == after
    undo_action(event, action.number)
    assert read_state(event) == (before, people) and state_at(event) == before
    assert integrity.check(event) == []
    action = merge_entries(event, keep, other, **WHY)
    assert read_state(event)[0] == after
    return action


def test_rounds_that_only_the_other_played_go_to_the_one_that_stays(twice):
    both = {**rounds_of(twice, "P0001"), 2: rounds_of(twice, "P0008")[2], 3: rounds_of(twice, "P0008")[3]}
    merge(twice, "P0001", "P0008")
    assert rounds_of(twice, "P0001") == both and len(both) == 3
    assert rounds_of(twice, "P0008") == {}
    kept = twice.entries.get(code="P0001")
    assert (kept.status, kept.dropped_after, kept.joined_round, kept.late) == ("playing", None, None, False)


def test_it_does_not_matter_which_entry_stays(twice):
    both = {1: rounds_of(twice, "P0001")[1], 2: rounds_of(twice, "P0008")[2], 3: rounds_of(twice, "P0008")[3]}
    merge(twice, "P0008", "P0001")
    assert rounds_of(twice, "P0008") == both
    kept = twice.entries.get(code="P0008")
    assert (kept.status, kept.dropped_after, kept.joined_round, kept.late) == ("playing", None, None, False)


def test_the_other_entry_plays_nowhere_and_is_ranked_and_numbered_nowhere(twice):
    assert names_of(twice)["P0001"] == "Player 01 (1 of 2)"
    merge(twice, "P0001", "P0008")
    ranked = [row.entry for row in standings_of(event_of(twice))]
    assert "P0001" in ranked and "P0008" not in ranked and len(ranked) == 7
    assert twice.entries.get(code="P0008").status == "merged"
    assert names_of(twice)["P0001"] == "Player 01" == names_in(event_of(twice))["P0001"]
    assert public_names_of(twice)["P0001"] == "Player 01"


def test_after_the_cut_the_entry_in_the_bracket_stays(twice):
    make_cut(twice, 4)
    seeded = twice.entries.filter(stage_entries__seed__isnull=False).order_by("code")
    seeds = list(seeded.values_list("code", flat=True))
    with pytest.raises(WrongState, match="has a place in the bracket"):
        merge_entries(twice, "P0001", seeds[0], **WHY)
    keep, other = ("P0008", "P0001") if "P0008" in seeds else ("P0001", "P0008")
    merge(twice, keep, other)
    assert list(seeded.values_list("code", flat=True)) == seeds


def test_after_the_end(twice):
    finish_tournament(twice)
    merge(twice, "P0001", "P0008")
    twice.refresh_from_db()
    assert twice.state == "finished"


def test_both_with_an_opponent_in_one_round_is_refused(twice):
    count = twice.actions.count()
    opponent = twice.seats.filter(opponent__code="P0008").first().entry.code
    with pytest.raises(WrongState, match="Both have an opponent in round"):
        merge_entries(twice, opponent, "P0008", **WHY)
    assert twice.actions.count() == count


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


@pytest.mark.long
def test_any_two_entries_are_merged_soundly_or_refused():
    event = TournamentFactory(entries=7, rounds=1)
    for late, leaver in (("Lou", "P0002"), ("Max", "P0004"), ("Nia", "P0006")):
        drop_entry(event, leaver)
        add_entries(event, [late], reason="the bus was late")
        enter_results(event, RoundFactory(tournament=event).number)
    merged = 0
    for keep, other in permutations(event.entries.values_list("code", flat=True), 2):
        before = read_state(event)
        try:
            action = merge(event, keep, other)
        except WrongState as refusal:
            assert "Both have an opponent in round" in str(refusal)
        else:
            undo_action(event, action.number)
            merged += 1
        assert read_state(event) == before
    assert merged >= 6


def test_before_round_1_one_registration_goes():
    event = TournamentFactory(entries=8)
    merge(event, "P0003", "P0007")
    RoundFactory(tournament=event)
    assert rounds_of(event, "P0007") == {} and list(rounds_of(event, "P0003")) == [1]


def test_who_was_disqualified_stays_disqualified(twice):
    disqualify_entry(twice, "P0008", "cheating")
    merge(twice, "P0001", "P0008")
    kept = twice.entries.get(code="P0001")
    assert kept.status == "disqualified" and kept.dropped_after == 3
    assert twice.penalties.get().entry == kept


def test_what_names_the_other_entry_names_the_one_that_stays(twice):
    prohibit_pair(twice, "P0008", "P0002")
    prohibit_pair(twice, "P0001", "P0002")
    prohibit_pair(twice, "P0001", "P0008")
    send_message(twice, "P0008", "My table is wrong")
    merge(twice, "P0001", "P0008")
    twice.refresh_from_db()
    assert twice.forbidden == [["P0001", "P0002"]]
    assert twice.flags.get().entry.code == "P0001"


def test_empty_contacts_are_filled_in_and_others_stay(twice):
    change_personal_fields(twice, "P0001", contact="desk@example.org")
    change_personal_fields(twice, "P0008", contact="phone@example.org", alias="Zed", notes="vegan")
    twice.entries.filter(code="P0008").update(user=UserFactory(username="zed"))
    action = merge_entries(twice, "P0001", "P0008", **WHY)
    kept = twice.entries.get(code="P0001")
    assert (kept.contact, kept.alias, kept.notes, kept.user.username) == (
        "desk@example.org",
        "Zed",
        "vegan",
        "zed",
    )
    assert "vegan" not in str(action.changes)


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


def test_the_log_says_what_was_merged(twice):
    rename_entry(twice, "P0008", "Ada Ruiz")
    sentence = describe_actions(twice, [merge(twice, "P0001", "P0008")])[0].sentence
    assert "Ada Ruiz (P0008) merged into Player 01 (P0001)" in sentence
    assert "withdrawn" not in sentence


def test_what_cannot_be_merged_is_refused(twice):
    with pytest.raises(Refused, match="Choose the other entry"):
        merge_entries(twice, "P0001", "P0001", **WHY)
    with pytest.raises(NotFound):
        merge_entries(twice, "P0001", "P0099", **WHY)
    with pytest.raises(Refused, match="Say why"):
        merge_entries(twice, "P0001", "P0008")
    RoundFactory(tournament=twice, drafted=True)
    with pytest.raises(WrongState, match="has draft pairings"):
        merge_entries(twice, "P0001", "P0008", **WHY)


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


def test_linking_one_of_several_entries_links_them_all(three_sessions):
    event = three_sessions
    action = merge_entries(event, "P0010", "P0001", **WHY)
    assert persons(event) == {"P0001": "P0010", "P0009": "P0010"}
    assert person_is_in(event.entries.get(code="P0009"), event.stages.get(number=3))
    undo_action(event, action.number)
    assert persons(event) == {"P0009": "P0001"}


def test_an_entry_that_is_merged_takes_its_links_along(three_sessions):
    event = three_sessions
    add_entries(event, ["Ada Ruiz"], stage=2)
    merge_entries(event, "P0010", "P0011", **WHY)
    assert persons(event) == {"P0009": "P0001", "P0011": "P0010"}, "linked: they are in two sessions"
    merge(event, "P0009", "P0011")
    assert persons(event) == {"P0009": "P0001", "P0010": "P0001", "P0011": "P0009"}
    codes = [entry.code for entry in entries_of_person(event.entries.get(code="P0011"))]
    assert codes == ["P0001", "P0009", "P0010", "P0011"]


def test_an_entry_that_another_was_merged_into_is_not_removed():
    event = TournamentFactory(entries=8)
    merge_entries(event, "P0003", "P0007", **WHY)
    with pytest.raises(WrongState, match="another entry is linked to this one"):
        remove_entry(event, "P0003")
