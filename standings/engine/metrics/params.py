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
        """The value as the metric takes it. Raises ValueError or TypeError for what is none of its kind."""
        return READERS[self.kind](self, value)


def _number(param: Param, value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("true and false are no numbers")
    return exact(value)


def _whole(param: Param, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("no integer")
    if value < 0:
        raise ValueError("below 0")
    return value


def _switch(param: Param, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _choice(param: Param, value: Any) -> str:
    if value not in param.choices:
        raise ValueError(f"none of {', '.join(param.choices)}")
    return value


def _text(param: Param, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no words")
    return value


def _choice_or_number(param: Param, value: Any) -> Any:
    return value if value in param.choices else _number(param, value)


def _choice_or_opponents(param: Param, value: Any) -> Any:
    if not isinstance(value, dict):
        return _choice(param, value)
    return {"value": _number(param, value["value"]), "count": _whole(param, value.get("count", 1))}


def _worths(param: Param, value: Any) -> dict[str, Any]:
    for kind in value:
        if kind not in KINDS_OF_BYE:
            raise ValueError(f"{kind!r} is none of {', '.join(KINDS_OF_BYE)}")
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
        ("kts_number.mode", "choice", "how the three digits of a percentage are cut", "truncate half_up"),
        ("head_to_head.mode", "choice",
         "two_only: exactly two are tied · beat_all: who beat every other · minileague: only if all met · "
         "plus_minus: wins − losses · fide: all met, or first whatever missing matches would give",
         "two_only beat_all minileague plus_minus fide"),
        ("on", "choice", "what a meeting is worth: match points, or the points made inside it",
         "match_points victory_points"),
        ("include_byes", "switch", "whether rounds with a bye count", ""),
        ("count_no_show_tables", "switch", "whether a round counts in which nobody came to the table", ""),
        ("count_forfeit_opponents", "switch", "whether an opponent counts whose match was a forfeit", ""),
        ("floor", "number", "the minimum: a lower percentage counts as this one (0 to 1)", ""),
        ("cap", "number", "the maximum: a higher percentage counts as this one (0 to 1)", ""),
        ("spread.cap", "number", "the most a single match may add or take off", ""),
        ("cap_dropped", "number", "the maximum of who dropped or was disqualified (0 to 1)", ""),
        ("empty", "number", "the value where there is nothing to measure; else the minimum, else 0", ""),
        ("round_each", "whole", "decimal places each opponent's value is rounded to before the mean", ""),
        ("bye", "choice or opponents",
         "a bye among the opponents: left out, an opponent with 0, or so many opponents with that value",
         "exclude zero"),
        ("spread.bye", "number", "the margin a bye adds", ""),
        ("mov_share.bye", "choice or number",
         "a bye: the average of the other matches, left out, nothing, or that share", "average exclude zero"),
        ("rule", "choice", OF_BUCHHOLZ, " ".join(RULES)),
        ("own_unplayed", "choice",
         "an own round not played: the own score, 0, or left out; without it as the rule says",
         "self zero exclude"),
        ("version", "whole", "the year of FIDE's rules; from 2026 an unplayed round is capped", ""),
        ("forfeits_as_played", "switch", "whether forfeits count as games (round robins)", ""),
        ("cut_low", "whole", "how many of the lowest are left out", ""),
        ("cut_high", "whole", "how many of the highest are left out", ""),
        ("cut", "whole", "how many of the first running scores are left out", ""),
        ("limit", "number", "the score an opponent must reach; else half of what could be won", ""),
        ("deduct_unplayed_wins", "switch", "whether wins nobody played for are taken off", ""),
        ("bye_as", "worths", "what a bye is worth here, by kind; else as in the score", ""),
        ("decay", "number", "what the value so far is multiplied by at each round", ""),
        ("byes", "switch", "whether a bye adds its points", ""),
        ("normalise", "switch", "whether it is divided by the value of winning every round", ""),
        ("start", "number", "the score at the start of an entry that brings none", ""),
        ("unpaired", "choice", "a round without opponent: nothing, or the own score at the start", "zero start"),
        ("forfeit_win", "number", "what a forfeit won counts", ""),
        ("spread.forfeit_win", "number", "the margin a forfeit won adds; else as a bye", ""),
        ("forfeit_loss", "number", "what a forfeit lost counts, and a round missed", ""),
        ("max_per_round", "number", "the most points a round can give; else those of a win", ""),
        ("name", "text", "the name of the value, as in a label such as \"DSC cm=199.6\"", ""),
        ("missing", "number", "the value of who has none; else one more than anybody's", ""),
    ]
}  # fmt: skip


def param_of(metric: str, name: str, default: Any = None) -> Param:
    """The parameter of that metric, with its default. Raises KeyError: every parameter stands in the table."""
    found = TABLE.get(f"{metric}.{name}") or TABLE[name]
    return replace(found, default=default)
