"""An order by hand: only among those nothing else tells apart, by the owner, with a reason everybody reads."""

import pytest

from standings.event.qualifiers import qualifiers_of
from standings.event.swiss import standings_of, tied_groups
from standings.table.manual_order import set_manual_order
from tests import factories
from tests.standings.engine.builders import event as made_event
from tests.standings.engine.builders import match
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.errors import Refused, WrongState
from tournament.event import read
from tournament.models import Staff
from tournament.results.slip import Slip
from tournament.services.manual_order import clear_manual_order
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
WHY = "playoff game"


@pytest.fixture
def owner():
    return factories.UserFactory()


@pytest.fixture
def tied(owner):
    """Round 1 of four, both tables won 2-0: two winners and two losers are equal in everything."""
    tournament = factories.TournamentFactory(entries=4, owner=owner)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    tournament.refresh_from_db()
    return tournament


def ranking(tournament):
    return standings_of(read.event_of(tournament))


def groups(tournament):
    return tied_groups(read.event_of(tournament))


def test_the_order_goes_before_the_lot_and_is_told_as_what_decided(tied):
    _winners, losers = groups(tied)
    assert ranking(tied).columns[-1] == "random" and "manual" not in ranking(tied).columns
    last_first = list(reversed(ranking(tied).order[:2]))
    set_manual_order(tied, last_first, reason=WHY)
    after = ranking(tied)
    assert after.order[:2] == last_first and after.columns[-2:] == ["manual", "random"]
    assert [row.decided_by for row in after][:2] == [None, "manual"]
    assert set(after.order[2:]) == set(losers) and list(after)[3].decided_by == "random"
    assert qualifiers_of(read.event_of(tied), 1).qualifiers == last_first[:1]
    assert '"manual":1' in dump_event(tied)
    assert integrity.check(tied) == []


@pytest.mark.parametrize("which", ["apart", "part", "twice", "one", "unknown"])
def test_only_exactly_those_tied_are_ordered(tied, which):
    winners, losers = groups(tied)
    codes, why = {
        "apart": ([winners[0], losers[0]], "is not tied with the others"),
        "part": ([*winners, losers[0]], "is not tied with the others"),
        "twice": ([winners[0], winners[0]], "a different place"),
        "one": (winners[:1], "a different place"),
        "unknown": (["P9999", winners[0]], "is not tied"),
    }[which]
    with pytest.raises(Refused, match=why):
        set_manual_order(tied, codes, reason=WHY)
    assert not tied.entries.exclude(manual=None).exists()


def test_everybody_who_is_tied_has_a_place():
    tournament = factories.TournamentFactory(entries=8)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    winners = groups(tournament_of_complete(tournament))[0]
    with pytest.raises(Refused, match="is tied with them too"):
        set_manual_order(tournament, winners[:2], reason=WHY)


def tournament_of_complete(tournament):
    complete_round(tournament, 1)
    return tournament


def test_it_needs_a_reason_and_every_result(tied):
    winners, _losers = groups(tied)
    for reason in ("", "   ", "x" * 501):
        with pytest.raises(Refused, match="reason"):
            set_manual_order(tied, winners, reason=reason)
    factories.RoundFactory(tournament=tied)
    with pytest.raises(WrongState, match="still out"):
        set_manual_order(tied, winners, reason=WHY)


def test_it_is_undone_and_taken_back_and_sent_twice_is_done_once(tied):
    winners, _losers = groups(tied)
    action = set_manual_order(tied, winners, reason=WHY, key="k")
    assert set_manual_order(tied, winners, reason=WHY, key="k") == action
    assert action.reason == WHY
    undo_action(tied, action.number)
    assert "manual" not in ranking(tied).columns
    set_manual_order(tied, winners, reason=WHY)
    clear_manual_order(tied, winners)
    assert "manual" not in ranking(tied).columns
    with pytest.raises(WrongState, match="no manual order"):
        clear_manual_order(tied, winners)


def test_a_chain_that_ends_by_hand_shares_ranks_until_somebody_decides(owner):
    chain = [{"metric": "match_points"}, {"metric": "manual"}]
    tournament = factories.TournamentFactory(entries=4, owner=owner, overrides={"tiebreaks": chain})
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    assert [row.rank for row in ranking(tournament)] == [1, 1, 3, 3]
    winners = groups(tournament)[0]
    set_manual_order(tournament, winners[::-1], reason=WHY)
    assert [(row.rank, row.entry) for row in ranking(tournament)][:2] == [(1, winners[1]), (2, winners[0])]
    assert [row.rank for row in ranking(tournament)] == [1, 2, 3, 3]


def test_who_has_no_place_by_hand_comes_last_whatever_the_session():
    from tournament.event.types import Stage

    stages = [Stage(1, entries=("A", "B", "C", "D")), Stage(2, entries=("E", "F"))]
    example = made_event(
        (1, [match("A", "B", games="W"), match("C", "D", games="W")]),
        (2, [match("E", "F", games="W")]),
        stages=stages,
        overrides={"tiebreaks": [{"metric": "match_points"}, {"metric": "manual"}]},
    )
    example.entries["C"].manual, example.entries["A"].manual = 1, 2
    assert [(row.rank, row.entry) for row in standings_of(example)][:3] == [(1, "C"), (2, "A"), (3, "E")]


def test_the_owner_orders_on_the_page_and_everybody_reads_why(client, tied, owner):
    client.force_login(owner)
    address = f"/t/{tied.slug}/desk/standings/ties/"
    assert address in client.get(f"/t/{tied.slug}/desk/standings/").content.decode()
    html = client.get(address).content.decode()
    assert "2 players tied at rank 1" in html and "2 players tied at rank 3" in html
    first, second = ranking(tied).order[:2]
    sent = {"key": key(), "code": [first, second], f"place-{first}": 2, f"place-{second}": 1, "reason": WHY}
    assert client.post(address, sent).status_code == 303
    assert ranking(tied).order[:2] == [second, first]
    names = [tied.entries.get(code=code).name for code in (second, first)]
    for page in (f"/t/{tied.slug}/standings/", f"/t/{tied.slug}/desk/standings/"):
        html = client.get(page).content.decode()
        assert f"The order of {names[0]}, {names[1]} was decided by the organizer: {WHY}" in html
        assert "Manual order" in html
    log = client.get(f"/t/{tied.slug}/desk/log/").content.decode()
    assert f"Manual order: {names[0]}, {names[1]}" in log and WHY in log
    html = client.get(address).content.decode()
    assert "Remove this order" in html
    cleared = {"what": "clear", "key": key(), "code": [first, second]}
    assert client.post(address, cleared).status_code == 303
    assert "was decided by the organizer" not in client.get(f"/t/{tied.slug}/standings/").content.decode()
    assert client.post(address, {**cleared, "key": key()}).status_code == 409


def test_wrong_places_come_back_with_what_was_typed(client, tied, owner):
    client.force_login(owner)
    address = f"/t/{tied.slug}/desk/standings/ties/"
    first, second = ranking(tied).order[:2]
    fine = {"code": [first, second], f"place-{first}": 1, f"place-{second}": 2, "reason": WHY}
    for wrong in ({f"place-{second}": 1}, {f"place-{second}": ""}, {f"place-{second}": "x"}, {"reason": ""}):
        answer = client.post(address, {**fine, **wrong, "key": key()})
        assert answer.status_code == 422 and 'role="alert"' in answer.content.decode(), wrong
        assert WHY in answer.content.decode() or "reason" in wrong
    for wrong in ({"code": []}, {"code": [first]}, {"code": [first, "P9999"]}):
        assert client.post(address, {**fine, **wrong, "key": key()}).status_code in (400, 422), wrong
    assert not tied.entries.exclude(manual=None).exists()


def test_only_the_owner_orders_by_hand(client, tied):
    keeper = factories.UserFactory()
    Staff.objects.create(tournament=tied, user=keeper, role=Staff.Role.SCOREKEEPER)
    client.force_login(keeper)
    address = f"/t/{tied.slug}/desk/standings/ties/"
    assert client.get(address).status_code == 403
    assert client.post(address, {"code": groups(tied)[0], "reason": WHY}).status_code == 403
    assert address not in client.get(f"/t/{tied.slug}/desk/standings/").content.decode()


def test_an_order_that_decides_nothing_any_more_says_so_and_is_not_shown_to_others(client, tied, owner):
    client.force_login(owner)
    winners, _losers = groups(tied)
    set_manual_order(tied, winners, reason=WHY)
    number = factories.RoundFactory(tournament=tied).number
    a = tied.seats.filter(round__number=number, entry__code=winners[0]).get()
    for pairing in tied.rounds.get(number=number).matches.all():
        won = Slip("played", 2, 0)
        if pairing.pk == a.match_id and a.side == "b":
            won = Slip("played", 0, 2)
        record_result(tied, number, pairing.table, won)
    complete_round(tied, number)
    assert len({row.values[0] for row in ranking(tied) if row.entry in winners}) == 2
    assert (
        "It no longer decides anything" in client.get(f"/t/{tied.slug}/desk/standings/ties/").content.decode()
    )
    assert WHY not in client.get(f"/t/{tied.slug}/standings/").content.decode()


@pytest.mark.parametrize("players", [4, 40])
def test_the_page_of_ties_asks_as_little_for_many_players_as_for_few(
    client, owner, players, django_assert_max_num_queries
):
    client.force_login(owner)
    tournament = factories.TournamentFactory(entries=players, owner=owner)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    complete_round(tournament, 1)
    set_manual_order(tournament, groups(tournament)[0], reason=WHY)
    for page in ("desk/standings/ties/", "desk/standings/"):
        with django_assert_max_num_queries(18):
            client.get(f"/t/{tournament.slug}/{page}")
