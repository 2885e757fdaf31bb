import json

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page
from tests.steps import complete_round, is_sound
from tests.tournament.views.desk import key
from tournament.access.player_link import fresh_player_key, hash_key
from tournament.archive import parse_event
from tournament.archive.load import dump_event
from tournament.errors import Refused, WrongState
from tournament.history.describe import describe_actions
from tournament.models import StageEntry, Tournament
from tournament.services.drops import check_in_entry, disqualify_entry, drop_entry
from tournament.services.entries import add_entries, admit_entry, remove_entry, waitlist_position
from tournament.services.event_settings import change_registration
from tournament.services.self_service import drop_self, register_self
from tournament.services.undo import find_last_undoable, undo_action


def opened(players: int = 4, capacity: int | None = 4, **fields) -> Tournament:
    tournament = TournamentFactory(entries=players, **fields)
    change_registration(tournament, self_registration=True, capacity=capacity)
    return tournament


def enrol(tournament: Tournament, *names: str) -> list[str]:
    return [
        register_self(tournament, name, key_hash=hash_key(fresh_player_key())).changes[0]["fact"][8:]
        for name in names
    ]


def waiting(tournament: Tournament) -> list[str]:
    return [*tournament.entries.filter(status="waitlisted").order_by("waits").values_list("name", flat=True)]


def playing(tournament: Tournament) -> set[str]:
    """Names of those who play and are in the stage: they must be the same."""
    status = set(tournament.entries.filter(status="playing").values_list("name", flat=True))
    places = StageEntry.objects.filter(stage__tournament=tournament).exclude(entry__status="disqualified")
    assert status == set(places.values_list("entry__name", flat=True))
    return status


def test_whoever_registers_after_the_last_place_waits_in_order_as_long_as_there_is_a_limit():
    tournament = opened(3)
    codes = enrol(tournament, "Ada", "Bo", "Cy", "Di")
    assert "Ada" in playing(tournament) and waiting(tournament) == ["Bo", "Cy", "Di"]
    assert [waitlist_position(tournament.entries.get(code=code)) for code in codes] == [None, 1, 2, 3]
    [last] = describe_actions(tournament, tournament.actions.order_by("-number")[:1])
    assert last.sentence == "Di on the waitlist"
    assert find_last_undoable(tournament, "owner")[0].kind == "registration", "not what a player did"
    with pytest.raises(WrongState, match="4 players already have a spot"):
        change_registration(tournament, capacity=3)
    with pytest.raises(Refused, match="from 1 to"):
        change_registration(tournament, capacity=0)
    change_registration(tournament, capacity=None)
    enrol(tournament, "Eve")
    assert {"Bo", "Cy", "Di", "Eve"} < playing(tournament) and waiting(tournament) == []
    assert is_sound(tournament)


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
    assert is_sound(tournament)


def test_the_waitlist_itself_has_an_end(monkeypatch):
    monkeypatch.setattr("tournament.services.self_service.MOST_WAITING", 2)
    tournament = opened()
    enrol(tournament, "Ann", "Bo")
    with pytest.raises(WrongState, match="The waitlist is full"):
        enrol(tournament, "Cy")
    assert waiting(tournament) == ["Ann", "Bo"]


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
    assert is_sound(tournament)


def test_waiting_players_are_neither_paired_nor_ranked_and_survive_a_file(client):
    tournament = opened(4)
    [bo] = enrol(tournament, "Bo Waits")
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    shown = page(client, f"/t/{tournament.slug}/standings/")
    assert "Player 01" in shown and "Bo Waits" not in shown
    file = parse_event(json.loads(dump_event(tournament)))
    entry = file.entries[bo]
    assert (entry.status, entry.waits) == ("waitlisted", tournament.entries.get(code=bo).waits)
    assert bo not in file.entries_of(file.stage(1))


def test_undoing_what_freed_a_place_sends_back_who_moved_up_and_an_undone_registration_frees_its_own():
    tournament = opened(3)
    registered = tournament.actions.count() + 1
    _ada, bo = enrol(tournament, "Ada", "Bo")
    was = tournament.entries.get(code=bo).waits
    action = drop_self(tournament, "P0001")
    assert waiting(tournament) == []
    undo_action(tournament, action.number)
    assert waiting(tournament) == ["Bo"] and "Player 01" in playing(tournament)
    assert tournament.entries.get(code=bo).waits == was and is_sound(tournament)
    undo_action(tournament, registered)
    assert "Bo" in playing(tournament) and waiting(tournament) == []


def test_who_leaves_the_waitlist_lets_the_others_move_up_and_staff_may_admit_more_than_the_limit():
    tournament = opened(4)
    bo, cy = enrol(tournament, "Bo", "Cy")
    drop_self(tournament, bo)
    assert waitlist_position(tournament.entries.get(code=cy)) == 1 and len(playing(tournament)) == 4
    add_entries(tournament, ["Di"])
    admit_entry(tournament, cy)
    assert {"Cy", "Di"} < playing(tournament)
    drop_entry(tournament, "P0001")
    enrol(tournament, "Eve")
    assert waiting(tournament) == ["Eve"]  # still one too many


@pytest.fixture
def full(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = opened(owner=owner)
    enrol(tournament, "Wanda West", "Xenia Xu")
    return tournament


def send(client, tournament, part, **fields):
    sent = {"key": key(), **fields}
    return Page(client.post(f"/t/{tournament.slug}/desk/{part}", sent, follow=True))


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("players/P0001/drop/", {}),
        ("players/P0001/remove/", {}),
        ("players/P0001/disqualify/", {"why": "fixed a match"}),
        ("players/before/", {"self_registration": "on", "capacity": 5}),
        ("no-shows/", {"codes": "P0001"}),
    ],
)
def test_one_free_spot_names_one_player(client, full, part, fields):
    check_in_entry(full, "P0002")
    html = send(client, full, part, **fields)
    assert "Wanda West moved up from the waitlist." in html and "Xenia Xu moved" not in html


def test_several_are_named_at_once(client, full):
    full.refresh_from_db()
    shown = send(client, full, "players/before/", self_registration="on", capacity="")
    assert "2 players moved up from the waitlist: Wanda West, Xenia Xu." in shown


def test_the_undo_that_frees_a_spot_names_who_gets_it(client, full):
    add_entries(full, ["Zoe Zorn"])
    change_registration(full, self_registration=True, capacity=5)
    last = full.actions.get(kind="register", changes__0__fact="entries/P0007")
    assert "Wanda West moved up from the waitlist" in send(client, full, "undo/", number=last.number)


def test_one_who_is_admitted_or_frees_no_spot_is_named_once_or_not(client, full):
    html = send(client, full, "players/P0006/admit/")
    assert "Xenia Xu is playing." in html and "moved up" not in html
    assert "moved up" not in send(client, full, "players/P0006/drop/")
    assert "moved up" not in send(client, full, "players/P0001/paid/")


def test_who_has_dropped_is_counted_apart_from_who_has_a_spot(client):
    tournament = TournamentFactory(entries=24, rounds=1, capacity=24)
    drop_entry(tournament, "P0003")
    client.force_login(tournament.owner)
    words = "23 players of 24 spots, 1 free · 1 no longer playing"
    assert words in page(client, f"/t/{tournament.slug}/desk/players/")
