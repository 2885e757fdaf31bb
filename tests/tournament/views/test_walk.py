"""Walking the list: a key is a result, and the next table without one is at hand."""

import pytest

from tests.tournament.views.desk import HTMX, key, match_of, running
from tests.tournament.views.test_fixed_score import code_of
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def page_of(tournament):
    return f"/t/{tournament.slug}/desk/rounds/1/walk/"


def press(client, tournament, table, slip="20", htmx=True, **more):
    version = (
        tournament.rounds.get().matches.filter(table=table).values_list("version", flat=True).first() or 0
    )
    sent = {"table": table, "slip": slip, "version": version, "key": key()}
    return client.post(page_of(tournament), sent | more, **(HTMX if htmx else {}))


def test_a_key_enters_the_result_and_goes_on(client):
    tournament = running(client)
    page = client.get(page_of(tournament)).content.decode()
    assert 'value="20" data-key="1"' in page and "back to the box" in page
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    answer = press(client, tournament, 1, htmx=False)
    assert answer.url.endswith("walk/?table=3")  # table 2 has a result
    assert match_of(tournament).winner == "a"
    assert 'id="walk-4"' in press(client, tournament, 4, "12", seen=tournament.revision).content.decode()
    assert press(client, tournament, 3, htmx=False).url.endswith("walk/?table=4")  # all are in: down the list
    assert press(client, tournament, 3, "clear", htmx=False).status_code == 303
    assert match_of(tournament, 3).result is None


def test_another_result_is_asked_for_and_replaced_by_the_same_key_again(client):
    tournament = running(client)
    stale = match_of(tournament).version
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    answer = press(client, tournament, 1, "02", version=stale)
    text = answer.content.decode()
    assert answer.status_code == 409 and "2–0" in text and "0–2" in text and 'id="walk-why"' in text
    assert press(client, tournament, 1, "02").status_code == 409  # also on a page that shows the other result
    assert match_of(tournament).winner == "a"
    assert press(client, tournament, 1, "02", replace="on").status_code == 200
    assert match_of(tournament).winner == "b"
    plain = press(client, tournament, 1, "20", htmx=False, version=stale)
    assert plain.status_code == 409 and "Currently saved" in plain.content.decode()


def test_what_makes_no_sense_is_refused_and_writes_nothing(client):
    tournament = running(client)
    for sent, status in (
        ({"slip": "9"}, 400),
        ({"slip": "22"}, 400),
        ({"table": 99}, 404),
        ({"slip": ""}, 400),
    ):
        assert press(client, tournament, **{"table": 1, **sent}).status_code == status, sent
    assert match_of(tournament).result is None


def test_a_scanned_slip_is_the_table_at_hand(client):
    tournament = running(client)
    code = code_of(tournament, 3)
    assert 'name="table" value="3"' in client.get(page_of(tournament), {"code": code}).content.decode()
    refused = client.get(page_of(tournament), {"code": f"2{code[1:]}"})
    assert refused.status_code == 400 and "wrong character" in refused.content.decode()


def test_the_list_hears_of_what_others_enter(client, django_assert_max_num_queries):
    tournament = running(client)
    seen = tournament.revision
    assert client.get(f"{page_of(tournament)}rows/?v={seen}").status_code == 204
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    with django_assert_max_num_queries(12):
        rows = client.get(f"{page_of(tournament)}rows/?v={seen}").content.decode()
    assert 'id="walk-2"' in rows and 'id="walk-1"' not in rows and "1 entered" in rows


def test_where_points_are_typed_the_list_leads_to_the_box(client):
    tournament = running(client, ruleset="scrabble")
    assert "use the box" in client.get(page_of(tournament)).content.decode()
