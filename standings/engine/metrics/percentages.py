"""Win percentages, of an entry and of its opponents. Shares from 0 to 1, exact.

Order of corrections: floor, cap, cap of those who left, rounding of each term (half up), then the mean.
Without rounds or opponents: `empty`, else the floor, else 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from standings.engine.metrics.registry import METRICS, UnknownMetric, keywords_of, metric
from standings.engine.records import BYE_KINDS, FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number

HALF = Fraction(1, 2)


class Ratio(NamedTuple):
    """A share before any correction: `part` of `whole`; whole 0 if there is nothing to measure."""

    part: Number
    whole: Number


Ratios = list[tuple[RoundRecord, Ratio]]  # of every round that counts


class Term(NamedTuple):
    """One opponent's share in a mean. `left_out`: the code of why a round gives no term (value None)."""

    round: RoundRecord
    value: Number | None
    left_out: str = ""


def share_rounds(field, entry, include_byes: bool, count_no_show_tables: bool) -> list[RoundRecord]:
    """The rounds that count in a percentage."""
    rounds = field.records[entry].rounds
    if include_byes and count_no_show_tables:
        return rounds
    return [
        line
        for line in rounds
        if (include_byes or line.kind not in BYE_KINDS) and (count_no_show_tables or line.kind != "no_show")
    ]


def match_part(field, line: RoundRecord, mode="points") -> Ratio:
    """One round in a match-win percentage: its points, win, or win or half a draw, of the maximum."""
    if mode == "points":
        return Ratio(field.scoring.match_points(line), field.scoring.win)
    if mode not in ("wins", "wins_half_draws"):
        raise UnknownMetric(f"Unknown match-win percentage mode {mode!r}.")
    drawn = HALF if mode == "wins_half_draws" else 0
    return Ratio({"W": 1, "D": drawn, "L": 0}[line.outcome], 1)


def game_part(field, line: RoundRecord, mode="points") -> Ratio:
    """One round in a game-win percentage: its game points or games won, of the maximum."""
    games = sum(line.games)
    if mode == "points":
        return Ratio(field.scoring.game_points(line), field.scoring.game_win * games)
    if mode == "wins":
        return Ratio(line.games[0], games)
    raise UnknownMetric(f"Unknown game-win percentage mode {mode!r}.")


def match_ratios(field, entry, mode="points", include_byes=True, count_no_show_tables=True) -> Ratios:
    """Match points (or wins, or wins and half the draws) of the maximum, for every round that counts."""
    rounds = share_rounds(field, entry, include_byes, count_no_show_tables)
    return [(line, match_part(field, line, mode)) for line in rounds]


def game_ratios(field, entry, mode="points", include_byes=True, count_no_show_tables=True) -> Ratios:
    """Game points (or game wins) of the maximum, for every round that counts."""
    rounds = share_rounds(field, entry, include_byes, count_no_show_tables)
    return [(line, game_part(field, line, mode)) for line in rounds]


def sum_ratios(ratios: Ratios) -> Ratio:
    """The sum of all parts of the sum of all wholes."""
    part: Number = 0
    whole: Number = 0
    for _, ratio in ratios:
        part, whole = part + ratio.part, whole + ratio.whole
    return Ratio(part, whole)


def correct_share(ratio: Ratio, left: bool, floor=None, cap=None, cap_dropped=None, empty=None) -> Number:
    """The share after its floor and caps."""
    if not ratio.whole:
        return next((value for value in (empty, floor) if value is not None), 0)
    share = Fraction(ratio.part, ratio.whole)
    if floor is not None and share < floor:
        share = floor
    if cap is not None and share > cap:
        share = cap
    if cap_dropped is not None and left and share > cap_dropped:
        share = cap_dropped
    return share


@metric("share")
def match_win_pct(
    field, entry, *, mode="points", include_byes=True, floor=None, cap=None, cap_dropped=None, empty=None,
    count_no_show_tables=True,
) -> Number:  # fmt: skip
    """Share of the match points possible in the rounds played. Source: DCI 1999, "Match-win percentage"."""
    ratios = match_ratios(field, entry, mode, include_byes, count_no_show_tables)
    return correct_share(sum_ratios(ratios), field.records[entry].left, floor, cap, cap_dropped, empty)


@metric("share", games=True)
def game_win_pct(
    field, entry, *, mode="points", include_byes=True, floor=None, empty=None, count_no_show_tables=True
) -> Number:
    """Share of the game points possible in the games played. Source: DCI 1999, "Game-win percentage"."""
    ratios = game_ratios(field, entry, mode, include_byes, count_no_show_tables)
    return correct_share(sum_ratios(ratios), False, floor, empty=empty)


def opponent_terms(
    field,
    entry,
    column,
    *,
    bye="exclude",
    count_forfeit_opponents=True,
    count_no_show_tables=True,
    round_each=None,
) -> list[Term]:
    """The terms of a mean over opponents: one a match, so an opponent met twice counts twice."""
    terms = []
    for line in field.records[entry].rounds:
        terms_here = terms_without_opponent(line, bye, count_forfeit_opponents, count_no_show_tables)
        terms += [_opponent_term(field, line, column, round_each)] if terms_here is None else terms_here
    return terms


def terms_without_opponent(
    line: RoundRecord, bye="exclude", count_forfeit_opponents=True, count_no_show_tables=True
) -> list[Term] | None:
    """The terms of a round that do not depend on the opponent; None if they do."""
    if line.opponent is None:
        return _bye_terms(line, bye)
    if line.kind in FORFEIT_KINDS and not count_forfeit_opponents:
        return [Term(line, None, "forfeit_left_out")]
    if line.kind == "no_show" and not count_no_show_tables:
        return [Term(line, None, "no_show_left_out")]
    return None


def _opponent_term(field, line: RoundRecord, column, round_each) -> Term:
    if field.records[line.opponent].house and field.scoring.house_contribution != "own":
        if field.scoring.house_contribution == "exclude":
            return Term(line, None, "house_left_out")
        return Term(line, column.params.get("floor", 0))
    value = column[line.opponent]
    return Term(line, value if round_each is None else round_half_up(value, round_each))


def _bye_terms(line: RoundRecord, bye) -> list[Term]:
    if line.kind not in BYE_KINDS:
        return [Term(line, None, "missed_left_out")]
    if bye == "exclude":
        return [Term(line, None, "bye_left_out")]
    if bye == "zero":
        return [Term(line, 0)]
    if isinstance(bye, dict):
        return [Term(line, bye["value"])] * bye["count"]
    raise UnknownMetric(f"Unknown way to count a bye among the opponents: {bye!r}.")


def round_half_up(value: Number, places: int) -> Fraction:
    """The number rounded half up to `places` decimal places; exact."""
    scale = 10**places
    return Fraction((Fraction(value) * scale * 2 + 1) // 2, scale)


def mean(values: list[Number]) -> Fraction:
    """The exact mean, over one common denominator: many times faster than adding fractions."""
    common = lcm(*(value.denominator for value in values))
    return Fraction(
        sum(value.numerator * (common // value.denominator) for value in values), common * len(values)
    )


def empty_mean(params: dict) -> Number:
    """The mean of an entry without opponents: `empty`, else the floor, else 0."""
    return next((params[name] for name in ("empty", "floor") if name in params), 0)


def base_column(field, key: str, params: dict):
    """The column whose mean over opponents the metric `key` is."""
    base = METRICS[BASES[key]]
    return field.column(base.key, {name: value for name, value in params.items() if name in base.params})


def terms_of(field, entry, key: str, params: dict) -> list[Term]:
    """The terms of the mean `key` is, with its prepared params."""
    rules = {name: value for name, value in params.items() if name in MEAN_PARAMS}
    return opponent_terms(field, entry, base_column(field, key, params), **rules)


def mean_metric(key: str, base: str, source: str, unit: str = "share", **more: Any):
    """Register `key`: the mean of the metric `base` over the opponents, with the params of both."""

    def opponents(field, entry, **params) -> Number:
        values = [t.value for t in terms_of(field, entry, key, params) if t.value is not None]
        return mean(values) if values else empty_mean(params)

    opponents.__doc__ = f"Mean of `{base}` over the opponents. Source: {source}."
    BASES[key] = base
    defaults = {name: param.default for name, param in METRICS[base].params.items()} | MEAN_PARAMS
    metric(unit, key=key, defaults=defaults, **more)(opponents)


# The params of a mean over opponents beside those of its base, with the defaults.
MEAN_PARAMS: dict[str, Any] = keywords_of(opponent_terms)
BASES: dict[str, str] = {}  # mean over opponents -> what it is the mean of

mean_metric("opp_match_win_pct", "match_win_pct", "DCI 1999")
mean_metric("opp_game_win_pct", "game_win_pct", "DCI 1999", games=True)
mean_metric("opp_opp_match_win_pct", "opp_match_win_pct", "Play! Pokémon TCG rules")
