"""The player limit and the waitlist: who plays, who is on it in which order, and when players move up."""

import json

import pytest

from pairings.draft.services import draft_next_round
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.access.player_link import fresh_player_key, hash_of
from tournament.actionlog import integrity
from tournament.archive import event_of
from tournament.archive.load import dump_event
from tournament.errors import Refused, WrongState
from tournament.history.describe import describe_actions
from tournament.models import StageEntry, Tournament
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.entries import add_entries, admit_entry, remove_entry
from tournament.services.event_settings import change_registration
from tournament.services.self_service import drop_self, register_self
from tournament.services.undo import last_undoable_action, undo_action
from tournament.services.waitlist import waitlist_position

pytestmark = pytest.mark.django_db


def opened(players: int = 4, capacity: int | None = 4, **fields) -> Tournament:
    """An event in which players register themselves."""
    tournament = TournamentFactory(entries=players, **fields)
    change_registration(tournament, self_registration=True, capacity=capacity)
    return tournament


def enrol(tournament: Tournament, *names: str) -> list[str]:
    """Players register themselves. Answers their codes."""
    return [
        register_self(tournament, name, key_hash=hash_of(fresh_player_key())).changes[0]["fact"][8:]
        for name in names
    ]


def waiting(tournament: Tournament) -> list[str]:
    return list(
        tournament.entries.filter(status="waitlisted").order_by("waits").values_list("name", flat=True)
    )


def playing(tournament: Tournament) -> set[str]:
    """Names of those who play and are in the stage: they must be the same."""
    status = set(tournament.entries.filter(status="playing").values_list("name", flat=True))
    places = StageEntry.objects.filter(stage__tournament=tournament).exclude(entry__status="disqualified")
    assert status == set(places.values_list("entry__name", flat=True))
    return status


def last_sentence(tournament: Tournament) -> str:
    return describe_actions(tournament, tournament.actions.order_by("-number")[:1])[0].sentence


def test_whoever_registers_after_the_last_place_waits_in_order():
    tournament = opened(3)
    codes = enrol(tournament, "Ada", "Bo", "Cy", "Di")
    assert "Ada" in playing(tournament) and waiting(tournament) == ["Bo", "Cy", "Di"]
    assert [waitlist_position(tournament.entries.get(code=code)) for code in codes] == [None, 1, 2, 3]
    assert last_sentence(tournament) == "Di on the waitlist"
    assert integrity.check(tournament) == []


@pytest.mark.parametrize(
    "free",
    [
        lambda t: drop_entry(t, "P0001"),
        lambda t: drop_self(t, "P0001"),
        lambda t: remove_entry(t, "P0001"),
        lambda t: disqualify_entry(t, "P0001", "rude"),
        lambda t: change_registration(t, capacity=5),
    ],
)
def test_a_place_that_becomes_free_before_round_1_goes_to_the_first_who_waits(free):
    tournament = opened(4)
    enrol(tournament, "Bo", "Cy")
    action = free(tournament)
    assert "Bo" in playing(tournament) and waiting(tournament) == ["Cy"]
    assert "Bo moved up from the waitlist" in describe_actions(tournament, [action])[0].sentence
    assert integrity.check(tournament) == []


def test_the_waitlist_itself_has_an_end(monkeypatch):
    monkeypatch.setattr("tournament.services.self_service.MOST_WAITING", 2)
    tournament = opened()
    enrol(tournament, "Ann", "Bo")
    with pytest.raises(WrongState, match="The waitlist is full"):
        enrol(tournament, "Cy")
    assert waiting(tournament) == ["Ann", "Bo"]


def test_without_a_limit_no_one_waits_anymore():
    tournament = opened(4)
    enrol(tournament, "Bo", "Cy")
    change_registration(tournament, capacity=None)
    assert {"Bo", "Cy"} < playing(tournament)
    enrol(tournament, "Di")
    assert waiting(tournament) == []


def test_who_leaves_the_waiting_list_lets_the_others_move_up():
    tournament = opened(4)
    bo, cy = enrol(tournament, "Bo", "Cy")
    drop_self(tournament, bo)
    assert waitlist_position(tournament.entries.get(code=cy)) == 1 and len(playing(tournament)) == 4
    enrol(tournament, "Di")
    assert waiting(tournament) == ["Cy", "Di"]


def test_once_round_1_is_published_only_staff_admit_players():
    tournament = opened(4)
    bo, cy = enrol(tournament, "Bo", "Cy")
    RoundFactory(tournament=tournament)
    drop_entry(tournament, "P0001")
    disqualify_entry(tournament, "P0002", "rude")
    change_registration(tournament, capacity=9)
    assert waiting(tournament) == ["Bo", "Cy"]
    admit_entry(tournament, cy)
    late = tournament.entries.get(code=cy)
    assert (late.status, late.late, late.joined_round) == ("playing", True, 2)
    assert late.seats.get().kind == "missed"
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert late.seats.filter(round__number=2).exists()
    assert not tournament.entries.get(code=bo).seats.exists()
    assert integrity.check(tournament) == []


def test_waiting_players_are_neither_paired_nor_ranked_and_survive_a_file(client):
    tournament = opened(4)
    [bo] = enrol(tournament, "Bo Waits")
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    page = client.get(f"/t/{tournament.slug}/standings/").content.decode()
    assert "Player 01" in page and "Bo Waits" not in page
    file = event_of(json.loads(dump_event(tournament)))
    entry = file.entries[bo]
    assert (entry.status, entry.waits) == ("waitlisted", tournament.entries.get(code=bo).waits)
    assert bo not in file.entries_of(file.stage(1))


def test_undoing_what_freed_a_place_sends_back_who_moved_up():
    tournament = opened(4)
    [bo] = enrol(tournament, "Bo")
    was = tournament.entries.get(code=bo).waits
    action = drop_self(tournament, "P0001")
    assert waiting(tournament) == []
    undo_action(tournament, action.number)
    assert waiting(tournament) == ["Bo"] and "Player 01" in playing(tournament)
    assert tournament.entries.get(code=bo).waits == was
    assert integrity.check(tournament) == []


def test_undoing_a_registration_frees_its_place_too():
    tournament = opened(3)
    registered = tournament.actions.count() + 1
    enrol(tournament, "Ada", "Bo")
    undo_action(tournament, registered)
    assert "Bo" in playing(tournament) and waiting(tournament) == []


def test_the_desk_never_offers_to_undo_what_a_player_did():
    tournament = opened(3)
    enrol(tournament, "Ada")
    assert last_undoable_action(tournament).kind == "registration"


def test_staff_may_admit_more_players_than_the_limit():
    tournament = opened(4)
    [bo] = enrol(tournament, "Bo")
    add_entries(tournament, ["Cy"])
    admit_entry(tournament, bo)
    assert {"Bo", "Cy"} < playing(tournament)
    drop_entry(tournament, "P0001")
    enrol(tournament, "Di")
    assert waiting(tournament) == ["Di"]  # still one too many


def test_fewer_places_than_players_are_refused_in_words():
    tournament = opened(4)
    with pytest.raises(WrongState, match="4 players already have a spot"):
        change_registration(tournament, capacity=3)
    with pytest.raises(Refused, match="from 1 to"):
        change_registration(tournament, capacity=0)


def test_who_withdrew_before_round_1_plays_again_with_a_spot():
    tournament = opened(4, None)
    drop_self(tournament, "P0001")
    assert "Player 01" not in playing(tournament)
    reinstate_entry(tournament, "P0001")
    assert "Player 01" in playing(tournament)
    draft_next_round(tournament)
    assert tournament.rounds.get().seats.count() == 4


def test_a_waiting_player_with_a_place_is_found_by_fsck():
    tournament = opened(4)
    [bo] = enrol(tournament, "Bo")
    StageEntry.objects.create(stage=tournament.stages.get(), entry=tournament.entries.get(code=bo))
    assert f"{bo} is on the waitlist but has a place" in integrity.check(tournament)
    tournament.entries.filter(code=bo).update(waits=None)
    assert f"{bo} is waitlisted with waitlist number None" in integrity.check(tournament)
