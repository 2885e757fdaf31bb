"""One score group paired among itself: evenly at random where that succeeds, else with swaps or a matching.

A shuffle cut into pairs is each pairing with the same chance. So a shuffle without a rematch is each of the pairings
without one with the same chance. Small groups in which shuffles find none are paired by counting: a partner is as
likely as the number of pairings that he or she leaves to the others.
"""

from collections.abc import Iterator
from operator import contains

from pairings.engine.criteria.fold_target import FoldTarget
from pairings.engine.field import Field
from pairings.engine.matching import Pairs, cheapest_perfect_matching

COUNTED = 18  # members of a group up to whom all its pairings are counted where shuffles fail
SHUFFLES = 200  # whole shuffles of a group before that, or before swaps in one
SHUFFLED = 20_000  # players shuffled in all, so that a big group soon goes over to swaps
EXACT_BELOW = 240  # members of a group up to whom it is matched exactly where all else fails
GIVE_UP = 60  # partners tried for one rematch


def pair_group(field: Field, members: list[int], target: FoldTarget | None = None) -> Pairs | None:
    """An even number of players paired without a rematch; None if no such pairing was found.

    With a `target`, near its ideal. Otherwise each such pairing is equally likely where a plain shuffle succeeds or the
    group is small; else it comes from swaps or a matching.
    """
    if not members:
        return []
    pairs: Pairs
    barred = field.barred
    if target is not None:
        pairs = target.pair_members(members)
        if swap_out_rematches(field, pairs, nearby=True):
            return pairs
    tries = max(2, min(SHUFFLES, SHUFFLED // len(members), 1 << len(members) // 2))
    pairs = []
    for _ in range(tries):
        shuffled = field.rng.permutation(members)
        ones, others = shuffled[::2], shuffled[1::2]
        pairs = list(zip(ones, others, strict=True))
        if not any(map(contains, map(barred.__getitem__, ones), others)):
            return pairs
        if len(members) == 2:
            return None
    if len(members) <= COUNTED:
        return draw_by_counting(field, members)
    if swap_out_rematches(field, pairs):
        return pairs
    if len(members) > EXACT_BELOW:
        return None
    edges = [
        (u, v, (0,))
        for u, i in enumerate(members)
        for v in range(u + 1, len(members))
        if members[v] not in barred[i]
    ]
    matching = cheapest_perfect_matching(len(members), edges, field.rng)
    return None if matching is None else [(members[u], members[v]) for u, v in matching]


def draw_by_counting(field: Field, members: list[int]) -> Pairs | None:
    """One of all pairings without a rematch, each as likely as any other; None where there is none."""
    free = [
        sum(1 << v for v, j in enumerate(members) if v > u and j not in field.barred[i])
        for u, i in enumerate(members)
    ]
    counts = {0: 1}
    left = (1 << len(members)) - 1
    pairs = []
    while left:
        number = field.rng.randbelow(count_pairings(left, free, counts))
        for choice in first_pairs(left, free):
            number -= count_pairings(choice[2], free, counts)
            if number < 0:
                break
        else:
            return None
        i, j, left = choice
        pairs.append((members[i], members[j]))
    return pairs


def count_pairings(left: int, free: list[int], counts: dict[int, int]) -> int:
    """How many pairings there are of those in the mask `left`; `counts` keeps what is known."""
    if left not in counts:
        counts[left] = sum(count_pairings(rest, free, counts) for _, _, rest in first_pairs(left, free))
    return counts[left]


def first_pairs(left: int, free: list[int]) -> Iterator[tuple[int, int, int]]:
    """The first of a mask with each partner in turn, and the mask without both."""
    i = (left & -left).bit_length() - 1
    partners = free[i] & left
    while partners:
        j = (partners & -partners).bit_length() - 1
        partners &= partners - 1
        yield i, j, left ^ 1 << i ^ 1 << j


def swap_out_rematches(field: Field, pairs: Pairs, nearby: bool = False) -> bool:
    """Remove rematches from `pairs` in place by swapping partners; True when none is left.

    Partners are swapped with a random pair, or with the nearest that will do. There the second players swap first, so
    that the upper half stays the upper half.
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
                other, flip = field.rng.randbelow(len(pairs)), field.rng.randbelow(2) == 1
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
