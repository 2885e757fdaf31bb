import json
import unicodedata

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests import factories
from tests.steps import is_sound
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import NotFound, Refused, WrongState
from tournament.services import drops, entries
from tournament.services.entries import add_entries, prohibit_pair, remove_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.rounds import publish_round
from tournament.services.undo import undo_action
from tournament.text import clean_name


def test_a_name_loses_what_could_deceive():
    assert clean_name("Ad\u202ea\u2066 \x00Ruiz\t") == "Ada Ruiz"
    assert clean_name("e\u0301") == "é"
    assert clean_name("Z" + "\u0333" * 70 + "oe") == "Z" + "\u0333" * 5 + "oe"
    assert clean_name("שָׁלוֹם ณัฐิ์ Nguyễn") == unicodedata.normalize("NFC", "שָׁלוֹם ณัฐิ์ Nguyễn")
    assert clean_name("\u200b \u200d\u2060") == ""  # nobody could see it
    assert clean_name("👩\u200d🚀") == "👩\u200d🚀"


def test_equal_names_are_two_players_and_stay_out_of_the_log():
    tournament = factories.TournamentFactory(entries=0)
    add_entries(tournament, ["Kim Lee", "Kim Lee"])
    rename_entry(tournament, "P0001", "Kim Park")
    assert [*tournament.entries.values_list("code", "name")] == [("P0001", "Kim Park"), ("P0002", "Kim Lee")]
    assert not any("Kim" in str(action.changes) for action in tournament.actions.all())
    assert tournament.actions.get(kind="rename").changes == [{"fact": "entries/P0001", "personal": ["name"]}]


def test_a_late_player_lost_the_rounds_missed_and_one_too_late_needs_a_reason():
    tournament = factories.TournamentFactory(entries=6, rounds=1)
    add_entries(tournament, ["Late"])
    entry = tournament.entries.get(name="Late")
    assert (entry.joined_round, entry.late) == (2, True)
    missed = tournament.rounds.get(number=1).matches.get(result="missed")
    assert missed.seats.get().entry == entry
    assert factories.RoundFactory(tournament=tournament).number == 2
    assert tournament.rounds.get(number=2).seats.filter(entry=entry).exists()
    assert is_sound(tournament)
    tournament = factories.TournamentFactory(entries=8, rounds=2)
    with pytest.raises(WrongState, match="after round 2"):
        add_entries(tournament, ["Later"])
    assert tournament.entries.count() == 8
    action = add_entries(tournament, ["Later"], reason="flight delayed")
    assert action.reason == "flight delayed"


def test_only_who_never_sat_and_has_no_penalty_is_removed():
    tournament = factories.TournamentFactory(entries=6, rounds=1)
    with pytest.raises(WrongState, match="Drop the player instead"):
        remove_entry(tournament, "P0001")
    fresh = factories.TournamentFactory(entries=3)
    drops.disqualify_entry(fresh, "P0001", "before the start")
    with pytest.raises(WrongState, match="has a penalty"):
        remove_entry(fresh, "P0001")
    remove_entry(fresh, "P0002")
    assert list(fresh.entries.values_list("code", flat=True)) == ["P0001", "P0003"]


def test_who_is_removed_goes_from_the_do_not_pair_list_and_no_undo_leaves_a_stranger_on_it():
    tournament = factories.TournamentFactory(entries=4)
    prohibit_pair(tournament, "P0001", "P0004")
    prohibit_pair(tournament, "P0002", "P0003")
    remove_entry(tournament, "P0004")
    assert tournament.forbidden == [["P0002", "P0003"]]
    copy = load_event(parse_event(json.loads(dump_event(tournament))), slug="copy")
    assert copy.forbidden == [["P0002", "P0003"]]
    late = add_entries(tournament, ["Late"])
    pair = prohibit_pair(tournament, "P0001", "P0004")
    with pytest.raises(WrongState, match="do-not-pair list names P0004"):
        undo_action(tournament, late.number)
    undo_action(tournament, pair.number)
    undo_action(tournament, late.number)
    assert is_sound(tournament)


def test_a_dropped_player_is_not_paired_and_a_reinstated_one_is():
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    drops.drop_entry(tournament, "P0003")
    assert factories.RoundFactory(tournament=tournament).number == 2
    assert not tournament.rounds.get(number=2).seats.filter(entry__code="P0003").exists()
    factories.enter_results(tournament, 2)
    drops.reinstate_entry(tournament, "P0003")
    away = tournament.rounds.get(number=2).matches.get(result="missed")
    assert away.seats.get().entry.code == "P0003"
    factories.RoundFactory(tournament=tournament)
    assert tournament.rounds.get(number=3).seats.filter(entry__code="P0003").exists()
    assert is_sound(tournament)


def test_a_disqualification_needs_a_reason_and_leaves_the_results():
    tournament = factories.TournamentFactory(entries=6, rounds=1)
    with pytest.raises(Refused, match="reason"):
        drops.disqualify_entry(tournament, "P0001", "  ")
    with pytest.raises(NotFound):
        drops.disqualify_entry(tournament, "P9999", "x")
    drops.drop_entry(tournament, "P0001")
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    drops.disqualify_entry(tournament, "P0001", "stole a card")
    entry = tournament.entries.get(code="P0001")
    assert (entry.status, entry.dropped_after) == ("disqualified", 1), "as it had dropped"
    assert entry.seats.count() == 1 and is_sound(tournament)
    with pytest.raises(WrongState, match="already disqualified"):
        drops.disqualify_entry(tournament, "P0001", "again")
    assert tournament.penalties.get().reason == "stole a card"


def test_an_awarded_bye_is_no_pairing_bye():
    tournament = factories.TournamentFactory(entries=7)
    entries.change_entry(tournament, "P0002", awarded_byes=1)
    draft_next_round(tournament)
    with pytest.raises(WrongState, match=r"already has draft pairings\. Discard them first"):
        entries.change_entry(tournament, "P0001", awarded_byes=1)
    publish_round(tournament, 1)
    round_ = tournament.rounds.get()
    assert round_.matches.get(result="awarded_bye").seats.get().entry.code == "P0002"
    assert not round_.matches.filter(result="bye").exists()
    with pytest.raises(WrongState, match="already seated"):
        entries.change_entry(tournament, "P0002", awarded_byes=2)


def test_no_one_joins_once_the_bracket_is_set_and_a_finished_event_takes_no_changes_but_names():
    tournament = factories.TournamentFactory(entries=6, rounds=2)
    make_cut(tournament, 4)
    with pytest.raises(WrongState, match="bracket is set"):
        add_entries(tournament, ["Late"], reason="please")
    tournament = factories.TournamentFactory(entries=6, rounds=2)
    finish_tournament(tournament)
    for change in (
        lambda: drops.drop_entry(tournament, "P0001"),
        lambda: add_entries(tournament, ["Late"], reason="x"),
        lambda: entries.change_entry(tournament, "P0001", awarded_byes=0),
        lambda: change_settings(tournament, cut=4),
        lambda: make_cut(tournament, 4),
    ):
        with pytest.raises(WrongState, match="finished"):
            change()
    rename_entry(tournament, "P0001", "Right Name")
    change_settings(tournament, hold_standings=True)


@pytest.mark.parametrize(
    "setting",
    [
        {"time_zone": "Mars"}, {"best_of": 2}, {"round_minutes": 0}, {"round_minutes": 100000}, {"name": " "},
        {"cut": "x"}, {"cut": 65}, {"rounds_planned": -1}, {"ruleset": ["mtr", 1]}, {"table_plan": "0-4"},
        {"capacity": 0}, {"game": "x" * 81}, {"name_privacy": "secret"}, {"colour": "blue"},
    ],
    ids=str,
)  # fmt: skip
def test_a_setting_no_event_can_have_is_refused(setting):
    tournament = factories.TournamentFactory(entries=2)
    with pytest.raises(Refused):
        change_settings(tournament, **setting)
    assert not tournament.actions.filter(kind="settings").exists()


def test_a_new_contact_leaves_standings_and_pairings_as_they_were():
    event = factories.TournamentFactory(entries=4, rounds=1)
    before = list(event.rounds.values_list("revision", flat=True)), event.standings_revision
    entries.change_personal_fields(event, "P0001", alias="", contact="ana@example.org")
    event.refresh_from_db()
    assert (list(event.rounds.values_list("revision", flat=True)), event.standings_revision) == before
