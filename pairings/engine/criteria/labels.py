"""Entries with a label in common (a club, a family, a team) kept apart in the first rounds: a wish.

It comes after the score differences, so it moves nobody out of a score group. In fields that are matched as a
whole it is one more cost of a pair and proved; in larger ones see `exchange`.
"""

from __future__ import annotations

from pairings.engine.field import Field


def wished(field: Field) -> bool:
    """Whether labels are to be kept apart in this round, and anybody has one."""
    policy = field.policy
    return policy.round <= policy.labels_apart_until_round and any(field.labels)


def share(field: Field, i: int, j: int) -> bool:
    """Whether these two have a label in common."""
    return not field.labels[i].isdisjoint(field.labels[j])
