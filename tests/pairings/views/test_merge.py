import pytest

from tests.factories import RoundFactory, enter_results
from tests.pages import Page, page
from tests.pairings.correcting import RULING, look, rank_changes, ranks, save, save_twice
from tests.tournament.views.desk import desk, key, signed_in
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action


@pytest.fixture
def event(client):
    """P0001 dropped after round 1; the same player came back as P0009 and played round 2. The owner is signed in."""
    event = signed_in(client, entries=8, rounds=1)
    drop_entry(event, "P0001")
    add_entries(event, ["Player 01"])
    enter_results(event, RoundFactory(tournament=event).number)
    RoundFactory(tournament=event)
    drop_entry(event, "P0009")
    return event


def address(event, code="P0001"):
    return desk(event, f"players/{code}/merge/")


def test_the_effect_comes_first_and_then_one_action_that_one_undo_takes_back(client, event):
    assert page(client, desk(event, "players/P0001/correct/")).link(
        "The player is registered twice"
    ) == address(event)
    before, count = ranks(event), event.actions.count()
    shown, answer = save(client, address(event), other="P0009")
    assert "P0009) merged into" in shown and answer.status_code == 303
    assert event.actions.count() == count + 1
    after = ranks(event)
    assert set(before) - set(after) == {"P0009"}
    moves = [(str(before.get(code, "–")), str(after.get(code, "–"))) for code in before | after]
    assert sorted(move[1:] for move in rank_changes(shown)) == sorted(m for m in moves if m[0] != m[1])
    undo_action(event, event.actions.last().number)
    assert ranks(event) == before


def test_a_double_press_is_answered_as_one_press(client, event):
    count = event.actions.count()
    answers = save_twice(client, address(event), other="Player 01 (2 of 2)", key=key())
    assert answers == [(303, desk(event, "rounds/3/repair/"))] * 2
    assert event.actions.count() == count + 1


def test_what_cannot_be_merged_is_refused_in_one_line_and_nothing_is_written(client, event):
    count = event.actions.count()
    opponent = event.seats.get(round__number=1, opponent__code="P0001").entry.code
    for fields, status, words in (
        ({"other": opponent}, 409, "Both have an opponent in round"),
        ({"other": "P0001"}, 422, "No player here matches"),
        ({"other": ""}, 422, "required"),
        ({"other": "P0009", "save": "on"}, 422, "Say why it is corrected."),
        (
            {"other": "P0009", "save": "on", "digest": "0" * 64, **RULING},
            409,
            "not what you were shown before",
        ),
    ):
        shown = look(client, address(event), **fields)
        assert (shown.status, words in shown) == (status, True), fields
    assert client.get(address(event, "P0099")).status_code == 404
    assert event.actions.count() == count
    enter_results(event, 3)
    RoundFactory(tournament=event, drafted=True)
    assert "has draft pairings" in look(client, address(event), other="P0009")


def test_only_the_entry_that_stays_is_found_and_the_other_leads_to_it(client, event):
    save(client, address(event), other="P0009")
    for part in ("players/", "players/?q=player+01", "correct/?q=player+01", "apart/"):
        shown = page(client, desk(event, part))
        html = str(shown.soup)
        assert "Player 01" in html and "P0009" not in html and "(1 of 2)" not in html, part
    main = Page(str(page(client, desk(event, "players/P0009/")).one("main")))
    assert main.soup.select(f'a[href="{desk(event, "players/P0001/")}"]')
    assert not main.soup.select('form, button, [href*="correct/"]')
    assert client.get(desk(event, "players/P0009/correct/")).status_code == 303
    assert look(client, address(event), other="P0009").status == 422, "merged entries are offered no more"
    refused = look(client, desk(event, "players/P0009/reinstate/"), key="again")
    assert refused.status == 409 and "P0009 was merged into P0001. Use that entry." in refused
    client.logout()
    html = client.get(f"/t/{event.slug}/players/").content.decode()
    assert 'href="P0001/"' in html and "P0009" not in html and "(1 of 2)" not in html
    public = f"/t/{event.slug}/players/"
    assert page(client, f"{public}P0009/").soup.select(f'a[href="{public}P0001/"]')


def test_entries_that_are_only_linked_leave_the_rounds_alone(client, event):
    add_stage(event)
    add_entries(event, ["Player 02"], stage=2)
    shown, answer = save(client, address(event, "P0002"), other="P0010")
    assert "is the same person as" in shown and "stay as they were paired" not in shown
    assert answer["Location"] == desk(event, "players/P0002/")
    undone = client.post(desk(event, "undo/"), {"number": event.actions.last().number})
    assert undone["Location"] == desk(event, ""), "nothing to repair after the undo either"
