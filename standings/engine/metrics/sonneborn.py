"""Sonneborn-Berger and Koya: own results weighted by the opponents' scores."""

from fractions import Fraction

from standings.engine.metrics.registry import round_metric, term_metric
from standings.engine.metrics.terms import Note, Term, cut_off
from standings.engine.metrics.unplayed import VIRTUAL, UnplayedRules, half_of_maximum, opponent_scores
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number


@term_metric("score", inner="adjusted_score")
def sonneborn_berger(
    field, entry, *, cut_low=0, version=2023, forfeits_as_played=False, forfeit_ends_byes=False
) -> list[Term]:
    """Sum over the rounds of result × opponent's score, the result in parts of a win.

    An unplayed round weighs the score of its dummy opponent; before 2023 it is a draw against the virtual one.
    `cut_low`: how many of the lowest-scored opponents are left out; the others: see `UnplayedRules`.
    Source: FIDE C.07, "SB".
    """
    rules = UnplayedRules("fide", None, version, forfeits_as_played, forfeit_ends_byes)
    drawn = Fraction(field.scoring.draw) / field.scoring.win
    terms = []
    for term in opponent_scores(field, entry, rules):
        if term.value is not None:
            times = (drawn if term.note == VIRTUAL else result_share(field, term.round), term.value)
            terms.append(term._replace(value=times[0] * times[1], times=times))
    return cut_products(terms, cut_low)


def result_share(field, line: RoundRecord) -> Fraction:
    return Fraction(field.scoring.match_points(line)) / field.scoring.win


def cut_products(terms: list[Term], cut_low: int = 0) -> list[Term]:
    """Exclude that many of the lowest-scored opponents.

    A voluntarily unplayed round that gives at least as much is excluded instead of one.
    """
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
    """Points scored against opponents with at least `limit` points, by default half of rounds × win.

    A tiebreak of round robins: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if line.opponent is None:
        return None
    points = field.value("match_points", line.opponent)
    counts = forfeits_as_played or line.kind not in FORFEIT_KINDS
    if counts and points >= (half_of_maximum(field) if limit is None else limit):
        return field.scoring.match_points(line)
    return Term(line, None, Note("below_limit", {"points": points}))
