"""Certificate and reasons of a round; `pairings.words.reasons` has the sentences, and says what each code means.

Numbers of a reason: paired_down has `left` (players of the score group who are not paired up), `down` and `above` (how
many are paired down and up), `before` (how often this player was) and `forced` (1 if smaller differences are known to
cost more elsewhere); paired_up has `before`; same_label has `labels` and, like side_limit, `proven`; bye_above has 1 if
`prohibited` pairs or `later` rounds may be the cause.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import compress
from typing import Any

from pairings.engine.bye import bye_reason
from pairings.engine.criteria import LABELS, MAIN, NEW_TABLES, Meter, Outcome
from pairings.engine.field import Field
from pairings.engine.lookahead import Feasibility
from pairings.engine.solver.components import Solution
from pairings.engine.types import UNPROVEN, Criterion, Proof, Reason


def certify(meter: Meter, outcome: Outcome, solution: Solution) -> tuple[Criterion, ...]:
    """Return one line per criterion, in the ruleset's order. Locked pairs count in both value and bound."""
    lines: list[Criterion] = []
    certain = True
    for name in meter.order:
        if name == NEW_TABLES:
            continue  # a property of a repair, not of the round
        for part, value in meter.round_costs(name, outcome):
            if part == "bye_rank":
                continue  # it only decides who of a score group gets the bye
            zero = (0,) * len(value) if isinstance(value, tuple) else 0
            bound, proof = value, Proof("bound")
            if certain and name in solution.proofs and (name in MAIN or value != zero):
                proof = solution.proofs[name]
            elif value != zero:
                bound, proof = zero, UNPROVEN
            lines.append(Criterion(part, value, bound, value == bound, proof))
        if name == "repeats" and solution.feasibility is not None:
            lines += feasibility_lines(meter.field, solution.feasibility)
            certain = solution.feasibility.proven
    return tuple(lines)


def feasibility_lines(field: Field, feasibility: Feasibility) -> list[Criterion]:
    """Return two lines: later planned rounds that need a rematch, and (odd fields) whether one needs a second bye."""
    values = [("later_rounds", feasibility.lost)]
    if len(field.ids) % 2:
        values.append(("later_byes", int(not feasibility.strict)))
    proven = feasibility.proven
    proof = Proof("exhaustive") if proven else UNPROVEN
    return [Criterion(name, lost, lost if proven else 0, proven or not lost, proof) for name, lost in values]


LOCKED = (Reason("locked"),)

# Per score, the number of players whose opponent is no house entrant: all of them, those paired up, those paired down.
Flows = tuple[Counter[int], Counter[int], Counter[int]]


def explain_round(meter: Meter, outcome: Outcome, solution: Solution) -> dict[Any, tuple[Reason, ...]]:
    """Return {entrant: reasons} for everyone whose pairing is unusual; a locked pair has only that reason."""
    field = meter.field
    locked = {i for pair in field.locked for i in pair if i is not None}
    flows = count_flows(field, outcome)
    past_limit = {*meter.sides.players_against("side_limits", outcome.pairs, outcome.first)}
    sided = [both for both in outcome.pairs if not past_limit.isdisjoint(both)] if past_limit else []
    unusual = dict.fromkeys([*outcome.across, *outcome.repeats, *outcome.housed, *sided])
    reasons: dict[Any, tuple[Reason, ...]] = {}
    for a, b in outcome.pairs if meter.labels else unusual:
        for i, j in ((a, b), (b, a)):
            if i in locked or field.house[i]:
                continue
            of_player = [*pair_reasons(meter, i, j, flows, solution)]
            if i in past_limit:
                of_player.append(Reason("side_limit", {"proven": int("side_limits" in solution.proofs)}))
            if of_player:
                reasons[field.ids[i]] = tuple(of_player)
    if outcome.bye is not None:
        looks_ahead = bool(solution.feasibility)
        reason = bye_reason(field, outcome.bye, by_rank=bool(meter.targets), looks_ahead=looks_ahead)
        if meter.order[:2] != ("repeats", "bye"):
            reason = Reason("bye_for_priority")
        reasons[field.ids[outcome.bye]] = (reason,)
    reasons.update({field.ids[i]: LOCKED for i in locked})
    return reasons


def pair_reasons(meter: Meter, i: int, j: int, flows: Flows, solution: Solution) -> Iterator[Reason]:
    field = meter.field
    if j in field.met[i]:
        yield Reason("rematch" if meter.order[0] == "repeats" else "rematch_for_priority")
    if field.house[j]:
        yield Reason("house_opponent")
    elif field.points[i] > field.points[j]:
        yield down_reason(field, i, flows, solution)
    elif field.points[i] < field.points[j]:
        yield Reason("paired_up", {"before": field.up[i]})
    if meter.pair_cost[LABELS](i, j):
        labels = tuple(sorted(map(str, field.labels[i] & field.labels[j])))
        yield Reason("same_label", {"labels": labels, "proven": int(LABELS in solution.proofs)})


def count_flows(field: Field, outcome: Outcome) -> Flows:
    """Return per score how many players are seated, paired up, and paired down."""
    points = field.points
    seated = Counter(points)
    seated.subtract(points[i] for i in [*outcome.alone, *compress(range(len(points)), field.house)])
    across = [sorted((points[a], points[b])) for a, b in outcome.across]
    return seated, Counter(low for low, _ in across), Counter(high for _, high in across)


def down_reason(field: Field, i: int, flows: Flows, solution: Solution) -> Reason:
    seated, up, down = (count[field.points[i]] for count in flows)
    numbers = {"left": seated - up, "down": down, "above": up, "before": field.down[i]}
    forced = solution.feasibility is None or solution.feasibility.proven
    return Reason("paired_down", numbers | {"forced": int(forced)})
