from itertools import permutations

import pytest

from pairings.audit.pairing_report import pair_next
from pairings.draft.edits import lock_table, move_match, swap_players
from pairings.draft.page import draft_page
from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from standings.bracket.cut import make_cut, undo_cut
from standings.table.swiss import count_open_rounds
from tests import factories
from tests.pages import page
from tests.pairings.drafting import revision, seated
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Refused, WrongState
from tournament.event.read import load_event_values
from tournament.services.entries import add_entries, change_entry
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db

PLAN = "1-20, Feature 1: 91, Feature 2: 92"


def repeats(before, after):
    return sum(len(before.get(table, set()) & players) for table, players in after.items())


def next_tables(tournament, **settings):
    """{table: players} of the next round, as it would be paired under these settings."""
    event = count_open_rounds(load_event_values(tournament)).replace(**settings)
    paired = pair_next(event)
    return {table: set(pair) for table, pair in zip(paired.tables, paired.pairing.pairs, strict=True)}


def test_no_one_sits_at_the_same_table_twice_in_a_row_unless_it_cannot_be_helped():
    spread = ordered = 0
    for results in (1, 2, 3):
        tournament = factories.TournamentFactory(entries=12, rounds=1, results=results)
        before, after, by_order = (
            seated(tournament, 1),
            next_tables(tournament),
            next_tables(tournament, vary_tables=False),
        )
        ways = [dict(zip(after, way, strict=True)) for way in permutations(after.values())]
        assert sorted(after) == list(by_order) == [1, 2, 3, 4, 5, 6]
        assert repeats(before, after) == min(repeats(before, way) for way in ways)
        spread, ordered = spread + repeats(before, after), ordered + repeats(before, by_order)
    assert spread < ordered


def test_the_command_prints_the_tables_that_the_desk_uses():
    tournament = factories.TournamentFactory(entries=12, rounds=2, table_plan="A 1-3, Feature 1")
    change_entry(tournament, "P0004", fixed_table=2)
    printed = next_tables(tournament)
    draft_next_round(tournament)
    assert printed == seated(tournament, 3)
    assert 9001 not in printed and "P0004" in printed[2]


def test_a_match_moved_by_hand_stays_when_the_round_is_paired_again_and_is_said(client):
    tournament = factories.TournamentFactory(entries=8, rounds=1, table_plan=PLAN)
    client.force_login(tournament.owner)
    draft_next_round(tournament)
    at = seated(tournament, 2)
    assert sorted(at) == [1, 2, 3, 4]  # no one is sent to the feature tables
    player = min(at[3])
    draft = f"/t/{tournament.slug}/desk/rounds/2/draft/"
    form = page(client, draft).form("Move the match")
    for table, status in (("the moon", 422), ("0", 422), ("feature  1", 303)):
        answer = client.post(form.action, {**form.fields, "player": player, "table": table})
        assert answer.status_code == status
    assert answer["Location"].endswith("#table-91")
    assert seated(tournament, 2)[91] == at[3] and 3 not in seated(tournament, 2)
    assert integrity.check(tournament) == []
    lock_table(tournament, 2, player, seen=revision(tournament, 2))  # so that the two surely meet again
    for _ in range(2):
        draft_next_round(tournament, again=2)
        assert seated(tournament, 2)[91] == at[3]
    publish_round(tournament, 2)
    proof = page(client, f"/t/{tournament.slug}/rounds/2/proof/")
    (moved,) = (said for said in proof.all("li") if said.startswith("Set by hand: "))
    assert moved.endswith(" moved from table 3 to table Feature 1.")
    assert all(f"Player {code[-2:]}" in moved for code in at[3])
    assert "edited by hand after pairing" not in proof


def test_a_match_moved_by_hand_keeps_its_table_without_a_lock_and_changes_with_the_one_there():
    tournament = factories.TournamentFactory(entries=8, rounds=1, table_plan=PLAN)
    draft_next_round(tournament)
    at = seated(tournament, 2)
    move_match(tournament, 2, min(at[3]), 1, seen=revision(tournament, 2))
    assert seated(tournament, 2) == {**at, 1: at[3], 3: at[1]}
    with pytest.raises(WrongState, match="is at table 1 already"):
        move_match(tournament, 2, min(at[3]), 1, seen=revision(tournament, 2))
    undo_last(tournament)
    assert seated(tournament, 2) == at
    assert integrity.check(tournament) == []
    tournament = factories.TournamentFactory(entries=2, table_plan=PLAN)
    draft_next_round(tournament)
    move_match(tournament, 1, "P0001", 92, seen=revision(tournament, 1))
    draft_next_round(tournament, again=1)
    assert list(seated(tournament, 1)) == [92]


def test_who_has_no_opponent_or_no_table_in_the_plan_is_said():
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    draft_next_round(tournament)
    with pytest.raises(Refused, match="has no opponent and needs no table"):
        move_match(tournament, 2, min(seated(tournament, 2)[None]), 9, seen=revision(tournament, 2))
    tournament = factories.TournamentFactory(entries=8, table_plan="A 1-3")
    draft_next_round(tournament)
    texts = [check.text for check in draft_page(tournament, 1, revision(tournament, 1)).checks]
    assert "More matches than tables in the plan. Numbered on: table 4." in texts


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


def test_a_fixed_table_is_kept_in_the_bracket_also_for_a_later_match():
    tournament = factories.TournamentFactory(entries=4, rounds=2)
    for code, table in (("P0001", 1), ("P0002", 30)):
        change_entry(tournament, code, fixed_table=table)
    make_cut(tournament, 4)
    at = {code: table_of(tournament, code) for code in ("P0001", "P0002", "P0003", "P0004")}
    together = at["P0001"] == at["P0002"]
    assert set(at.values()) == ({1, 2} if together else {1, 30})
    assert at["P0001"] == 1 and (together or at["P0002"] == 30)
    tournament = factories.TournamentFactory(entries=4, rounds=2)
    make_cut(tournament, 4)
    at = {code: table_of(tournament, code) for code in ("P0001", "P0002", "P0003", "P0004")}
    undo_cut(tournament)
    change_entry(tournament, next(code for code in at if at[code] == 2), fixed_table=1)
    make_cut(tournament, 4)
    assert {code: table_of(tournament, code) for code in at} == {code: 3 - at[code] for code in at}
