"""Entries with a label in common (a club, a family, a team) kept apart in the first rounds: a wish.

It comes after the score differences, so it moves nobody out of a score group. In fields that are matched as a
whole it is one more cost of a pair and proved. In larger ones the round found is improved by exchanges of two
players, each of which leaves repeats, score differences and pair-downs as they are; where none is left
together that is the best there is, and else the certificate says that it is not proved.
"""

from __future__ import annotations

from pairings.engine.chance import Chance
from pairings.engine.field import Field

Pairs = list[tuple[int, int]]

LOOKED_AT = 400  # other pairs tried for one that shares a label


def wished(field: Field) -> bool:
    """Whether labels are to be kept apart in this round, and anybody has one."""
    policy = field.policy
    return policy.round <= policy.labels_apart_until_round and any(e.labels for e in field.entrants)


def share(field: Field, i: int, j: int) -> bool:
    """Whether these two have a label in common."""
    return not field.entrants[i].labels.isdisjoint(field.entrants[j].labels)


def shared(field: Field, i: int, j: int) -> str:
    """The labels they have in common, in words."""
    return ", ".join(sorted(field.entrants[i].labels & field.entrants[j].labels))


def drawn_apart(field: Field, pairs: Pairs, chance: Chance) -> Pairs:
    """The pairs with exchanges made where fewer of them share a label and nothing else gets worse."""
    pairs = list(pairs)
    near: dict[int, list[int]] = {}  # points: positions of pairs in which somebody has them
    for position, both in enumerate(pairs):
        for points in {field.points[i] for i in both}:
            near.setdefault(points, []).append(position)
    for position in range(len(pairs)):
        if not share(field, *pairs[position]):
            continue
        a, b = (field.points[i] for i in pairs[position])
        others = near[a] if a == b else near[a] + near[b]
        for _ in range(LOOKED_AT):
            other = others[chance.below(len(others))]
            if other != position and (better := exchanged(field, pairs[position], pairs[other])):
                pairs[position], pairs[other] = better
                break
    return pairs


def exchanged(field: Field, one: tuple[int, int], other: tuple[int, int]) -> Pairs | None:
    """Two pairs made of these four players that share fewer labels and cost no more; None where none do."""
    before = costs(field, [one, other])
    (a, b), (c, d) = one, other
    for pairs in ([(a, c), (b, d)], [(a, d), (b, c)]):
        if any(j in field.barred[i] for i, j in pairs):
            continue
        after = costs(field, pairs)
        if after[:-1] == before[:-1] and after[-1] < before[-1]:
            return pairs
    return None


def costs(field: Field, pairs: Pairs) -> tuple[int, int, int]:
    """(score difference, repeated pair-downs, pairs that share a label)."""
    return (
        sum(field.difference(i, j) for i, j in pairs),
        sum(field.floats(i, j) for i, j in pairs),
        sum(share(field, i, j) for i, j in pairs),
    )
