"""One score group paired among itself: drawn evenly where that succeeds, else repaired or matched.

A shuffle cut into pairs is every pairing with the same chance, so one that has no repeat is any of those without
one with the same chance. Small groups in which shuffles find none are drawn by counting: a partner is as likely as
he leaves pairings of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import contains

from pairings.engine.criteria.fold_target import Places
from pairings.engine.field import Field
from pairings.engine.matching.exact import cheapest_perfect_matching
from pairings.engine.rng import Chance

Pairs = list[tuple[int, int]]

COUNTED = 18  # members of a group up to whom all its pairings are counted where shuffles fail
SHUFFLES = 200  # whole shuffles of a group before that, or before repairing one
SHUFFLED = 20_000  # … and players shuffled in all, so that a big group is repaired soon
EXACT_BELOW = 240  # a group up to this size that cannot be shuffled is matched exactly
GIVE_UP = 60  # partners tried for one repeat during repair


def within_group(
    field: Field, members: list[int], chance: Chance, places: Places | None = None
) -> Pairs | None:
    """Everybody of an even number of players paired with one they have not met; None if none was found.

    With `places` near its ideal; else drawn evenly among all such pairings where a plain shuffle succeeds or the
    group is small; else repaired or matched.
    """
    if not members:
        return []
    pairs: Pairs
    barred = field.barred
    if places is not None:
        pairs = places.arrange(members)
        if repaired(field, pairs, chance, nearby=True):
            return pairs
    tries = max(2, min(SHUFFLES, SHUFFLED // len(members), 1 << len(members) // 2))
    pairs = []
    for _ in range(tries):
        drawn = chance.shuffled(members)
        ones, others = drawn[::2], drawn[1::2]
        pairs = list(zip(ones, others, strict=True))
        if not any(map(contains, map(barred.__getitem__, ones), others)):
            return pairs
        if len(members) == 2:
            return None
    if len(members) <= COUNTED:
        return drawn_by_counting(field, members, chance)
    if repaired(field, pairs, chance):
        return pairs
    if len(members) > EXACT_BELOW:
        return None
    edges = [
        (u, v, (0,))
        for u, i in enumerate(members)
        for v in range(u + 1, len(members))
        if members[v] not in barred[i]
    ]
    matching = cheapest_perfect_matching(len(members), edges, chance)
    return None if matching is None else [(members[u], members[v]) for u, v in matching]


def drawn_by_counting(field: Field, members: list[int], chance: Chance) -> Pairs | None:
    """One of all pairings without a repeat, each as likely as any other; None where there is none."""
    free = [
        sum(1 << v for v, j in enumerate(members) if v > u and j not in field.barred[i])
        for u, i in enumerate(members)
    ]
    counts = {0: 1}
    left = (1 << len(members)) - 1
    pairs = []
    while left:
        drawn = chance.below(pairings(left, free, counts))
        for option in first_pairs(left, free):
            drawn -= pairings(option[2], free, counts)
            if drawn < 0:
                break
        else:
            return None
        i, j, left = option
        pairs.append((members[i], members[j]))
    return pairs


def pairings(left: int, free: list[int], counts: dict[int, int]) -> int:
    """How many pairings there are of those in the mask `left`; `counts` keeps what is known."""
    if left not in counts:
        counts[left] = sum(pairings(rest, free, counts) for _, _, rest in first_pairs(left, free))
    return counts[left]


def first_pairs(left: int, free: list[int]) -> Iterator[tuple[int, int, int]]:
    """The first of a mask with each partner in turn, and the mask without both."""
    i = (left & -left).bit_length() - 1
    partners = free[i] & left
    while partners:
        j = (partners & -partners).bit_length() - 1
        partners &= partners - 1
        yield i, j, left ^ 1 << i ^ 1 << j


def repaired(field: Field, pairs: Pairs, chance: Chance, nearby: bool = False) -> bool:
    """Remove repeats from `pairs` in place by swapping partners; True when none is left.

    With another pair drawn by chance, or the nearest that will do; there the second players swap first, so
    that whoever stands in the upper half stays in it.
    """
    barred = field.barred
    for position, (a, b) in enumerate(pairs):
        if b not in barred[a]:
            continue
        for step in range(GIVE_UP):
            if nearby:
                away = (step // 4 + 1) * (-1 if step % 4 > 1 else 1)
                other, flip = position + away, step % 2 == 0
            else:
                other, flip = chance.below(len(pairs)), chance.below(2) == 1
            if other == position or not 0 <= other < len(pairs):
                continue
            c, d = pairs[other]
            if flip:
                c, d = d, c
            if c not in barred[a] and d not in barred[b]:
                pairs[position], pairs[other] = (a, c), (d, b)
                break
        else:
            return False
    return True
