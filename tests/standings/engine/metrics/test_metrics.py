import inspect
from fractions import Fraction as F

import pytest

from standings.engine.explanation import explain
from standings.engine.metrics import METRICS, UnknownMetric
from standings.engine.metrics.buchholz import virtual_score
from standings.engine.metrics.head_to_head import head_to_head
from standings.engine.metrics.percentages import round_half_up
from standings.engine.metrics.registry import read_params
from standings.engine.ranking import build_chain, build_step, list_skipped_steps, parse_steps, rank
from standings.engine.records import Result, tally
from tests.standings.engine.builders import alone, event, field_of, match, played
from tournament.rulesets import presets, resolve

WON, LOST, DRAWN = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def chess(*rounds, **more):
    return field_of(*rounds, preset="fide", **more)


def scored(a, b, mine, theirs):
    games = WON if mine > theirs else LOST if mine < theirs else DRAWN
    return (a, b, "played", games, None, None, (F(mine), F(theirs)))


def each(field, metric, params=None, entries=None):
    return {e: field.value(metric, e, params) for e in entries or field.records}


SHORT = [
    [played("A", "B", WON), played("C", "D", DRAWN)],
    [played("A", "C", LOST), played("B", "D", WON)],
    [played("A", "D", WON), alone("B", "half_bye", "fide"), alone("C", "bye", "fide")],
]


def test_sums_of_opponents_scores_without_the_lowest_or_the_highest():
    """Scores: A 2, B 1½ (1 played, a half bye at the end), C 2½, D ½."""
    field = chess(*SHORT)
    assert each(field, "match_points") == {"A": 2, "B": F(3, 2), "C": F(5, 2), "D": F(1, 2)}
    # B's own half bye is a dummy with B's score, C's bye one with C's.
    assert each(field, "buchholz") == {"A": F(9, 2), "B": 4, "C": 5, "D": 6}
    assert each(field, "buchholz", {"cut_high": 1}) == {"A": 2, "B": 2, "C": F(5, 2), "D": F(7, 2)}
    # B chose not to play round 3: that goes first, though D has less.
    assert each(field, "buchholz", {"cut_low": 1}) == {"A": 4, "B": F(5, 2), "C": F(9, 2), "D": F(9, 2)}
    assert each(field, "avg_opp_buchholz") == {"A": 5, "B": F(21, 4), "C": F(21, 4), "D": F(9, 2)}


def test_koya_counts_points_against_those_who_reached_half():
    field = chess(
        [played("A", "B", WON), played("C", "D", WON)], [played("A", "C", DRAWN), played("B", "D", WON)]
    )
    assert each(field, "koya") == {"A": F(3, 2), "B": 0, "C": F(1, 2), "D": 0}
    assert each(field, "koya", {"limit": "3/2"}) == {"A": F(1, 2), "B": 0, "C": F(1, 2), "D": 0}


def test_mcmahon_scores_and_their_sums():
    field = field_of([played("A", "B", WON), played("C", "D", DRAWN)], [played("A", "C", LOST), alone("B", "zero_bye"),
                     alone("D", "zero_bye")], preset="go_mcmahon")  # fmt: skip
    for entry, start in (("A", 3), ("B", 2), ("C", F(5, 2)), ("D", 0)):
        field.records[entry].start = start
    assert each(field, "mms") == {"A": 4, "B": F(5, 2), "C": 4, "D": 1}
    assert each(field, "sos") == {"A": F(13, 2), "B": 4, "C": 5, "D": 4}
    assert each(field, "sos", {"unpaired": "start"}) == {"A": F(13, 2), "B": 6, "C": 5, "D": 4}
    assert each(field, "sosos") == {"A": 9, "B": F(13, 2), "C": F(21, 2), "D": 5}
    assert each(field, "sodos") == {"A": F(5, 2), "B": 0, "C": F(9, 2), "D": 2}


SCORES = [
    [scored("A", "B", 400, 300), scored("C", "D", 500, 100)],
    [scored("A", "C", 350, 360), alone("B", "bye", "scrabble"), ("D", "E", "forfeit", LOST, "b")],
]


def test_spread_quotients_shares_and_points_made():
    field = field_of(*SCORES, preset="scrabble")
    params = {"bye": 50, "forfeit_loss": -50, "cap": None}
    assert each(field, "spread", params) == {"A": 90, "B": -50, "C": 410, "D": -450, "E": 50}
    assert each(field, "spread", {"cap": "300"}) == {"A": 90, "B": -100, "C": 310, "D": -300, "E": 0}
    assert each(field, "score_quotient", entries="ABE") == {"A": F(750, 660), "B": F(3, 4), "E": 0}
    assert field.value("mov_share", "A") == (F(4, 7) + F(35, 71)) / 2
    assert field.value("mov_share", "B") == F(3, 7)  # the bye is the average of the others
    assert field.value("mov_share", "B", {"bye": "1"}) == (F(3, 7) + 1) / 2
    assert each(field, "mov_share", entries="DE") == {"D": F(1, 12), "E": 1}
    assert each(field, "victory_points") == each(field, "battle_points")
    assert each(field, "victory_points") == {"A": 750, "B": 300, "C": 860, "D": 100, "E": 0}


def test_games_have_points_of_their_own_and_two_game_matches_score_each():
    two = {"preset": "melee_two_game"}
    field = field_of(
        [(*played("A", "B", (2, 0, 0)), None, None, None, "aa"),
         (*played("C", "D", (1, 1, 0)), None, None, None, "ba")],
        [(*played("A", "C", (1, 1, 0)), None, None, None, "ab"), alone("B", **two), (*played("D", "E", (1, 0, 0)),
          None, None, None, "a")], **two)  # fmt: skip
    assert each(field, "match_points") == {"A": 10, "B": 7, "C": 6, "D": 6, "E": 0}
    assert each(field, "game_wins") == {"A": 3, "B": 2, "C": 2, "D": 2, "E": 0}
    assert each(field, "second_game_wins") == {"A": 1, "B": 1, "C": 2, "D": 0, "E": 0}
    # A met B (7 of 14) and C (6 of 14): 13 points, two opponents, 28 possible.
    assert field.value("pooled_opp_points_pct", "A") == F(13, 2 * 28)
    worth = {"match_points": {"game_draw": "3/2", "game_loss": "1"}}
    rounds = [[played("A", "B", (2, 0, 0))], [played("A", "B", (1, 0, 1))], [played("A", "B", (0, 0, 2))]]
    field = field_of(*rounds, preset="nsg_double_sided", overrides=worth)
    assert each(field, "match_points") == {"A": 6 + F(9, 2) + 3, "B": 2 + F(5, 2) + 3}
    assert each(field_of(*rounds, preset="nsg_double_sided"), "match_points") == {"A": 12, "B": 3}


def test_the_published_pooled_percentage_of_melee_divides_twice():
    """help.melee.gg: five opponents with 86 of 161 points (23 rounds of 7) give 86/805."""
    rounds = [[] for _ in range(23)]
    for n in range(5):
        rounds[n].append(played("A", f"o{n}", (0, 2, 0)))  # 7 each: 35
    for n in range(18):  # seven sweeps (49), two drawn games (2), the rest lost
        games = (2, 0, 0) if n < 7 else (0, 0, 2) if n == 7 else (0, 2, 0)
        rounds[n + 5].append(played(f"o{n % 5}", f"x{n}", games))
    field = field_of(*rounds, preset="melee_two_game")
    assert sum(field.value("match_points", f"o{n}") for n in range(5)) == 86
    assert field.value("pooled_opp_points_pct", "A") == F(86, 805)


@pytest.mark.parametrize(
    ("games", "a", "b"),
    [((2, 0, 0), 3, 0), ((1, 0, 1), 1, 0), ((1, 1, 1), 1, 1), ((0, 1, 1), 0, 1), ((1, 0, 0), 3, 0)],
)
def test_a_match_time_left_drawn_may_score_unevenly(games, a, b):
    """Gundam Cross War: 1 for the draw of who was ahead or level, nothing for who was behind."""
    field = field_of([played("A", "B", games)], preset="gundam_cross_war")
    assert each(field, "match_points") == {"A": a, "B": b}
    assert field.records["A"].rounds[0].outcome == ("W" if a == 3 else "D")


def test_sums_over_opponents_count_each_match_and_rounds_lost_are_squared():
    field = field_of([played("A", "B")], [played("B", "A")], [played("A", "C")])
    assert field.value("opp_match_wins_sum", "A") == 1 + 1 + 0
    assert field.value("opp_avg_points", "A") == F(3 + 3 + 0, 3)
    field = field_of([played("A", "B", LOST)], [alone("A", "zero_bye")], [alone("A", "missed")])
    assert field.value("loss_round_squares", "A") == 1 + 9


def test_attributes_order_who_is_otherwise_equal():
    field = chess([played("A", "B", DRAWN), played("C", "D", DRAWN)], [played("A", "C", DRAWN)])
    for entry, rating in (("A", 1500), ("B", 1701), ("D", 1600)):
        field.records[entry].rating = rating
    field.records["B"].late = True
    field.records["A"].seed, field.records["D"].seed = 2, 1
    field.records["C"].external["DSC cm"] = F(1996, 10)
    assert each(field, "rating") == {"A": 1500, "B": 1701, "C": 0, "D": 1600}
    assert each(field, "avg_rating_opponents") == {"A": 1701, "B": 1500, "C": F(1550), "D": 0}
    assert each(field, "late_flag") == {"A": 0, "B": 1, "C": 0, "D": 0}
    assert each(field, "seed") == {"A": 2, "B": 3, "C": 3, "D": 1}
    assert each(field, "external_value", {"name": "DSC cm"}, "AC") == {"A": F(2006, 10), "C": F(1996, 10)}
    assert field.value("external_value", "A", {"name": "DSC cm", "missing": "0"}) == 0


def test_attributes_of_an_archive_reach_the_records():
    from standings.table.swiss import compute_standings

    facts = {
        "A": {"late": True}, "B": {"labels": ("DSC cm=199.6", "Juniors", "a=b")}, "C": {"start": "5/2"},
        "D": {"rating": 1800, "seed_rank": 4},
    }  # fmt: skip
    example = event([match("A", "B", games="D"), match("C", "D", games="D")], preset="pokemon", **facts)
    ranking = compute_standings(example)
    assert ranking.row("A").decided_by == "late_flag" and ranking.row("A").rank == 4
    records = ranking.views["A"].now.records
    assert records["B"].external == {"DSC cm": F(1996, 10)}
    assert records["C"].start == F(5, 2)
    assert (records["D"].rating, records["D"].seed) == (1800, 4)


def test_who_came_late_stands_below_wherever_the_ruleset_says_so():
    from standings.table.swiss import compute_standings

    rules = {"late_entry": {"rank_below_on_time": True}}
    first = [match("A", "B", games="D"), match("C", "D", games="W")]
    example = event(first, overrides=rules, B={"late": True})
    ranking = compute_standings(example)
    assert ranking.columns[:3] == ["match_points", "late_flag", "opp_match_win_pct"]
    assert ranking.order[0] == "C" and ranking.row("B").decided_by == "late_flag"
    assert "late_flag" not in compute_standings(event([match("A", "B", games="W")])).columns
    assert [step.key for step in build_chain(resolve("pokemon"))].count("late_flag") == 1


def test_lower_is_better_stands_above_and_game_metrics_are_skipped_in_single_games():
    rounds = [[played("A", "B", LOST), played("C", "D", WON)], [played("A", "C", WON), played("B", "D", WON)]]
    field = field_of(*rounds, preset="fab")
    chain = [{"metric": "match_loss_pct", "order": "asc"}, {"metric": "random"}]
    order = rank(field.records, resolve("fab"), chain=parse_steps(chain)).order
    assert order[0] == "B" and order[-1] == "D"
    chain[0]["order"] = "desc"
    assert rank(field.records, resolve("fab"), chain=parse_steps(chain)).order[0] == "D"
    single = resolve("mtr", best_of=1)
    assert [step.key for step in build_chain(single)] == ["match_points", "opp_match_win_pct", "random"]
    assert [step.key for step in list_skipped_steps(single)] == ["game_win_pct", "opp_game_win_pct"]
    assert list_skipped_steps(resolve("mtr")) == []
    skipped = [step.key for step in list_skipped_steps(resolve("mtr"), team=True)]
    assert skipped == ["game_win_pct", "opp_game_win_pct"]


def test_numbers_are_cut_off_or_rounded_as_the_documents_do():
    field = field_of([played("A", "B")], [played("C", "B")], [played("B", "D")])
    assert field.value("match_points", "A") == 3
    share, second = field.value("opp_match_win_pct", "A", {"mode": "wins"}), F(2, 3)
    assert (share, field.value("opp_opp_match_win_pct", "A", {"mode": "wins"})) == (F(1, 3), second)
    assert field.value("kts_number", "A") == 3333666
    assert field.value("kts_number", "A", {"mode": "half_up"}) == 3333667
    assert round_half_up(second, 3) == F(667, 1000)
    field = field_of([played("F", "a")], [played("a", "p")], [played("q", "a")])
    assert field.value("opp_match_win_pct", "F") == F(1, 3)
    assert field.value("opp_match_win_pct", "F", {"round_each": 2}) == F(33, 100)


def test_a_bye_worth_less_than_a_win_is_no_win_to_fide():
    half = {"match_points": {"bye": "1/2"}}
    field = chess([alone("A", "bye", "fide"), alone("B", "full_bye", "fide")], overrides=half)
    assert each(field, "wins_fide") == {"A": 0, "B": 0}
    assert field.value("match_wins", "A") == 1


def test_a_tail_of_requested_byes_goes_past_a_forfeit_loss_but_not_for_vega():
    field = chess(
        [played("A", "B", WON)],
        [alone("B", "half_bye", "fide")],
        [("A", "B", "forfeit", WON, "a")],
        [alone("B", "zero_bye", "fide")],
    )
    field.scoring._kinds["half"] = 0  # a half-point bye that is worth nothing shows where the tail ends
    assert field.value("adjusted_score", "B") == F(1, 2) + 0 + F(1, 2)
    assert field.value("adjusted_score", "B", {"forfeit_ends_byes": True}) == 0 + 0 + F(1, 2)


@pytest.mark.parametrize(
    ("before", "own", "after", "at_the_end"),
    [
        # A no-show in round 3 of 9, 1½ points before it.
        ([WON, DRAWN], (LOST, "b"), F(5, 2), F(11, 2)),
        # The opponent's no-show in round 6, 3½ points before it.
        ([WON, WON, WON, DRAWN, LOST], (WON, "a"), F(7, 2), 5),
    ],
)
def test_fides_own_examples_of_a_virtual_opponents_score(before, own, after, at_the_end):
    rounds = [[played("P", "Q", games)] for games in before] + [[("P", "Q", "forfeit", *own)]]
    for later, expected in ((0, after), (8 - len(before), at_the_end)):
        field = chess(*rounds, *[[played("P", "Q", WON)]] * later)
        line = field.records["P"].rounds[len(before)]
        assert virtual_score(field, "P", line) == expected


# --- percentages ---------------------------------------------------------------------------------------------


def by_ruleset(field, preset, metric, entry):
    step = build_step(metric, resolve(preset))
    return field.value(metric, entry, step.params)


def test_byes_in_percentages_count_by_ruleset_and_a_missed_round_never_is_one():
    field = field_of([alone("A"), played("B", "C", (2, 1, 0))], [played("A", "B", (2, 1, 0)), alone("C")])
    assert by_ruleset(field, "dci1999", "opp_match_win_pct", "B") == F(3, 4)
    assert by_ruleset(field, "cardeio", "opp_match_win_pct", "B") == F(133, 200)
    assert field.value("game_win_pct", "A") == F(4, 5)
    field = field_of([alone("A", "missed")], [played("A", "B")])
    assert field.value("match_win_pct", "A", {"include_byes": False}) == F(1, 2)
    kinds = ("bye", "awarded_bye", "full_bye", "half_bye", "zero_bye", "missed")
    field = field_of(*([alone("A", kind)] for kind in kinds))
    assert field.value("match_wins", "A") == 3
    assert field.value("match_win_pct", "A", {"mode": "wins"}) == F(3, 6)
    assert field.value("match_win_pct", "A", {"mode": "wins_half_draws"}) == F(7, 12)
    assert field.value("match_win_pct", "A", {"mode": "wins_half_draws", "include_byes": False}) == 0


def test_who_met_nobody_has_the_floor_and_who_played_nothing_no_game_percentage():
    profile = resolve("dci1999")
    records = tally([(1, [Result("A", None, "bye", (2, 0, 0))])], ["A", "Z"])
    row = {r.entry: r for r in rank(records, profile)}
    assert row["A"].values[1] == row["Z"].values[1] == F(33, 100)
    assert row["A"].values[2] == 1
    assert row["Z"].values[2] == 0
    floored = rank(records, resolve("cardeio")).row("Z")
    assert floored.values[2] == F(33, 100)


def test_a_house_opponent_adds_nothing_to_tiebreaks_but_its_beaten_entrant_scores():
    rounds = [[played("A", "H", (1, 0, 0)), played("B", "C", (1, 0, 0))],
              [played("H", "B", (1, 0, 0)), played("A", "C", (1, 0, 0))]]  # fmt: skip
    params = build_step("buchholz", resolve("twixt")).params
    field = field_of(*rounds, preset="twixt", house="H")
    assert field.value("match_points", "A") == 2
    assert field.value("buchholz", "A", params) == 0
    counted = field_of(*rounds, preset="twixt", house="H", overrides={"bye": {"house_contribution": "own"}})
    assert counted.value("buchholz", "A", params) == 1


def test_sonneborn_cuts_a_round_that_was_left_unplayed_by_choice_before_a_lower_score():
    first = [played("A", "C"), alone("B", "half_bye", "fide"), alone("D", "zero_bye", "fide")]
    field = field_of(first, [played("B", "C"), played("A", "D", "D")], preset="fide")
    assert field.value("sonneborn_berger", "B") == F(3, 4)  # C has 0, the half-point bye gives 1/2 × 3/2
    assert field.value("sonneborn_berger", "B", {"cut_low": 1}) == 0


def meetings(*lines, preset="ffg"):
    return field_of(*([played(a, b, score)] for a, b, score in lines), preset=preset)


def won(*pairs):
    return [(pair[0], pair[1], WON) for pair in pairs]


FOUR = [*won("AB", "BC", "CA", "AD", "BD", "CD"), ("A", "D", LOST), ("B", "D", DRAWN)]


@pytest.mark.parametrize(
    ("mode", "lines", "expected"),
    [
        ("two_only", won("AB", "BC", "AC"), ["A", "B"]),  # of A and B
        ("two_only", won("AB", "BC", "AC"), ["ABC"]),
        ("two_only", won("AC", "BD"), ["AB"]),  # they never met
        ("two_only", won("AB", "BA"), ["AB"]),  # all their meetings count
        ("two_only", [("A", "B", WON), ("B", "A", DRAWN)], ["A", "B"]),
        # A beat everybody; of B, C and D nobody did, B and D never met.
        ("beat_all", won("AB", "AC", "AD", "BC", "DC"), ["A", "BCD"]),
        ("beat_all", won("AB", "AC", "BA"), ["ABC"]),  # A lost to B, too
        # A 2, B 2½, C 2, D 1½. A and C start again: C beat A.
        ("minileague", FOUR, ["B", "C", "A", "D"]),
        ("minileague", won("AB", "BC"), ["ABC"]),  # A and C have not met
        ("plus_minus", [("A", "B", WON), ("A", "C", LOST), ("C", "D", LOST), ("B", "D", WON)], ["ABCD"]),
        # A +1, E +1, B 0, C −1, D −1; E beat A, but the rule does not start again.
        ("plus_minus", won("AB", "AC", "BD", "EA"), ["AE", "B", "CD"]),
        # B, C: at most ½ + 1 against D; D at most 2; A has 3. Then B, C and D: D at most 2.
        ("fide", [*won("AB", "AC", "AD"), ("B", "C", DRAWN)], ["A", "BCD"]),
        ("fide", [("A", "B", WON), ("A", "C", DRAWN)], ["ABC"]),  # C can still have as much as A
    ],
)
def test_a_tied_group_is_split_as_the_rule_says(mode, lines, expected):
    group = sorted("".join(expected), reverse=True)
    parts = head_to_head(meetings(*lines, preset="fide"), group, mode=mode)
    assert ["".join(sorted(part)) for part in parts] == expected


def test_a_forfeit_is_no_meeting_and_meetings_may_count_in_victory_points():
    field = field_of([("A", "B", "forfeit", WON, "a")], preset="fide")
    for mode in ("two_only", "beat_all", "minileague", "plus_minus", "fide"):
        assert head_to_head(field, ["A", "B"], mode=mode) == [["A", "B"]], mode

    def line(a, b, mine, theirs):
        return (a, b, "played", WON if mine > theirs else LOST, None, None, (F(mine), F(theirs)))

    field = field_of([line("A", "B", 11, 9)], [line("B", "C", 18, 2)], [line("C", "A", 12, 8)],
                     preset="bridge_swiss_teams")  # fmt: skip
    params = {"mode": "minileague", "on": "victory_points"}
    assert head_to_head(field, list("ABC"), **params) == [["B"], ["A"], ["C"]]
    assert head_to_head(field, list("ABC"), mode="minileague") == [["A", "B", "C"]]


CHAIN = [
    {"metric": "match_points"},
    {"metric": "head_to_head", "params": {"mode": "two_only"}},
    {"metric": "rating"},
]


def test_in_a_chain_it_orders_the_group_that_is_tied_so_far():
    """A, B, C, D have one win each. By rating A and B stay together, C and D too: then it decides."""
    lines = (("A", "B", WON), ("C", "D", WON), ("B", "E", WON), ("D", "F", WON))
    field = meetings(*lines)
    for entry, rating in zip("ABCD", (9, 9, 5, 5), strict=True):
        field.records[entry].rating = rating
    chain = [CHAIN[0], CHAIN[1], CHAIN[2], CHAIN[1]]
    ranking = rank(field.records, resolve("ffg"), chain=parse_steps(chain))
    assert ranking.order[:4] == ["A", "B", "C", "D"]
    assert [ranking.row(e).rank for e in "ABCD"] == [1, 2, 3, 4]
    assert [ranking.row(e).decided_by for e in "ABCD"] == [None, "head_to_head", "rating", "head_to_head"]
    # Four were tied at the first one, which is silent; two at the second.
    assert [ranking.row(e).values[1] for e in "ABCD"] == [1, 1, 1, 1]
    assert [ranking.row(e).values[3] for e in "ABCD"] == [1, 2, 1, 2]
    explanation = explain(ranking, "B", 3)
    assert explanation.result == 2 and [line.opponent for line in explanation.lines] == ["A"]


def test_its_values_agree_with_the_order_and_nobody_has_one_alone():
    field = meetings(("A", "B", WON), ("B", "C", WON), ("C", "A", WON), ("A", "D", WON), ("B", "D", WON))
    ranking = rank(field.records, resolve("ffg"), chain=parse_steps([*CHAIN, {"metric": "random"}]))
    keys = [(-row.values[0], row.values[1], -row.values[2], row.values[3]) for row in ranking]
    assert keys == sorted(keys)
    with pytest.raises(UnknownMetric, match="tied groups"):
        meetings(("A", "B", WON)).value("head_to_head", "A")


@pytest.mark.parametrize("params", [{"mode": "by_age"}, {"on": "hair"}, {"until": 3}])
def test_what_is_unknown_is_named(params):
    field = meetings(("A", "B", WON))
    chain = parse_steps([{"metric": "head_to_head", "params": params}])
    with pytest.raises(UnknownMetric, match=str(next(iter(params)))):
        rank(field.records, resolve("ffg"), chain=chain)


UNITS = {"points", "share", "score", "count", "order"}
CHOICES = [
    (metric, param)
    for metric in METRICS.values()
    for param in metric.params.values()
    if param.kind == "choice" and not metric.group
]


def test_every_metric_and_parameter_is_described_with_the_defaults_of_its_function():
    assert len(METRICS) >= 55
    for key, metric in METRICS.items():
        assert metric.key == key and metric.source, key
        assert metric.unit in UNITS, key
    for metric in METRICS.values():
        assert list(metric.params) == [param.name for param in metric.params.values()]
        for param in metric.params.values():
            assert param.choices or "choice" not in param.kind, (metric.key, param)
    for metric in METRICS.values():
        for name, parameter in inspect.signature(metric.function).parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                assert metric.params[name].default == parameter.default


@pytest.mark.parametrize(("metric", "param"), CHOICES, ids=lambda value: getattr(value, "key", None))
def test_every_choice_of_a_parameter_is_understood_and_another_is_not(metric, param):
    field = field_of([played("A", "B")])
    for choice in param.choices:
        field.value(metric.key, "A", {param.name: choice})
    with pytest.raises(UnknownMetric, match=param.name):
        field.value(metric.key, "A", {param.name: "by age"})


@pytest.mark.parametrize(
    ("key", "name", "value"),
    [
        ("buchholz", "cut_low", "1"), ("buchholz", "cut_low", -1), ("buchholz", "cut_low", True),
        ("match_win_pct", "floor", 0.33), ("match_win_pct", "floor", "1/0"), ("match_win_pct", "floor", False),
        ("match_win_pct", "include_byes", "no"), ("opp_match_win_pct", "bye", {"count": 3}),
        ("opp_match_win_pct", "bye", "1/5"), ("cumulative", "bye_as", {"free": "1"}),
        ("cumulative", "bye_as", "1"), ("external_value", "name", 3), ("spread", "cap", []),
        ("spread", "cap", ["100", "much"]),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused_by_name(key, name, value):
    with pytest.raises(UnknownMetric, match=f"is not a valid '{name}'"):
        read_params(METRICS[key], {name: value})


def test_all_rulesets_give_their_metrics_values_they_can_read():
    for ruleset in presets().values():
        for step in ruleset["tiebreaks"]:
            read_params(METRICS[step["metric"]], step.get("params") or {})
