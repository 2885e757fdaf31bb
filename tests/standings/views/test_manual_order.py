import pytest

from standings.event.bracket import qualifiers_of
from standings.event.swiss import standings_of, tied_groups
from standings.table.manual_order import set_manual_order
from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page, press
from tests.standings.engine.builders import event as made_event
from tests.standings.engine.builders import match
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.errors import Refused, WrongState
from tournament.event import read
from tournament.event.types import Stage
from tournament.results.slip import Slip
from tournament.services.manual_order import clear_manual_order
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
WHY = "playoff game"
CHAIN = {"tiebreaks": [{"metric": "match_points"}, {"metric": "manual"}]}


def played(players=4, **fields):
    """Round 1, won 2-0 at every table: all winners and all losers are equal in everything."""
    tournament = TournamentFactory(entries=players, **fields)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    return tournament


@pytest.fixture
def tied():
    return played()


def ranking(tournament):
    return standings_of(read.event_of(tournament))


def groups(tournament):
    return tied_groups(read.event_of(tournament))


def ties(tournament) -> str:
    return f"/t/{tournament.slug}/desk/standings/ties/"


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


def test_it_needs_a_reason_every_result_and_everybody_who_is_tied(tied):
    tournament = played(8)
    with pytest.raises(Refused, match="is tied with them too"):
        set_manual_order(tournament, groups(tournament)[0][:2], reason=WHY)
    winners, _losers = groups(tied)
    for reason in ("", "   ", "x" * 501):
        with pytest.raises(Refused, match="reason"):
            set_manual_order(tied, winners, reason=reason)
    RoundFactory(tournament=tied)
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


def test_standings_of_earlier_rounds_do_not_have_it(client):
    tournament = TournamentFactory(entries=4)
    for number in (1, 2):
        RoundFactory(tournament=tournament)
        for table in (1, 2):
            record_result(tournament, number, table, Slip("played", 1, 1, 1))
        complete_round(tournament, number)
    drawn = ranking(tournament).order
    earlier = f"/t/{tournament.slug}/standings.json?after=1"
    before = client.get(earlier).json()["rows"]
    set_manual_order(tournament, drawn[::-1], reason=WHY)
    assert ranking(tournament).order == drawn[::-1]
    assert client.get(earlier).json()["rows"] == before
    assert WHY not in page(client, f"/t/{tournament.slug}/standings/?after=1")
    assert '"manual":4,"manual_after":2' in dump_event(tournament)


def test_a_chain_that_ends_by_hand_shares_ranks_until_somebody_decides_in_every_session():
    tournament = played(overrides=CHAIN)
    assert [row.rank for row in ranking(tournament)] == [1, 1, 3, 3]
    winners = groups(tournament)[0]
    set_manual_order(tournament, winners[::-1], reason=WHY)
    after = [(row.rank, row.entry) for row in ranking(tournament)]
    assert after[:2] == [(1, winners[1]), (2, winners[0])] and [rank for rank, _ in after[2:]] == [3, 3]
    stages = [Stage(1, entries=("A", "B", "C", "D")), Stage(2, entries=("E", "F"))]
    example = made_event(
        (1, [match("A", "B", games="W"), match("C", "D", games="W")]),
        (2, [match("E", "F", games="W")]),
        stages=stages,
        overrides=CHAIN,
    )
    example.entries["C"].manual, example.entries["A"].manual = 1, 2
    assert [(row.rank, row.entry) for row in standings_of(example)][:3] == [(1, "C"), (2, "A"), (3, "E")]


def test_the_owner_orders_on_the_page_and_everybody_reads_why(client, tied):
    client.force_login(tied.owner)
    live, public = f"/t/{tied.slug}/desk/standings/", f"/t/{tied.slug}/standings/"
    shown = page(client, page(client, live).link("Unbroken ties"))
    assert shown.all("section h2") == ["2 players tied at rank 1", "2 players tied at rank 3"]
    first, second = ranking(tied).order[:2]
    shown = press(client, shown, "Save order", **{f"place-{first}": 2, f"place-{second}": 1, "reason": WHY})
    assert ranking(tied).order[:2] == [second, first]
    names = ", ".join(tied.entries.get(code=code).name for code in (second, first))
    for address in (public, live):
        told = page(client, address)
        assert f"The order of {names} was decided by the organizer: {WHY}" in told and "Manual order" in told
    log = page(client, f"/t/{tied.slug}/desk/log/")
    assert f"Manual order: {names}" in log and WHY in log
    removal = shown.form("Remove this order")
    assert client.post(ties(tied), removal.fields).status_code == 303
    assert "was decided by the organizer" not in page(client, public)
    assert client.post(ties(tied), {**removal.fields, "key": key()}).status_code == 409


def test_wrong_places_come_back_with_what_was_typed(client, tied):
    client.force_login(tied.owner)
    first, second = ranking(tied).order[:2]
    fine = {"code": [first, second], f"place-{first}": 1, f"place-{second}": 2, "reason": WHY}
    for wrong in ({f"place-{second}": 1}, {f"place-{second}": ""}, {f"place-{second}": "x"}, {"reason": ""}):
        refused = Page(client.post(ties(tied), {**fine, **wrong, "key": key()}))
        assert refused.status == 422 and refused.all('p[role="alert"]'), wrong
        assert [
            tag["value"] for tag in refused.soup.select(f'[name="reason"][value="{WHY}"]')
        ] or "reason" in wrong
    for wrong in ({"code": []}, {"code": [first]}, {"code": [first, "P9999"]}):
        assert client.post(ties(tied), {**fine, **wrong, "key": key()}).status_code in (400, 422), wrong
    assert not tied.entries.exclude(manual=None).exists()


def test_an_order_that_decides_nothing_any_more_says_so_and_is_not_shown_to_others(client, tied):
    client.force_login(tied.owner)
    winners, _losers = groups(tied)
    set_manual_order(tied, winners, reason=WHY)
    number = RoundFactory(tournament=tied).number
    for pairing in tied.rounds.get(number=number).matches.all():
        loses = pairing.seats.filter(side="b", entry__code=winners[0]).exists()
        record_result(tied, number, pairing.table, Slip("played", 0, 2) if loses else Slip("played", 2, 0))
    complete_round(tied, number)
    assert len({row.values[0] for row in ranking(tied) if row.entry in winners}) == 2
    assert "It no longer decides anything" in page(client, ties(tied))
    assert WHY not in page(client, f"/t/{tied.slug}/standings/")
