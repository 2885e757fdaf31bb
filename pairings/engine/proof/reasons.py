"""Why a player's place in the round is unusual, as codes with numbers; `pairings.words.reasons` has the sentences.

locked                the organizer locked this table or bye
rematch               the two have met; no pairing of the round has fewer rematches
rematch_for_priority  the two have met; another criterion stands above rematches
house_opponent        meets a house entrant instead of getting the bye
paired_down           meets someone with fewer points
                      left    players of the score group who are not paired up
                      down    how many of those are paired down
                      above   players of the score group who are paired up
                      before  how often this player was paired down before
                      forced  1 if smaller score differences are known to cost more elsewhere
paired_up             meets someone with more points
                      before  how often this player was paired up before
same_label            the two share `labels`
                      proven  1 if no pairing keeps more such players apart
bye_for_priority      has the bye; another criterion stands above it
bye_repeat            has the bye again: everyone who could take it has had as many
bye_ranked            has the bye as the lowest ranked of the lowest score group
bye_random            has the bye, chosen at random in the lowest score group
bye_above             has the bye, from above the lowest score group
                      prohibited  1 if prohibited pairs may be the cause
                      later       1 if later planned rounds may be the cause
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import compress
from typing import TYPE_CHECKING, Any

from pairings.engine.criteria.order import LABELS, Meter
from pairings.engine.criteria.outcome import Outcome
from pairings.engine.field import Field
from pairings.engine.types import Reason

if TYPE_CHECKING:
    from pairings.engine.solver.whole_field import Solution

LOCKED = (Reason("locked"),)

# By points, of the players who do not meet a house entrant or have the bye: all, those paired up, those paired down.
Flows = tuple[Counter[int], Counter[int], Counter[int]]


def reasons_of(meter: Meter, outcome: Outcome, solution: Solution) -> dict[Any, tuple[Reason, ...]]:
    """{entrant: reasons} for everyone whose place is unusual; house entrants have none.

    That is the bye, house opponents, rematches, pairs across score groups and labels that could not be kept
    apart. Of locked pairs it is known only that the organizer locked them.
    """
    field = meter.field
    locked = {i for pair in field.locked for i in pair if i is not None}
    flows = flows_of(field, outcome)
    unusual = dict.fromkeys([*outcome.across, *outcome.repeats, *outcome.housed])
    reasons: dict[Any, tuple[Reason, ...]] = {}
    for a, b in outcome.pairs if meter.labels else unusual:
        for i, j in ((a, b), (b, a)):
            if i in locked or field.house[i]:
                continue
            if of_player := tuple(pair_reasons(meter, i, j, flows, solution)):
                reasons[field.ids[i]] = of_player
    if outcome.bye is not None:
        reasons[field.ids[outcome.bye]] = (bye_reason(meter, outcome.bye, solution),)
    reasons.update({field.ids[i]: LOCKED for i in locked})
    return reasons


def pair_reasons(meter: Meter, i: int, j: int, flows: Flows, solution: Solution) -> Iterator[Reason]:
    """What is unusual for player i about meeting j."""
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


def flows_of(field: Field, outcome: Outcome) -> Flows:
    """How many of each score group are paired, up and down."""
    points = field.points
    seated = Counter(points)
    seated.subtract(points[i] for i in [*outcome.alone, *compress(range(len(points)), field.house)])
    across = [sorted((points[a], points[b])) for a, b in outcome.across]
    return seated, Counter(low for low, _ in across), Counter(high for _, high in across)


def down_reason(field: Field, i: int, flows: Flows, solution: Solution) -> Reason:
    """Why this player meets someone with fewer points."""
    seated, up, down = (count[field.points[i]] for count in flows)
    numbers = {"left": seated - up, "down": down, "above": up, "before": field.down[i]}
    forced = solution.feasibility is None or solution.feasibility.proven
    return Reason("paired_down", numbers | {"forced": int(forced)})


def bye_reason(meter: Meter, bye: int, solution: Solution) -> Reason:
    """Why this player has the bye."""
    field = meter.field
    if meter.order[:2] != ("repeats", "bye"):
        return Reason("bye_for_priority")
    if field.byes[bye]:
        return Reason("bye_repeat")
    if field.points[bye] == field.lowest:
        rule = field.policy.bye_rule
        ranked = rule == "lowest_rank" or (rule == "lowest_group" and meter.targets)
        return Reason("bye_ranked" if ranked else "bye_random")
    return Reason(
        "bye_above", {"prohibited": int(any(field.prohibited)), "later": int(bool(solution.feasibility))}
    )
