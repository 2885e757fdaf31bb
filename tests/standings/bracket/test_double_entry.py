"""Double entry in the bracket: two people type the same slip before anyone advances."""

import pytest

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import TournamentFactory, UserFactory
from tournament.actionlog import integrity
from tournament.errors import WrongState
from tournament.models import Match, Report, Staff, Tournament
from tournament.results.shorthand import parse_slip
from tournament.services.event_settings import change_settings
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament() -> Tournament:
    """A top 4 whose table 1 two people enter."""
    tournament = TournamentFactory(entries=8, rounds=3)
    change_settings(tournament, double_entry=[1])
    make_cut(tournament, 4)
    tournament.refresh_from_db()
    return tournament


def enter(tournament: Tournament, slip: str, actor: str, table: int = 1):
    return record_bracket_result(tournament, 4, table, parse_slip(slip), actor=actor)


def result_of(tournament: Tournament, table: int = 1) -> str | None:
    return Match.objects.get(round__tournament=tournament, round__number=4, table=table).result


def test_no_one_advances_before_two_people_typed_the_same(tournament):
    enter(tournament, "20", "ana")
    enter(tournament, "20", "bo", table=2)
    assert result_of(tournament) is None and result_of(tournament, 2) == "played"
    with pytest.raises(WrongState, match="you entered this slip already"):
        enter(tournament, "20", "ana")
    enter(tournament, "20", "bo")
    assert result_of(tournament) == "played" and not Report.objects.exists()
    assert tournament.rounds.filter(number=5).exists()
    assert integrity.check(tournament) == []


def test_two_that_differ_enter_nothing_and_an_undo_lets_them_start_again(tournament):
    first = enter(tournament, "20", "ana")
    with pytest.raises(WrongState, match="To start again, undo the first entry"):
        enter(tournament, "12", "bo")
    undo_action(tournament, first.number)
    enter(tournament, "12", "bo")
    enter(tournament, "12", "ana")
    assert result_of(tournament) == "played"


@pytest.mark.parametrize("htmx", [True, False])
def test_the_desk_says_that_it_waits_for_the_second(tournament, client, htmx):
    address = f"/t/{tournament.slug}/bracket/rounds/4/tables/1/result/"
    headers = {"HX-Request": "true"} if htmx else {}
    sent = {"slip": "20", "version": tournament.revision}
    client.force_login(tournament.owner)
    answer = client.post(address, sent, headers=headers, follow=not htmx)
    page = answer.content.decode()
    assert f"1 of 2 entries, by {tournament.owner.username}" in page
    if not htmx:
        assert "Saved: bracket table 1." not in page
    second = UserFactory()
    Staff.objects.create(tournament=tournament, user=second, role="scorekeeper")
    client.force_login(second)
    page = client.post(address, sent, headers=headers, follow=not htmx).content.decode()
    assert "1 of 2 entries" not in page and result_of(tournament) == "played"
