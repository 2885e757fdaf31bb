"""What may be said about a metric beside its key: every parameter once, with its kind, meaning and words.

One table for whoever asks: metrics are registered with it, orders are checked by it, the editor offers it and
the page of all metrics prints it. How a kind is written in a profile:

number: an exact number, as a string where it is no integer ("1/3" and "0.33" are different numbers) · whole: an
integer from 0 · switch: true or false · choice: one of `choices` · text: any words · choice or number: one of
`choices`, or a number · choice or opponents: one of `choices`, or {"value": number, "count": whole} · worths:
{kind of bye: number}.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from standings.engine.scoring import exact

KINDS_OF_BYE = ("bye", "awarded", "half", "zero", "full")


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter. `default` None: nothing of the kind happens, or what `meaning` says then."""

    name: str
    kind: str
    meaning: str
    choices: tuple[str, ...] = ()
    default: Any = None

    def read(self, value: Any) -> Any:
        """The value as the metric takes it. Raises ValueError or TypeError if it is not of the parameter's kind."""
        return READERS[self.kind](self, value)


def _number(param: Param, value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("true and false are not numbers")
    return exact(value)


def _whole(param: Param, value: Any, most: int = 9999) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("must be a whole number")
    if not 0 <= value <= most:
        raise ValueError(f"must be from 0 to {most}")
    return value


def _switch(param: Param, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _choice(param: Param, value: Any) -> str:
    if value not in param.choices:
        raise ValueError(f"must be one of {', '.join(param.choices)}")
    return value


def _text(param: Param, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("must be text")
    return value


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
    "whole": _whole,
    "switch": _switch,
    "choice": _choice,
    "text": _text,
    "choice or number": _choice_or_number,
    "choice or opponents": _choice_or_opponents,
    "worths": _worths,
}

OF_BUCHHOLZ = "which rule of Buchholz: FIDE, USCF, scores as they stand, or ClineCON's"
RULES = ("fide", "uscf", "raw", "twixt")

# By name; where a metric means something of its own by a name, under "metric.name".
TABLE: dict[str, Param] = {
    key: Param(key.rpartition(".")[2], kind, meaning, tuple(choices.split()))
    for key, kind, meaning, choices in [
        ("mode", "choice", "what is counted: points, wins alone, or wins and half the draws",
         "points wins wins_half_draws"),
        ("game_win_pct.mode", "choice", "what is counted of the games: points, or wins alone", "points wins"),
        ("opp_game_win_pct.mode", "choice", "what is counted of the games: points, or wins alone", "points wins"),
        ("kts_number.mode", "choice", "how the 3 digits of a percentage are rounded", "truncate half_up"),
        ("head_to_head.mode", "choice",
         ("two_only: exactly 2 players are tied · beat_all: a player beat all the others · "
"minileague: only if all played each other · plus_minus: wins − losses · fide: all "
"played each other, or first whatever the missing matches would bring"),
         "two_only beat_all minileague plus_minus fide"),
        ("on", "choice", "what a match counts: match points, or the points scored in it",
         "match_points victory_points"),
        ("include_byes", "switch", "whether rounds with a bye count", ""),
        ("count_no_show_tables", "switch", "whether a round with a double no-show counts", ""),
        ("count_forfeit_opponents", "switch", "whether the opponent of a forfeited match counts", ""),
        ("floor", "number", "the minimum: a lower percentage counts as this one (0 to 1)", ""),
        ("cap", "number", "the maximum: a higher percentage counts as this one (0 to 1)", ""),
        ("spread.cap", "number", "the most a single match can add or subtract", ""),
        ("cap_dropped", "number", "the maximum for players who dropped or were disqualified (0 to 1)", ""),
        ("empty", "number", "the value when there is nothing to measure; if empty, the minimum, or 0 without one", ""),
        ("round_each", "whole", "decimal places to which each opponent's value is rounded before averaging", ""),
        ("bye", "choice or opponents",
         "a bye among the opponents: left out, an opponent with 0, or a number of opponents with a given value",
         "exclude zero"),
        ("spread.bye", "number", "the margin a bye adds", ""),
        ("mov_share.bye", "choice or number",
         "a bye: the average of the other matches, left out, nothing, or that share", "average exclude zero"),
        ("rule", "choice", OF_BUCHHOLZ, " ".join(RULES)),
        ("own_unplayed", "choice",
         "own unplayed rounds: own score, 0, or left out; if empty, as the rule says",
         "self zero exclude"),
        ("version", "whole", "the year of FIDE's rules; from 2026 an unplayed round is capped", ""),
        ("forfeits_as_played", "switch", "whether forfeits count as games (round robins)", ""),
        ("cut_low", "whole", "how many of the lowest are left out", ""),
        ("cut_high", "whole", "how many of the highest are left out", ""),
        ("cut", "whole", "how many of the first running scores are left out", ""),
        ("limit", "number", "the score an opponent must reach; if empty, half of the maximum", ""),
        ("deduct_unplayed_wins", "switch", "whether unplayed wins are deducted", ""),
        ("bye_as", "worths", "what each kind of bye is worth here; if empty, as in the score", ""),
        ("decay", "number", "what the previous value is multiplied by each round", ""),
        ("byes", "switch", "whether a bye adds its points", ""),
        ("normalise", "switch", "whether it is divided by the value of winning every round", ""),
        ("start", "number", "the starting score of players who have none", ""),
        ("unpaired", "choice", "a round without an opponent: 0, or own starting score", "zero start"),
        ("forfeit_win", "number", "what a forfeit win counts", ""),
        ("spread.forfeit_win", "number", "the margin a forfeit win adds; if empty, as for a bye", ""),
        ("forfeit_loss", "number", "what a forfeit loss or a missed round counts", ""),
        ("max_per_round", "number", "the most points a round can give; if empty, those of a win", ""),
        ("name", "text", "the name of the value, as in a label such as \"DSC cm=199.6\"", ""),
        ("missing", "number", "the value for players without one; if empty, 1 more than the highest", ""),
    ]
}  # fmt: skip


def param_of(metric: str, name: str, default: Any = None) -> Param:
    """The parameter of that metric, with its default. Raises KeyError: every parameter stands in the table."""
    found = TABLE.get(f"{metric}.{name}") or TABLE[name]
    return replace(found, default=default)
