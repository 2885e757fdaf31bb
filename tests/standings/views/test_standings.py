import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from standings.table.manual_order import set_manual_order
from standings.table.places import find_qualifiers
from standings.table.sheet import RankedEvent
from standings.table.swiss import compute_standings, tied_groups
from tests.conftest import empty
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page, press
from tests.standings.engine.builders import event as made_event
from tests.standings.engine.builders import match
from tests.steps import complete_round
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.errors import Refused, WrongState
from tournament.event import read
from tournament.event.read import load_event_values
from tournament.event.types import Stage
from tournament.results.slip import Slip
from tournament.services.clock import add_minutes, pause_clock, start_clock
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries, clear_manual_order, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.results import clear_result, extend_table, record_result
from tournament.services.undo import undo_action


def club(players=9, rounds=3, **fields):
    tournament = TournamentFactory(entries=players, rounds=rounds, **fields)
    complete_round(tournament, rounds)
    return tournament


def shown(client, tournament, path="standings/", **query) -> Page:
    return page(client, f"/t/{tournament.slug}/{path}", **query)


def codes_in(table: Page) -> list[str]:
    return [str(link["href"]).split("/")[2] for link in table.soup.select("tbody th a")]


# --- standings -------------------------------------------------------------------------------------------


def test_standings_are_as_of_the_last_complete_round(client):
    tournament = TournamentFactory(entries=8)
    table = f"/t/{tournament.slug}/standings/table/"
    assert "No round is complete yet" in shown(client, tournament)
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    assert "No round is complete yet" in shown(client, tournament)
    complete_round(tournament, 1)
    after = shown(client, tournament)
    assert "Standings after round 1" in after
    RoundFactory(tournament=tournament)
    record_result(tournament, 2, 1, TWO_NIL)
    assert client.get(table).content in after.answer.content


def test_every_row_stands_where_the_ranking_says_and_the_lot_where_it_decided(client):
    tournament = club(9, 3)
    drop_entry(tournament, "P0003")
    table = shown(client, tournament)
    ranking = compute_standings(load_event_values(tournament))
    assert codes_in(table) == ranking.order
    assert table.all("tbody .lead") == [str(row.rank) for row in ranking]
    (gone,) = table.all("tr.gone")
    assert "Player 03 dropped" in gone
    facts = load_event_values(club(8, 1))
    ranked = RankedEvent(facts, compute_standings(facts), {code: code for code in facts.entries})
    titles = [column.title for column in ranked.build_sheet().columns]
    decided = {row.decided_by for row in compute_standings(facts)}
    assert ("Random tiebreaker" in titles) == ("random" in decided)


def test_what_comes_later_changes_no_standings_of_an_earlier_round(client):
    """P0001 drops and is disqualified two rounds later, P0002 drops in a round that is being played."""
    tournament = club(10, 2)
    drop_entry(tournament, "P0001")

    def rows(after: int) -> list[str]:
        table = shown(client, tournament, after=after)
        return [str(row).replace(f"?after={after}", "") for row in table.soup.select("tr")]

    before = {after: rows(after) for after in (1, 2)}
    RoundFactory(tournament=tournament, results=True)
    drop_entry(tournament, "P0002")
    disqualify_entry(tournament, "P0001", "bribery")
    assert rows(2) == before[2]
    assert sum('class="gone"' in row for row in before[2]) == 1
    add_entries(tournament, ["Late one"], reason="the train was late")
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 4)
    assert {after: rows(after) for after in before} == before
    after_three, now = "".join(rows(3)), "".join(rows(4))
    assert "P0001" not in after_three and 'class="gone"' in after_three
    assert "Late one" in now and "Late one" not in after_three


def test_held_standings_show_nothing_anywhere(client):
    tournament = club(8, 2)
    shown(client, tournament)
    change_settings(tournament, hold_standings=True)
    held = shown(client, tournament)
    assert "is hiding the standings" in held and "Player 01" not in held
    assert "Player 01" not in shown(client, tournament, by="name")
    for path in (
        "standings.csv", "standings.json", "standings/P0001/", "standings/P0001/match_points/",
        "standings/P0001/match_points/row/", "standings/P0001/match_points.json", "standings/?label=x",
        "standings/P0001/opp_match_win_pct/match_win_pct/P0002/",
    ):  # fmt: skip
        assert client.get(f"/t/{tournament.slug}/{path}").status_code == 404, path
    assert "rank" not in shown(client, tournament, "players/P0001/")
    change_settings(tournament, hold_standings=False)
    assert "Player 01" in shown(client, tournament)


# --- the player's own page -------------------------------------------------------------------------------


def test_the_phone_says_where_against_whom_until_when(client):
    tournament = TournamentFactory(entries=4, round_minutes=50, published=True)
    seat = tournament.seats.get(entry__code="P0001", round__number=1)
    start_clock(tournament, 1)
    extend_table(tournament, 1, seat.match.table, 5, "deck check")
    phone = shown(client, tournament, "players/P0001/")
    assert phone.all(".seat b") == [str(seat.match.table)] and f"against {seat.opponent.name}" in phone
    assert phone.one(".seat [data-ends]") and "with your 5-minute extension" in phone
    assert phone.all("title")[0].startswith(f"Table {seat.match.table}, against {seat.opponent.name}")
    rename_entry(tournament, seat.opponent.code, "Ada Ruiz")
    assert "against Ada Ruiz" in shown(client, tournament, "players/P0001/")


def test_an_extension_outlives_a_result_that_is_cleared(client):
    tournament = TournamentFactory(entries=4, round_minutes=50, published=True)
    table = tournament.seats.get(entry__code="P0001").match.table
    start_clock(tournament, 1)
    extend_table(tournament, 1, table, 5)
    record_result(tournament, 1, table, TWO_NIL)
    rename_entry(tournament, "P0002", "Ada Ruiz")  # all phones read the event again
    assert "5-minute" not in shown(client, tournament, "players/P0001/")
    clear_result(tournament, 1, table)
    assert "with your 5-minute extension" in shown(client, tournament, "players/P0001/")


def test_the_phone_says_points_rank_and_past_matches_and_the_opponents_record(client):
    tournament = TournamentFactory(entries=4, published=True)
    assert "0 losses" not in shown(client, tournament, "players/P0001/").all(".seat")[0]
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    ranking = compute_standings(load_event_values(tournament))
    won = {seat.entry.code: seat.side == "a" for seat in tournament.seats.filter(round__number=1)}
    for seat in tournament.seats.filter(round__number=2).select_related("entry", "opponent"):
        code, other = seat.entry.code, seat.opponent.code
        phone = shown(client, tournament, f"players/{code}/")
        record = "1 win, 0 losses" if won[other] else "0 wins, 1 loss"
        assert record in phone.all(".seat")[0]
        assert phone.link(seat.opponent.name) == f"/t/{tournament.slug}/players/{other}/"
        record = ["3", "1–0–0"] if won[code] else ["0", "0–1–0"]
        assert phone.all(".stats dd") == [str(ranking.row(code).rank), *record] and "After round 1" in phone
        earlier = tournament.seats.get(round__number=1, entry=seat.entry).opponent.name
        assert (f"R1 won {earlier} 2–0" if won[code] else f"R1 lost {earlier} 0–2") in phone


def test_a_bye_a_drop_and_the_final_place_are_said_plainly(client):
    tournament = TournamentFactory(entries=3, published=True)
    alone = tournament.seats.get(opponent=None).entry.code
    assert "Round 1: bye" in shown(client, tournament, f"players/{alone}/")
    enter_results(tournament, 1)
    drop_entry(tournament, "P0001")
    complete_round(tournament, 1)
    assert "No longer playing" in shown(client, tournament, "players/P0001/")
    tournament = TournamentFactory(entries=4, rounds=2, finished=True)
    first = compute_standings(load_event_values(tournament)).order[0]
    assert "Final place 1 " in shown(client, tournament, f"players/{first}/").words


def test_the_phone_is_told_204_until_something_of_its_own_changes(client, monkeypatch):
    now = timezone.now().replace(microsecond=0)
    monkeypatch.setattr(timezone, "now", lambda: now)  # no second passes between start and pause
    tournament = TournamentFactory(entries=8, round_minutes=50)
    RoundFactory(tournament=tournament)
    tables = dict(tournament.seats.values_list("entry__code", "match__table"))
    url = f"/t/{tournament.slug}/players/P0001/now/"

    def changed(mark: str) -> Page:
        answer = client.get(url, {"v": mark})
        assert answer.status_code == 200
        return Page(answer)

    mark = page(client, url).one("#seat")["data-v"]
    other = next(table for table in tables.values() if table != tables["P0001"])
    record_result(tournament, 1, other, TWO_NIL)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url, {"v": mark}).status_code == 204
    assert len(queries) == 1
    empty()  # and in a new process
    assert client.get(url, {"v": mark}).status_code == 204
    mine = tables["P0001"]
    for change in ((extend_table, 1, mine, 5), (start_clock, 1), (add_minutes, 1, 2), (pause_clock, 1)):
        change[0](tournament, *change[1:])
        part = changed(mark)
        mark = part.one("#seat")["data-v"]
    assert "paused with 57:00 left" in part  # 50 + 2, and 5 of the table's own
    record_result(tournament, 1, mine, TWO_NIL)
    assert "is in" in changed(mark)


# --- staff -----------------------------------------------------------------------------------------------


def test_staff_see_the_open_round_counted(client):
    tournament = TournamentFactory(entries=8, rounds=1, vary_tables=False, published=True)
    record_result(tournament, 2, 1, TWO_NIL)
    live = f"/t/{tournament.slug}/desk/standings/"
    client.force_login(tournament.owner)
    table = page(client, live)
    assert "3 tables outstanding" in table and "2–0–0" in table.all(".record")
    assert "2–0–0" not in shown(client, tournament).all(".record")


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
    return compute_standings(read.load_event_values(tournament))


def groups(tournament):
    return tied_groups(read.load_event_values(tournament))


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
    assert find_qualifiers(read.load_event_values(tied), 1).qualifiers == last_first[:1]
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
    assert [(row.rank, row.entry) for row in compute_standings(example)][:3] == [(1, "C"), (2, "A"), (3, "E")]


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
        assert refused.soup.select(f'[name="reason"][value="{WHY}"]') or "reason" in wrong
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
