import inspect

import pytest

from standings.engine import METRICS, UnknownMetric
from standings.engine.metrics.registry import read_params
from tests.standings.engine.builders import field_of, played
from tournament.rulesets import presets

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
