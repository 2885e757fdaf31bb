"""First moves, and the cost of a pair for the players' sides.

ClineCON: in the first round a coin toss decides the first table, and the others alternate. Later, no one has the same
side in all rounds if that can be avoided, and then sides alternate. "All rounds" is a property of the whole session,
so it counts in the round that completes the planned rounds (from round 3 on where no number is planned).

As in FIDE's basic rules, no one has one side three times running, nor three times more than the other (`side_limits`;
the policy has the numbers). Rounds without a side are skipped. These are wishes, not prohibitions, so no round fails
because of them. The certificate says how many players are past a limit.
"""

from collections.abc import Callable, Iterator, Sequence

from pairings.engine.field import Field

SIDES = ("side_limits", "not_same_side_all_rounds", "alternate_sides")

Costs = tuple[int, ...]


class Sides:
    """Side costs of pairs, by the players' own histories; a house entrant has no wishes.

    names  the side criteria the ruleset has, in its order; costs stand in the same places
    """

    def __init__(self, field: Field, order: Sequence[str]):
        self.rng = field.rng
        self.names = [name for name in order if name in SIDES]
        if not self.names:
            return  # nothing else is needed
        planned, self.limits = field.policy.planned_rounds, field.policy.side_limits
        self.completing = field.policy.round >= (3 if planned is None else max(2, planned))
        self.sides = ["" if house else sides for house, sides in zip(field.house, field.sides, strict=True)]
        # What every player costs as the one who moves first, and as the other.
        self.first = [self._player_costs(sides, "a") for sides in self.sides]
        self.second = [self._player_costs(sides, "b") for sides in self.sides]
        # Players with the same costs are of one kind. There are few kinds, so pairs of them are priced once.
        kinds = sorted(set(zip(self.first, self.second, strict=True)))
        self.kind = list(map(kinds.index, zip(self.first, self.second, strict=True)))
        self.best = [[min(add_costs(a, d), add_costs(c, b)) for c, d in kinds] for a, b in kinds]

    def _player_costs(self, sides: str, side: str) -> Costs:
        """Return a 1 per criterion that giving `side` to a player with these `sides` breaks, else 0."""
        played = sides.replace("-", "")
        broken = {
            "side_limits": breaks_limits(played + side, *self.limits),
            "not_same_side_all_rounds": self.completing and set(sides) == {side},
            "alternate_sides": played[-1:] == side,
        }
        return tuple(int(broken[name]) for name in self.names)

    def costs(self, first: int, second: int) -> Costs:
        """Return per criterion how many of the two players it fails for if `first` moves first."""
        return add_costs(self.first[first], self.second[second])

    def pair_cost(self, name: str) -> Callable[[int, int], int]:
        """Return a function of two players: one criterion's cost in their pair, the better way round."""
        place, kind = self.names.index(name), self.kind
        table = [[costs[place] for costs in row] for row in self.best]
        return lambda i, j: table[kind[i]][kind[j]]

    def players_against(
        self, name: str, pairs: Sequence[tuple[int, int]], first: Sequence[str]
    ) -> Iterator[int]:
        """Yield the players for whom a criterion fails in these pairs with these first moves."""
        if name not in self.names:
            return
        place = self.names.index(name)
        for (a, b), side in zip(pairs, first, strict=True):
            one, other = (a, b) if side == "a" else (b, a)
            yield from [one] * self.first[one][place] + [other] * self.second[other][place]

    def first_moves(self, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
        """Return "a" or "b" for each pair in table order."""
        coin = self.rng.randbelow(2)
        if not any(map(set("ab").intersection, self.sides)):
            return tuple("ab"[(table + coin) % 2] for table in range(len(pairs)))
        firsts = []
        for i, j in pairs:
            ways = self.costs(i, j), self.costs(j, i)
            firsts.append("ab"[self.rng.randbelow(2) if ways[0] == ways[1] else ways[1] < ways[0]])
        return tuple(firsts)


def add_costs(one: Costs, other: Costs) -> Costs:
    return tuple(map(int.__add__, one, other))


def breaks_limits(sides: str, running: int | None, difference: int | None) -> bool:
    """Whether a player has the last side over `running` times in a row, or one side over `difference` times more."""
    if running is not None and sides.endswith(sides[-1] * (running + 1)):
        return True
    return difference is not None and abs(sides.count("a") - sides.count("b")) > difference
