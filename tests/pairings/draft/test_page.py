"""The page of a draft: shared labels, what changed since, house opponents, costs and counts."""

import re

import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from pairings.engine import Change
from pairings.words.certificate import criterion_words
from pairings.words.costs import costs_and_savings
from tests.factories import RoundFactory, TournamentFactory, UserFactory, correct, enter_results
from tests.pairings.views.test_draft_edits import address, at_table, drafting, post, text
from tournament.event.pairing_record import CriterionLine
from tournament.services.entries import change_entry
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def clubs(client, *, of=("Nord", "Nord", "Nord", "Nord", "Nord", "Süd")):
    """The draft of round 1 where club mates are to be kept apart; one club is too large for that."""
    owner = UserFactory()
    client.force_login(owner)
    apart = {"pairing": {"labels_apart_until_round": 3}}
    tournament = TournamentFactory(entries=len(of), owner=owner, overrides=apart)
    for number, club in enumerate(of, start=1):
        change_entry(tournament, f"P{number:04d}", labels=[f"club: {club}"])
    draft_next_round(tournament)
    return tournament


def sentence(html):
    """The certificate in one sentence."""
    return html.split('id="certificate"')[1].split('<p class="mb-1">')[1].split("</p>")[0]


def test_club_mates_who_meet_all_the_same_stand_in_the_sentence_and_on_the_list(client):
    tournament = clubs(client)
    html = text(client.get(address(tournament, number=1)))
    assert "2 pairs sharing a label; proven optimal." in sentence(html)
    checks = html.split('id="before"')[1].split("</ul>")[0]
    assert "2 pairs share a label: tables " in checks


def test_where_all_club_mates_are_apart_labels_are_not_mentioned(client):
    tournament = clubs(client, of=("Nord", "Nord", "Süd", "Süd"))
    html = text(client.get(address(tournament, number=1)))
    assert not re.search(r"\d pairs? (share|shares|sharing) a label", html)
    one, other = at_table(tournament, 1, 1)[0], at_table(tournament, 2, 1)
    mate = next(entry for entry in other if entry.labels != one.labels)
    post(client, tournament, "swap/", 1, a=one.code, b=mate.code, reason="asked for")
    html = text(client.get(address(tournament, number=1)))
    assert "2 pairs sharing a label; edited by hand after pairing." in sentence(html)


def test_the_list_says_what_changed_since_the_draft_was_paired(client):
    tournament = drafting(client, 8)
    prohibit_pair(tournament, "P0001", "P0002")
    html = text(client.get(address(tournament)))
    assert "The do-not-pair list changed since these pairings were made. Pair again." in html
    assert "results changed" not in html
    correct(tournament, 1, 1)
    html = text(client.get(address(tournament)))
    assert (
        "Players, results or the do-not-pair list changed since these pairings were made. Pair again." in html
    )
    prohibit_pair(tournament, "P0001", "P0002", lift=True)
    html = text(client.get(address(tournament)))
    assert "Players or results changed since these pairings were made. Pair again." in html


def test_a_house_opponent_is_no_bye_and_no_pair_across_scores(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=5, owner=owner, ruleset="twixt", rounds_planned=5)
    add_house_opponent(tournament, "Jorge")
    house = tournament.entries.get(house=True).code
    for _round in (1, 2, 3):
        enter_results(tournament, RoundFactory(tournament=tournament, house=house).number)
    forced = 0
    for number in (4, 5):
        draft_next_round(tournament, house=house)
        html = text(client.get(address(tournament, number=number)))
        lines = tournament.rounds.get(number=number).pairing["certificate"]
        above = any(line["value"] for line in lines if line["criterion"] == "bye_group")
        assert " bye" not in sentence(html)
        assert (
            "The house opponent plays someone above" in html.split('id="before"')[1].split("</ul>")[0]
        ) == above
        assert ("the house opponent plays someone above the lowest score group" in sentence(html)) == above
        row = html.split('<table class="rows draft">')[1].split("Jorge")[0].split("<tr")[-1]
        points = max(re.findall(r'class="num">([\d.]+)<', row) or ["0"])
        assert f"{points} vs. 0" not in sentence(html)
        forced += above
        publish_round(tournament, number)
        enter_results(tournament, number)
    assert forced, "the leader meets the house opponent once"


def test_a_swap_says_who_would_move_first_where_that_counts(client):
    tournament = drafting(client, 8, ruleset="twixt")
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    first = tournament.rounds.get(number=2).matches.get(table=1).first
    html = text(client.get(address(tournament, "swap/"), {"a": one.code, "b": other.code}))
    after = html.split("Table 1:")[1].split("<b>")[1].split("</b>")[0]
    assert "(moves first)" in after.split(" – ")["ab".index(first)]
    assert after.count("(moves first)") == 1
    plain = drafting(client, 8)
    one, other = at_table(plain, 1)[0], at_table(plain, 4)[0]
    assert "moves first" not in text(client.get(address(plain, "swap/"), {"a": one.code, "b": other.code}))


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


def test_a_swap_tells_its_price_from_its_gain(client):
    tournament = drafting(client, 8, vary_tables=False)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    there = text(client.get(address(tournament, "swap/"), {"a": one.code, "b": other.code}))
    assert "This would cost: " in there and "−" not in there
    post(client, tournament, "swap/", a=one.code, b=other.code, reason="x")
    back = text(client.get(address(tournament, "swap/"), {"a": one.code, "b": other.code}))
    assert " save: " in back and "−" not in back


@pytest.mark.parametrize(
    ("criterion", "one", "several"),
    [
        ("alternate_sides", "1 player has the same side again.", "2 players have the same side again."),
        ("side_limits", "1 player is on one side too often.", "2 players are on one side too often."),
        ("labels_apart", "1 pair shares a label.", "2 pairs share a label."),
        ("repeats", "1 rematch; no pairing has fewer.", "2 rematches; no pairing has fewer."),
    ],
)
def test_one_is_counted_as_one(criterion, one, several):
    for value, html in ((1, one), (2, several)):
        line = CriterionLine(criterion, value, value, True, "bound")
        assert criterion_words(line, (), alone=False) == html


def test_a_change_by_hand_is_called_that_once(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]
    html = text(post(client, tournament, "swap/", a=one.code, b=other.code, reason="x"))
    edits = html.split('id="certificate"')[1].split("<ul")[1].split("</ul>")[0]
    assert edits.count("by hand") == 1


def test_the_undo_of_a_change_by_hand_names_it(client):
    tournament = drafting(client, 8)
    one, other = at_table(tournament, 1)[0], at_table(tournament, 4)[0]

    def undone(page):
        return text(page).split('id="undone">')[1].split("</p>")[0]

    html = undone(post(client, tournament, "swap/", a=one.code, b=other.code, reason="sister"))
    assert f"{one.name} and {other.name} swapped places" in html and "sister" in html
    both = [entry.name for entry in at_table(tournament, 1)]
    assert undone(post(client, tournament, "lock/", player=other.code)) == f"Locked: {' – '.join(both)}."
    assert undone(post(client, tournament, "lock/", player=other.code)) == f"Unlocked: {' – '.join(both)}."
    pair_ = " – ".join(sorted([one.name, other.name]))
    fields = {"a": one.code, "b": other.code}
    assert undone(post(client, tournament, "apart/", **fields)) == f"Added to the do-not-pair list: {pair_}."
    assert (
        undone(post(client, tournament, "apart/", lift="1", **fields))
        == f"Removed from the do-not-pair list: {pair_}."
    )
