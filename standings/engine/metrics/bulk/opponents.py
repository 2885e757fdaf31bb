"""Sums of opponents' scores for all entries at once: Buchholz and its family, and what is built like it.

A round played against an entrant gives that entrant's score; every other round is computed alone, by the same
function as in the metrics of one entry. See `metrics.bulk.flat`.
"""

from collections.abc import Callable
from operator import mul

from standings.engine.metrics import buchholz, counts, sonneborn, unplayed
from standings.engine.metrics.bulk.flat import Numbers
from standings.engine.metrics.registry import METRICS, all_at_once
from standings.engine.metrics.terms import Term, total_of
from standings.engine.metrics.unplayed import UnplayedRules
from standings.engine.records import RoundRecord

PLAIN = RoundRecord(0, "played", "", "", (0, 0, 0))  # any round whose opponent's score counts as it is


def _parts_of_opponents(field, scores: Numbers) -> list[int]:
    """The opponent's score of each round; 0 without an opponent, and for a house opponent that adds nothing."""
    parts = [*scores.parts, 0]
    for house in field.flat.houses:
        parts[house] = 0
    return list(map(parts.__getitem__, field.flat.opponents))


@all_at_once("cumulative_opposition")
def cumulative_opposition(field, bye_as=None) -> Numbers:
    """Sums over the opponents."""
    scores = field.column("cumulative", {"bye_as": bye_as} if bye_as else {}).numbers
    return Numbers(field.flat.totals(_parts_of_opponents(field, scores)), scores.whole)


def _one_by_one(field, key: str, params: dict) -> Numbers:
    """Values of the old rules, which also count rounds without a record."""
    return Numbers.from_values([METRICS[key].function(field, entry, **params) for entry in field.records])


@all_at_once("adjusted_score")
def adjusted_scores(field, rule="fide", **rules) -> Numbers:
    """Sums of rounds; FIDE's differ from the points only if the last round was voluntarily unplayed."""
    if rule != "fide":
        return field.flat.sums(METRICS["adjusted_score"].function, rule=rule)
    if UnplayedRules(rule, **rules).virtual:
        return _one_by_one(field, "adjusted_score", rules)
    scores, flat = field.column("match_points").numbers, field.flat
    tails = [
        i
        for i, record in enumerate(flat.records)
        if record.rounds and record.rounds[-1].kind in counts.VOLUNTARY
    ]
    return scores.replace_at(
        {i: total_of(unplayed.adjusted_score(field, flat.entries[i], **rules)) for i in tails}
    )


def _opponent_scores(field, rules: UnplayedRules) -> tuple[Numbers, dict[int, Term]]:
    """The opponent's score of each round, or what counts instead; and by position the terms of other rounds."""
    scores, flat = rules.scores(field), field.flat
    scores_met = Numbers(_parts_of_opponents(field, scores.numbers), scores.numbers.whole)
    unlike = {}
    for i in flat.irregular:
        entry, line = flat.round_at(i)
        unlike[i] = unplayed.opponent_score(field, flat.entries[entry], line, scores, rules)
    return scores_met.replace_at({i: term.value or 0 for i, term in unlike.items()}), unlike


def _buchholz(field, rules: UnplayedRules, cuts: Callable[[int], dict[str, int]]) -> Numbers:
    """For each entry the sum of opponents' scores after the cuts of its position."""
    flat = field.flat
    scores_met, unlike = _opponent_scores(field, rules)
    with_unlike = {flat.round_at(i)[0] for i in unlike}
    sums, start = [], 0
    for position, one in enumerate(flat.parts(scores_met.parts)):
        cut = cuts(position)
        if position in with_unlike:
            terms = [_term(unlike.get(i), value) for i, value in enumerate(one, start)]
            sums.append(int(total_of(buchholz.cut_terms(terms, **cut))))
        else:
            sums.append(sum(sorted(one)[cut["cut_low"] : max(len(one) - cut["cut_high"], 0)]))
        start += len(one)
    return Numbers(sums, scores_met.whole)


def _term(unlike: Term | None, value: int) -> Term:
    """The term of a round with an integer value; one that is left out stays left out."""
    if unlike is None:
        return Term(PLAIN, value)
    return unlike if unlike.value is None else unlike._replace(value=value)


@all_at_once("buchholz")
def buchholz_sums(field, cut_low=0, cut_high=0, **params) -> Numbers:
    """Sums of opponents' scores."""
    rules, cuts = UnplayedRules(**params), {"cut_low": cut_low, "cut_high": cut_high}
    if rules.virtual:
        return _one_by_one(field, "buchholz", params | cuts)
    if cut_low or cut_high:
        return _buchholz(field, rules, lambda position: cuts)
    scores_met, _ = _opponent_scores(field, rules)
    return Numbers(field.flat.totals(scores_met.parts), scores_met.whole)


@all_at_once("solkoff")
def solkoffs(field) -> Numbers:
    """Buchholz by the USCF's rule."""
    return field.column("buchholz", {"rule": "uscf"}).numbers


@all_at_once("modified_median")
def modified_medians(field, **rules) -> Numbers:
    """Solkoff after the cuts of each score."""
    points = field.column("match_points").numbers
    half = unplayed.half_of_maximum(field) * points.whole
    return _buchholz(
        field, UnplayedRules("uscf"), lambda i: buchholz.median_cuts(field, points.parts[i], half, **rules)
    )


@all_at_once("fore_buchholz")
def fore_buchholz_sums(field, **params) -> Numbers:
    """Buchholz as if every pairing of the last round had been a draw."""
    return field.fore.column("buchholz", params).numbers


@all_at_once("sonneborn_berger")
def sonneborn_bergers(field, cut_low=0, **params) -> Numbers:
    """Sums of result × opponent's score."""
    flat, rules = field.flat, UnplayedRules(**params)
    if rules.virtual:
        return _one_by_one(field, "sonneborn_berger", params | {"cut_low": cut_low})
    scores_met, unlike = _opponent_scores(field, rules)
    results = flat.values_of_rounds(sonneborn.result_share)
    products = list(map(mul, results.parts, scores_met.parts))
    whole = scores_met.whole * results.whole
    if not cut_low:
        return Numbers(flat.totals(products), whole)
    terms = [
        _term(unlike.get(i), product)._replace(times=(result, score))
        for i, (product, result, score) in enumerate(
            zip(products, results.parts, scores_met.parts, strict=True)
        )
    ]
    return Numbers([int(total_of(sonneborn.cut_products(own, cut_low))) for own in flat.parts(terms)], whole)
