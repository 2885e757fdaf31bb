"""A fixed score: only tables are typed, or slips scanned."""

import pytest

from tests.tournament.views.desk import match_of, post_line, running
from tournament.results.slip_code import slip_check

pytestmark = pytest.mark.django_db


def result_of(tournament, table):
    match = match_of(tournament, table)
    return match.result, match.winner


def code_of(tournament, table, number=1):
    seats = match_of(tournament, table, number).seats.order_by("side").values_list("entry__code", flat=True)
    return f"{number}-{table}-{slip_check(tournament.slug, number, table, tuple(seats))}"


def test_with_a_fixed_score_a_table_is_enough(client):
    tournament = running(client)
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/?score=20").content.decode()
    assert "Every table you type gets <b>2–0</b>" in page and "back to the box" in page
    assert post_line(client, tournament, "1", score="20").status_code == 200
    assert result_of(tournament, 1) == ("played", "a")
    second = match_of(tournament, 2).seats.get(side="b").entry.name
    post_line(client, tournament, second, score="20")  # by name: that player's games first
    assert result_of(tournament, 2) == ("played", "b")
    post_line(client, tournament, "3 12", score="20")  # a result of its own stays what it says
    assert match_of(tournament, 3).winner == "b"
    post_line(client, tournament, code_of(tournament, 4), score="20")
    assert result_of(tournament, 4) == ("played", "a")
    post_line(client, tournament, "1", score="02")  # another result there: asked first, as always
    assert result_of(tournament, 1) == ("played", "a")


def test_without_scripts_the_score_stays_fixed(client):
    tournament = running(client)
    answer = post_line(client, tournament, "1", htmx=False, score="21")
    assert answer.url.endswith("/desk/rounds/1/?score=21#box")
    assert (
        post_line(client, tournament, "", htmx=False, score="21").url == answer.url
    )  # Enter alone writes nothing
    assert match_of(tournament, 2).result is None
    refused = post_line(client, tournament, "99", htmx=False, score="21")
    assert refused.status_code == 404 and 'name="score" value="21"' in refused.content.decode()


def test_the_score_is_chosen_first_and_must_be_one(client):
    tournament = running(client)
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/?score=").content.decode()
    assert 'href="?score=20"' in page
    box = page.split('id="box"')[1].split(">")[0]
    assert "hidden" in box  # what is typed now is a score, not a table
    page = client.get(f"/t/{tournament.slug}/desk/rounds/1/?score=77").content.decode()
    assert "7-7 is impossible" in page and "Every table you type" not in page


def test_a_scanned_slip_opens_its_table_in_the_box(client):
    tournament = running(client)
    code = code_of(tournament, 3)
    answer = post_line(client, tournament, code.lower())
    assert answer.status_code == 200 and '"table": "3"' in answer["HX-Trigger"]
    number, table, check = code.split("-")
    address = f"https://hall.example/t/{tournament.slug}/desk/rounds/{number}/tables/{table}/code/{check}/"
    assert '"table": "3"' in post_line(client, tournament, address)["HX-Trigger"]
    assert post_line(client, tournament, code, htmx=False).url.endswith("?line=3#box")
    assert match_of(tournament, 3).result is None


def test_a_slip_that_does_not_fit_is_refused_with_one_line(client):
    tournament = running(client)
    code = code_of(tournament, 3)
    wrong = code[:-2] + ("A" if code[-2] != "A" else "B") + code[-1]
    others = code[:-1] + ("A" if code[-1] != "A" else "B")
    round_2 = f"2-3-{slip_check(tournament.slug, 2, 3, ('P0001', 'P0002'))}"
    for line, reason in (
        (wrong, "has a wrong character"),
        (others, "does not fit the players"),
        (round_2, "This slip is from round 2, table 3. You are entering round 1."),
    ):
        answer = post_line(client, tournament, line)
        assert answer.status_code == 400 and reason in answer.content.decode()
        assert "HX-Trigger" not in answer
