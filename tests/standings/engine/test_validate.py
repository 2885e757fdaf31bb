import pytest

from standings.engine.ranking import validate_chain
from tournament.rulesets import presets, records_scores, resolve

POINTS, LOT = {"metric": "match_points"}, {"metric": "random"}


def faulty_paths(*chain, **rules):
    return [path for path, _ in validate_chain({**resolve("cardeio"), "tiebreaks": list(chain), **rules})]


def step(metric, **params):
    return {"metric": metric, "params": params}


@pytest.mark.parametrize(
    ("chain", "paths"),
    [
        ([], ["tiebreaks"]),
        ([LOT], ["tiebreaks[0].metric"]),
        ([POINTS], ["tiebreaks[0].metric"]),
        ([{"metric": "opp_match_win_pct"}, LOT], ["tiebreaks[0].metric"]),
        ([POINTS, {"metric": "phase_of_the_moon"}, LOT], ["tiebreaks[1].metric"]),
        ([POINTS, LOT, {"metric": "match_wins"}, LOT], ["tiebreaks[1].metric"]),
        ([step("head_to_head", mode="fide"), POINTS, LOT], ["tiebreaks[0].metric", "tiebreaks[0].metric"]),
        ([POINTS, step("head_to_head", mode="by_age"), LOT], ["tiebreaks[1].params.mode"]),
        ([POINTS, step("buchholz", rule="chinese"), LOT], ["tiebreaks[1].params.rule"]),
        ([POINTS, step("buchholz", floor="1/3"), LOT], ["tiebreaks[1].params.floor"]),
        ([POINTS, step("match_win_pct", floor="a third"), LOT], ["tiebreaks[1].params.floor"]),
        ([POINTS, step("match_win_pct", floor=0.33), LOT], ["tiebreaks[1].params.floor"]),
        ([POINTS, step("match_win_pct", floor="1/2", cap="1/3"), LOT], ["tiebreaks[1].params.cap"]),
        ([POINTS, {"metric": "spread", "params": 3}, LOT], ["tiebreaks[1].params"]),
        ([3, LOT], ["tiebreaks[0]"]),
        ([POINTS, step("head_to_head", mode="fide"), step("buchholz", cut_low=1), LOT], []),
        ([{"metric": "mms"}, {"metric": "manual"}], []),
        ([{"metric": "match_wins"}, LOT], []),
    ],
)
def test_a_fault_is_named_by_its_path(chain, paths):
    assert faulty_paths(*chain) == paths


def test_scores_are_looked_at_only_where_they_are_recorded_and_rulesets_that_look_record_them():
    for needy in ({"metric": "spread"}, step("head_to_head", mode="minileague", on="victory_points")):
        assert faulty_paths(POINTS, needy, LOT, records_scores=False) == ["tiebreaks[1].metric"]
        assert faulty_paths(POINTS, needy, LOT, records_scores=True) == []
        assert faulty_paths(POINTS, needy, LOT) == []
    asking = [key for key, profile in presets().items() if records_scores(profile)]
    assert asking == ["xwing", "warhammer_gw", "scrabble", "bridge_swiss_teams"]
    assert records_scores({**resolve("cardeio"), "records_scores": True})
