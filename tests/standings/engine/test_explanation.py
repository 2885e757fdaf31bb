from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.explanation import (
    explain,
    explain_value,
    find_inner_field,
    find_inner_step,
    inner_steps,
)
from standings.engine.field import Field
from standings.engine.metrics import METRICS, UnknownMetric, percentages
from standings.engine.metrics.registry import Note
from standings.engine.ranking import RankingStep
from standings.engine.scoring import Scoring
from standings.table.swiss import compute_standings, tally_records
from tests.conftest import THOROUGH
from tests.standings.engine.builders import event, match
from tests.standings.engine.strategies import full_events, leagues, params_of
from tournament.event.lots import compute_lots

KEYS = sorted(key for key, metric in METRICS.items() if not metric.group)


def field_of(example) -> Field:
    records = tally_records(example, [1])
    return Field(
        records, Scoring(example.profile), compute_lots("00", {e: r.lot for e, r in records.items()})
    )


def adds_up(explanation, params) -> bool:
    """Whether the lines come to the result, as the explanation says they do, up to a floor or cap."""
    values = [line.value for line in explanation.lines if line.value is not None]
    if explanation.how == "given":
        return explanation.total is None and bool(explanation.notes or not explanation.lines)
    total = values[-1] if explanation.how == "last" else sum(values, F(0))
    if explanation.total != total:
        return False
    before = total / explanation.divided_by if explanation.divided_by else total
    if explanation.changed_from is not None:
        limits = {F(params[name]) for name in ("floor", "cap", "cap_dropped") if name in params}
        return explanation.changed_from == before != explanation.result and explanation.result in limits
    return before == explanation.result or (
        explanation.unit == "share" and not explanation.divided_by and bool(explanation.notes)
    )


@pytest.mark.long
@settings(max_examples=200 if THOROUGH else 40, deadline=None)
@given(full_events(), st.sampled_from(["own", "zero", "exclude"]), st.integers(0, 2**32))
def test_the_lines_of_every_metric_come_to_the_engines_number(example, contribution, seed):
    example.profile["bye"] = {**example.profile["bye"], "house_contribution": contribution}
    field, chance = field_of(example), Random(seed)
    for metric, params in [(key, params) for key in KEYS for params in ({}, params_of(key, chance))]:
        for entry in example.entries:
            explanation = explain_value(field, entry, RankingStep(metric, params))
            assert explanation.result == field.value(metric, entry, params)
            assert adds_up(explanation, params), (metric, params, explanation)


@settings(max_examples=150 if THOROUGH else 25, deadline=None)
@given(full_events(), st.sampled_from(KEYS), st.randoms(use_true_random=False))
def test_every_part_of_a_line_is_the_value_it_leads_to(example, key, chance):
    step = RankingStep(key, params_of(key, chance))
    field = field_of(example)
    inside = find_inner_field(step, field)
    for entry in example.entries:
        for line in explain_value(field, entry, step).lines:
            if line.inner is None:
                continue
            value = inside.value(line.inner.step.key, line.inner.entry, line.inner.step.params)
            numbers = (line.value, line.changed_from, line.times and line.times[1])
            codes = [note.code for note in line.notes]
            rounded = "rounded" in codes and percentages.round_half_up(value, step.params["round_each"])
            left_out = line.value is None
            from_points = key == "koya" or (key == "kts_number" and line.inner.step.key == "match_points")
            assert value in numbers or rounded == line.value or left_out or from_points, (line, value)
            assert line.inner.step.key in [inner.key for inner in inner_steps(step)]


FIXED = [
    [match("A", "B", games="W", score=("7", "2"), first="b"), match("C", "D", "forfeit", winner="a")],
    [match("B", "C", games="D", score=("3", "3")), match("A", None, "bye"), match("D", None, "missed")],
    [match("A", "C", games="L", score=("1", "9")), match("B", "D", "double_loss")],
    [match("D", "A", games="W", first="a"), match("B", None, "half_bye"), match("C", None, "zero_bye")],
]


@pytest.mark.parametrize("key", KEYS)
def test_no_metric_shows_only_its_result(key):
    field = field_of(event(*FIXED))
    for entry in "ABCD":
        explanation = explain_value(field, entry, RankingStep(key))
        assert explanation.lines or explanation.notes
        assert adds_up(explanation, {}), explanation


# --- what is said ----------------------------------------------------------------------------------------


def explanation_of(*rounds, key, entry="A", preset="cardeio", overrides=None, **params):
    example = event(*rounds, preset=preset, overrides=overrides)
    return explain_value(field_of(example), entry, RankingStep(key, params))


def test_the_shared_example_is_told_as_the_documents_do():
    """Five opponents, one raised from 20% to 33%, a bye left out."""
    rounds = [[match("A", "B", games="W")], [match("A", None, "bye")], [match("B", "C", games="L")]]
    explanation = explanation_of(*rounds, key="opp_match_win_pct", floor="33/100")
    first, bye = explanation.lines
    assert (first.changed_from, first.value, first.notes) == (F(0), F(33, 100), [Note("raised")])
    assert (bye.value, bye.notes) == (None, [Note("bye"), Note("no_opponent")])
    assert (explanation.total, explanation.divided_by) == (F(33, 100), 1)


def test_a_cut_and_koya_say_whom_they_leave_out_and_why():
    rounds = [
        [match("A", "B", games="W"), match("C", "D", games="W")],
        [match("A", "C", games="W"), match("B", "D", games="W")],
        [match("A", "D", games="L"), match("B", "C", games="L")],
    ]
    explanation = explanation_of(*rounds, key="buchholz", preset="fide", cut_low=1)
    cut = [line for line in explanation.lines if line.value is None]
    assert [(line.opponent, line.changed_from, line.notes) for line in cut] == [("B", 1, [Note("lowest")])]
    even = explanation_of(*rounds[:1], [match("A", "C", games="L")], key="modified_median")
    assert even.notes[0].code == "median_both"
    median = explanation_of(*rounds, key="modified_median", preset="fide")
    assert median.notes == [Note("median_lowest", {"score": 2, "half": F(3, 2), "number": 1})]
    rounds = [
        [match("A", "B", games="W"), match("C", "D", games="W")],
        [match("A", "C", games="W"), match("B", "D", games="L")],
    ]
    explanation = explanation_of(*rounds, key="koya", preset="fide")
    assert explanation.notes == [Note("koya_limit", {"limit": 1})]
    assert explanation.lines[0].notes == [Note("below_limit", {"points": 0})]


def test_a_capped_spread_and_an_own_percentage_show_what_was_before():
    explanation = explanation_of([match("A", "B", games="W", score=("600", "188"))], key="spread", cap=300)
    (line,) = explanation.lines
    assert (line.changed_from, line.value, line.notes) == (412, 300, [Note("capped")])
    explanation = explanation_of([match("A", "B", games="L")], key="match_win_pct", floor="0.33")
    assert (explanation.changed_from, explanation.change, explanation.result) == (0, "raised", F(33, 100))
    assert (explanation.lines[0].value, explanation.lines[0].of) == (0, 3)


def test_sonneborn_berger_and_recency_show_each_step():
    rounds = [[match("A", "B", games="D"), match("C", "D", games="W")], [match("B", "C", games="W")]]
    explanation = explanation_of(*rounds, key="sonneborn_berger", preset="fide")
    assert (explanation.lines[0].times, explanation.lines[0].value) == ((F(1, 2), F(3, 2)), F(3, 4))
    rounds = [[match("A", "B", games="W")], [match("A", "C", games="L")], [match("A", "D", games="W")]]
    explanation = explanation_of(*rounds, key="recency_cumulative", preset="fab", decay="1/4")
    assert [(one.running, one.value) for one in explanation.lines] == [(1, 1), (1, F(5, 4)), (2, F(37, 16))]
    assert explanation.how == "last" and explanation.result == F(37, 16)


def test_the_draw_of_lots_says_how_to_draw_it_again():
    example = event([match("A", "B", games="W")], A={"lot": 3})
    field = field_of(example)
    assert explain_value(field, "B", RankingStep("random")).notes[1] == Note("lot_drawn", {"entry": "B"})
    assert explain_value(field, "A", RankingStep("random")).notes[1] == Note("lot_stored", {"lot": 3})


def test_tiebreaks_frozen_at_the_end_of_the_first_day_say_so():
    from tournament.event.types import Stage

    stages = [Stage(1), Stage(2, sources=(1,), carries=True, entries=("A", "B"))]
    example = event(
        (1, [match("A", "B", games="W"), match("C", "D", games="W")]), (2, [match("A", "B", games="W")]),
        stages=stages, overrides={"tiebreaks_frozen_by_stage": True},
    )  # fmt: skip
    ranking = compute_standings(example)
    assert Note("frozen", {"round": 1}) in explain(ranking, "C", 1).notes
    assert "frozen" not in [note.code for note in explain(ranking, "A", 1).notes]


# --- parts of parts --------------------------------------------------------------------------------------


def explain_inner(ranking, entry, metric, key, other):
    step, field = find_inner_step(ranking, entry, metric, key)
    return explain_value(field, other, step)


def test_an_opponents_share_opens_as_it_is_counted_and_opponents_of_opponents_twice():
    """Under Carde.io the bye counts in B's own percentage and not where A looks at B."""
    example = event([match("A", "B", games="W")], [match("B", None, "bye")], preset="cardeio")
    ranking = compute_standings(example)
    line = explain(ranking, "A", "opp_match_win_pct").lines[0]
    assert line.inner.entry == "B" and line.inner.step.key == "match_win_pct"
    inside = explain_inner(ranking, "A", "opp_match_win_pct", "match_win_pct", "B")
    assert (inside.changed_from, inside.result) == (0, F(33, 100))
    with pytest.raises(UnknownMetric):
        explain_inner(ranking, "A", "opp_match_win_pct", "buchholz", "B")
    example = event([match("A", "B", games="W")], [match("B", "C", games="W")], preset="pokemon")
    ranking = compute_standings(example)
    outer = explain_inner(ranking, "A", "opp_opp_match_win_pct", "opp_match_win_pct", "B")
    assert {line.opponent for line in outer.lines} == {"A", "C"}
    inner = explain_inner(ranking, "A", "opp_opp_match_win_pct", "match_win_pct", "C")
    assert inner.metric == "match_win_pct" and inner.result == F(1, 4)


# --- head-to-head ----------------------------------------------------------------------------------------


def ranked(example, mode):
    head_to_head = {"metric": "head_to_head", "params": {"mode": mode}}
    chain = [{"metric": "match_points"}, head_to_head, {"metric": "random"}]
    example.profile = {**example.profile, "tiebreaks": chain}
    return compute_standings(example)


def split_group(group, splits):
    """The groups the splits lead to, best first: each split is applied to the group it names."""
    split = next((s for s in splits if {m.entry for m in s.members} == set(group)), None)
    parts: dict[int, list[str]] = {}
    for member in split.members if split else ():
        parts.setdefault(member.part, []).append(member.entry)
    if len(parts) < 2:
        return [sorted(group)]
    rest = [s for s in splits if s is not split]
    return [smaller for _, part in sorted(parts.items()) for smaller in split_group(part, rest)]


@settings(max_examples=200 if THOROUGH else 20, deadline=None)
@given(leagues(), st.sampled_from(["two_only", "beat_all", "minileague", "plus_minus", "fide"]))
def test_the_splits_told_lead_to_the_place(example, mode):
    ranking = ranked(example, mode)
    for row in ranking:
        explanation = explain(ranking, row.entry, 1)
        assert explanation.result == row.values[1]
        if not explanation.groups:
            continue
        group = [member.entry for member in explanation.groups[0].members]
        if mode == "plus_minus":
            assert {m.entry: m.part for m in explanation.groups[0].members}[row.entry] == row.values[1]
            continue
        all_splits = [s for e in group for s in explain(ranking, e, 1).groups]
        order = split_group(group, all_splits)
        assert next(i for i, part in enumerate(order, 1) if row.entry in part) == row.values[1]
        assert all(split.note for split in explanation.groups)


@pytest.mark.parametrize(
    ("rounds", "mode", "code"),
    [
        ([["AB"], ["BC"], ["CD"]], "minileague", "not_all_met"),
        ([["AC"], ["BD"]], "two_only", "two_not_met"),
        ([["AB"], ["BC"], ["CA"]], "two_only", "not_two"),
        ([["AB"], ["BC"], ["CA"]], "beat_all", "beat_all_nobody"),
        ([["AB"], ["BC"], ["CA"]], "minileague", "all_met_even"),
        ([["AD"], ["BE"], ["CF"]], "minileague", "not_all_met"),
        ([["AD"], ["BE"], ["CF"]], "fide", "fide_uncertain"),
        ([["AD"], ["BE"], ["CF"]], "plus_minus", "plus_minus_even"),
    ],
)
def test_head_to_head_says_what_decided_or_why_it_is_not_used(rounds, mode, code):
    example = event(*[[match(pair[0], pair[1], games="W") for pair in matches] for matches in rounds])
    assert explain(ranked(example, mode), "A", 1).groups[0].note.code == code


def test_head_to_head_of_two_shows_their_meeting():
    example = event(
        [match("A", "B", games="W")], [match("B", "C", games="W")], [match("A", None, "zero_bye")]
    )
    explanation = explain(ranked(example, "two_only"), "B", 1)
    assert explanation.groups[0].note == Note("two_decided")
    assert [(m.entry, m.points, m.part) for m in explanation.groups[0].members] == [("A", 3, 1), ("B", 0, 2)]
    assert [(line.round, line.opponent, line.value) for line in explanation.lines] == [(1, "A", 0)]
