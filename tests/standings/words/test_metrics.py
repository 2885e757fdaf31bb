import pytest

from standings.engine import METRICS, RankingStep
from standings.engine.metrics.params import TABLE
from standings.words import metrics
from standings.words.metrics import (
    choice_in_words,
    describe_metrics,
    formula_of,
    label_of,
    meaning_of,
    param_in_words,
    title_of,
    title_of_step,
)

PARAMS = [(metric.key, param) for metric in METRICS.values() for param in metric.params.values()]


def test_every_metric_and_parameter_has_words_and_no_words_are_about_another():
    assert set(metrics.WORDS) == set(METRICS)
    for key, metric in METRICS.items():
        assert title_of(key) and formula_of(key) and metric.unit in metrics.UNITS
        assert not formula_of(key).endswith(".")
    assert set(TABLE) <= set(metrics.PARAM_WORDS)
    for key, param in PARAMS:
        assert label_of(key, param.name) and meaning_of(key, param.name).endswith(".")
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
    assert title_of_step(step) == title


def test_a_parameter_reads_as_label_and_value_and_all_metrics_are_described():
    assert param_in_words("buchholz", "cut_low", 1) == "lowest left out: 1"
    assert param_in_words("buchholz", "rule", "raw") == "rule: scores as they stand"
    assert param_in_words("nothing known", "by_age", "7") == "by_age: 7"
    assert choice_in_words("kts_number", "mode", "half_up") == "half up"
    described = describe_metrics()
    assert [metric.title.casefold() for metric in described] == sorted(
        title_of(key).casefold() for key in METRICS
    )
