import pytest

from pairings.simulation.simulate import simulate
from standings.preview.comparison import (
    compare_rankings,
    cut_size_of,
    deciding_value_of,
    missing_data_of,
)
from tests.standings.engine import builders
from tournament.event.types import Stage
from tournament.rulesets import resolve


def played():
    """Four events of four rounds with a cut to the top 5, under the DCI's rules."""
    return [simulate(24, 4, resolve("dci1999"), seed=f"{n:02x}").replace(cut=5) for n in range(4)]


def weekend():
    """Two rounds: C won both, A the first, B the second, D none. A and B met the same; the lot favours B."""
    match = builders.match
    return builders.event(
        [match("A", "D", games="W"), match("C", "B", games="W")],
        [match("C", "A", games="W"), match("B", "D", games="W")],
        preset="dci1999",
        A={"lot": 2},
        B={"lot": 1},
    )


def by_time():
    profile = resolve("dci1999")
    profile["tiebreaks"] = [{"metric": m} for m in ("match_points", "cumulative", "random")]
    return profile


def test_who_comes_in_by_what_and_who_shares_a_rank_is_said():
    ours = weekend()
    (swap,) = compare_rankings(ours.replace(cut=2), ours.replace(profile=by_time())).swaps
    assert (swap.into, swap.out) == (("A", 3, 2), ("B", 2, 3))
    assert (swap.now.step.key, swap.now.above, swap.now.below) == ("cumulative", 6, 3)
    assert (swap.then.step.key, swap.then.above, swap.then.below) == ("random", 1, 2)
    profile = by_time() | {"tiebreaks": [{"metric": "match_points"}, {"metric": "manual"}]}
    ranking = compare_rankings(ours, ours.replace(profile=profile)).after
    assert deciding_value_of(ranking, "A", "B").how == "tied"
    assert deciding_value_of(ranking, "A", None) is None


@pytest.mark.parametrize("key", ["pokemon", "twixt", "fide"])
def test_a_swap_is_decided_by_the_first_step_that_separates_the_two(key):
    swaps = 0
    for theirs in played():
        same = compare_rankings(theirs, theirs)
        assert not same.swaps and not same.moves
        profile = resolve(key) | {"best_of_swiss": theirs.profile["best_of_swiss"]}
        comparison = compare_rankings(theirs, theirs.replace(profile=profile))
        for swap in comparison.swaps:
            mine, other = comparison.after.row(swap.into.entry), comparison.after.row(swap.out.entry)
            place = comparison.after.steps.index(swap.now.step)
            assert mine.values[:place] == other.values[:place]
            assert (swap.now.above, swap.now.below) == (mine.values[place], other.values[place])
            assert mine.rank < other.rank and swap.into.before > swap.out.before
            swaps += 1
        ranks = {row.entry: row.rank for row in comparison.before}
        changed = {row.entry for row in comparison.after if ranks[row.entry] != row.rank}
        assert {move.entry for move in comparison.moves} == changed
    assert swaps


def test_what_an_order_needs_and_the_event_did_not_record_is_named():
    theirs = played()[0]
    needs = {"scrabble": ["score"], "curling": ["outside"], "pokemon": []}
    assert {key: [what for _step, what in missing_data_of(theirs, resolve(key))] for key in needs} == needs
    assert missing_data_of(theirs, resolve("melee_two_game"))[0][1] == "game_order"


def test_the_cut_is_the_events_own_or_the_top_eight():
    event = weekend()
    assert (cut_size_of(event), cut_size_of(event.replace(cut=2))) == (8, 2)
    bracket = Stage(2, kind="elimination", sources=(1,), seeds=("A", "B", "C", "D"))
    assert cut_size_of(event.replace(cut=2, stages=[*event.stages, bracket])) == 4
