"""Who moves first, and what a pair costs the players' turns.

ClineCON: in the first round a coin for board 1, then alternating by board; later nobody the same side in all
rounds if avoidable, then sides alternate. "All rounds" is a property of the whole session, so it is asked in
the round that completes the planned rounds (from the third round on where no number is planned).

As FIDE's basic rules: nobody one side three times running, and never more than two games of one side more than
of the other (`side_limits`). Rounds without a side are skipped. These are wishes here and no prohibition, so
that no round fails by them; the certificate says how many players they could not be kept for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pairings.engine.field import Field
from pairings.engine.rng import Chance

SIDES = ("side_limits", "not_same_side_all_rounds", "alternate_sides")

Costs = tuple[int, ...]


class Sides:
    """Side costs of pairs, by the players' own histories; a house entrant has no wishes.

    named  the side criteria the ruleset has, in its order; costs stand in the same places
    """

    def __init__(self, field: Field, order: Sequence[str]):
        self.named = [name for name in order if name in SIDES]
        if not self.named:
            return  # nothing will be asked
        last_of_all = field.policy.planned_rounds
        self.completing = field.policy.round >= (3 if last_of_all is None else max(2, last_of_all))
        wishes = ["" if house else had for house, had in zip(field.house, field.sides, strict=True)]
        self.last = list(map(last_side, wishes))
        self.played = [had.replace("-", "") for had in wishes]
        self.always = list(map(only_side, wishes))
        # What every player costs as the one who moves first, and as the other: asked again and again.
        self.first = [self._broken(i, "a") for i in range(len(wishes))]
        self.second = [self._broken(i, "b") for i in range(len(wishes))]
        # Players alike in both are of one kind; there are few kinds, so pairs of them are priced once.
        kinds = sorted(set(zip(self.first, self.second, strict=True)))
        self.kind = list(map(kinds.index, zip(self.first, self.second, strict=True)))
        self.best = [[min(added(a, d), added(c, b)) for c, d in kinds] for a, b in kinds]

    def _broken(self, i: int, side: str) -> Costs:
        """Per criterion named, whether it could not be kept for this player on this side."""
        broken = {
            "side_limits": past_limits(self.played[i] + side),
            "not_same_side_all_rounds": self.completing and self.always[i] == side,
            "alternate_sides": self.last[i] == side,
        }
        return tuple(int(broken[name]) for name in self.named)

    def costs(self, first: int, second: int) -> Costs:
        """Per criterion named: how many of the two it could not be kept for, this way round."""
        return added(self.first[first], self.second[second])

    def of_pair(self, name: str, i: int, j: int) -> int:
        """What one criterion costs in this pair, the better of the two ways round."""
        return self.best[self.kind[i]][self.kind[j]][self.named.index(name)]

    def costs_of(self, name: str) -> Callable[[int, int], int]:
        """`of_pair` of one criterion, to be asked many times."""
        place, kind = self.named.index(name), self.kind
        table = [[costs[place] for costs in row] for row in self.best]
        return lambda i, j: table[kind[i]][kind[j]]

    def first_moves(self, pairs: Sequence[tuple[int, int]], chance: Chance) -> tuple[str, ...]:
        """ "a" or "b" for each pair in table order."""
        coin = chance.below(2)
        if not any(self.last):
            return tuple("ab"[(board + coin) % 2] for board in range(len(pairs)))
        firsts = []
        for i, j in pairs:
            ways = self.costs(i, j), self.costs(j, i)
            firsts.append("ab"[chance.below(2) if ways[0] == ways[1] else ways[1] < ways[0]])
        return tuple(firsts)


def added(one: Costs, other: Costs) -> Costs:
    """The sums, criterion by criterion."""
    return tuple(map(int.__add__, one, other))


def past_limits(sides: str) -> bool:
    """Whether the last three are the same, or one side was had three times more than the other."""
    return sides[-3:] in ("aaa", "bbb") or abs(sides.count("a") - sides.count("b")) > 2


def last_side(sides: str) -> str | None:
    """The side of the last round that had one."""
    played = sides.replace("-", "")
    return played[-1] if played else None


def only_side(sides: str) -> str | None:
    """The side of every round so far, or None where a round had the other side or none."""
    return sides[0] if sides and len(set(sides)) == 1 and sides[0] != "-" else None
