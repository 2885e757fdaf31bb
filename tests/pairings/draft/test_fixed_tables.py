import pytest

from pairings.draft.edits import lock_table, swap_players
from pairings.draft.page import draft_page
from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from standings.bracket.cut import make_cut, undo_cut
from tests import factories
from tournament.services.entries import add_entries, change_entry

pytestmark = pytest.mark.django_db


def drafted(players=8, fixed=None, **hall):
    tournament = factories.TournamentFactory(entries=players)
    for name, value in hall.items():
        setattr(tournament, name, value)
    tournament.save(update_fields=list(hall))
    for code, table in (fixed or {}).items():
        change_entry(tournament, code, fixed_table=table)
    draft_next_round(tournament)
    return tournament


def table_of(tournament, code):
    return tournament.rounds.last().seats.get(entry__code=code).match.table


def tables(tournament):
    return sorted(match.table for match in tournament.rounds.last().matches.all())


def checks(tournament):
    round_ = tournament.rounds.last()
    return [check.text for check in draft_page(tournament, round_.number, round_.revision).checks]


def test_who_has_a_fixed_table_sits_there_also_when_two_are_swapped():
    tournament = drafted(fixed={"P0003": 30}, table_plan="21, 23-40")
    assert table_of(tournament, "P0003") == 30
    assert len(set(tables(tournament)) & {21, 23, 24, 25}) == 3  # the one that pair would have had is empty
    assert "1 fixed table is kept." in checks(tournament)
    other = next(c for c in ("P0001", "P0002", "P0004") if table_of(tournament, c) != 30)
    seen = tournament.rounds.last().revision
    swap_players(tournament, 1, "P0003", other, seen=seen, reason="brothers")
    assert table_of(tournament, "P0003") == 30 != table_of(tournament, other)


def test_a_table_locked_elsewhere_is_said_before_publishing():
    tournament = drafted()
    lock_table(tournament, 1, "P0003", seen=tournament.rounds.last().revision)
    before = table_of(tournament, "P0003")
    change_entry(tournament, "P0003", fixed_table=40)
    draft_next_round(tournament, again=1)
    assert table_of(tournament, "P0003") == before
    assert f"Player 03 has fixed table 40 but is seated at table {before}." in checks(tournament)


def test_a_repair_seats_a_late_player_at_the_fixed_table():
    tournament = factories.TournamentFactory(entries=7)
    factories.RoundFactory(tournament=tournament)
    add_entries(tournament, ["Late Lou"])
    change_entry(tournament, "P0008", fixed_table=12)
    options = {option.name: option for option in repair_page(tournament, 1).options}
    assert [change.table for change in options["keep"].table_changes if change.table] == [12]


def test_a_fixed_table_is_kept_in_the_bracket_and_nobody_else_is_sent_there():
    tournament = factories.TournamentFactory(entries=4, rounds=2)
    for code, table in (("P0001", 1), ("P0002", 30)):
        change_entry(tournament, code, fixed_table=table)
    make_cut(tournament, 4)
    at = {code: table_of(tournament, code) for code in ("P0001", "P0002", "P0003", "P0004")}
    together = at["P0001"] == at["P0002"]
    assert set(at.values()) == ({1, 2} if together else {1, 30})
    assert at["P0001"] == 1 and (together or at["P0002"] == 30)


def test_in_the_bracket_no_one_is_sent_to_the_fixed_table_of_a_later_match():
    tournament = factories.TournamentFactory(entries=4, rounds=2)
    make_cut(tournament, 4)
    at = {code: table_of(tournament, code) for code in ("P0001", "P0002", "P0003", "P0004")}
    undo_cut(tournament)
    change_entry(tournament, next(code for code in at if at[code] == 2), fixed_table=1)
    make_cut(tournament, 4)
    assert {code: table_of(tournament, code) for code in at} == {code: 3 - at[code] for code in at}
