import re

import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from pairings.engine.compare import Change
from pairings.words.certificate import costs_and_savings, criterion_words
from tests.factories import RoundFactory, TournamentFactory, correct, enter_results
from tests.pages import page
from tests.pairings.drafting import at_table, draft_address, drafting, edit
from tests.tournament.views.desk import running, signed_in
from tournament.event.pairing_record import CriterionLine
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import change_entry, prohibit_pair
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
CHANGED = "changed since these pairings were made. Pair again."


def draft_page(client, tournament, number=2):
    return page(client, draft_address(tournament, number=number))


def sentence(shown):
    return shown.all("#certificate p")[0]


def checks(shown):
    return " ".join(shown.all("[aria-labelledby=before] li"))


def clubs(client, *clubs):
    """The draft of round 1 where club mates are to be kept apart: the players' clubs."""
    apart = {"pairing": {"labels_apart_until_round": 3}}
    tournament = signed_in(client, entries=len(clubs), overrides=apart)
    for number, club in enumerate(clubs, start=1):
        change_entry(tournament, f"P{number:04d}", labels=[f"club: {club}"])
    draft_next_round(tournament)
    return tournament


def test_the_certificate_is_one_sentence_with_the_numbers_behind_it(client):
    tournament = drafting(client, 9)
    shown = draft_page(client, tournament)
    assert sentence(shown).startswith("No rematches; ") and sentence(shown).endswith("proven optimal.")
    record, (details,) = tournament.rounds.get(number=2).pairing, shown.all("details:has(code)")
    for part in (record["engine"], record["digest"], "attempt 1", "sum of squared score differences"):
        assert part in details


def test_points_and_costs_are_real_ones_where_a_draw_is_half_a_point(client):
    tournament = signed_in(client, entries=6, rounds=2, ruleset="twixt", results=2, drafted=True)
    record, shown = tournament.rounds.get(number=3).pairing, draft_page(client, tournament, 3)
    (line,) = (line for line in record["certificate"] if line["criterion"] == "score_difference")
    assert record["unit"] == 2 and line["value"] == 2
    assert any(row.startswith("sum of squared score differences 0.5 ") for row in shown.all("details tr"))
    assert "2 pair-downs (" in sentence(shown) and ".5 vs. " in sentence(shown)


def test_club_mates_who_meet_stand_in_the_sentence_and_on_the_list_and_no_others(client):
    shown = draft_page(client, clubs(client, *["Nord"] * 5, "Süd"), 1)
    assert "2 pairs sharing a label; proven optimal." in sentence(shown)
    assert "2 pairs share a label: tables " in checks(shown)
    tournament = clubs(client, "Nord", "Nord", "Süd", "Süd")
    assert not re.search(r"\d pairs? (share|shares|sharing) a label", draft_page(client, tournament, 1).words)
    one, other = at_table(tournament, 1, 1)[0], at_table(tournament, 2, 1)
    mate = next(entry for entry in other if entry.labels != one.labels)
    edit(client, tournament, "swap/", 1, a=one.code, b=mate.code)
    edited = sentence(draft_page(client, tournament, 1))
    assert "2 pairs sharing a label; edited by hand after pairing." in edited


def test_the_list_says_what_changed_since_the_draft_was_paired(client):
    tournament = drafting(client)
    assert CHANGED not in draft_page(client, tournament)
    prohibit_pair(tournament, "P0001", "P0002")
    assert f"The do-not-pair list {CHANGED}" in checks(draft_page(client, tournament))
    correct(tournament, 1, 1)
    assert f"Players, results or the do-not-pair list {CHANGED}" in checks(draft_page(client, tournament))
    prohibit_pair(tournament, "P0001", "P0002", lift=True)
    assert f"Players or results {CHANGED}" in checks(draft_page(client, tournament))


@pytest.mark.parametrize("what", ["swap/", "lock/"])
def test_an_undone_correction_asks_for_nothing_also_where_the_draft_was_edited(client, what):
    tournament = drafting(client)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    fields = {"a": one.code, "b": other.code} if what == "swap/" else {"player": one.code}
    edit(client, tournament, what, **fields)
    correct(tournament, 1, 1)
    assert CHANGED in draft_page(client, tournament)
    tournament.refresh_from_db()
    undo_action(tournament, tournament.revision)
    shown = draft_page(client, tournament)
    assert CHANGED not in shown and "minutes ago" not in shown


def test_a_late_edit_of_the_round_before_and_who_left_stand_on_the_list(client):
    tournament = running(client)
    enter_results(tournament, 1)
    record_result(tournament, 1, 2, Slip("played", 0, 2))
    draft_next_round(tournament)
    late = checks(draft_page(client, tournament))
    assert "Table 2, round 1:" in late and "0 minutes ago" in late and "(was 2–0)" in late
    tournament.refresh_from_db()
    undo_action(tournament, tournament.revision - 1)
    assert "minutes ago" not in draft_page(client, tournament)
    tournament = running(client)
    enter_results(tournament, 1)
    for entry in at_table(tournament, 1, 1):  # a has won
        drop_entry(tournament, entry.code)
    draft_next_round(tournament)
    gone = checks(draft_page(client, tournament))
    assert (
        "1 win, 0 losses. Sure?" in gone and "0 wins, 1 loss." in gone and "0 wins, 1 loss. Sure?" not in gone
    )


def test_a_house_opponent_is_no_bye_and_no_pair_across_scores(client):
    tournament = signed_in(client, entries=5, ruleset="twixt", rounds_planned=5)
    add_house_opponent(tournament, "Jorge")
    house = tournament.entries.get(house=True).code
    for _round in (1, 2, 3):
        enter_results(tournament, RoundFactory(tournament=tournament, house=house).number)
    forced = 0
    for number in (4, 5):
        draft_next_round(tournament, house=house)
        shown = draft_page(client, tournament, number)
        lines = tournament.rounds.get(number=number).pairing["certificate"]
        above = any(line["value"] for line in lines if line["criterion"] == "bye_group")
        assert " bye" not in sentence(shown)
        assert ("The house opponent plays someone above" in checks(shown)) == above
        assert ("the house opponent plays someone above the lowest score group" in sentence(shown)) == above
        (row,) = (row for row in shown.soup.select("table.draft tbody tr") if "Jorge" in row.get_text())
        points = max(cell.get_text(strip=True) for cell in row.select("td b, td .soft"))
        assert f"{points} vs. 0" not in sentence(shown)
        forced += above
        publish_round(tournament, number)
        enter_results(tournament, number)
    assert forced, "the leader meets the house opponent once"


def test_a_swap_says_who_would_move_first_where_that_counts(client):
    tournament = drafting(client, ruleset="twixt")
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    first = tournament.rounds.get(number=2).matches.get(table=1).first
    shown = page(client, draft_address(tournament, "swap/"), a=one.code, b=other.code)
    after = shown.all(".plain li:has(s) b")[0]
    assert "(moves first)" in after.split(" – ")["ab".index(first)] and after.count("(moves first)") == 1
    assert "moves first" in draft_page(client, tournament)


def test_a_first_move_by_hand_that_passes_a_limit_is_on_the_list_and_no_longer_denied(client):
    strict = {"pairing": {"max_same_colour_row": 1, "max_colour_difference": None}}
    tournament = drafting(client, ruleset="fide", overrides=strict)

    def moved_first(player):
        seat = player.seats.get(round__number=1)
        return seat.match.first == seat.side

    tables = [at_table(tournament, table) for table in range(1, 5)]
    one, other = next(both for both in tables if moved_first(both[0]) != moved_first(both[1]))
    assert "No one is on one side too often." in draft_page(client, tournament)
    again = one if moved_first(one) else other
    shown = edit(client, tournament, "first/", player=again.code, reason="asked for")
    assert "No one is on one side too often." not in shown
    assert "2 players on one side too often" in sentence(shown)
    names = ", ".join(sorted((one.name, other.name)))
    assert f"2 players are on one side too often: {names}." in checks(shown)


def test_what_gets_worse_and_what_gets_better_stand_apart_in_numbers_as_the_points():
    changes = (
        Change("score_difference", 2, 17),
        Change("bye_group", 3, 0),
        Change("repeats", 1, 0),
        Change("pair_downs", (0, 2), (0, 1)),
    )
    assert costs_and_savings(changes, 2) == (
        "3.75 points of squared score difference",
        "1.5 points above the lowest score group for the bye, 1 rematch, 1 repeat pair-down or pair-up",
    )
    assert costs_and_savings(changes[1:], 1)[0] == ""


@pytest.mark.parametrize(
    ("criterion", "one", "several"),
    [
        ("side_limits", "1 player on one side too often.", "2 players on one side too often."),
        ("repeats", "1 rematch; no pairing has fewer.", "2 rematches; no pairing has fewer."),
    ],
)
def test_one_is_counted_as_one(criterion, one, several):
    for value, words in ((1, one), (2, several)):
        line = CriterionLine(criterion, value, value, True, "bound")
        assert criterion_words(line, (), alone=False) == words


def test_too_many_rounds_are_said_where_they_are_set_up(client):
    tournament = signed_in(client, entries=6, rounds_planned=6)
    warning = "6 players cannot play 6 rounds without rematches. The most is 5."
    assert warning in page(client, f"/t/{tournament.slug}/desk/")
    assert warning in page(client, f"/t/{tournament.slug}/desk/settings/rounds/")
    fine = TournamentFactory(entries=7, owner=tournament.owner, rounds_planned=7)
    assert "without rematches" not in page(client, f"/t/{fine.slug}/desk/")
