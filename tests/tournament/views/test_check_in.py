import pytest

from tests.factories import RoundFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import HTMX, signed_in
from tournament.progress.check_in import LISTS, count_players, find_player, list_players
from tournament.services.drops import check_in_entry, disqualify_entry, drop_entry, withdraw_no_shows
from tournament.services.entries import add_entries, change_entry
from tournament.services.requested_byes import request_bye
from tournament.services.undo import undo_action


@pytest.fixture
def hall(client):
    return signed_in(client, entries=4)


def address(tournament, part="players/check-in"):
    return f"/t/{tournament.slug}/desk/{part}/"


def send(client, tournament, htmx=False, **fields):
    return client.post(address(tournament), fields, **(HTMX if htmx else {}))


def look_for(client, tournament, q, **fields):
    return Page(client.post(address(tournament), {"q": q, "show": "", **fields}, follow=True))


def names(shown: Page) -> list[str]:
    return shown.all(".check-in .who, .columns a")


def here(tournament):
    return list(tournament.entries.filter(checked_in=True).values_list("code", flat=True))


def test_a_press_checks_in_marks_as_paid_and_another_takes_it_back(client, hall):
    assert send(client, hall, here="P0002").status_code == 303
    assert "1 of 4 here" in page(client, address(hall))
    send(client, hall, paid="P0001")
    assert hall.entries.get(code="P0001").paid
    shown = page(client, address(hall), show="unpaid")
    assert names(shown) == ["Player 02", "Player 03", "Player 04"]
    row = Page(send(client, hall, htmx=True, away="P0002", show="missing"))
    assert row.one("#check-P0002 button[name=here]") and row.all("[hx-swap-oob=true]")
    assert row.all("title") == ["Check-in · 0 of 4 checked in · Friday night"] and "0 of 4" in row
    assert row.all("#show [aria-current]") == ["Not here 4"]  # every counter comes along
    send(client, hall, unpaid="P0001")
    assert not hall.entries.get(code="P0001").paid and here(hall) == []


@pytest.mark.parametrize("players", [4, 100])
def test_a_check_in_draws_one_row_and_counts_once(client, players, django_assert_max_num_queries):
    tournament = signed_in(client, entries=players)
    send(client, tournament, htmx=True, here="P0001")
    with django_assert_max_num_queries(17):
        row = Page(send(client, tournament, htmx=True, here="P0002"))
    assert row.one("#check-P0002") and not row.all("#check-P0001")


def test_no_shows_are_shown_taken_out_and_let_in_again(client, hall):
    for code in ("P0001", "P0002"):
        send(client, hall, here=code)
    assert names(page(client, address(hall), q="player 03")) == ["Player 03"]
    assert names(page(client, address(hall), show="missing")) == ["Player 03", "Player 04"]
    shown = page(client, address(hall, "no-shows"))
    assert names(shown) == ["Player 03", "Player 04"]
    press(client, shown, "Withdraw 2 no-shows")
    assert hall.entries.filter(status="dropped").count() == 2
    assert names(page(client, address(hall), show="")) == ["Player 01", "Player 02"]
    assert names(page(client, address(hall), show="out")) == ["Player 03", "Player 04"]
    actions = hall.actions.count()
    for _ in range(2):  # a double press is one action
        answer = send(client, hall, again="P0003")
        assert (answer.status_code, answer["Location"]) == (303, f"{address(hall)}#check-P0003")
    back = hall.entries.get(code="P0003")
    assert (back.status, back.checked_in) == ("playing", True) and hall.actions.count() == actions + 1
    undo_action(hall, hall.actions.get(kind="reinstate").number)
    back.refresh_from_db()
    assert (back.status, back.checked_in) == ("dropped", False)


def test_once_round_1_is_published_no_draft_is_there_to_discard(client, hall):
    RoundFactory(tournament=hall)
    shown = page(client, address(hall, "no-shows"))
    assert "Drop players one by one" in shown and "Discard draft pairings" not in shown


@pytest.mark.parametrize("button", [{}, {"here": ""}, {"here": "P9999"}, {"paid": "\x00"}, {"jump": "P0001"}])
def test_a_button_that_is_none_is_refused(client, hall, button):
    assert send(client, hall, **button).status_code in (400, 404)
    assert here(hall) == []


def test_enter_checks_in_the_only_player_found_and_no_one_on_the_empty_box(client, hall):
    shown = look_for(client, hall, "03", show="missing")
    assert shown.answer.redirect_chain[-1][0].endswith("/desk/players/check-in/?show=missing")
    assert "Player 03 is checked in." in shown and here(hall) == ["P0003"]
    assert names(shown) == ["Player 01", "Player 02", "Player 04"] and "1 of 4" in shown
    assert "Player 03 was already checked in." in look_for(client, hall, "03") and here(hall) == ["P0003"]
    for code in ("P0001", "P0002", "P0003"):
        send(client, hall, here=code)
    assert names(look_for(client, hall, " ", show="missing")) == ["Player 04"] and "P0004" not in here(hall)


@pytest.mark.parametrize("q", ["", "  ", "player", "nobody", "\x00"])
def test_enter_checks_no_one_in_where_several_or_none_are_found(client, hall, q):
    shown = look_for(client, hall, q)
    assert shown.status == 200 and here(hall) == []
    assert len(names(shown)) == (0 if q == "nobody" else 4)
    words = (
        "4 players match: Player 01, Player 02, Player 03, Player 04. Type more letters, or press “Check in”"
    )
    assert (words in shown) == (q == "player")


def test_find_only_lists_and_who_is_withdrawn_is_only_listed(client, hall):
    assert names(look_for(client, hall, "03", find="1")) == ["Player 03"] and here(hall) == []
    drop_entry(hall, "P0003")
    shown = look_for(client, hall, "03", show="out")
    assert names(shown) == ["Player 03"] and "03 was withdrawn before round 1. Press “Arrived”" in shown
    assert here(hall) == [] and hall.entries.get(code="P0003").status == "dropped"


def test_every_list_has_as_many_players_as_its_counter_says(hall):
    add_entries(hall, ["Player 01", "Out", "Away", "Gone", "Paid"])
    check_in_entry(hall, "P0001")
    withdraw_no_shows(hall, ["P0006"])
    request_bye(hall, "P0007", 1, "zero")
    disqualify_entry(hall, "P0008", "left with the cards")
    change_entry(hall, "P0009", paid=True)
    counts = count_players(hall)
    assert counts == {"expected": 7, "here": 1, "missing": 5, "unpaid": 6, "out": 1}
    assert {kind or "expected": len(list_players(hall, kind)) for kind in LISTS} | {"here": 1} == counts
    assert [person.shown for person in list_players(hall, words="player 01")] == [
        "Player 01 (1 of 2)",
        "Player 01 (2 of 2)",
    ]
    assert find_player(hall, "P0005", {}) == list_players(hall, words="player 01")[1]
    assert find_player(hall, "P0007", {}).requested_byes and find_player(hall, "P0008", {}) is None


def test_who_dropped_since_the_page_was_opened_is_marked_and_the_page_reloads(client):
    event = signed_in(client, entries=4, rounds=1)
    drop_entry(event, "P0001")
    answer = send(client, event, htmx=True, paid="P0001")
    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")
    assert event.entries.get(code="P0001").paid
