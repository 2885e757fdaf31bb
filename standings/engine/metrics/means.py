"""Points per round, loss percentages and the cumulative tiebreaker, and their means over opponents."""

from fractions import Fraction
from operator import mul

from standings.engine.metrics import counts  # noqa: F401  (opp_avg_points is a mean of one of its metrics)
from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.percentages import mean_metric, share_metric, share_terms
from standings.engine.metrics.registry import term_metric
from standings.engine.metrics.terms import Term
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

QUARTER = Fraction(1, 4)


@share_metric("points")
def points_per_round(field, entry) -> list[Term]:
    """Match points ÷ rounds. Missed rounds count in neither.

    Source: Null Signal Organized Play Policies, "Strength of Schedule".
    """
    points = field.scoring.match_points
    return [
        Term(line, None, "not_counted") if line.kind == "missed" else Term(line, points(line), of=1)
        for line in field.records[entry].rounds
    ]


@share_metric(ascending=True)
def match_loss_pct(field, entry, *, empty=None, count_no_show_tables=True) -> list[Term]:
    """Share of matches lost, among those with an opponent. Source: Flesh and Blood tiebreaker policy 2022."""

    def lost(line: RoundRecord) -> Term:
        if line.opponent is None:
            return Term(line, None, "left_out")
        return Term(line, int(line.outcome == "L"), of=1)

    return share_terms(field, entry, lost, count_no_show_tables=count_no_show_tables)


def _recencies(field, decay=QUARTER, byes=True, normalise=False) -> Numbers:
    """Return the values for all entries. A round's points weigh as much as 1 point scored in that round alone."""
    last, flat = range(1, field.rounds + 1), field.flat
    ends = [recency_steps([int(n == scored) for n in last], decay)[-1][1] for scored in last]
    best = recency_best(field, decay) if normalise and ends else 1
    weights = Numbers.from_values([0, *(Fraction(end) / best for end in ends)])
    points = flat.values_of_rounds(lambda alone, line: recency_points(alone, line, byes))
    weighed = map(mul, points.parts, map(weights.parts.__getitem__, flat.numbers))
    return flat.totals(Numbers(list(weighed), points.whole * weights.whole))


@term_metric("score", at_once=_recencies)
def recency_cumulative(field, entry, *, decay=QUARTER, byes=True, normalise=False) -> list[Term]:
    """Running points, with more weight on late rounds; every round of the event is a step.

    If `byes` is false, a bye adds nothing to the running points. `normalise` divides by the value of winning every
    round. Source: Flesh and Blood tiebreaker policy 2022, "CTB".
    """
    every = field.every_round(entry)
    steps = recency_steps([recency_points(field, line, byes) for line in every], decay)
    return [Term(line, value, running=running) for line, (running, value) in zip(every, steps, strict=True)]


def recency_points(field, line: RoundRecord, byes: bool = True) -> Number:
    """Return the points a round adds to the running points."""
    if line.is_bye and not byes:
        return 0
    return field.scoring.match_points(line)


def recency_best(field, decay=QUARTER) -> Number:
    return recency_steps([field.scoring.win] * field.rounds, decay)[-1][1]


def recency_steps(points: list[Number], decay: Number) -> list[tuple[Number, Number]]:
    """Return (points so far, value) after each round; the value is the one before × `decay` + the points so far."""
    running: Number = 0
    value: Number = 0
    steps = []
    for gained in points:
        running += gained
        value = value * decay + running
        steps.append((running, value))
    return steps


NULL_SIGNAL, FLESH_AND_BLOOD = (
    "Null Signal Organized Play Policies, 1.1.6",
    "Flesh and Blood tiebreaker policy 2022",
)
mean_metric("opp_avg_points", "match_points", "Magic multiplayer addendum (community)", unit="points")
mean_metric("strength_of_schedule", "points_per_round", NULL_SIGNAL, unit="points")
mean_metric("ext_strength_of_schedule", "strength_of_schedule", NULL_SIGNAL, unit="points")
mean_metric("opp_match_loss_pct", "match_loss_pct", FLESH_AND_BLOOD, ascending=True)
mean_metric("opp_recency_cumulative", "recency_cumulative", FLESH_AND_BLOOD, unit="score")
