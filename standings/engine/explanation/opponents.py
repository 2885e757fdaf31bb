"""Explainers of sums over the opponents' scores: Buchholz and its family, Sonneborn-Berger, ratings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.inner_values import inner_field_of, inner_value_of
from standings.engine.explanation.types import fraction_of
from standings.engine.metrics import attributes, buchholz, sonneborn, sums


def cumulative_opposition(explanation, field, entry, params):
    _add_shares(explanation, field, sums.cumulative_shares(field, entry, params.get("bye_as")))
    explanation.sum_up()


def _add_shares(explanation, field, shares, cut_of: Callable = lambda share: ""):
    """Add lines of what opponents (or what stands for them) give; `cut_of`: the code of the cut that takes one."""
    for share in shares:
        cut = "" if share.value is None else cut_of(share)
        value = None if cut else share.value
        line = explanation.add(field, share.round, value, share.left_out or share.instead, cut)
        line.changed_from = fraction_of(share.value) if cut else None
        if share.value is not None and not share.instead:
            line.inner = inner_value_of(explanation.step, share.round.opponent)


def _add_buchholz(explanation, source, entry, rules, cut_low=0, cut_high=0):
    """Add the lines of Buchholz in `source` (the field itself, or as if the last round had been drawn)."""
    shares = buchholz.buchholz_shares(source, entry, **rules)
    without_lowest = buchholz.cut_shares(shares, cut_low)
    counted = buchholz.cut_shares(shares, cut_low, cut_high)

    def cut_of(share) -> str:
        if share in counted:
            return ""
        if share in without_lowest:
            return "highest"
        return "lowest_unplayed" if share.voluntary else "lowest"

    _add_shares(explanation, source, shares, cut_of)
    explanation.sum_up()


def buchholz_sum(explanation, field, entry, params):
    rules = {name: value for name, value in params.items() if name not in ("cut_low", "cut_high")}
    cuts = {name: value for name, value in params.items() if name not in rules}
    _add_buchholz(explanation, inner_field_of(explanation.step, field), entry, rules, **cuts)
    if explanation.metric == "fore_buchholz":
        explanation.note("last_round_drawn", round=field.rounds)


def solkoff(explanation, field, entry, params):
    _add_buchholz(explanation, field, entry, {"rule": "uscf"})


def modified_median(explanation, field, entry, params):
    cuts = buchholz.median_cuts(field, entry)
    _add_buchholz(explanation, field, entry, {"rule": "uscf"}, **cuts)
    codes = {(1, 1): "median_both", (1, 0): "median_lowest", (0, 1): "median_highest"}
    score = field.scoring.points(field.records[entry])
    code = codes[cuts["cut_low"], cuts["cut_high"]]
    explanation.note(code, score=score, half=buchholz.half_of_maximum(field))


def avg_opp_buchholz(explanation, field, entry, params):
    counted = buchholz.rounds_met(field, entry, params.get("forfeits_as_played", False))
    for line in field.records[entry].rounds:
        inner = inner_value_of(explanation.step, line.opponent) if line in counted else None
        value = field.value("buchholz", inner.entry, inner.step.params) if inner else None
        explanation.add(field, line, value, "" if inner else "not_played", inner=inner)
    explanation.sum_up(len(counted))


def adjusted_score(explanation, field, entry, params):
    for line, worth in buchholz.adjusted_worths(field, entry, **params):
        own = field.scoring.match_points(line)
        explanation.add(field, line, worth, changed_from=fraction_of(own) if own != worth else None)
    explanation.note("counts_for_opponents")
    explanation.sum_up()


def sonneborn_berger(explanation, field, entry, params):
    rules = {name: value for name, value in params.items() if name != "cut_low"}
    products = sonneborn.products_of(field, entry, **rules)
    counted = sonneborn.cut_products(products, params.get("cut_low", 0))
    for product in products:
        cut = not any(product is other for other in counted)
        worth = Fraction(field.scoring.match_points(product.round)) / field.scoring.win
        line = explanation.add(
            field, product.round, None if cut else product.value, product.instead, "cut" if cut else ""
        )
        line.times = (worth, Fraction(product.opponent))
        line.changed_from = fraction_of(product.value) if cut else None
        if not product.instead:
            line.inner = inner_value_of(explanation.step, product.round.opponent)
    explanation.sum_up()


def avg_rating_opponents(explanation, field, entry, params):
    for line, rating in attributes.opponents_ratings(field, entry):
        explanation.add(field, line, rating or None, "" if rating else "no_rating")
    explanation.sum_up(explanation.counting)
