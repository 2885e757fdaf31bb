"""Sonneborn-Berger and Koya: own results combined with the opponents' scores."""

from collections.abc import Iterable
from fractions import Fraction

from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.registry import round_metric, term_metric
from standings.engine.metrics.terms import Note, Term, cut_off, total_of
from standings.engine.metrics.unplayed import (
    VIRTUAL,
    UnplayedRules,
    half_of_maximum,
    one_by_one,
    opponent_scores,
    opponent_scores_at_once,
)
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number


def _sonneborn_bergers(field, cut_low=0, **params) -> Numbers:
    rules, flat = UnplayedRules(**params), field.flat
    if rules.virtual:
        return one_by_one(field, sonneborn_berger, params | {"cut_low": cut_low})
    met, unlike = opponent_scores_at_once(field, rules)
    results = flat.values_of_rounds(result_share)
    own_terms = zip(flat.terms_met(met, unlike), flat.parts(results.parts), strict=True)
    totals = [int(total_of(cut_products(products(own, won), cut_low))) for own, won in own_terms]
    return Numbers(totals, met.whole * results.whole)


@term_metric("score", inner="adjusted_score", at_once=_sonneborn_bergers)
def sonneborn_berger(
    field, entry, *, cut_low=0, version=2023, forfeits_as_played=False, forfeit_ends_byes=False
) -> list[Term]:
    """Sum over the rounds of result × opponent's score; a win counts 1, a draw its share of a win.

    In an unplayed round the opponent is a dummy; before 2023 it is a draw against the virtual opponent. `cut_low`: how
    many of the lowest-scored opponents are dropped. For the others see `UnplayedRules`. Source: FIDE C.07, "SB".
    """
    rules = UnplayedRules("fide", None, version, forfeits_as_played, forfeit_ends_byes)
    drawn = Fraction(field.scoring.draw) / field.scoring.win
    terms = opponent_scores(field, entry, rules)
    results = [drawn if term.note == VIRTUAL else result_share(field, term.round) for term in terms]
    return cut_products(products(terms, results), cut_low)


def products(terms: list[Term], results: Iterable[Number]) -> list[Term]:
    return [
        Term(term.round, result * term.value, term.note, voluntary=term.voluntary, times=(result, term.value))
        for term, result in zip(terms, results, strict=True)
        if term.value is not None
    ]


def result_share(field, line: RoundRecord) -> Fraction:
    return Fraction(field.scoring.match_points(line)) / field.scoring.win


def cut_products(terms: list[Term], cut_low: int = 0) -> list[Term]:
    """Drop the lowest-scored opponents. A voluntarily unplayed round worth at least as much goes instead."""
    terms = list(terms)
    for _ in range(cut_low):
        left = {
            i: (term.times[1], term.value)
            for i, term in enumerate(terms)
            if term.times and term.value is not None
        }
        if not left:
            break
        lowest = min(left, key=left.__getitem__)
        unplayed = [i for i in left if terms[i].voluntary and left[i][1] >= left[lowest][1]]
        cut = min(unplayed, key=lambda i: left[i][1]) if unplayed else lowest
        terms[cut] = cut_off(terms[cut], "cut")
    return terms


@round_metric("score", inner="match_points")
def koya(field, entry, line, *, limit=None, forfeits_as_played=True) -> Number | Term | None:
    """Points scored against opponents with at least `limit` points, by default half of the maximum.

    A tiebreak of round robins: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if line.opponent is None:
        return None
    points = field.value("match_points", line.opponent)
    counts = forfeits_as_played or line.kind not in FORFEIT_KINDS
    if counts and points >= (half_of_maximum(field) if limit is None else limit):
        return field.scoring.match_points(line)
    return Term(line, None, Note("below_limit", {"points": points}))
