"""Who moves first, and what a pair costs the players' turns.

ClineCON: in the first round a coin toss decides the first table, and the others alternate. Later, no one has the same
side in all rounds if that can be avoided, and then sides alternate. "All rounds" is a property of the whole session,
so it counts in the round that completes the planned rounds (from round 3 on where no number is planned).

As in FIDE's basic rules: no one has one side three times in a row, and never more than two games of one side more than
of the other (`side_limits`). Rounds without a side are skipped. Here these are wishes and no prohibition, so that no
round fails by them; the certificate says for how many players they could not be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pairings.engine.field import Field
from pairings.engine.rng import Rng

SIDES = ("side_limits", "not_same_side_all_rounds", "alternate_sides")

Costs = tuple[int, ...]


class Sides:
    """Side costs of pairs, by the players' own histories; a house entrant has no wishes.

    names  the side criteria the ruleset has, in its order; costs stand in the same places
    """

    def __init__(self, field: Field, order: Sequence[str]):
        self.names = [name for name in order if name in SIDES]
        if not self.names:
            return  # nothing else is needed
        planned = field.policy.planned_rounds
        self.completing = field.policy.round >= (3 if planned is None else max(2, planned))
        sides = ["" if house else had for house, had in zip(field.house, field.sides, strict=True)]
        self.last = list(map(last_side, sides))
        self.played = [had.replace("-", "") for had in sides]
        self.always = list(map(only_side, sides))
        # What every player costs as the one who moves first, and as the other.
        self.first = [self._player_costs(i, "a") for i in range(len(sides))]
        self.second = [self._player_costs(i, "b") for i in range(len(sides))]
        # Players with the same costs are of one kind. There are few kinds, so pairs of them are priced once.
        kinds = sorted(set(zip(self.first, self.second, strict=True)))
        self.kind = list(map(kinds.index, zip(self.first, self.second, strict=True)))
        self.best = [[min(add_costs(a, d), add_costs(c, b)) for c, d in kinds] for a, b in kinds]

    def _player_costs(self, i: int, side: str) -> Costs:
        """Per criterion, 1 where it cannot be kept for this player on this side."""
        broken = {
            "side_limits": breaks_limits(self.played[i] + side),
            "not_same_side_all_rounds": self.completing and self.always[i] == side,
            "alternate_sides": self.last[i] == side,
        }
        return tuple(int(broken[name]) for name in self.names)

    def costs(self, first: int, second: int) -> Costs:
        """Per criterion, for how many of the two it cannot be kept if `first` moves first."""
        return add_costs(self.first[first], self.second[second])

    def pair_cost(self, name: str, i: int, j: int) -> int:
        """What one criterion costs in this pair, the better of the two ways round."""
        return self.best[self.kind[i]][self.kind[j]][self.names.index(name)]

    def pair_costs_by(self, name: str) -> Callable[[int, int], int]:
        """`pair_cost` of one criterion, as a fast function of two players."""
        place, kind = self.names.index(name), self.kind
        table = [[costs[place] for costs in row] for row in self.best]
        return lambda i, j: table[kind[i]][kind[j]]

    def first_moves(self, pairs: Sequence[tuple[int, int]], rng: Rng) -> tuple[str, ...]:
        """ "a" or "b" for each pair in table order."""
        coin = rng.randbelow(2)
        if not any(self.last):
            return tuple("ab"[(table + coin) % 2] for table in range(len(pairs)))
        firsts = []
        for i, j in pairs:
            ways = self.costs(i, j), self.costs(j, i)
            firsts.append("ab"[rng.randbelow(2) if ways[0] == ways[1] else ways[1] < ways[0]])
        return tuple(firsts)


def add_costs(one: Costs, other: Costs) -> Costs:
    """The sums, criterion by criterion."""
    return tuple(map(int.__add__, one, other))


def breaks_limits(sides: str) -> bool:
    """Whether the last three are the same, or one side was had three times more than the other."""
    return sides[-3:] in ("aaa", "bbb") or abs(sides.count("a") - sides.count("b")) > 2


def last_side(sides: str) -> str | None:
    """The side of the last round that had one."""
    played = sides.replace("-", "")
    return played[-1] if played else None


def only_side(sides: str) -> str | None:
    """The side of every round so far, or None where a round had the other side or none."""
    return sides[0] if sides and len(set(sides)) == 1 and sides[0] != "-" else None
