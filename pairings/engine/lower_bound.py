"""The lower bound: which score groups a cheapest round pairs with each other, and which one gives the bye.

If everyone may meet everyone, neighbors in score order are paired. No legal round costs less: see `docs/pairing.md`.
"""

from collections import Counter
from dataclasses import dataclass, field

from pairings.engine.bye import Cost, OpenBye, bye_cost, cheapest_byes
from pairings.engine.field import Field
from pairings.engine.matching import Pairs, Unpaired

# Upper and lower end: a player's index, or -1 - group for a member yet to be chosen.
Crossing = tuple[int, int]


@dataclass(slots=True)
class Structure:
    """The parts of a round that are decided before members of relaxed groups are chosen."""

    pairs: Pairs = field(default_factory=list)  # real players who meet
    unpaired: Unpaired = field(default_factory=list)  # (player, dummy) already decided
    # Pairs between groups; an end is yet to be chosen.
    crossings: list[Crossing] = field(default_factory=list)
    # Per crossing, how often its ends were paired down and up before (0 if that does not count).
    pair_down_costs: list[int] = field(default_factory=list)
    open_byes: list[OpenBye] = field(default_factory=list)
    size: int = 0  # vertices of the reduced graphs the structure was computed on; 0 for the lower bound

    def pair_down_cost(self, field_: Field) -> int:
        """Return the smallest number of repeated pair-downs and pair-ups that the structure allows."""
        return sum(self.pair_down_costs) + sum(field_.pair_down_cost(i, j) for i, j in self.pairs)


def compute_lower_bound(field_: Field, count_pair_downs: bool = False) -> Structure:
    """Return the cheapest structure as if no pair were forbidden. `count_pair_downs`: bound repeated ones, too."""
    structure = Structure(open_byes=cheapest_byes(field_))
    left = [len(group) for group in field_.groups]
    for _, group, _ in structure.open_byes:
        left[group] -= 1
    waiting = None
    for group, count in enumerate(left):
        if waiting is not None and count:
            structure.crossings.append((-1 - waiting, -1 - group))
            waiting = None
            count -= 1
        if count % 2:
            waiting = group
    structure.pair_down_costs = (
        fewest_pair_down_costs(field_, structure) if count_pair_downs else [0] * len(structure.crossings)
    )
    return structure


def fewest_pair_down_costs(field_: Field, structure: Structure) -> list[int]:
    """Return, per crossing, the fewest earlier pair-downs and pair-ups that its two ends can have."""
    pair_down_costs = [0] * len(structure.crossings)
    entering = {-1 - lower: crossing for crossing, (_, lower) in enumerate(structure.crossings)}
    leaving = {-1 - upper: crossing for crossing, (upper, _) in enumerate(structure.crossings)}
    for group in entering.keys() | leaving.keys():
        recipient_costs = [cost for _, giving, cost in structure.open_byes if giving == group]
        up, down = fewest_in_group(field_, group, group in entering, group in leaving, recipient_costs)
        if group in entering:
            pair_down_costs[entering[group]] += up
        if group in leaving:
            pair_down_costs[leaving[group]] += down
    return pair_down_costs


def fewest_in_group(
    field_: Field, group: int, entered: bool, left: bool, recipient_costs: list[Cost]
) -> tuple[int, int]:
    """Return the fewest earlier (pair-ups, pair-downs) of the two members that pair outside the group.

    `entered`, `left`: whether one is paired up, one down. For each of `recipient_costs`, a member with that bye cost is
    reserved for the bye.
    """
    members, up, down = field_.groups[group], field_.up, field_.down
    # Enough to choose from: one may be the other's choice, and one more than all recipients cannot be spared.
    few = 3 + len(recipient_costs)
    ups = sorted(members, key=up.__getitem__)[:few] if entered else [None]
    downs = sorted(members, key=down.__getitem__)[:few] if left else [None]
    needed = Counter(recipient_costs)
    able = {cost: [i for i in members if bye_cost(field_, i) == cost] for cost in needed}
    sums = [
        (0 if a is None else up[a], 0 if b is None else down[b])
        for a in ups
        for b in downs
        if a is None or a != b
        if all(sum(i not in (a, b) for i in able[cost]) >= needed[cost] for cost in needed)
    ]
    return min(sums, key=sum)
