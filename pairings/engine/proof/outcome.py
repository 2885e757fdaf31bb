"""A complete round as the certificate and the reasons look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pairings.engine.field import Field

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everybody's place, by index.

    pairs    locked ones and house games included, in table order
    bye      who has it
    repeats  the pairs who have met before
    across   the pairs of players with different points
    housed   the pairs with a house entrant, who is the second
    over     who is left over: has the bye, or meets a house entrant in its place
    """

    pairs: Pairs
    bye: int | None
    repeats: Pairs
    across: Pairs
    housed: Pairs
    over: Sequence[int]


def outcome(field: Field, pairs: Pairs, bye: int | None) -> Outcome:
    """What the certificate and the reasons ask of these pairs again and again."""
    points, house, met = field.points, field.house, field.met
    housed = [(a, b) for a, b in pairs if house[b]] if any(house) else []
    return Outcome(
        pairs,
        bye,
        repeats=[(a, b) for a, b in pairs if b in met[a]],
        across=[(a, b) for a, b in pairs if points[a] != points[b] and not house[b]],
        housed=housed,
        over=[*([] if bye is None else [bye]), *(a for a, _ in housed)],
    )
