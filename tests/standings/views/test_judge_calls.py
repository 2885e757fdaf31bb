"""Judge calls as judges answer them."""

import pytest

from tests.standings.views.test_judges import code_at, desk, judge_of
from tests.tournament.views.desk import key, running
from tests.tournament.views.phones import text
from tournament.services.judge_calls import call_judge

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
