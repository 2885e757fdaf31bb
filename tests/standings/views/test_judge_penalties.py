"""Penalties that a judge gives: at a table, between two matches, and what they change."""

import re

import pytest

from tests.factories import enter_results
from tests.standings.views.test_judges import code_at, desk, judge_of, let, table
from tests.tournament.views.desk import HTMX, key, match_of, running
from tests.tournament.views.phones import text
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db


def test_a_penalty_shows_the_earlier_ones_and_says_what_it_changes(client):
    tournament = running(client)
    lena = judge_of(tournament)
    code = code_at(tournament, 2)
    page = desk(tournament, f"penalties/new/?player={code}")
    form = text(lena.get(page))
    fields = ("judge", "code", "infraction", "description", "kind")
    labels = [re.search(rf'id="id_{name}(_0)?"', form).start() for name in fields]
    assert labels == sorted(labels) and 'value="lena"' in form and "disqualification" not in form
    sent = {"judge": "lena", "code": code, "infraction": "Slow play", "kind": "warning"}
    lena.post(page, {**sent, "description": "Twice", "key": key()})
    assert "Twice" in text(lena.get(page)) and "Earlier penalties of" in text(lena.get(page))
    answer = lena.post(page, {**sent, "kind": "game_loss", "key": key()}, follow=True)
    assert "1 game win. Enter it with the result." in text(answer)
    answer = lena.post(page, {**sent, "kind": "match_loss", "key": key()}, follow=True)
    assert "Table 2 is entered as won by" in text(answer) and match_of(tournament, 2).winner == "b"
    answer = lena.post(page, {**sent, "kind": "match_loss", "key": key()}, follow=True)
    assert "It counts in the next match." in text(answer)
    assert lena.post(page, {**sent, "kind": "disqualification", "key": key()}).status_code == 422
    let(tournament, disqualifications=True)
    assert lena.post(page, {**sent, "kind": "disqualification", "key": key()}).status_code == 303
    entry = tournament.entries.get(code=code)
    listed = text(client.get(desk(tournament, "penalties/"), {"q": entry.name[-2:]}))
    assert listed.count("Slow play") == 5 and "5 penalties" in listed
    assert "No penalties" in text(client.get(desk(tournament, "penalties/"), {"q": "nobody"}))


def test_minutes_and_penalties_at_a_table_answer_a_script_with_the_table_and_else_with_a_page(client):
    tournament = running(client)
    lena = judge_of(tournament)
    page = desk(tournament, f"penalties/new/?player={code_at(tournament)}")
    penalty = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning"}
    forms = [(table(tournament, 1, "extension/"), {"minutes": 5}), (page, penalty)]
    for address, sent in forms:
        done = text(lena.post(address, {**sent, "key": key()}, follow=True, **HTMX))
        assert "<html" not in done and 'class="notice success"' in done and "Table 1" in done
        refused = lena.post(address, {**sent, "minutes": "soon", "kind": "none"}, **HTMX)
        assert refused.status_code == 422 and "<html" not in text(refused)
        whole = text(lena.post(address, {**sent, "key": key()}, follow=True))
        assert "<html" in whole and whole.count('class="notice success"') == 1
    assert "<html" not in text(lena.get(page, **HTMX)) and "<html" in text(lena.get(page))


def test_a_penalty_names_which_of_two_players_with_one_name(client):
    tournament = running(client, 2)
    for code in ("P0001", "P0002"):
        rename_entry(tournament, code, "Bo Lind")
    sent = {"code": "P0001", "infraction": "Tardiness", "kind": "game_loss", "key": key()}
    page = text(client.post(desk(tournament, "penalties/new/"), sent, follow=True))
    assert "Bo Lind (1 of 2): game loss recorded. Table 1: this gives Bo Lind (2 of 2) 1 game win." in page


def test_a_penalty_between_two_matches_leads_a_script_to_the_list(client):
    tournament = running(client)
    enter_results(tournament, 1)
    sent = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning", "key": key()}
    answer = client.post(desk(tournament, "penalties/new/"), sent, **HTMX)
    assert answer["HX-Redirect"] == desk(tournament, "penalties/")
    assert "warning recorded." in text(client.get(answer["HX-Redirect"]))


def test_a_penalty_for_nobody_is_one_clear_line(client):
    tournament = running(client)
    page = desk(tournament, "penalties/new/")
    answer = client.post(page, {"infraction": "Slow play", "kind": "warning"})
    assert answer.status_code == 422 and "Choose the player who gets the penalty." in text(answer)
    assert client.post(page, {"code": "P9999", "infraction": "x", "kind": "warning"}).status_code == 404
    assert (
        client.get(page)["Location"] == desk(tournament, "penalties/") and not tournament.penalties.exists()
    )
