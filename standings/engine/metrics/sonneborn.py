"""Sonneborn-Berger and Koya: own results weighted by the opponents' scores."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from standings.engine.metrics.buchholz import opponent_scores
from standings.engine.metrics.registry import metric, round_metric
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number


class Product(NamedTuple):
    """One round of Sonneborn-Berger: the opponent's score and the own result in parts of a win times it.

    `instead`: the code of what counts instead of the opponent's score if nothing was played.
    """

    round: RoundRecord
    opponent: Number
    value: Number
    voluntary: bool
    instead: str = ""


def products_of(field, entry, version=2023, forfeits_as_played=False) -> list[Product]:
    """The product of every round; an unplayed round weighs the score of its dummy opponent."""
    products = []
    for share in opponent_scores(field, entry, version=version, forfeits_as_played=forfeits_as_played):
        if share.value is not None:
            value = result_share(field, share.round) * share.value
            products.append(Product(share.round, share.value, value, share.voluntary, share.instead))
    return products


def result_share(field, line: RoundRecord) -> Fraction:
    """The points of a round, in parts of a win."""
    return Fraction(field.scoring.match_points(line)) / field.scoring.win


def drop_lowest(products: list[Product]) -> list[Product]:
    """Without the product of the lowest-scored opponent, or a voluntary one that gives at least as much."""
    if not products:
        return products
    lowest = min(products, key=lambda product: (product.opponent, product.value))
    voluntary = [product for product in products if product.voluntary and product.value >= lowest.value]
    gone = min(voluntary, key=lambda product: product.value) if voluntary else lowest
    return [product for product in products if product is not gone]


@metric("score")
def sonneborn_berger(field, entry, *, cut_low=0, version=2023, forfeits_as_played=False) -> Number:
    """Sum over the rounds of result × opponent's score, the result in parts of a win.

    `cut_low`: how many of the lowest-scored opponents are left out; `forfeits_as_played`: for round robins.
    Source: FIDE C.07, "SB".
    """
    products = products_of(field, entry, version, forfeits_as_played)
    return sum(product.value for product in cut_products(products, cut_low))


def cut_products(products: list[Product], cut_low: int = 0) -> list[Product]:
    """The products that count, without the `cut_low` lowest."""
    for _ in range(cut_low):
        products = drop_lowest(products)
    return products


@round_metric("score")
def koya(field, entry, line, *, limit=None, forfeits_as_played=True) -> Number | None:
    """Points scored against opponents with at least `limit` points, by default half of rounds × win.

    A tiebreak of round robins: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if line.opponent is None or (line.kind in FORFEIT_KINDS and not forfeits_as_played):
        return None
    reached = field.value("match_points", line.opponent) >= koya_limit(field, limit)
    return field.scoring.match_points(line) if reached else None


def koya_limit(field, limit: Number | None = None) -> Number:
    """The score an opponent must have: `limit`, by default half of the maximum."""
    return Fraction(field.rounds) * field.scoring.half_win if limit is None else limit
