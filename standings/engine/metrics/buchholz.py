"""Buchholz and its family: sums of the opponents' scores by one of four rules.

`fide` (adjusted scores, unplayed rounds against a dummy or, before 2023, a virtual opponent), `uscf` (an
opponent's unplayed rounds count as draws, own ones as opponents without points), `raw` (scores as they are) and
`twixt` (ClineCON's "Median").
"""

from collections.abc import Callable

from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.registry import term_metric
from standings.engine.metrics.terms import Term, cut_off, total_of
from standings.engine.metrics.unplayed import (
    UnplayedRules,
    half_of_maximum,
    one_by_one,
    opponent_scores,
    opponent_scores_at_once,
)
from standings.engine.scoring import Number

LONG_EVENT = 9  # rounds, from which on the modified median leaves out two scores at an end
FIDE_PARAMS = {
    "cut_low": 0, "cut_high": 0, "version": 2023, "forfeits_as_played": False, "forfeit_ends_byes": False,
}  # fmt: skip


def cut_terms(terms: list[Term], cut_low: int = 0, cut_high: int = 0) -> list[Term]:
    """Drop the lowest and highest terms. Voluntarily unplayed rounds are dropped first in place of the lowest."""
    terms = list(terms)
    for pick, code in [(min, "lowest")] * cut_low + [(max, "highest")] * cut_high:
        left = {i: term.value for i, term in enumerate(terms) if term.value is not None}
        voluntary = [i for i in left if terms[i].voluntary] if pick is min else []
        if left:
            cut = pick(voluntary or left, key=left.__getitem__)
            terms[cut] = cut_off(terms[cut], "lowest_unplayed" if voluntary else code)
    return terms


def _sums(field, rules: UnplayedRules, cuts: Callable[[int], dict[str, int]]) -> Numbers:
    met, unlike = opponent_scores_at_once(field, rules)
    own_terms = field.flat.terms_met(met, unlike)
    return Numbers([int(total_of(cut_terms(own, **cuts(i)))) for i, own in enumerate(own_terms)], met.whole)


def _buchholz(field, cut_low=0, cut_high=0, **params) -> Numbers:
    rules, cuts = UnplayedRules(**params), {"cut_low": cut_low, "cut_high": cut_high}
    if rules.virtual:
        return one_by_one(field, buchholz, params | cuts)
    if not (cut_low or cut_high):
        return field.flat.totals(opponent_scores_at_once(field, rules)[0])
    return _sums(field, rules, lambda position: cuts)


def _solkoffs(field) -> Numbers:
    return _buchholz(field, rule="uscf")


def _modified_medians(field, **double_from) -> Numbers:
    points = field.column("match_points").numbers
    half = half_of_maximum(field) * points.whole
    return _sums(
        field, UnplayedRules("uscf"), lambda i: median_cuts(field, points.parts[i], half, **double_from)
    )


def _fore_buchholz(field, **params) -> Numbers:
    return _buchholz(field.fore, **params)


@term_metric("score", inner="adjusted_score", at_once=_buchholz)
def buchholz(
    field, entry, *, rule="fide", own_unplayed=None, version=2023, cut_low=0, cut_high=0,
    forfeits_as_played=False, forfeit_ends_byes=False,
) -> list[Term]:  # fmt: skip
    """Sum of the opponents' scores by one of the four rules.

    `cut_low` and `cut_high`: how many of the lowest and highest scores are dropped. For the others see `UnplayedRules`.
    Source: FIDE C.07, "BH"; ClineCON, "Median"; carddass.com.
    """
    rules = UnplayedRules(rule, own_unplayed, version, forfeits_as_played, forfeit_ends_byes)
    return cut_terms(opponent_scores(field, entry, rules), cut_low, cut_high)


@term_metric("score", inner="adjusted_score", at_once=_solkoffs)
def solkoff(field, entry) -> list[Term]:
    """Buchholz by the USCF's rule; own unplayed rounds add nothing. Source: USCF 34E2."""
    return buchholz(field, entry, rule="uscf")


@term_metric("score", inner="adjusted_score", at_once=_modified_medians)
def modified_median(field, entry, *, double_from=LONG_EVENT) -> list[Term]:
    """Solkoff with cuts that depend on whether the own score is above, at or below half of the maximum.

    From `double_from` rounds on, two scores are dropped at an end instead of one. Source: USCF 34E1.
    """
    cuts = median_cuts(field, field.value("match_points", entry), half_of_maximum(field), double_from)
    return buchholz(field, entry, rule="uscf", **cuts)


def median_cuts(field, score: Number, half: Number, double_from: int = LONG_EVENT) -> dict[str, int]:
    each = 2 if field.rounds >= double_from else 1
    return {"cut_low": each * (score >= half), "cut_high": each * (score <= half)}


@term_metric("score", inner="adjusted_score", defaults=FIDE_PARAMS, at_once=_fore_buchholz)
def fore_buchholz(field, entry, **params) -> list[Term]:
    """Buchholz as if the last round's pairings had been drawn; byes stay as they are. Source: FIDE C.07, "FB"."""
    return buchholz(field.fore, entry, **params)


@term_metric("score", divisor="rounds", inner="buchholz", defaults=FIDE_PARAMS)
def avg_opp_buchholz(field, entry, **params) -> list[Term]:
    """Mean over the rounds played; 0 without any. Source: FIDE C.07, "AOB"."""
    column = field.column("buchholz", params)
    kinds = UnplayedRules(forfeits_as_played=params.get("forfeits_as_played", False)).played
    return [
        Term(line, column[line.opponent]) if line.kind in kinds else Term(line, None, "not_played")
        for line in field.records[entry].rounds
    ]
