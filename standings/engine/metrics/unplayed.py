"""Unplayed rounds in Buchholz and its family: their value for the entry and for its opponents."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.metrics.counts import VOLUNTARY
from standings.engine.metrics.flat import PLAYED, Numbers
from standings.engine.metrics.registry import term_metric
from standings.engine.metrics.sums import opponent_term, round_worth, twixt_byes
from standings.engine.metrics.terms import Term, total_of
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
    """Return the final score of the virtual opponent in an unplayed round.

    It starts with the entry's score before that round, scores a win minus the entry's points in the round, and draws
    every later round. Source: FIDE C.02 13.15.2 (2009 to 2022), "Svon = SPR + (1 - SfPR) + 0.5 * (n - R)".
    """
    scoring = field.scoring
    before = sum(scoring.match_points(own) for own in field.records[entry].rounds if own.number < line.number)
    return before + scoring.win - scoring.match_points(line) + scoring.draw * (field.rounds - line.number)


def half_of_maximum(field) -> Fraction:
    return Fraction(field.rounds) * field.scoring.half_win
