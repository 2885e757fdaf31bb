"""The register of metrics: key, unit, parameters, function, and the terms of a value and its explanation.

Tiebreaker orders are checked against the table of parameters, and the editor offers them. Kinds in a profile:

number             an exact number, as a string unless it is an integer ("1/3" and "0.33" are different numbers)
whole              an integer from 0
switch             true or false
choice             one of `choices`
text               any words
choice or number   one of `choices`, or a number
number by round    a number, or a list with one per round, whose last one is for all later rounds
choice or opponents  one of `choices`, or {"value": number, "count": whole}
worths             {kind of bye: number}

Titles, formulas and labels: `standings.words.metrics`.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple

from standings.engine.records import RoundRecord
from standings.engine.scoring import Number, exact


class Note(NamedTuple):
    """A remark: its code, and the numbers and names to insert in its sentence (`standings.words.explanation`)."""

    code: str
    values: Mapping[str, Any] = MappingProxyType({})


class Term(NamedTuple):
    """One round's contribution. If `value` is None it does not count; `note` or `cut` is the code of the reason."""

    round: RoundRecord
    value: Number | None
    note: str | Note = ""  # also what replaces an opponent's value
    of: Number | None = None  # the contribution to the divisor
    voluntary: bool = False  # an unplayed round of the entry's own choice, which FIDE's cuts remove first
    cut: str = ""
    before: Number | None = None  # the value before it was changed or cut
    # (own result as part of a win, opponent's score); the value is their product.
    times: tuple[Number, Number] | None = None
    running: Number | None = None  # the points so far
    label: str = ""  # the term's kind if it is not a round: "start", "unplayed_wins" or a metric's key


NO_ROUND = RoundRecord(0, "played", None, "", (0, 0, 0))  # of a term that is none


def cut_off(term: Term, code: str) -> Term:
    return term._replace(value=None, before=term.value, cut=code)


def total_of(terms: Iterable[Term]) -> Number:
    return sum(term.value for term in terms if term.value is not None)


def sum_wholes(terms: Iterable[Term]) -> Number:
    return sum(term.of for term in terms if term.of is not None)


def count_values(terms: Iterable[Term]) -> int:
    return sum(term.value is not None for term in terms)


def term_divisor(terms: list[Term], divisor: str) -> Number | None:
    if divisor == "rounds":
        return count_values(terms)
    return sum_wholes(terms) if divisor == "wholes" else None


def divide_terms(terms: list[Term], divisor: str) -> Number:
    total, whole = total_of(terms), term_divisor(terms, divisor)
    if whole is None:
        return total
    return Fraction(total) / whole if whole else 0


KINDS_OF_BYE = ("bye", "awarded", "half", "zero", "full")


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter. `default` None: it does not apply, or its description says what then happens."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    default: Any = None


def _number(value: Any) -> Number:
    if isinstance(value, bool):
        raise TypeError("true and false are not numbers")
    return exact(value)


def _whole(value: Any, most: int = 9999) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("must be a whole number")
    if not 0 <= value <= most:
        raise ValueError(f"must be from 0 to {most}")
    return value


def _read_value(param: Param, value: Any) -> Any:
    """Convert a value to the form the metric takes. Raises ValueError or TypeError for another kind."""
    kind = param.kind
    if kind == "whole":
        return _whole(value)
    if kind == "switch" and not isinstance(value, bool):
        raise TypeError("must be true or false")
    if kind == "text" and not isinstance(value, str):
        raise TypeError("must be text")
    if kind in ("switch", "text") or value in param.choices:
        return value
    if kind == "number by round" and isinstance(value, list):
        if not value:
            raise ValueError("must hold a number for round 1")
        return tuple(map(_number, value))
    if kind == "choice or opponents" and isinstance(value, dict):
        return {"value": _number(value["value"]), "count": _whole(value.get("count", 1), 99)}
    if kind in ("choice", "choice or opponents"):
        raise ValueError(f"must be one of {', '.join(param.choices)}")
    if kind == "worths":
        if unknown := [bye for bye in value if bye not in KINDS_OF_BYE]:
            raise ValueError(f"{unknown[0]!r} must be one of {', '.join(KINDS_OF_BYE)}")
        return {bye: _number(worth) for bye, worth in value.items()}
    return _number(value)


PLAIN = {
    "number": "floor cap cap_dropped empty limit decay start forfeit_win forfeit_loss max_per_round missing even "
              "spread.bye margin_of_victory.bye",
    "number by round": "spread.cap",
    "whole": "round_each version cut_low cut_high cut double_from",
    "switch": "include_byes count_no_show_tables count_missed_rounds count_forfeit_opponents forfeits_as_played "
              "deduct_unplayed_wins byes normalise forfeit_ends_byes",
    "text": "name",
    "worths": "bye_as",
}  # fmt: skip
CHOICES = {
    "mode": "points wins wins_half_draws",
    "game_win_pct.mode": "points wins",
    "opp_game_win_pct.mode": "points wins",
    "kts_number.mode": "truncate half_up",
    "head_to_head.mode": "two_only beat_all minileague plus_minus fide",
    "on": "match_points victory_points",
    "rule": "fide uscf raw twixt",
    "own_unplayed": "self zero exclude",
    "unpaired": "zero start",
}

# By name. If a metric has its own version of a parameter, the key is "metric.name".
TABLE: dict[str, tuple[str, tuple[str, ...]]] = {
    **{key: (kind, ()) for kind, keys in PLAIN.items() for key in keys.split()},
    **{key: ("choice", tuple(choices.split())) for key, choices in CHOICES.items()},
    "bye": ("choice or opponents", ("exclude", "zero")),
    "mov_share.bye": ("choice or number", ("average", "exclude", "zero")),
}


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
        params = {}
        for param, default in given.items():
            kind, choices = TABLE.get(f"{name}.{param}") or TABLE[param]
            params[param] = Param(param, kind, choices, default)
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
    """Register a sum over an entry's rounds; the function returns the value or term of one round, None to skip it.

    `divisor`: "rounds" for the mean. `by_sort`: the value depends only on the round's kind, outcome and games.
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
    param = metric.params[name]
    try:
        return _read_value(param, value)
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        words = f"{value!r} is not a valid {name!r} for metric {metric.key!r}: {error}."
        raise UnknownMetric(words) from error
