"""Judge calls as judges answer them, and the table they go to."""

import pytest

from tests.factories import RoundFactory, enter_results
from tests.standings.views.test_judges import code_at, desk, judge_of
from tests.tournament.views.desk import key, running
from tests.tournament.views.phones import text
from tournament.results.shorthand import parse_slip
from tournament.services.judge_calls import call_judge
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def test_a_second_judge_who_answers_a_call_learns_who_is_on_the_way(client):
    tournament = running(client)
    lena, omar = judge_of(tournament), judge_of(tournament, "omar")
    call_judge(tournament, code_at(tournament, 2))
    call = desk(tournament, f"judge/calls/{tournament.flags.get().number}/")
    lena.post(call, {"key": key()})
    answer = omar.post(call, {"key": key()})  # from a page that is older than lena's answer
    assert answer.status_code == 409
    assert "lena is already on the way to this table. You need not go." in text(answer)
    assert tournament.flags.get().judge == "lena"
    number = tournament.actions.latest("number").number
    assert lena.post(call, {"key": key()}).status_code == 303
    assert tournament.actions.latest("number").number == number
    assert omar.post(call, {"done": "1", "key": key()}).status_code == 303 and tournament.flags.get().done


def test_a_table_says_one_point_and_three_points(client):
    tournament = running(client, 4)
    record_result(tournament, 1, 1, parse_slip("11"))
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    page = text(judge_of(tournament).get(desk(tournament, "rounds/2/tables/1/judge/")))
    assert ">1 point<" in page and "1 points" not in page and ">3 points<" in page
