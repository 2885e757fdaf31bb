"""Buchholz and its family: sums of the opponents' scores by one of four rules.

`fide` (adjusted scores, unplayed rounds against a dummy opponent), `uscf` (an opponent's unplayed rounds count as
draws, own ones as opponents without points), `raw` (scores as they are) and `twixt` (ClineCON's "Median").
"""

from fractions import Fraction

from standings.engine.metrics.bulk.flat import PLAYED
from standings.engine.metrics.counts import VOLUNTARY
from standings.engine.metrics.registry import term_metric
from standings.engine.metrics.sums import opponent_term, twixt_byes, worth_of
from standings.engine.metrics.terms import Term, cut_off
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number

REQUESTED = frozenset({"half", "zero", "full"})
LONG_EVENT = 9  # rounds, from which on the modified median leaves out two scores at an end
CAPPED_SINCE = 2026  # the version of FIDE's rules that caps the dummy opponent of an unplayed round


@term_metric("score")
def adjusted_score(field, entry, *, rule="fide") -> list[Term]:
    """An entry's score as it counts for its opponents.

    FIDE: requested byes among the voluntarily unplayed rounds at the end count as draws. USCF: every unplayed
    round counts as a draw. Source: FIDE C.07; USCF 34E; ClineCON.
    """
    rounds, scoring = field.records[entry].rounds, field.scoring
    last_played = max((i for i, line in enumerate(rounds) if line.kind not in VOLUNTARY), default=-1)
    bye_as = twixt_byes(field) if rule == "twixt" else {}

    def counts_as_draw(i: int, line: RoundRecord) -> bool:
        if rule == "uscf":
            return line.kind not in PLAYED
        return rule == "fide" and i > last_played and line.kind in REQUESTED

    terms = []
    for i, line in enumerate(rounds):
        own = scoring.match_points(line)
        worth = scoring.draw if counts_as_draw(i, line) else worth_of(field, line, bye_as)
        terms.append(Term(line, worth, before=None if worth == own else own))
    return terms


def opponent_scores(
    field, entry, rule="fide", own_unplayed=None, version=2023, forfeits_as_played=False
) -> list[Term]:
    """Round by round the opponent's score, or what counts instead if nothing was played.

    `own_unplayed`: an own unplayed round adds the entry's own score (self), 0 (zero) or nothing (exclude).
    """
    scores = field.column("adjusted_score", {"rule": rule})
    rules = (rule, own_unplayed, version, forfeits_as_played)
    return [opponent_score(field, entry, line, scores, *rules) for line in field.records[entry].rounds]


def opponent_score(
    field, entry, line: RoundRecord, scores, rule: str, own_unplayed, version: int, forfeits_as_played: bool
) -> Term:
    """What one round adds; `scores` is the column of adjusted scores by `rule`."""
    by_play = rule in ("fide", "uscf") and not forfeits_as_played
    if line.opponent is not None and not (by_play and line.kind in FORFEIT_KINDS):
        return opponent_term(field, line, scores)
    voluntary = rule == "fide" and line.kind in VOLUNTARY
    if own_unplayed == "exclude":
        return Term(line, None, "no_opponent", voluntary=voluntary)
    if (own_unplayed or ("zero" if rule == "uscf" else "self")) == "zero":
        return Term(line, 0, "zero_instead", voluntary=voluntary)
    if rule != "fide":
        return Term(line, scores[entry], "own_score", voluntary=voluntary)
    own = field.column("match_points")[entry]
    if version >= CAPPED_SINCE:
        most = half_of_maximum(field) if line.opponent is None else scores[line.opponent]
        if most < own:
            return Term(line, most, "own_score_capped", voluntary=voluntary)
    return Term(line, own, "own_score", voluntary=voluntary)


def cut_terms(terms: list[Term], cut_low: int = 0, cut_high: int = 0) -> list[Term]:
    """The terms with the lowest and highest left out; of the low ones a voluntary one goes first."""
    terms = list(terms)
    for pick, code in [(min, "lowest")] * cut_low + [(max, "highest")] * cut_high:
        left = {i: term.value for i, term in enumerate(terms) if term.value is not None}
        voluntary = [i for i in left if terms[i].voluntary] if pick is min else []
        if left:
            cut = pick(voluntary or left, key=left.__getitem__)
            terms[cut] = cut_off(terms[cut], "lowest_unplayed" if voluntary else code)
    return terms


@term_metric("score", inner="adjusted_score")
def buchholz(
    field, entry, *, rule="fide", own_unplayed=None, version=2023, cut_low=0, cut_high=0,
    forfeits_as_played=False,
) -> list[Term]:  # fmt: skip
    """Sum of the opponents' scores by one of the four rules.

    `cut_low` and `cut_high`: how many of the lowest and highest are left out. `own_unplayed`: by default self
    (uscf: zero). `version`: the year of FIDE's rules. Source: FIDE C.07, "BH"; ClineCON, "Median"; carddass.com.
    """
    terms = opponent_scores(field, entry, rule, own_unplayed, version, forfeits_as_played)
    return cut_terms(terms, cut_low, cut_high)


@term_metric("score", inner="adjusted_score")
def solkoff(field, entry) -> list[Term]:
    """Buchholz by the USCF's rule; own unplayed rounds add nothing. Source: USCF 34E2."""
    return buchholz(field, entry, rule="uscf")


@term_metric("score", inner="adjusted_score")
def modified_median(field, entry, *, double_from=LONG_EVENT) -> list[Term]:
    """Solkoff with cuts that depend on the own score: above, at or below half of the maximum.

    From `double_from` rounds on, two scores are left out at an end instead of one. Source: USCF 34E1.
    """
    cuts = median_cuts(field, field.value("match_points", entry), half_of_maximum(field), double_from)
    return buchholz(field, entry, rule="uscf", **cuts)


def half_of_maximum(field) -> Fraction:
    """Half of the points that could be won in all rounds."""
    return Fraction(field.rounds) * field.scoring.half_win


def median_cuts(field, score: Number, half: Number, double_from: int = LONG_EVENT) -> dict[str, int]:
    """The cuts of the modified median: the lowest from half of the maximum up, the highest from half down."""
    each = 2 if field.rounds >= double_from else 1
    return {"cut_low": each * (score >= half), "cut_high": each * (score <= half)}


@term_metric("score", inner="adjusted_score")
def fore_buchholz(
    field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False
) -> list[Term]:
    """Buchholz with the last round's pairings as draws; byes stay as they are. Source: FIDE C.07, "FB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    return buchholz(field.fore, entry, **params, forfeits_as_played=forfeits_as_played)


@term_metric("score", divisor="rounds", inner="buchholz")
def avg_opp_buchholz(
    field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False
) -> list[Term]:
    """Mean over the rounds played; 0 without any. Source: FIDE C.07, "AOB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    column = field.column("buchholz", params | {"forfeits_as_played": forfeits_as_played})
    kinds = PLAYED | FORFEIT_KINDS if forfeits_as_played else PLAYED
    return [
        Term(line, column[line.opponent]) if line.kind in kinds else Term(line, None, "not_played")
        for line in field.records[entry].rounds
    ]
