"""Entries that share a label (a club, a family, a team) are kept apart in the first rounds, if possible.

The criterion usually comes after the score differences, so it moves no one out of a score group. In fields that are
matched as a whole it is one more cost of a pair, and proven; in larger ones see `swaps` and `blocks`.
"""

from __future__ import annotations

from pairings.engine.field import Field


def labels_count(field: Field) -> bool:
    """Whether labels count in this round, and anyone has one."""
    policy = field.policy
    return policy.round <= policy.labels_apart_until_round and any(field.labels)


def share_label(field: Field, i: int, j: int) -> bool:
    """Whether these two have a label in common."""
    return not field.labels[i].isdisjoint(field.labels[j])
