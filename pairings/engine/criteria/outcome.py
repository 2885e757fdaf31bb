"""A complete round, in the form that costs, certificate and reasons need."""

from collections.abc import Sequence
from dataclasses import dataclass

from pairings.engine.field import Field
from pairings.engine.matching import Pairs


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everyone's place, by index.

    pairs    all pairs, locked ones and house games included, in table order
    bye      who has it
    repeats  the pairs who have met before
    across   the pairs of players with different points
    housed   the pairs with a house entrant, who is the second
    alone    players without an opponent among the players: with the bye, or against a house entrant
    """

    pairs: Pairs
    bye: int | None
    repeats: Pairs
    across: Pairs
    housed: Pairs
    alone: Sequence[int]


def outcome_of(field: Field, pairs: Pairs, bye: int | None) -> Outcome:
    """The round with these pairs and this bye."""
    points, house, met = field.points, field.house, field.met
    housed: Pairs = []
    if any(house):
        pairs = [(b, a) if house[a] else (a, b) for a, b in pairs]
        housed = [(a, b) for a, b in pairs if house[b]]
    return Outcome(
        pairs,
        bye,
        repeats=[(a, b) for a, b in pairs if b in met[a]],
        across=[(a, b) for a, b in pairs if points[a] != points[b] and not house[b]],
        housed=housed,
        alone=[*([] if bye is None else [bye]), *(a for a, _ in housed)],
    )
