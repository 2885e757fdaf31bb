from fractions import Fraction as F

import pytest

from standings.table.places import build_event_bracket, find_qualifiers, rank_final_places
from standings.table.swiss import (
    NoSuchRound,
    compute_points,
    compute_standings,
    count_open_rounds,
    list_carried_stages,
)
from tests.standings.engine.builders import event, match
from tournament.event.types import Round, Stage

FOUR = ("A", "B", "C", "D")
DAY_ONE = [[match("A", "B", games="W"), match("C", "D", games="W")]]
DAYS = [Stage(1, entries=FOUR), Stage(2, sources=(1,), carries=True, entries=("A", "C"))]


def two_days(**more):
    return event(
        *((1, matches) for matches in DAY_ONE), (2, [match("A", "C", games="L")]), stages=DAYS, **more
    )


def test_a_session_is_a_stage_and_all_it_carries_from():
    stages = [
        Stage(1, entries=("A",)),
        Stage(2, entries=("B",)),
        Stage(3, sources=(1, 2), carries=True, entries=("A", "B")),
        Stage(4, sources=(3,), carries=True, entries=("A",)),
        Stage(5, sources=(3,), entries=("A",)),
    ]
    example = event(stages=stages)
    assert [list_carried_stages(example, n) for n in (1, 3, 4, 5)] == [[1], [1, 2, 3], [1, 2, 3, 4], [5]]
    flights = [
        Stage(1),
        Stage(2),
        Stage(3, sources=(1,), carries=True),
        Stage(4, sources=(2,), carries=True),
        Stage(5, sources=(3, 4), carries=True),
    ]
    assert list_carried_stages(event(stages=flights), 5) == [1, 2, 3, 4, 5]
    with pytest.raises(KeyError):
        list_carried_stages(example, 9)


def test_points_are_carried_into_the_second_day_and_open_rounds_counted_all_or_of_one_stage():
    example = two_days()
    assert compute_points(example, 2) == {"A": 3, "C": 6}
    assert compute_points(example, 2, after=1) == {"A": 3, "C": 3}
    assert compute_points(example, 1) == {"A": 3, "B": 0, "C": 3, "D": 0}
    order = compute_standings(example).order
    assert order[:2] == ["C", "A"] and set(order[2:]) == {"B", "D"}
    assert find_qualifiers(example, 4).qualifiers == ["C", "A"]  # only those of the last day
    for round_ in example.rounds:
        round_.status = "published"
    assert [round_.status for round_ in count_open_rounds(example).rounds] == ["complete", "complete"]
    assert [round_.status for round_ in count_open_rounds(example, 2).rounds] == ["published", "complete"]
    assert [round_.status for round_ in example.rounds] == ["published", "published"]
    assert compute_standings(count_open_rounds(example)).order[0] == "C"


def test_tiebreaks_follow_the_second_day_unless_they_are_frozen():
    """B met A only: A's percentage is 1 after the first day and 1/2 after the second."""
    free = compute_standings(two_days()).row("B")
    frozen = compute_standings(two_days(overrides={"tiebreaks_frozen_by_stage": True}))
    assert free.values[1] == F(1, 2)
    assert frozen.row("B").values[1] == 1
    assert frozen.row("A").values[:2] == (3, F(33, 100) / 2 + F(1, 2))


def test_sessions_are_ranked_together_and_a_second_swiss_that_carries_nothing_above_the_first():
    stages = [Stage(1, entries=("A", "B")), Stage(2, entries=("C", "D"))]
    example = event((1, [match("A", "B", games="W")]), (2, [match("C", "D", games="D")]), stages=stages)
    assert [row.values[0] for row in compute_standings(example)] == [3, 1, 1, 0]
    stages = [Stage(1, entries=FOUR), Stage(2, sources=(1,), entries=("B", "D"))]
    example = event((1, DAY_ONE[0]), (2, [match("B", "D", games="L")]), stages=stages)
    ranking = compute_standings(example)
    assert ranking.order[:2] == ["D", "B"]
    assert ranking.row("D").values[0] == 3
    assert ranking.rows[2].decided_by == "stage"


def test_after_counts_the_rounds_of_the_file_and_only_complete_ones_count_without_it():
    example = event([match("A", "B", games="W")], [match("A", "B", games="W")], [match("A", "B", games="W")])
    example.rounds[2].status = "published"
    assert compute_standings(example).row("A").values[0] == 6
    assert compute_standings(example, after=1).row("A").values[0] == 3
    assert compute_standings(example, after=3).row("A").values[0] == 9
    assert compute_standings(example, after=0).row("A").values[0] == 0
    for after in (-1, 4):
        with pytest.raises(NoSuchRound, match=f"no round {after}"):
            compute_standings(example, after=after)


def test_matches_without_a_slip_and_byes_after_the_drop_do_not_count():
    example = event([match("A", "B", result=None), match("C", "D", games="W")])
    assert compute_points(example, 1) == {"A": 0, "B": 0, "C": 3, "D": 0}
    example = event([match("A", result="bye")], [match("A", result="bye")], A={"dropped_after": 1})
    assert compute_points(example, 1) == {"A": 3}
    example = event([match("A", "B", games="W")])
    example.team = True
    assert compute_standings(example).columns == ["match_points", "opp_match_win_pct", "random"]


def test_drops_stay_ranked_and_disqualified_and_house_entries_leave_but_feed_their_opponents():
    rounds = [
        [match("A", "B", games="W"), match("C", "D", games="W"), match("E", "H", games="W")],
        [match("B", "C", games="W"), match("D", "E", games="L")],
    ]
    plain = compute_standings(event(*rounds))
    marked = event(
        *rounds, B={"status": "disqualified"}, D={"status": "dropped", "dropped_after": 2}, H={"house": True}
    )
    ranking = compute_standings(marked)
    assert sorted(ranking.order) == ["A", "C", "D", "E"]
    for entry in ("A", "C"):
        assert ranking.row(entry).values[1] == plain.row(entry).values[1]
    marked.profile["drop"]["stays_in_standings"] = False
    assert "D" not in compute_standings(marked)


def test_equal_ranks_are_shared_where_everything_ties_and_a_stored_lot_wins():
    chain = [{"metric": "match_points"}, {"metric": "opp_match_win_pct"}]
    example = event([match("A", "B", games="D"), match("C", "D", games="D")], overrides={"tiebreaks": chain})
    assert [(row.rank, row.decided_by) for row in compute_standings(example)] == [(1, None)] * 4
    rounds = [match("A", "B", games="D"), match("C", "D", games="D")]
    drawn = compute_standings(event(rounds)).order
    lots = {entry: {"lot": place} for place, entry in enumerate(reversed(drawn), start=1)}
    assert compute_standings(event(rounds, seed="ff", **lots)).order == drawn[::-1]
    one = {drawn[-1]: {"lot": 4}}
    assert compute_standings(event(rounds, **one)).order == [drawn[-1], *drawn[:-1]]


SIX = [
    [match("A", "B", games="W"), match("C", "D", games="W"), match("E", "F", games="W")],
    [match("A", "C", games="W"), match("E", "B", games="W"), match("D", "F", games="W")],
]


def test_the_cut_passes_over_who_left_and_final_places_are_the_brackets_then_the_swiss_order():
    order = compute_standings(event(*SIX)).order
    example = event(*SIX)
    example.entries[order[0]].status = "dropped"
    example.entries[order[2]].same_person_as = order[1]
    qualifiers = find_qualifiers(example, 2)
    assert qualifiers.qualifiers == [order[1], order[3]]
    assert qualifiers.alternates == order[4:]
    assert len(find_qualifiers(example, 8).qualifiers) == 4
    stages = [Stage(1, entries=tuple("ABCDEF")), Stage(2, kind="elimination", sources=(1,), seeds=order[:2])]
    example = event((1, SIX[0]), (1, SIX[1]), (2, [match(order[1], order[0], games="W")]), stages=stages)
    expected = [order[1], order[0], *order[2:]]
    assert [row.entry for row in rank_final_places(example)] == expected
    assert [row.place for row in rank_final_places(example)] == [1, 2, 3, 4, 5, 6]


def finals(*matches, seeds=FOUR, overrides=None, **facts):
    stages = [Stage(1, entries=FOUR), Stage(2, kind="elimination", sources=(1,), seeds=seeds)]
    return event((1, DAY_ONE[0]), *((2, [m]) for m in matches), stages=stages, overrides=overrides, **facts)


def test_the_bracket_follows_seeds_and_results_and_a_disqualified_finalist_leaves_the_places():
    example = finals(match("A", "D", games="L", slot="W1.1"), match("B", "C", games="W", slot="W1.2"))
    bracket = build_event_bracket(example)
    assert (bracket.matches["F.1"].a, bracket.matches["F.1"].b, bracket.champion) == ("D", "B", None)
    assert bracket.matches["W1.1"].meeting.ref == (2, example.rounds[1].matches[0])
    assert build_event_bracket(event(DAY_ONE[0])) is None
    example = finals(
        match("A", "D", games="W"), match("B", "C", games="W"), match("A", "B", games="W"),
        A={"status": "disqualified"},
    )  # fmt: skip
    assert [tuple(row) for row in rank_final_places(example)] == [(1, "B"), (2, "C"), (3, "D")]


def test_a_drawn_elimination_match_is_decided_by_replays_then_by_decision():
    draw = {"games": (0, 0, 1)}
    replayed = match("A", "D", games="D", replays=(draw, {"games": (0, 1, 0)}))
    decided = match("B", "C", games="D", replays=(draw,), decided="tiebreak", winner="b")
    bracket = build_event_bracket(finals(replayed, decided))
    assert (bracket.matches["W1.1"].winner, bracket.matches["W1.2"].winner) == ("D", "C")
    assert bracket.matches["W1.1"].meeting.points == (1, 2)
    assert bracket.matches["W1.2"].meeting.points == (1, 1)
    by_seed = finals(match("D", "A", games="D", decided="higher_seed"))
    assert build_event_bracket(by_seed).matches["W1.1"].winner == "A"


def test_seeds_are_stored_or_of_the_swiss_ranking_before_the_bracket():
    order = compute_standings(event(DAY_ONE[0])).order
    example = finals(seeds=())
    example.stages[1].entries = tuple(sorted(FOUR))
    assert list(build_event_bracket(example).seeds) == order
    example = finals(match("A", "D", games="W"), seeds=())
    example.stages[1].entries = FOUR
    before = list(build_event_bracket(example).seeds)
    example.rounds.append(Round(3, 1, "complete", [match(before[-1], before[0], games="W")]))
    assert compute_standings(example).order[0] != before[0]
    assert list(build_event_bracket(example).seeds) == before
