"""Shares of an entry's own rounds, and their means over its opponents: win and loss percentages, points per round.

Order of corrections: floor, cap, cap of players who left early, rounding of each term (half up), then the mean. Without
rounds or opponents the value is `empty`, else the floor, else 0.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from operator import mul
from typing import Any

from standings.engine.metrics import counts  # noqa: F401  (opp_avg_points is a mean of one of its metrics)
from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.registry import (
    METRICS,
    Term,
    count_values,
    keyword_defaults,
    metric,
    sum_wholes,
    term_metric,
    total_of,
)
from standings.engine.records import BYE_KINDS, FORFEIT_KINDS, SAT_OUT_KINDS, RoundRecord
from standings.engine.scoring import Number

HALF = Fraction(1, 2)
CORRECTIONS = ("floor", "cap", "cap_dropped", "empty")


def correct_share(
    part: Number, whole: Number, left: bool, floor=None, cap=None, cap_dropped=None, empty=None
) -> Number:
    """Return `part` ÷ `whole` after applying floor and caps; `left`: whether the entry left early."""
    if not whole:
        return next((value for value in (empty, floor) if value is not None), 0)
    share = Fraction(part, whole) if floor is None else max(Fraction(part, whole), floor)
    for most in (cap, cap_dropped if left else None):
        share = share if most is None else min(share, most)
    return share


def share_metric(unit: str = "share", **more: Any):
    """Register a metric that divides sums of its terms, with the `CORRECTIONS` among its params.

    The decorated function returns one term per round, which may depend only on the round's kind, outcome and games.
    """

    def register(terms_of):
        def shares(field, **params) -> Numbers:
            flat = field.flat
            part = flat.sums(lambda alone, line: total_of(terms_of(alone, "", **params)))
            whole = flat.sums(lambda alone, line: sum_wholes(terms_of(alone, "", **params)))
            corrections = {name: params[name] for name in CORRECTIONS if name in params}
            left = [record.left_early for record in flat.records]
            ratios = list(zip(part.parts, whole.parts, left, strict=True))
            kinds = {kind: number for number, kind in enumerate(dict.fromkeys(ratios))}  # each computed once
            values = Numbers.from_values([
                correct_share(Fraction(p, part.whole), Fraction(w, whole.whole), gone, **corrections)
                for p, w, gone in kinds
            ])  # fmt: skip
            return Numbers([values.parts[kinds[kind]] for kind in ratios], values.whole)

        return metric(unit, terms=terms_of, divisor="wholes", at_once=shares, **more)(terms_of)

    return register


def share_terms(
    field,
    entry,
    part_of: Callable[[RoundRecord], Term],
    include_byes=True,
    count_no_show_tables=True,
    count_missed_rounds=True,
) -> list[Term]:
    left_out: set[str] = set()
    left_out |= set() if include_byes else BYE_KINDS
    left_out |= set() if count_no_show_tables else {"no_show"}
    left_out |= set() if count_missed_rounds else SAT_OUT_KINDS
    rounds = field.records[entry].rounds
    return [Term(line, None, "left_out") if line.kind in left_out else part_of(line) for line in rounds]


def match_term(field, line: RoundRecord, mode="points") -> Term:
    """Return a round's term in a match-win percentage: points out of the maximum, or 1 for a win (draw: half)."""
    if mode == "points":
        return Term(line, field.scoring.match_points(line), of=field.scoring.win)
    drawn = HALF if mode == "wins_half_draws" else 0
    return Term(line, {"W": 1, "D": drawn, "L": 0}[line.outcome], of=1)


def game_term(field, line: RoundRecord, mode="points") -> Term:
    games = sum(line.games)
    if mode == "points":
        return Term(line, field.scoring.game_points(line), of=field.scoring.game_win * games)
    return Term(line, line.games[0], of=games)


@share_metric()
def match_win_pct(
    field, entry, *, mode="points", include_byes=True, floor=None, cap=None, cap_dropped=None, empty=None,
    count_no_show_tables=True, count_missed_rounds=True,
) -> list[Term]:  # fmt: skip
    """Share of the possible match points in the rounds played. Source: DCI 1999, "Match-win percentage"."""
    part_of = partial(match_term, field, mode=mode)
    return share_terms(field, entry, part_of, include_byes, count_no_show_tables, count_missed_rounds)


@share_metric(games=True)
def game_win_pct(
    field, entry, *, mode="points", include_byes=True, floor=None, empty=None, count_no_show_tables=True
) -> list[Term]:
    """Share of the possible game points in the games played. Source: DCI 1999, "Game-win percentage"."""
    part_of = partial(game_term, field, mode=mode)
    return share_terms(field, entry, part_of, include_byes, count_no_show_tables)


def opponent_terms(
    field,
    line: RoundRecord,
    column,
    *,
    bye="exclude",
    count_forfeit_opponents=True,
    count_no_show_tables=True,
    round_each=None,
) -> list[Term]:
    """Return a round's terms in a mean over opponents: one per match, so an opponent met twice counts twice."""
    if line.opponent is None:
        return _bye_terms(line, bye)
    if line.kind in FORFEIT_KINDS and not count_forfeit_opponents:
        return [Term(line, None, "forfeit_left_out")]
    if line.kind == "no_show" and not count_no_show_tables:
        return [Term(line, None, "no_show_left_out")]
    if field.records[line.opponent].house and field.scoring.house_contribution != "own":
        if field.scoring.house_contribution == "exclude":
            return [Term(line, None, "house_left_out")]
        return [Term(line, column.params.get("floor", 0), "house_as_this")]
    value = column[line.opponent]
    return [Term(line, value if round_each is None else round_half_up(value, round_each))]


def _bye_terms(line: RoundRecord, bye) -> list[Term]:
    if bye == "exclude" or line.kind not in BYE_KINDS:
        return [Term(line, None, "no_opponent")]
    value, count = (0, 1) if bye == "zero" else (bye["value"], bye["count"])
    return [Term(line, value, "as_opponent")] * count


def round_half_up(value: Number, places: int) -> Fraction:
    scale = 10**places
    return Fraction((Fraction(value) * scale * 2 + 1) // 2, scale)


def base_column(field, key: str, params: dict):
    base = METRICS[BASES[key]]
    return field.column(base.key, {name: value for name, value in params.items() if name in base.params})


def mean_metric(key: str, base: str, source: str, unit: str = "share", **more: Any) -> None:
    """Register `key`: the mean of the metric `base` over the opponents, with the params of both."""

    def terms_of_round(field, params: dict):
        column = base_column(field, key, params)
        rules = {name: value for name, value in params.items() if name in MEAN_PARAMS}
        return column, lambda entry, line: opponent_terms(field, line, column, **rules)

    def terms(field, entry, **params) -> list[Term]:
        _column, terms_of = terms_of_round(field, params)
        return [term for line in field.records[entry].rounds for term in terms_of(entry, line)]

    def means(field, **params) -> Numbers:
        column, terms_of = terms_of_round(field, params)
        flat, values, places = field.flat, column.numbers, params.get("round_each")
        if places is not None:
            rounded = [round_half_up(Fraction(part, values.whole), places) for part in values.parts]
            values = Numbers.from_values(rounded)
        met, unlike = flat.values_met(values, terms_of)
        numbers = [len(record.rounds) for record in flat.records]
        for i, unlike_terms in unlike.items():
            numbers[flat.round_at(i)[0]] += count_values(unlike_terms) - 1
        return flat.totals(met).divide(numbers, params.get("empty", params.get("floor", 0)))

    terms.__doc__ = f"Mean of `{base}` over the opponents. Source: {source}."
    defaults = {name: param.default for name, param in METRICS[base].params.items()} | MEAN_PARAMS
    more |= {"key": key, "defaults": defaults, "inner": base}
    metric(unit, terms=terms, divisor="rounds", at_once=means, **more)(terms)
    BASES[key] = base


# The params that a mean over opponents has in addition to those of its base, with the defaults.
MEAN_PARAMS: dict[str, Any] = keyword_defaults(opponent_terms)
BASES: dict[str, str] = {}  # mean over opponents -> what it is the mean of

mean_metric("opp_match_win_pct", "match_win_pct", "DCI 1999")
mean_metric("opp_game_win_pct", "game_win_pct", "DCI 1999", games=True)
mean_metric("opp_opp_match_win_pct", "opp_match_win_pct", "Play! Pokémon TCG rules")


QUARTER = Fraction(1, 4)


@share_metric("points")
def points_per_round(field, entry) -> list[Term]:
    """Match points ÷ rounds. Missed rounds count in neither.

    Source: Null Signal Organized Play Policies, "Strength of Schedule".
    """
    points = field.scoring.match_points
    return [
        Term(line, None, "not_counted") if line.kind == "missed" else Term(line, points(line), of=1)
        for line in field.records[entry].rounds
    ]


@share_metric(ascending=True)
def match_loss_pct(field, entry, *, empty=None, count_no_show_tables=True) -> list[Term]:
    """Share of matches lost, among those with an opponent. Source: Flesh and Blood tiebreaker policy 2022."""

    def lost(line: RoundRecord) -> Term:
        if line.opponent is None:
            return Term(line, None, "left_out")
        return Term(line, int(line.outcome == "L"), of=1)

    return share_terms(field, entry, lost, count_no_show_tables=count_no_show_tables)


def _recencies(field, decay=QUARTER, byes=True, normalise=False) -> Numbers:
    """Return the values for all entries. A round's points weigh as much as 1 point scored in that round alone."""
    last, flat = range(1, field.rounds + 1), field.flat
    ends = [recency_steps([int(n == scored) for n in last], decay)[-1][1] for scored in last]
    best = recency_best(field, decay) if normalise and ends else 1
    weights = Numbers.from_values([0, *(Fraction(end) / best for end in ends)])
    points = flat.values_of_rounds(lambda alone, line: recency_points(alone, line, byes))
    weighed = map(mul, points.parts, map(weights.parts.__getitem__, flat.numbers))
    return flat.totals(Numbers(list(weighed), points.whole * weights.whole))


@term_metric("score", at_once=_recencies)
def recency_cumulative(field, entry, *, decay=QUARTER, byes=True, normalise=False) -> list[Term]:
    """Running points, with more weight on late rounds; every round of the event is a step.

    If `byes` is false, a bye adds nothing to the running points. `normalise` divides by the value of winning every
    round. Source: Flesh and Blood tiebreaker policy 2022, "CTB".
    """
    every = field.every_round(entry)
    steps = recency_steps([recency_points(field, line, byes) for line in every], decay)
    return [Term(line, value, running=running) for line, (running, value) in zip(every, steps, strict=True)]


def recency_points(field, line: RoundRecord, byes: bool = True) -> Number:
    """Return the points a round adds to the running points."""
    if line.is_bye and not byes:
        return 0
    return field.scoring.match_points(line)


def recency_best(field, decay=QUARTER) -> Number:
    return recency_steps([field.scoring.win] * field.rounds, decay)[-1][1]


def recency_steps(points: list[Number], decay: Number) -> list[tuple[Number, Number]]:
    """Return (points so far, value) after each round; the value is the one before × `decay` + the points so far."""
    running: Number = 0
    value: Number = 0
    steps = []
    for gained in points:
        running += gained
        value = value * decay + running
        steps.append((running, value))
    return steps


NULL_SIGNAL = "Null Signal Organized Play Policies, 1.1.6"
FLESH_AND_BLOOD = "Flesh and Blood tiebreaker policy 2022"
mean_metric("opp_avg_points", "match_points", "Magic multiplayer addendum (community)", unit="points")
mean_metric("strength_of_schedule", "points_per_round", NULL_SIGNAL, unit="points")
mean_metric("ext_strength_of_schedule", "strength_of_schedule", NULL_SIGNAL, unit="points")
mean_metric("opp_match_loss_pct", "match_loss_pct", FLESH_AND_BLOOD, ascending=True)
mean_metric("opp_recency_cumulative", "recency_cumulative", FLESH_AND_BLOOD, unit="score")
