"""Feature matches by hand, from the top and rotated; no one twice in a row at a table."""

import html
import re
from itertools import permutations

import pytest

from pairings.audit.pairing_report import numbered_tables, pair_next
from pairings.draft.edits import lock_table, move_match
from pairings.draft.page import draft_page
from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.event.rounds import count_open_rounds
from tests import factories
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Refused, WrongState
from tournament.event.read import event_of
from tournament.services.entries import change_entry
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db

PLAN = "1-20, Feature 1: 91, Feature 2: 92"


def seats(tournament, number):
    """{table: {players}} of a round; who has no opponent stands under None."""
    found: dict = {}
    for seat in tournament.rounds.get(number=number).seats.select_related("match", "entry"):
        found.setdefault(seat.match.table, set()).add(seat.entry.code)
    return found


def revision(tournament, number):
    return tournament.rounds.get(number=number).revision


def play_on(tournament):
    """Publish the draft, enter its results and draft the next round."""
    number = tournament.rounds.last().number
    publish_round(tournament, number)
    factories.enter_results(tournament, number)
    draft_next_round(tournament)


def repeats(before, after):
    return sum(len(before.get(table, set()) & players) for table, players in after.items())


def next_tables(tournament, **settings):
    """{table: players} of the next round, as it would be paired under these settings."""
    event = count_open_rounds(event_of(tournament)).replace(**settings)
    return {table: set(pair) for table, pair in numbered_tables(pair_next(event))}


def test_no_one_sits_at_the_same_table_twice_in_a_row_unless_it_cannot_be_helped():
    spread = ordered = 0
    for results in (1, 2, 3):
        tournament = factories.TournamentFactory(entries=12, rounds=1, results=results)
        before, after, by_order = (
            seats(tournament, 1),
            next_tables(tournament),
            next_tables(tournament, vary_tables=False),
        )
        ways = [dict(zip(after, way, strict=True)) for way in permutations(after.values())]
        assert sorted(after) == list(by_order) == [1, 2, 3, 4, 5, 6]
        assert repeats(before, after) == min(repeats(before, way) for way in ways)
        spread, ordered = spread + repeats(before, after), ordered + repeats(before, by_order)
    assert spread < ordered


def test_the_command_prints_the_tables_that_the_desk_uses():
    tournament = factories.TournamentFactory(
        entries=12, rounds=2, table_plan="A 1-3, Feature 1", feature_rule="rotate"
    )
    change_entry(tournament, "P0004", fixed_table=2)
    printed = next_tables(tournament)
    draft_next_round(tournament)
    assert printed == seats(tournament, 3)
    assert 9001 in printed and "P0004" in printed[2]


def test_the_top_matches_are_featured_and_the_others_count_from_one():
    tournament = factories.TournamentFactory(entries=10, rounds=1, table_plan=PLAN, feature_rule="top")
    draft_next_round(tournament)
    after = seats(tournament, 2)
    assert sorted(after) == [1, 2, 3, 91, 92]
    points = draft_points(tournament, 2)
    sums = {
        table: sorted((points[code] for code in players), reverse=True) for table, players in after.items()
    }
    assert min(sums[91], sums[92]) >= max(sums[table] for table in (1, 2, 3))
    checks = [check.text for check in draft_page(tournament, 2, revision(tournament, 2)).checks]
    assert any(text.startswith("Feature 1: Player ") for text in checks)


def draft_points(tournament, number):
    page = draft_page(tournament, number, revision(tournament, number))
    return {player.code: int(player.points) for row in page.rows for player in (row.a, row.b) if player}


def test_the_rotation_features_those_who_never_were_before_those_who_were():
    tournament = factories.TournamentFactory(entries=8, rounds=0, table_plan=PLAN, feature_rule="rotate")
    draft_next_round(tournament)
    featured = [seats(tournament, 1)[91] | seats(tournament, 1)[92]]
    play_on(tournament)
    # All four matches of eight players are among the top ones, so the fewest former ones that can be are featured.
    now = seats(tournament, 2)
    fresh = sorted(len(players & featured[0]) for players in now.values())
    assert sorted(len(now[table] & featured[0]) for table in (91, 92)) == fresh[:2]


def test_a_match_moved_by_hand_stays_when_the_round_is_paired_again_and_is_said(client):
    tournament = factories.TournamentFactory(entries=8, rounds=1, table_plan=PLAN)
    client.force_login(tournament.owner)
    draft_next_round(tournament)
    at = seats(tournament, 2)
    assert sorted(at) == [1, 2, 3, 4]  # by hand: no rule fills the feature tables
    player = min(at[3])
    page = f"/t/{tournament.slug}/desk/rounds/2/draft/"
    assert "Move a match to another table" in client.get(page).content.decode()
    form = {"player": player, "table": "feature  1", "seen": revision(tournament, 2)}
    assert client.post(f"{page}table/", {**form, "table": "the moon"}).status_code == 422
    assert client.post(f"{page}table/", {**form, "table": "0"}).status_code == 422
    assert client.post(f"{page}table/", form)["Location"].endswith("#table-91")
    assert seats(tournament, 2)[91] == at[3] and 3 not in seats(tournament, 2)
    assert integrity.check(tournament) == []
    lock_table(tournament, 2, player, seen=revision(tournament, 2))  # so that the two surely meet again
    for _ in range(2):
        draft_next_round(tournament, again=2)
        assert seats(tournament, 2)[91] == at[3]
    publish_round(tournament, 2)
    a, b = sorted(f"Player {code[-2:]}" for code in at[3])
    proof = html.unescape(client.get(f"/t/{tournament.slug}/rounds/2/proof/").content.decode())
    assert re.search(rf"Set by hand: ({a} vs. {b}|{b} vs. {a}) moved from table 3 to table Feature 1", proof)
    assert "edited by hand after pairing" not in proof


def test_a_match_moved_by_hand_keeps_its_table_without_a_lock_where_the_two_meet_again():
    tournament = factories.TournamentFactory(entries=2, table_plan=PLAN)
    draft_next_round(tournament)
    move_match(tournament, 1, "P0001", 92, seen=revision(tournament, 1))
    draft_next_round(tournament, again=1)
    assert list(seats(tournament, 1)) == [92]


def test_a_match_moved_to_a_table_in_use_changes_with_the_one_there_and_is_undone():
    tournament = factories.TournamentFactory(entries=8, rounds=1, table_plan=PLAN)
    draft_next_round(tournament)
    at = seats(tournament, 2)
    move_match(tournament, 2, min(at[3]), 1, seen=revision(tournament, 2))
    assert seats(tournament, 2) == {**at, 1: at[3], 3: at[1]}
    with pytest.raises(WrongState, match="is at table 1 already"):
        move_match(tournament, 2, min(at[3]), 1, seen=revision(tournament, 2))
    undo_last(tournament)
    assert seats(tournament, 2) == at
    assert integrity.check(tournament) == []


def test_who_has_no_opponent_has_no_table_to_move_to():
    tournament = factories.TournamentFactory(entries=7, rounds=1)
    draft_next_round(tournament)
    with pytest.raises(Refused, match="has no opponent and needs no table"):
        move_match(tournament, 2, min(seats(tournament, 2)[None]), 9, seen=revision(tournament, 2))


def test_the_final_is_the_feature_match_where_a_rule_chooses():
    for rule, table in (("top", 91), ("hand", 1)):
        tournament = factories.TournamentFactory(entries=4, rounds=1, table_plan=PLAN, feature_rule=rule)
        make_cut(tournament, 2)
        assert list(seats(tournament, 2)) == [table]


def test_more_matches_than_tables_are_said_before_publishing():
    tournament = factories.TournamentFactory(entries=8, table_plan="A 1-3")
    draft_next_round(tournament)
    texts = [check.text for check in draft_page(tournament, 1, revision(tournament, 1)).checks]
    assert "More matches than tables in the plan. Numbered on: table 4." in texts
