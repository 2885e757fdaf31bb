"""The bye: its cost, the score group it comes from, the player who gets it, and the reason.

In an odd field, one player has no opponent and gets the bye or plays a house entrant. The matching has a *dummy*
vertex for the bye (None) and for each house entrant (its index), and matches each dummy with one player. `bye_cost`
counts a second bye first, then the points above the lowest score group. A random member of the cheapest group
(`cheapest_byes`) gets the bye (`draw_recipient`); fold and adjacent prefer the member with the worst seed rank.
"""

from collections.abc import Collection, Iterator, Sequence
from heapq import nsmallest
from itertools import compress
from operator import not_

from pairings.engine.field import Field
from pairings.engine.types import Reason

Cost = tuple[int, ...]
# Dummy, score group, bye cost: a member with that cost is to be chosen.
OpenBye = tuple[int | None, int, Cost]


def bye_cost(field: Field, i: int) -> Cost:
    """Return a bye's cost for this player: byes had, points above the lowest group, then rank."""
    cost = (field.byes[i], field.points[i] - field.lowest)
    if field.policy.bye_rule != "lowest_rank":
        return cost
    return (*cost, field.worst_rank - field.seed_rank[i])


def bye_levels(field: Field) -> int:
    return 3 if field.policy.bye_rule == "lowest_rank" else 2


def cheapest_byes(field: Field) -> list[OpenBye]:
    """Return, for each dummy, the score group and the cost of the cheapest player."""
    cheapest = nsmallest(len(field.dummies), ((bye_cost(field, i), i) for i in field.players))
    byes = zip(field.dummies, cheapest, strict=True)
    return [(dummy, field.group_of[i], cost) for dummy, (cost, i) in byes]


def can_take(field: Field, i: int, bye: OpenBye) -> bool:
    """Whether a member of the bye's group may get this bye and costs exactly as much."""
    dummy, _, cost = bye
    return (dummy is None or i not in field.barred[dummy]) and bye_cost(field, i) == cost


def draw_recipient(field: Field, bye: OpenBye, used: Collection[int]) -> int | None:
    """Draw a member of the bye's group who is not `used`; None if no one is left who can take it."""
    members = field.rng.draw_each(field.groups[bye[1]])
    return next((i for i in members if i not in used and can_take(field, i, bye)), None)


def draw_last_members(field: Field, order: Sequence[list[int]], byes: Sequence[OpenBye]) -> None:
    """Move the bye's recipient to the end of the group in `order`.

    The recipient is a random member of the group or, in a repair, the player who had the bye.
    """
    before = {a for a, b in field.request.published or () if b is None}
    for dummy, group, cost in byes:
        if dummy is None:
            able = [i for i in order[group] if bye_cost(field, i) == cost]
            able = [i for i in able if field.ids[i] in before] or able
            recipient = able[field.rng.randbelow(len(able))]
            order[group].remove(recipient)
            order[group].append(recipient)


def bye_totals(field: Field, alone: Sequence[int]) -> Iterator[tuple[str, int]]:
    """Yield the values of the criterion `bye` for a round in which these players have no opponent."""
    lowest = min(compress(field.points, map(not_, field.house)), default=0) if alone else 0
    yield "second_bye", sum(field.byes[i] for i in alone)
    yield "bye_group", sum(field.points[i] - lowest for i in alone)
    if field.policy.bye_rule == "lowest_rank":
        yield "bye_rank", sum(field.worst_rank - field.seed_rank[i] for i in alone)


def bye_reason(field: Field, i: int, *, by_rank: bool, looks_ahead: bool) -> Reason:
    """Return why this player has the bye. `by_rank`: fold or adjacent chose it; `looks_ahead`: or later rounds."""
    if field.byes[i]:
        return Reason("bye_repeat")
    if field.points[i] == field.lowest:
        rule = field.policy.bye_rule
        by_rank = rule == "lowest_rank" or (rule == "lowest_group" and by_rank)
        return Reason("bye_ranked" if by_rank else "bye_random")
    return Reason("bye_above", {"prohibited": int(any(field.prohibited)), "later": int(looks_ahead)})
