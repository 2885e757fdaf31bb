"""The worked examples of the four source documents, recomputed exactly."""

from fractions import Fraction as F

import pytest

from standings.engine import rank, tally
from standings.engine.ranking.chain import step_of
from standings.engine.records import Result
from tests.standings.engine.builders import alone, field_of, played
from tournament.rulesets import resolve


def record_of(me, outcomes, opponents="x"):
    """Rounds in which `me` wins, loses, draws or has a bye (B) against new opponents."""
    rounds = []
    for n, outcome in enumerate(outcomes, start=1):
        line = alone(me) if outcome == "B" else played(me, f"{opponents}{n}", outcome)
        rounds.append([line])
    return rounds


def by_ruleset(field, preset, metric, entry):
    step = step_of(metric, resolve(preset))
    return field.value(metric, entry, step.params)


@pytest.mark.parametrize(("outcomes", "points"), [("WWWWWWLL", 18), ("WWWWLLDD", 14), ("WWWWWLLD", 16)])
def test_match_points_of_dci_examples_a_to_c(outcomes, points):
    assert field_of(*record_of("A", outcomes)).value("match_points", "A") == points


def test_match_win_percentage_of_example_c_is_two_thirds():
    assert by_ruleset(field_of(*record_of("C", "WWWWWLLD")), "dci1999", "match_win_pct", "C") == F(2, 3)


def test_example_d_withdrew_after_four_rounds_and_is_raised_to_0_33_and_not_to_a_third():
    field = field_of(*record_of("D", "WLLL"))
    assert field.value("match_win_pct", "D") == F(1, 4)
    assert by_ruleset(field, "dci1999", "match_win_pct", "D") == F(33, 100)


def test_example_e_counts_the_bye_in_the_own_percentage():
    field = field_of(*record_of("E", "BWLLW"))
    assert by_ruleset(field, "dci1999", "match_win_pct", "E") == F(3, 5)
    assert field.value("match_win_pct", "E", {"include_byes": False}) == F(1, 2)


@pytest.mark.parametrize(
    ("games", "mine", "theirs"), [((2, 0, 0), 6, 0), ((2, 1, 0), 6, 3), ((2, 0, 1), 7, 1)]
)
def test_game_points_of_one_match(games, mine, theirs):
    field = field_of([played("A", "B", games)])
    assert (field.value("game_points", "A"), field.value("game_points", "B")) == (mine, theirs)


def test_own_game_percentage_is_floored_by_some_publishers_only():
    field = field_of(
        [played("I", "a", (1, 2, 0))], [played("I", "b", (1, 2, 0))], [played("I", "c", (0, 2, 0))],
        [played("I", "d", (1, 2, 0))],
    )  # fmt: skip
    assert field.value("game_points", "I") == 9
    assert by_ruleset(field, "dci1999", "game_win_pct", "I") == F(3, 11)
    for preset in ("mtr_jp", "mtr", "cardeio", "melee_default"):
        assert by_ruleset(field, preset, "game_win_pct", "I") == F(33, 100)


def test_example_h_has_seven_tenths_of_its_game_points():
    field = field_of(
        [played("H", "a", (2, 0, 0))], [played("H", "b", (2, 1, 0))], [played("H", "c", (1, 2, 0))],
        [played("H", "d", (2, 0, 0))],
    )  # fmt: skip
    assert by_ruleset(field, "dci1999", "game_win_pct", "H") == F(7, 10)


def f_and_opponents():
    """F meets six opponents who stand between 1-3-1 (below the floor) and 7-1 in the end."""
    opponents = {
        "o1": "LLLLWWWW", "o2": "LWWWWWWW", "o3": "LLLWD",
        "o4": "LLLWWWD", "o5": "WLWWWWWL", "o6": "WLWWWWLD",
    }  # fmt: skip
    rounds = [[] for _ in range(8)]
    for n, (opponent, outcomes) in enumerate(opponents.items()):
        mirrored = {"W": "L", "L": "W", "D": "D"}[outcomes[0]]
        rounds[n].append(played("F", opponent, mirrored))
        later = [r for r in range(8) if r != n]
        for r, outcome in zip(later, outcomes[1:], strict=False):
            rounds[r].append(played(opponent, f"{opponent}-{r}", outcome))
    return opponents, rounds


def test_opponents_percentage_is_the_exact_mean_of_floored_terms():
    opponents, rounds = f_and_opponents()
    field = field_of(*rounds)
    shares = []
    for outcomes in opponents.values():
        points = 3 * outcomes.count("W") + outcomes.count("D")
        shares.append(max(F(points, 3 * len(outcomes)), F(33, 100)))
    assert F(33, 100) in shares
    assert by_ruleset(field, "dci1999", "opp_match_win_pct", "F") == sum(shares) / len(shares)


def test_rounding_each_term_like_the_paper_is_another_number():
    _, rounds = f_and_opponents()
    field = field_of(*rounds)
    exact = field.value("opp_match_win_pct", "F", {"floor": "33/100"})
    paper = field.value("opp_match_win_pct", "F", {"floor": "33/100", "round_each": 2})
    assert exact != paper
    assert abs(exact - paper) < F(1, 100)


def test_a_third_and_0_33_rank_differently():
    """One opponent stands 1-2 (a third), the other 0-3 (raised): 0.33 tells them apart, 1/3 does not."""
    rounds = [
        [played("A", "a", "W"), played("B", "b", "W")],
        [played("a", "p", "W"), played("b", "q", "L")],
        [played("a", "r", "L"), played("b", "s", "L")],
    ]
    exact = field_of(*rounds)
    step = step_of("opp_match_win_pct", resolve("dci1999"))
    assert exact.value(step.key, "A", step.params) == F(1, 3)
    assert exact.value(step.key, "B", step.params) == F(33, 100)
    third = {**step.params, "floor": "1/3"}
    assert exact.value(step.key, "A", third) == exact.value(step.key, "B", third)


def test_opponents_byes_count_for_the_dci_and_not_for_cardeio():
    field = field_of(
        [alone("A"), played("B", "C", (2, 1, 0))],
        [played("A", "B", (2, 1, 0)), alone("C")],
    )
    assert by_ruleset(field, "dci1999", "opp_match_win_pct", "B") == F(3, 4)
    assert by_ruleset(field, "cardeio", "opp_match_win_pct", "B") == F(133, 200)
    assert field.value("game_win_pct", "A") == F(4, 5)


def test_who_met_nobody_has_the_floor_and_who_played_nothing_no_game_percentage():
    profile = resolve("dci1999")
    records = tally([(1, [Result("A", None, "bye", (2, 0, 0))])], ["A", "Z"])
    row = {r.entry: r for r in rank(records, profile)}
    assert row["A"].values[1] == row["Z"].values[1] == F(33, 100)
    assert row["A"].values[2] == 1
    assert row["Z"].values[2] == 0
    floored = rank(records, resolve("cardeio")).row("Z")
    assert floored.values[2] == F(33, 100)


def test_a_missed_round_is_a_lost_round_and_never_a_bye():
    field = field_of([alone("A", "missed")], [played("A", "B")])
    assert field.value("match_win_pct", "A", {"include_byes": False}) == F(1, 2)


@pytest.mark.parametrize(("preset", "share"), [("dci1999", 1), ("mtr_jp", 1), ("cardeio", 1), ("mtr", F(2, 3)),
                                               ("melee_default", F(2, 3)), ("lorcana", F(2, 3))])  # fmt: skip
def test_a_late_player_who_wins_both_of_two_rounds_has_six_of_six_where_only_rounds_competed_in_count(
    preset, share
):
    field = field_of([alone("L", "missed"), played("A", "B")], [played("L", "B")], [played("L", "A")])
    params = step_of("match_win_pct", resolve(preset)).params
    assert field.value("match_points", "L") == 6 and field.value("match_win_pct", "L", params) == share
    seen_by_a = step_of("opp_match_win_pct", resolve(preset)).params
    assert field.value("opp_match_win_pct", "A", seen_by_a) == (F(33, 100) + share) / 2


CLINECON = [
    [played("A", "D", (1, 0, 0)), played("B", "E", (1, 0, 0)), alone("C", preset="twixt")],
    [played("A", "B", (1, 0, 0)), played("C", "D", (1, 0, 0)), alone("E", preset="twixt")],
    [played("A", "C", (0, 0, 1)), played("B", "D", (0, 1, 0)), alone("E", "zero_bye", "twixt")],
]


def test_clinecon_session():
    """Score after each round; opponents' byes are half a win, voluntary ones nothing."""
    field = field_of(*CLINECON, preset="twixt")
    twixt = {step: step_of(step, resolve("twixt")).params for step in
             ("cumulative", "buchholz", "cumulative_opposition")}  # fmt: skip
    table = {e: tuple(field.value(key, e, params) for key, params in twixt.items()) for e in "ABCDE"}
    assert table == {
        "A": (F(11, 2), 4, 8),
        "B": (3, 4, F(15, 2)),
        "C": (F(11, 2), F(7, 2), F(13, 2)),
        "D": (1, F(11, 2), F(25, 2)),
        "E": (2, 1, 3),
    }


def test_a_house_opponent_adds_nothing_to_tiebreaks_but_its_beaten_entrant_scores():
    rounds = [[played("A", "H", (1, 0, 0)), played("B", "C", (1, 0, 0))],
              [played("H", "B", (1, 0, 0)), played("A", "C", (1, 0, 0))]]  # fmt: skip
    params = step_of("buchholz", resolve("twixt")).params
    field = field_of(*rounds, preset="twixt", house="H")
    assert field.value("match_points", "A") == 2
    assert field.value("buchholz", "A", params) == 0
    counted = field_of(*rounds, preset="twixt", house="H", overrides={"bye": {"house_contribution": "own"}})
    assert counted.value("buchholz", "A", params) == 1


def test_rounds_won_without_play_and_half_byes_in_percentages_by_wins():
    kinds = ("bye", "awarded_bye", "full_bye", "half_bye", "zero_bye", "missed")
    field = field_of(*([alone("A", kind)] for kind in kinds))
    assert field.value("match_wins", "A") == 3
    assert field.value("match_win_pct", "A", {"mode": "wins"}) == F(3, 6)
    assert field.value("match_win_pct", "A", {"mode": "wins_half_draws"}) == F(7, 12)
    assert field.value("match_win_pct", "A", {"mode": "wins_half_draws", "include_byes": False}) == 0
