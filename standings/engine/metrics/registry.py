"""The register of metrics: key, unit, parameters and function. Titles and formulas: `standings.words.metrics`."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from typing import Any

from standings.engine.metrics.params import Param, build_param
from standings.engine.metrics.terms import Term, divide_terms
from standings.engine.scoring import Number


class UnknownMetric(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Metric:
    key: str
    unit: str  # points, share (0 to 1), score, count or order
    function: Callable  # the value of one entry; with `at_once` only its docstring is read
    params: Mapping[str, Param] = field(hash=False)  # by name, each with its kind and default
    ascending: bool = False  # lower is better unless a ruleset says otherwise
    games: bool = False  # events in which games decide nothing skip it
    # Whether the function orders a whole tied group instead of measuring one entry:
    # `function(field, members, **params) -> list of groups, best first`.
    group: bool = False
    # `function(field, entry, **params)`: the terms whose sum is the value.
    terms: Callable[..., list[Term]] | None = None
    # What the sum is divided by: "rounds" (the number of those that count), "wholes" (the sum of the terms'
    # `of`), or nothing.
    divisor: str = ""
    inner: str = ""  # the metric of opponents that the terms are made of
    # `function(field, **params) -> Numbers`: the values of all entries, see `metrics.flat`.
    at_once: Callable | None = None

    @property
    def source(self) -> str:
        """The text after "Source:" in the function's docstring: a citation, so it stays in English on every page."""
        text = " ".join((self.function.__doc__ or "").split())
        return text.partition("Source: ")[2].rstrip(".")


METRICS: dict[str, Metric] = {}


def metric(unit: str, *, key: str = "", defaults: Mapping[str, Any] | None = None, **more: Any):
    """Register the decorated function under `key`, by default its name; `more`: fields of `Metric`.

    Its params and their defaults are the function's keyword-only parameters, unless `defaults` are given.
    """

    def register(function):
        name = key or function.__name__
        given = keyword_defaults(function) if defaults is None else defaults
        params = {param: build_param(name, param, default) for param, default in given.items()}
        METRICS[name] = Metric(name, unit, function, params, **more)
        return function

    return register


def term_metric(unit: str, *, combine: Callable[..., Number] | None = None, **more: Any):
    """Register a metric computed from the terms that the decorated function returns. `more`: as for `metric`.

    Its value is the sum of the terms over the `divisor`, 0 if that is 0; or `combine(terms, field, entry, params)`.
    """

    def register(terms_of):
        @wraps(terms_of)
        def compute(field, entry, **params):
            terms = terms_of(field, entry, **params)
            return combine(terms, field, entry, params) if combine else divide_terms(terms, divisor)

        divisor = more.get("divisor", "")
        metric(unit, terms=terms_of, **more)(compute)
        return terms_of

    return register


def round_metric(unit: str, *, divisor: str = "", by_sort: bool = False, **more: Any):
    """Register a metric that is a sum over an entry's rounds; the decorated function returns the value of one.

    `function(field, entry, line, **params)` returns a number, a term, or None to skip the round. `divisor`: "rounds"
    for the mean. `by_sort`: the value is a number that depends only on the round's kind, outcome and games.
    """

    def register(of_round):
        def sums(field, **params):
            return field.flat.sums(lambda alone, line: of_round(alone, "", line, **params))

        def terms_of(field, entry, **params):
            values = [(line, of_round(field, entry, line, **params)) for line in field.records[entry].rounds]
            return [value if isinstance(value, Term) else Term(line, value) for line, value in values]

        @wraps(of_round)
        def compute(field, entry, **params):
            # Adds up without creating terms, because large events have 100,000 rounds and more.
            total = number = 0
            for line in field.records[entry].rounds:
                value = of_round(field, entry, line, **params)
                if isinstance(value, Term):
                    value = value.value
                if value is not None:
                    total += value
                    number += 1
            if not divisor:
                return total
            return Fraction(total) / number if number else 0

        at_once = sums if by_sort else None
        metric(unit, terms=terms_of, divisor=divisor, at_once=at_once, **more)(compute)
        return of_round

    return register


def keyword_defaults(function: Callable) -> dict[str, Any]:
    signature = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}


def find_metric(key: str) -> Metric:
    if key not in METRICS:
        raise UnknownMetric(f"Unknown metric {key!r}.")
    return METRICS[key]


def read_params(metric: Metric, params: dict) -> dict:
    """Convert the params to the form the metric takes. Raises UnknownMetric for an unknown or invalid one."""
    for name in params:
        if name not in metric.params:
            raise UnknownMetric(f"Metric {metric.key!r} has no parameter {name!r}.")
    return {name: _read(metric, name, value) for name, value in params.items() if value is not None}


def _read(metric: Metric, name: str, value: Any) -> Any:
    try:
        return metric.params[name].read(value)
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise UnknownMetric(
            f"{value!r} is not a valid {name!r} for metric {metric.key!r}: {error}."
        ) from error
