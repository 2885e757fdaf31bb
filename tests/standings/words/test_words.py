import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.explanation import ExplanationLine, differences, explain, explain_value
from standings.engine.metrics import METRICS
from standings.engine.metrics.registry import TABLE, Note
from standings.engine.ranking import RankingStep
from standings.engine.records import Outcomes
from standings.words import explanation as words
from standings.words import metrics
from standings.words.formats import format_record, format_value, parse_value, record_in_words
from standings.words.metrics import (
    choice_in_words,
    describe_metrics,
    explain_param,
    metric_formula,
    metric_title,
    param_in_words,
    param_label,
    step_title,
)
from standings.words.rules import change_in_words, faults_in_words
from tests.conftest import THOROUGH
from tests.standings.engine.strategies import full_events, leagues, params_of
from tests.standings.engine.test_explanation import KEYS, field_of, ranked
from tournament.event.formats import format_number, format_rounded, points_in_words
from tournament.services.rulesets import FaultyRules

PARAMS = [(metric.key, param) for metric in METRICS.values() for param in metric.params.values()]


def test_every_metric_and_parameter_has_words_and_no_words_are_about_another():
    assert set(metrics.WORDS) == set(METRICS)
    for key, metric in METRICS.items():
        assert metric_title(key) and metric_formula(key) and metric.unit in metrics.UNITS
        assert not metric_formula(key).endswith(".")
    assert set(TABLE) <= set(metrics.PARAM_WORDS)
    for key, param in PARAMS:
        assert param_label(key, param.name) and explain_param(key, param.name).endswith(".")
        assert param.kind in metrics.KINDS
        known = metrics.CHOICES.get(f"{key}.{param.name}") or metrics.CHOICES.get(param.name, {})
        assert not param.choices or set(param.choices) == set(known) & set(param.choices), (key, param)
    known = {param.name for _, param in PARAMS} | {f"{key}.{param.name}" for key, param in PARAMS}
    assert set(metrics.PARAM_WORDS) | set(metrics.CHOICES) <= known


@pytest.mark.parametrize(
    ("step", "title"),
    [
        (RankingStep("buchholz", {"cut_low": 1, "cut_high": 2}), "Buchholz, cut 1 low, 2 high"),
        (RankingStep("buchholz", {"cut_high": 1}), "Buchholz, cut 0 low, 1 high"),
        (RankingStep("buchholz", {"cut_low": 1}, label="BH-C1"), "BH-C1"),
    ],
)
def test_a_step_is_called_by_its_label_or_by_its_metric_and_cut(step, title):
    assert step_title(step) == title


def test_a_parameter_reads_as_label_and_value_and_all_metrics_are_described():
    assert param_in_words("buchholz", "cut_low", 1) == "lowest left out: 1"
    assert param_in_words("buchholz", "rule", "raw") == "rule: scores as they stand"
    assert param_in_words("nothing known", "by_age", "7") == "by_age: 7"
    assert choice_in_words("kts_number", "mode", "half_up") == "half up"
    described = describe_metrics()
    assert [metric.title.casefold() for metric in described] == sorted(
        metric_title(key).casefold() for key in METRICS
    )


ENGINE = Path("standings/engine")
MODES = METRICS["head_to_head"].params["mode"].choices


@settings(max_examples=150 if THOROUGH else 25, deadline=None)
@given(full_events(), st.sampled_from(KEYS), st.randoms(use_true_random=False))
def test_every_note_of_every_metric_has_its_words(example, key, chance):
    step = RankingStep(key, params_of(key, chance))
    field = field_of(example)
    for entry in example.entries:
        explanation = explain_value(field, entry, step)
        for line in explanation.lines:
            notes = words.line_notes_in_words(line)
            assert bool(notes) == bool(line.notes) and not notes.endswith(".")
            assert words.line_label_in_words(line) or line.round is not None
        for sentence in words.notes_in_words(explanation):
            assert sentence[0].isupper() or sentence[0].isdigit()
            assert sentence.endswith(".") and "%(" not in sentence
        words.change_in_words(explanation.change)


@settings(max_examples=50 if THOROUGH else 10, deadline=None)
@given(leagues(), st.sampled_from(MODES))
def test_every_outcome_of_head_to_head_has_its_words(example, mode):
    ranking = ranked(example, mode)
    for row in ranking:
        explanation = explain(ranking, row.entry, 1)
        assert all(words.outcome_in_words(group.note) for group in explanation.groups)
        assert all(sentence.endswith(".") for sentence in words.notes_in_words(explanation))


@pytest.mark.parametrize(
    "table", [words.LINE_NOTES, words.SENTENCES, words.OUTCOMES, words.REASONS, words.LABELS]
)
def test_no_words_are_about_a_code_the_engine_does_not_have(table):
    text = "".join(path.read_text() for path in ENGINE.rglob("*.py"))
    assert [code for code in table if f'"{code}"' not in text] == []


def test_the_notes_say_what_happened_and_why_a_value_differs_elsewhere():
    line = ExplanationLine(1, "B", None, [Note("own_score"), Note("lowest")])
    assert words.line_notes_in_words(line) == "not played, own score used instead, lowest: left out"
    assert words.change_in_words("raised") == "raised to the minimum" and words.change_in_words("") == ""
    line = ExplanationLine(1, "B", None, [Note("rounded", {"places": 1})])
    assert words.line_notes_in_words(line) == "rounded to 1 place"
    group = Note("not_two", {"number": 3})
    assert words.outcome_in_words(group) == "does not apply: it needs exactly 2 tied players, and 3 are tied"
    own = RankingStep("match_win_pct", {"floor": "1/3", "include_byes": True})
    other = RankingStep("match_win_pct", {"floor": "1/4", "include_byes": False, "mode": "wins"})
    words_of_rules = words.reasons_in_words(differences(own, other))
    assert set(re.split(", ", words_of_rules)) == {"byes left out", "minimum: 1/4", "counted: wins alone"}
    assert words.reasons_in_words(differences(own, RankingStep("match_win_pct"))) == "without a minimum"
    assert words.value_elsewhere("own", "50%", []) == "Own value 50%: ."


@pytest.mark.parametrize(
    ("value", "places", "mode", "printed"),
    [("2797/4500", 4, "half_up", "0.6216"), ("1/8", 2, "half_up", "0.13"), ("1/8", 2, "truncate", "0.12"),
     ("-1/8", 2, "half_up", "-0.13"), ("199/2", 0, "half_up", "100")],
)  # fmt: skip
def test_numbers_are_rounded_as_the_ruleset_says(value, places, mode, printed):
    assert format_rounded(Fraction(value), places, mode) == printed


def test_shares_points_and_records_are_printed_short_or_in_words():
    assert format_value(Fraction(2, 3), "share", {"percent_places": 3}) == "66.667"
    numbers = {"12": "12", "5/2": "2.5", "0": "0", "1/3": "0.333"}
    assert {text: format_number(Fraction(text)) for text in numbers} == numbers
    assert record_in_words(Outcomes(4, 1, 1, 0)) == "4 wins, 1 loss, 1 draw"
    assert record_in_words(Outcomes(1, 0, 0, 2)) == "1 win, 0 losses, 2 rounds not played"
    assert format_record(Outcomes(3, 1, 0, 1)) == "3–1–0, 1 round not played"
    assert [points_in_words(text) for text in ("1", "2.5")] == ["1 point", "2.5 points"]


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("number", "-5 %", "-0.05"),
        ("number", "1/3", "1/3"),
        ("number", "25 %%", "25 %%"),
        ("choice or number", "average", "average"),
        ("choice or number", "12.5%", "0.125"),
        ("choice or opponents", "3 x 20%", {"value": "0.2", "count": 3}),
        ("worths", "bye=50 %, zero=0%", {"bye": "0.5", "zero": "0"}),
        ("text", "25 %", "25 %"),
        *(("number", odd, odd) for odd in ("1/4 %", "12,5 %", "%", "1e999999999%", "9" * 58 + " %", "٢٥ %")),
    ],
)
def test_a_percentage_is_the_decimal_it_means_wherever_a_number_is_typed(kind, typed, value):
    assert parse_value(kind, typed) == value


def test_a_fault_names_its_field_and_where_it_stands_in_the_file():
    faults = [
        ("match_points.win", "a number"),
        ("tiebreaks[3].params.floor", "from 0 to 1"),
        ("by_age", "unknown field"),
        ("", "no ruleset"),
    ]
    assert faults_in_words(FaultyRules(faults)) == [
        "Match points for a win (match_points.win): a number",
        "Standings order (tiebreaks[3].params.floor): from 0 to 1",
        "by_age: unknown field",
        "no ruleset",
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [("33/100", "33%"), ("0.25", "25%"), ("1/3", "1/3"), ("0.3333", "33.33%"), ("0", "0%"), ("1", "100%"),
     ("a third", "a third"), (None, "none")],
)  # fmt: skip
def test_a_share_reads_as_the_percentage_that_it_is(value, words):
    assert change_in_words("percentages.match_floor", "0.3", value)[1:3] == (words, "30%")
