"""The page "The player is registered twice": two entries become one, its effect first."""

import re

import pytest

from standings.event.swiss import standings_of
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import key
from tournament.event.read import event_of
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

REASON = {"save": "on", "reason": "Registered at the desk and on the phone."}


@pytest.fixture
def event(client):
    """P0001 dropped after round 1; the same player came back as P0009 and played round 2. The owner is signed in."""
    owner = UserFactory()
    client.force_login(owner)
    event = TournamentFactory(entries=8, rounds=1, owner=owner)
    drop_entry(event, "P0001")
    add_entries(event, ["Player 01"])
    enter_results(event, RoundFactory(tournament=event).number)
    RoundFactory(tournament=event)
    drop_entry(event, "P0009")
    return event


def address(event, code="P0001"):
    return f"/t/{event.slug}/desk/players/{code}/merge/"


def merge(client, event, other="P0009", keep="P0001"):
    """Look at the effect, then save it."""
    page = client.post(address(event, keep), {"other": other}).content.decode()
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', page)[1]
    return page, client.post(address(event, keep), {"other": other, "digest": digest, **REASON})


def ranks(event):
    return {row.entry: row.rank for row in standings_of(event_of(event))}


def test_the_pages_of_the_player_and_of_the_admin_lead_there(client, event):
    correct = client.get(f"/t/{event.slug}/desk/players/P0001/correct/").content.decode()
    assert f'href="{address(event)}"' in correct
    html = client.get(address(event)).content.decode()
    assert "P0009" in html and "Membership number and player link are not taken over." in html


def test_the_effect_comes_first_and_then_one_action_that_one_undo_takes_back(client, event):
    before, count = ranks(event), event.actions.count()
    page, answer = merge(client, event)
    assert "P0009) merged into" in page and answer.status_code == 303
    assert event.actions.count() == count + 1
    after = ranks(event)
    assert set(before) - set(after) == {"P0009"}
    all_ranks = page[page.rfind("<table") :]
    rows = re.findall(r'</th>\s*<td class="num">(.*?)</td>\s*<td class="num">(.*?)</td>', all_ranks)
    moves = [(before.get(code, "–"), after.get(code, "–")) for code in before | after]
    assert sorted(rows) == sorted((str(was), str(now)) for was, now in moves if was != now)
    undo_action(event, event.actions.order_by("-number").first().number)
    assert ranks(event) == before


def test_a_double_press_is_answered_as_one_press(client, event):
    fields, count = {"other": "Player 01 (2 of 2)", "key": key()}, event.actions.count()
    page = client.post(address(event), fields).content.decode()
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', page)[1]
    for _ in range(2):
        answer = client.post(address(event), {**fields, "digest": digest, **REASON})
        to = answer.headers.get("Location")
        assert (answer.status_code, to) == (303, f"/t/{event.slug}/desk/rounds/3/repair/")
    assert event.actions.count() == count + 1


def test_the_public_finds_only_the_entry_that_stays(client, event):
    merge(client, event)
    client.logout()
    html = client.get(f"/t/{event.slug}/players/").content.decode()
    assert 'href="P0001/"' in html and "P0009" not in html and "(1 of 2)" not in html
    other = client.get(f"/t/{event.slug}/players/P0009/").content.decode()
    assert f'href="/t/{event.slug}/players/P0001/"' in other, "its code leads to the one that stays"


@pytest.mark.long
def test_what_cannot_be_merged_is_refused_in_one_line_and_nothing_is_written(client, event):
    count = event.actions.count()
    opponent = event.seats.get(round__number=1, opponent__code="P0001").entry.code
    for fields, status, words in (
        ({"other": opponent}, 409, "Both have an opponent in round"),
        ({"other": "P0001"}, 422, "No player here matches"),
        ({"other": ""}, 422, "required"),
        ({"other": "P0009", "save": "on"}, 422, "Say why it is corrected."),
        ({"other": "P0009", "digest": "0" * 64, **REASON}, 409, "not what you were shown before"),
    ):
        answer = client.post(address(event), fields)
        assert (answer.status_code, words in answer.content.decode()) == (status, True), fields
    assert client.get(address(event, "P0099")).status_code == 404
    assert event.actions.count() == count
    merge(client, event)
    answer = client.post(address(event), {"other": "P0009"})
    assert answer.status_code == 422, "merged entries are offered no more"


def test_the_page_of_a_merged_entry_offers_nothing_but_the_way_to_the_other(client, event):
    merge(client, event)
    page = client.get(f"/t/{event.slug}/desk/players/P0009/").content.decode()
    main = page[page.index("<main") : page.index("</main>")]
    assert f'href="/t/{event.slug}/desk/players/P0001/"' in main
    assert "<form" not in main and "<button" not in main and "correct/" not in main
    assert client.get(f"/t/{event.slug}/desk/players/P0009/correct/").status_code == 303
    answer = client.post(f"/t/{event.slug}/desk/players/P0009/reinstate/", {"key": "again"})
    assert answer.status_code == 409
    assert "P0009 was merged into P0001. Use that entry." in answer.content.decode()


def test_the_desk_lists_only_the_entry_that_stays(client, event):
    merge(client, event)
    for address in ("players/", "players/?q=player+01", "correct/?q=player+01", "apart/"):
        page = client.get(f"/t/{event.slug}/desk/{address}")
        assert page.status_code == 200, address
        html = page.content.decode()
        assert "Player 01" in html and "P0009" not in html and "(1 of 2)" not in html, address


def test_entries_that_are_only_linked_leave_the_rounds_alone(client, event):
    """They are of two sessions: no match changes, so nothing was paired from it and nothing is repaired."""
    add_stage(event)
    add_entries(event, ["Player 02"], stage=2)
    page, answer = merge(client, event, other="P0010", keep="P0002")
    assert "is the same person as" in page and "stay as they were paired" not in page
    assert answer["Location"] == f"/t/{event.slug}/desk/players/P0002/"
    undone = client.post(f"/t/{event.slug}/desk/undo/", {"number": event.actions.last().number})
    assert undone["Location"] == f"/t/{event.slug}/desk/", "nothing to repair after the undo either"
