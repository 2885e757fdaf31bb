"""The check-in page: big buttons found by letters, and no-shows out in one step."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import HTMX, key
from tournament.services.drops import drop_entry
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall(client):
    owner = UserFactory()
    client.force_login(owner)
    return TournamentFactory(entries=4, owner=owner)


def page(client, tournament, part="check-in", **query):
    return client.get(f"/t/{tournament.slug}/desk/{part}/", query).content.decode()


def press(client, tournament, htmx=False, part="check-in", **button):
    return client.post(f"/t/{tournament.slug}/desk/{part}/", button, **(HTMX if htmx else {}))


def names(html):
    return [f"Player 0{n}" for n in range(1, 5) if f">Player 0{n}<" in html]


def test_a_press_checks_in_and_another_takes_it_back(client, hall):
    assert press(client, hall, here="P0002").status_code == 303
    assert "<b>1</b> of 4 checked in, 3 missing" in page(client, hall)
    row = press(client, hall, htmx=True, away="P0002").content.decode()
    assert 'id="check-P0002"' in row and 'name="here"' in row and "<b>0</b> of 4" in row


def test_paid_is_ticked_beside_it(client, hall):
    press(client, hall, paid="P0001")
    assert hall.entries.get(code="P0001").paid
    assert names(page(client, hall, show="unpaid")) == ["Player 02", "Player 03", "Player 04"]
    press(client, hall, unpaid="P0001")
    assert not hall.entries.get(code="P0001").paid


def test_the_list_is_searched_by_letters_and_by_who_is_not_here(client, hall):
    press(client, hall, here="P0001")
    assert names(page(client, hall, q="player 03")) == ["Player 03"]
    assert names(page(client, hall, show="missing")) == ["Player 02", "Player 03", "Player 04"]
    assert "Try fewer letters" in page(client, hall, q="nobody")


def test_no_shows_are_shown_taken_out_and_let_in_again(client, hall):
    press(client, hall, here="P0001")
    press(client, hall, here="P0002")
    html = page(client, hall, "no-shows")
    assert names(html) == ["Player 03", "Player 04"] and "Withdraw 2 no-shows" in html
    codes = html.split('name="codes" value="')[1].split('"')[0]
    press(client, hall, part="no-shows", codes=codes, key=key())
    assert hall.entries.filter(status="dropped").count() == 2
    assert names(page(client, hall)) == ["Player 01", "Player 02"]
    assert names(page(client, hall, show="out")) == ["Player 03", "Player 04"]
    press(client, hall, again="P0003")
    back = hall.entries.get(code="P0003")
    assert (back.status, back.checked_in) == ("playing", True)


def test_who_was_let_in_by_a_double_press_plays_by_one_action(client, hall):
    drop_entry(hall, "P0003")
    dropped = hall.actions.count()
    for _ in range(2):
        answer = press(client, hall, again="P0003")
        address = answer.headers.get("Location")
        assert (answer.status_code, address) == (303, f"/t/{hall.slug}/desk/check-in/#check-P0003")
    assert hall.actions.count() == dropped + 1
    undo_action(hall, hall.actions.get(kind="reinstate").number)
    entry = hall.entries.get(code="P0003")
    assert (entry.status, entry.checked_in) == ("dropped", False)


def test_once_round_1_is_published_no_draft_is_there_to_discard(client, hall):
    RoundFactory(tournament=hall)
    html = page(client, hall, "no-shows")
    assert "Drop players one by one" in html and "Discard draft pairings" not in html


@pytest.mark.parametrize("button", [{}, {"here": ""}, {"here": "P9999"}, {"paid": "\x00"}, {"jump": "P0001"}])
def test_a_button_that_is_none_is_refused(client, hall, button):
    assert press(client, hall, **button).status_code in (400, 404)
    assert not hall.entries.filter(checked_in=True).exists()


def look_for(client, tournament, q, **fields):
    """Enter in the search box."""
    return client.post(f"/t/{tournament.slug}/desk/check-in/", {"q": q, "show": "", **fields}, follow=True)


def here(tournament):
    return list(tournament.entries.filter(checked_in=True).values_list("code", flat=True))


def test_enter_checks_in_the_only_player_found_and_clears_the_box(client, hall):
    answer = look_for(client, hall, "03", show="missing")
    assert answer.redirect_chain[-1][0].endswith("/desk/check-in/?show=missing")
    html = answer.content.decode()
    assert "Player 03 is checked in." in html and here(hall) == ["P0003"]
    assert names(html) == ["Player 01", "Player 02", "Player 04"] and "<b>1</b> of 4" in html
    again = look_for(client, hall, "03").content.decode()
    assert "Player 03 was already checked in." in again and here(hall) == ["P0003"]


@pytest.mark.parametrize("q", ["", "  ", "player", "nobody", "\x00"])
def test_enter_checks_no_one_in_where_several_or_none_are_found(client, hall, q):
    answer = look_for(client, hall, q)
    assert answer.status_code == 200 and here(hall) == []
    assert len(names(answer.content.decode())) == (0 if q == "nobody" else 4)


def test_enter_on_the_empty_box_checks_in_not_even_the_last_one_missing(client, hall):
    for code in ("P0001", "P0002", "P0003"):
        press(client, hall, here=code)
    assert names(look_for(client, hall, " ", show="missing").content.decode()) == ["Player 04"]
    assert "P0004" not in here(hall)


def test_find_only_lists_and_who_is_withdrawn_is_only_listed(client, hall):
    assert (
        names(look_for(client, hall, "03", find="1").content.decode()) == ["Player 03"] and here(hall) == []
    )
    drop_entry(hall, "P0003")
    assert names(look_for(client, hall, "03", show="out").content.decode()) == ["Player 03"]
    assert here(hall) == [] and hall.entries.get(code="P0003").status == "dropped"


def test_every_counter_comes_along_with_a_row(client, hall):
    row = press(client, hall, htmx=True, here="P0002", show="missing").content.decode()
    assert "<title>Check-in · 1 of 4 checked in · Friday night" in " ".join(row.split()).replace(
        "<title> ", "<title>"
    )
    assert "<b>1</b> of 4" in row and "Withdraw no-shows" in row
    assert '<option value="missing" selected>not checked in (3)' in row and 'hx-swap-oob="true"' in row


def test_who_dropped_since_the_page_was_opened_is_marked_and_the_page_reloads(client):
    owner = UserFactory()
    client.force_login(owner)
    event = TournamentFactory(entries=4, rounds=1, owner=owner)
    drop_entry(event, "P0001")
    answer = press(client, event, htmx=True, paid="P0001")
    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")
    assert event.entries.get(code="P0001").paid
