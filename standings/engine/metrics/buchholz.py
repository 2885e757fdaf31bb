"""Buchholz and its family, Sonneborn-Berger and Koya: the opponents' scores, by one of four rules for unplayed rounds.

`fide` (adjusted scores, unplayed rounds against a dummy or, before 2023, a virtual opponent), `uscf` (an
opponent's unplayed rounds count as draws, own ones as opponents without points), `raw` (scores as they are) and
`twixt` (ClineCON's "Median").
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from standings.engine.metrics.counts import VOLUNTARY, opponent_term, round_worth, twixt_byes
from standings.engine.metrics.flat import PLAYED, Numbers
from standings.engine.metrics.registry import Note, Term, cut_off, round_metric, term_metric, total_of
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number

REQUESTED = frozenset({"half", "zero", "full"})
# The first versions of FIDE's rules in which a dummy opponent has the entry's own score (instead of a virtual one), and
# in which that score is capped.
DUMMY_SINCE = 2023
CAPPED_SINCE = 2026
VIRTUAL = "virtual_opponent"


class UnplayedRules(NamedTuple):
    rule: str = "fide"  # one of the four
    # An unplayed round adds the entry's own score (self), 0 (zero) or nothing (exclude).
    own_unplayed: str | None = None
    version: int = 2023  # the year of FIDE's rules
    forfeits_as_played: bool = False  # for round robins
    forfeit_ends_byes: bool = False  # byes requested before a forfeit loss are not at the end (Vega)

    @property
    def virtual(self) -> bool:
        """Whether unplayed rounds have FIDE's virtual opponent and everyone counts every round of the event."""
        return self.rule == "fide" and self.version < DUMMY_SINCE

    @property
    def played(self) -> frozenset[str]:
        return PLAYED | FORFEIT_KINDS if self.forfeits_as_played else PLAYED

    def rounds(self, field, entry) -> list[RoundRecord]:
        """Return the rounds that count: the entry's own, or every round of the event."""
        return field.every_round(entry) if self.virtual else field.records[entry].rounds

    def scores(self, field):
        return field.column("adjusted_score", {name: getattr(self, name) for name in ADJUSTED})


ADJUSTED = ("rule", "version", "forfeits_as_played", "forfeit_ends_byes")


def one_by_one(field, terms_of: Callable[..., list[Term]], params: dict[str, Any]) -> Numbers:
    """Sum each entry's terms. Used for rules that also count rounds without a record."""
    return Numbers.from_values([total_of(terms_of(field, entry, **params)) for entry in field.records])


def _adjusted_scores(field, rule="fide", **rules) -> Numbers:
    """Return all adjusted scores. FIDE's differ from the points only if the last round was voluntarily unplayed."""
    if rule != "fide":
        return field.flat.sums(lambda alone, line: total_of(adjusted_score(alone, "", rule=rule)))
    if UnplayedRules(rule, **rules).virtual:
        return one_by_one(field, adjusted_score, rules)
    scores, flat = field.column("match_points").numbers, field.flat
    tails = [
        i for i, record in enumerate(flat.records) if record.rounds and record.rounds[-1].kind in VOLUNTARY
    ]
    return scores.replace_at({i: total_of(adjusted_score(field, flat.entries[i], **rules)) for i in tails})


@term_metric("score", at_once=_adjusted_scores)
def adjusted_score(
    field, entry, *, rule="fide", version=2023, forfeits_as_played=False, forfeit_ends_byes=False
) -> list[Term]:
    """The entry's score, adjusted for use in its opponents' tiebreaks.

    FIDE: requested byes count as draws if only voluntarily unplayed rounds follow them; before 2023 every unplayed
    round did. USCF: every unplayed round of the record counts as a draw. Source: FIDE C.07, before 2023 C.02 13.15;
    USCF 34E; ClineCON.
    """
    rules = UnplayedRules(rule, None, version, forfeits_as_played, forfeit_ends_byes)
    rounds, scoring = rules.rounds(field, entry), field.scoring
    tail = VOLUNTARY - FORFEIT_KINDS if forfeit_ends_byes else VOLUNTARY
    last_played = max((i for i, line in enumerate(rounds) if line.kind not in tail), default=-1)
    bye_as = twixt_byes(field) if rule == "twixt" else {}

    def counts_as_draw(i: int, line: RoundRecord) -> bool:
        if rule == "uscf":
            return line.kind not in PLAYED
        if rules.virtual:
            return line.kind not in rules.played
        return rule == "fide" and i > last_played and line.kind in REQUESTED

    terms = []
    for i, line in enumerate(rounds):
        own = scoring.match_points(line)
        worth = scoring.draw if counts_as_draw(i, line) else round_worth(field, line, bye_as)
        terms.append(Term(line, worth, before=None if worth == own else own))
    return terms


def opponent_scores(field, entry, rules: UnplayedRules) -> list[Term]:
    """Return the opponent's score of each round, or its substitute if nothing was played."""
    scores = rules.scores(field)
    return [opponent_score(field, entry, line, scores, rules) for line in rules.rounds(field, entry)]


def opponent_scores_at_once(field, rules: UnplayedRules) -> tuple[Numbers, dict[int, list[Term]]]:
    """Return the opponents' scores of all entries, in the form of `Flat.values_met`."""
    scores = rules.scores(field)
    return field.flat.values_met(
        scores.numbers, lambda entry, line: [opponent_score(field, entry, line, scores, rules)]
    )


def opponent_score(field, entry, line: RoundRecord, scores, rules: UnplayedRules) -> Term:
    """Return one round's contribution; `scores` is the column of adjusted scores."""
    rule, own_unplayed = rules.rule, rules.own_unplayed
    by_play = rule in ("fide", "uscf") and not rules.forfeits_as_played
    if line.opponent is not None and not (by_play and line.kind in FORFEIT_KINDS):
        return opponent_term(field, line, scores)
    voluntary = rule == "fide" and not rules.virtual and line.kind in VOLUNTARY
    if own_unplayed == "exclude":
        return Term(line, None, "no_opponent", voluntary=voluntary)
    if (own_unplayed or ("zero" if rule == "uscf" else "self")) == "zero":
        return Term(line, 0, "zero_instead", voluntary=voluntary)
    if rule != "fide":
        return Term(line, scores[entry], "own_score", voluntary=voluntary)
    if rules.virtual:
        return Term(line, virtual_score(field, entry, line), VIRTUAL)
    own = field.column("match_points")[entry]
    if rules.version >= CAPPED_SINCE:
        most = half_of_maximum(field) if line.opponent is None else scores[line.opponent]
        if most < own:
            return Term(line, most, "own_score_capped", voluntary=voluntary)
    return Term(line, own, "own_score", voluntary=voluntary)


def virtual_score(field, entry, line: RoundRecord) -> Number:
    """Return the final score of the virtual opponent in an unplayed round: the entry's score before it, then draws.

    Source: FIDE C.02 13.15.2 (2009 to 2022), "Svon = SPR + (1 - SfPR) + 0.5 * (n - R)".
    """
    scoring = field.scoring
    before = sum(scoring.match_points(own) for own in field.records[entry].rounds if own.number < line.number)
    return before + scoring.win - scoring.match_points(line) + scoring.draw * (field.rounds - line.number)


def half_of_maximum(field) -> Fraction:
    return Fraction(field.rounds) * field.scoring.half_win


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


def _modified_medians(field, **double_from) -> Numbers:
    points = field.column("match_points").numbers
    half = half_of_maximum(field) * points.whole
    rules = UnplayedRules("uscf")
    return _sums(field, rules, lambda i: median_cuts(field, points.parts[i], half, **double_from))


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


@term_metric("score", inner="adjusted_score", at_once=partial(_buchholz, rule="uscf"))
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

    For round robins: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if line.opponent is None:
        return None
    points = field.value("match_points", line.opponent)
    counts = forfeits_as_played or line.kind not in FORFEIT_KINDS
    if counts and points >= (half_of_maximum(field) if limit is None else limit):
        return field.scoring.match_points(line)
    return Term(line, None, Note("below_limit", {"points": points}))
