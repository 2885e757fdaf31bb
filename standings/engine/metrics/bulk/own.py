"""Metrics for all entries at once, from the same rules as their functions of one entry.

`function(field, **params) -> Numbers`, params as the metric takes them. A metric without such a function is
computed entry by entry; both ways give the same numbers (tests/standings/engine/metrics/test_bulk.py).
"""

from collections.abc import Callable
from fractions import Fraction
from math import lcm
from operator import mul

from standings.engine.metrics import means, percentages, sums
from standings.engine.metrics.bulk.flat import Numbers
from standings.engine.metrics.registry import METRICS, all_at_once
from standings.engine.metrics.terms import total_of, whole_of
from standings.engine.scoring import Number

# Metrics whose value is a sum over rounds, each by its kind, outcome and games.
SUMS = "match_points match_wins game_points game_wins wins_fide won_otb rounds_elected kashdan".split()


def _sums(key: str) -> Callable[..., Numbers]:
    return lambda field, **params: field.flat.sums(METRICS[key].function, **params)


for _key in SUMS:
    all_at_once(_key)(_sums(_key))


# --- own shares -----------------------------------------------------------------------------------------


def _own_share(key: str) -> Callable[..., Numbers]:
    """The function of shares after floor and caps, each different one computed once."""
    terms_of = METRICS[key].terms
    assert terms_of is not None

    def shares(field, **params) -> Numbers:
        flat = field.flat
        part = flat.sums(lambda alone, entry: total_of(terms_of(alone, entry, **params)))
        whole = flat.sums(lambda alone, entry: whole_of(terms_of(alone, entry, **params)))
        corrections = {name: params[name] for name in percentages.CORRECTIONS if name in params}
        left = [record.left_early for record in flat.records]
        ratios = list(zip(part.parts, whole.parts, left, strict=True))
        kinds = {kind: number for number, kind in enumerate(dict.fromkeys(ratios))}
        values = Numbers.from_values([
            percentages.correct_share(Fraction(p, part.whole), Fraction(w, whole.whole), gone, **corrections)
            for p, w, gone in kinds
        ])  # fmt: skip
        return Numbers([values.parts[kinds[kind]] for kind in ratios], values.whole)

    return shares


for _key in ("match_win_pct", "game_win_pct", "match_loss_pct", "points_per_round"):
    all_at_once(_key)(_own_share(_key))


# --- means over opponents -------------------------------------------------------------------------------


def _means(key: str) -> Callable[..., Numbers]:
    """The function of a mean: each round reads its opponent's value, or the value of its own sort, from one list."""

    def means(field, **params) -> Numbers:
        flat = field.flat
        rules = {name: value for name, value in params.items() if name in percentages.MEAN_PARAMS}
        base = percentages.base_column(field, key, params)
        values, counts = base.numbers, [1] * len(flat.entries)
        places = params.get("round_each")
        rules.pop("round_each", None)
        if places is not None:
            values = Numbers.from_values(
                [percentages.round_half_up(Fraction(part, values.whole), places) for part in values.parts]
            )
        if flat.houses:
            values = values.replace_at(dict.fromkeys(flat.houses, base.params.get("floor", 0)))
            if field.scoring.house_contribution == "exclude":
                for house in flat.houses:
                    values.parts[house] = counts[house] = 0
        own: list[Number] = [0]  # of a round without an opponent
        counts.append(0)
        positions: dict[int, int] = {}  # sort of round: position of its own value
        for sort, line in enumerate(flat.examples):
            terms = percentages.terms_without_opponent(line, **rules)
            values_here = [term.value for term in terms or () if term.value is not None]
            if values_here or (terms is not None and line.opponent is not None):
                positions[sort] = len(counts)
                own.append(sum(values_here))
                counts.append(len(values_here))
        values = values.extend(own)
        at = list(map(positions.get, flat.sorts, flat.opponents)) if positions else flat.opponents
        totals = flat.totals(list(map(values.parts.__getitem__, at)))
        met = flat.totals(list(map(counts.__getitem__, at)))
        return _divide(totals, values.whole, met, percentages.empty_mean(params))

    return means


def _divide(totals: list[int], whole: int, by: list[int], nothing: Number) -> Numbers:
    """Each total over `whole` divided by its own number; `nothing` if that is 0."""
    common = lcm(*(set(by) - {0}), nothing.denominator)
    factors = {number: common // number for number in set(by) if number}
    empty = int(nothing * whole * common)
    parts = [total * factors[n] if n else empty for total, n in zip(totals, by, strict=True)]
    return Numbers(parts, whole * common)


for _key in percentages.BASES:
    all_at_once(_key)(_means(_key))


# --- running sums ---------------------------------------------------------------------------------------


@all_at_once("cumulative")
def cumulative(field, cut=0, deduct_unplayed_wins=False, bye_as=None) -> Numbers:
    """Each round counts in its own running score and in all later ones, without those that are cut."""
    flat = field.flat
    lines = flat.values_of_rounds(lambda alone, line: sums.worth_of(alone, line, bye_as or {}))
    longest = max((len(record.rounds) for record in flat.records), default=0)
    times = [[n - max(i, cut) if n > cut else 0 for i in range(n)] for n in range(longest + 1)]
    totals = [sum(map(mul, points, times[len(points)])) for points in flat.parts(lines.parts)]
    if deduct_unplayed_wins:
        unplayed = [line.kind in sums.UNPLAYED_WINS for line in flat.examples]
        unplayed_wins = map(mul, lines.parts, map(unplayed.__getitem__, flat.sorts))
        totals = [total - off for total, off in zip(totals, flat.totals(list(unplayed_wins)), strict=True)]
    return Numbers(totals, lines.whole)


@all_at_once("recency_cumulative")
def recency_cumulative(field, decay=Fraction(1, 4), byes=True, normalise=False) -> Numbers:
    """The weight of a round's points is the final value of 1 point scored in that round alone."""
    last, flat = range(1, field.rounds + 1), field.flat
    ends = [means.recency_steps([int(n == scored) for n in last], decay)[-1][1] for scored in last]
    best = means.recency_best(field, decay) if normalise and ends else 1
    weights = Numbers.from_values([0, *(Fraction(end) / best for end in ends)])
    lines = flat.values_of_rounds(lambda alone, line: means.recency_points(alone, line, byes))
    weighed = map(mul, lines.parts, map(weights.parts.__getitem__, flat.numbers))
    return Numbers(flat.totals(list(weighed)), lines.whole * weights.whole)
