"""The parameters of metrics, with kind and choices. Labels: `standings.words.metrics`.

Metrics are registered with this table, tiebreaker orders are checked against it, and the editor offers it. Kinds in a
profile:

number             an exact number, as a string unless it is an integer ("1/3" and "0.33" are different numbers)
whole              an integer from 0
switch             true or false
choice             one of `choices`
text               any words
choice or number   one of `choices`, or a number
number by round    a number, or a list with one per round, whose last one is for all later rounds
choice or opponents  one of `choices`, or {"value": number, "count": whole}
worths             {kind of bye: number}
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from standings.engine.scoring import exact

KINDS_OF_BYE = ("bye", "awarded", "half", "zero", "full")


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter. `default` None: it does not apply, or its description says what then happens."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    default: Any = None

    def read(self, value: Any) -> Any:
        """Convert the value to the form the metric takes. Raises ValueError or TypeError for another kind."""
        return READERS[self.kind](self, value)


def _number(param: Param, value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("true and false are not numbers")
    return exact(value)


def _number_by_round(param: Param, value: Any) -> Any:
    if not isinstance(value, list):
        return _number(param, value)
    if not value:
        raise ValueError("must hold a number for round 1")
    return tuple(_number(param, number) for number in value)


def _whole(param: Param, value: Any, most: int = 9999) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("must be a whole number")
    if not 0 <= value <= most:
        raise ValueError(f"must be from 0 to {most}")
    return value


def _choice(param: Param, value: Any) -> str:
    if value not in param.choices:
        raise ValueError(f"must be one of {', '.join(param.choices)}")
    return value


def _of_type(kind: type, expectation: str) -> Callable[[Param, Any], Any]:
    def read(param: Param, value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(expectation)
        return value

    return read


def _choice_or_number(param: Param, value: Any) -> Any:
    return value if value in param.choices else _number(param, value)


def _choice_or_opponents(param: Param, value: Any) -> Any:
    if not isinstance(value, dict):
        return _choice(param, value)
    return {"value": _number(param, value["value"]), "count": _whole(param, value.get("count", 1), 99)}


def _worths(param: Param, value: Any) -> dict[str, Any]:
    for kind in value:
        if kind not in KINDS_OF_BYE:
            raise ValueError(f"{kind!r} must be one of {', '.join(KINDS_OF_BYE)}")
    return {kind: _number(param, worth) for kind, worth in value.items()}


READERS = {
    "number": _number,
    "number by round": _number_by_round,
    "whole": _whole,
    "switch": _of_type(bool, "must be true or false"),
    "choice": _choice,
    "text": _of_type(str, "must be text"),
    "choice or number": _choice_or_number,
    "choice or opponents": _choice_or_opponents,
    "worths": _worths,
}

RULES = ("fide", "uscf", "raw", "twixt")  # of Buchholz

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
    "rule": " ".join(RULES),
    "own_unplayed": "self zero exclude",
    "unpaired": "zero start",
}

# By name. If a metric has its own version of a parameter, the key is "metric.name".
TABLE: dict[str, tuple[str, tuple[str, ...]]] = (
    {key: (kind, ()) for kind, keys in PLAIN.items() for key in keys.split()}
    | {key: ("choice", tuple(choices.split())) for key, choices in CHOICES.items()}
    | {
        "bye": ("choice or opponents", ("exclude", "zero")),
        "mov_share.bye": ("choice or number", ("average", "exclude", "zero")),
    }
)


def build_param(metric: str, name: str, default: Any = None) -> Param:
    """Return that metric's parameter, with its default. Raises KeyError if the table does not have it."""
    kind, choices = TABLE.get(f"{metric}.{name}") or TABLE[name]
    return Param(name, kind, choices, default)
