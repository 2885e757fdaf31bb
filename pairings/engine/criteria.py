"""The criteria of a round in the ruleset's order, and the costs of pairs under each of them.

Fold and adjacent: members of a score group are in order of seed rank. The target pairs the first member with the player
paired down from above; the last member gets the bye (or the house entrant) or is paired down; the others are folded
(A1-B1, A2-B2 … of their halves A and B) or paired as neighbors. The lower bound says how many enter and leave each
group, so the target does not depend on who has met.

Sides, at ClineCON: in the first round a coin toss decides the first table, and the others alternate. Later, no one has
the same side in all rounds if that can be avoided; after that, sides alternate. "All rounds" concerns the whole
session, so it is checked in the last planned round (from round 3 on if no number is planned). Limits on sides are
wishes: no round fails because of them, and the certificate says how many players are past one.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_

from pairings.engine.bye import bye_cost, bye_levels, bye_totals, draw_last_members
from pairings.engine.field import Field
from pairings.engine.lower_bound import compute_lower_bound
from pairings.engine.matching import Pairs, Unpaired
from pairings.engine.types import Policy, Value

SIDES = ("side_limits", "not_same_side_all_rounds", "alternate_sides")

Costs = tuple[int, ...]


class Sides:
    """Side costs of pairs, one per criterion in `names`, from the players' histories; house entrants cost nothing."""

    def __init__(self, field: Field, order: Sequence[str]):
        self.rng = field.rng
        self.names = [name for name in order if name in SIDES]
        if not self.names:
            return  # nothing else is needed
        planned, self.limits = field.policy.planned_rounds, field.policy.side_limits
        self.completing = field.policy.round >= (3 if planned is None else max(2, planned))
        self.sides = ["" if house else sides for house, sides in zip(field.house, field.sides, strict=True)]
        # Each player's costs when moving first, and when moving second.
        self.first = [self._player_costs(sides, "a") for sides in self.sides]
        self.second = [self._player_costs(sides, "b") for sides in self.sides]
        # Players with the same costs are of one kind. There are few kinds, so each pair of kinds is priced once.
        kinds = sorted(set(zip(self.first, self.second, strict=True)))
        self.kind = list(map(kinds.index, zip(self.first, self.second, strict=True)))
        self.best = [[min(add_costs(a, d), add_costs(c, b)) for c, d in kinds] for a, b in kinds]

    def _player_costs(self, sides: str, side: str) -> Costs:
        played = sides.replace("-", "")
        broken = {
            "side_limits": breaks_limits(played + side, *self.limits),
            "not_same_side_all_rounds": self.completing and set(sides) == {side},
            "alternate_sides": played[-1:] == side,
        }
        return tuple(int(broken[name]) for name in self.names)

    def costs(self, first: int, second: int) -> Costs:
        """Return, per criterion, how many of the two players break it if `first` moves first."""
        return add_costs(self.first[first], self.second[second])

    def pair_cost(self, name: str) -> Callable[[int, int], int]:
        """Return a function of two players: the cost of their pair under this criterion, with the better first move."""
        place, kind = self.names.index(name), self.kind
        table = [[costs[place] for costs in row] for row in self.best]
        return lambda i, j: table[kind[i]][kind[j]]

    def players_against(self, name: str, pairs: Pairs, first: Sequence[str]) -> Iterator[int]:
        """Yield the players who break this criterion in these pairs with these first moves."""
        if name not in self.names:
            return
        place = self.names.index(name)
        for (a, b), side in zip(pairs, first, strict=True):
            one, other = (a, b) if side == "a" else (b, a)
            yield from [one] * self.first[one][place] + [other] * self.second[other][place]

    def first_moves(self, pairs: Pairs) -> tuple[str, ...]:
        """Choose who moves first in each pair: "a" or "b", in table order."""
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
    """Whether the last side was had over `running` times in a row, or one side over `difference` times more."""
    if running is not None and sides.endswith(sides[-1] * (running + 1)):
        return True
    return difference is not None and abs(sides.count("a") - sides.count("b")) > difference


class FoldTarget:
    """Distances, in places, from the round that the policy's `fold` or `adjacent` aims for."""

    def __init__(self, field: Field, adjacent: bool):
        self.field = field
        self.adjacent = adjacent
        lot = {i: k for k, i in enumerate(field.rng.permutation(field.players))}
        self.order = [sorted(group, key=lambda i: (field.seed_rank[i], lot[i])) for group in field.groups]
        self.bound = compute_lower_bound(field)
        if field.policy.bye_rule == "random":
            draw_last_members(field, self.order, self.bound.open_byes)
        self.place = {i: place for group in self.order for place, i in enumerate(group)}
        entering = Counter(-1 - lower for _, lower in self.bound.crossings)
        leaving = Counter(-1 - upper for upper, _ in self.bound.crossings)
        recipients = Counter(group for _, group, _ in self.bound.open_byes)
        away = entering + leaving + recipients
        # Per group: the size of a half, where the second half begins, and the place of who is paired down.
        self.half = [(len(members) - away[group]) // 2 for group, members in enumerate(self.order)]
        self.middle = [entering[group] + half for group, half in enumerate(self.half)]
        self.leaver = [len(members) - 1 - recipients[group] for group, members in enumerate(self.order)]

    def pair_distance(self, i: int, j: int) -> int:
        group, other = self.field.group_of[i], self.field.group_of[j]
        if group != other:
            higher, lower = (i, j) if group < other else (j, i)
            return abs(self.leaver[min(group, other)] - self.place[higher]) + self.place[lower]
        near, far = sorted((self.place[i], self.place[j]))
        if self.adjacent:
            return far - near - 1
        same_half = (near < self.middle[group]) == (far < self.middle[group])
        return abs(far - near - self.half[group]) + same_half * len(self.order[group])

    def bye_distance(self, i: int) -> int:
        """Return how many places lie between the player with the bye or a house entrant and the end of the group."""
        return len(self.order[self.field.group_of[i]]) - 1 - self.place[i]

    def pair_members(self, members: list[int]) -> Pairs:
        ranked = sorted(members, key=self.place.__getitem__)
        if self.adjacent:
            return list(zip(ranked[::2], ranked[1::2], strict=True))
        half = len(ranked) // 2
        return list(zip(ranked[:half], ranked[half:], strict=True))

    def ideal_round(self) -> tuple[Pairs, Unpaired]:
        """Return the pairs and the byes that would be best if no one had met."""
        unpaired: Unpaired = []
        pairs: Pairs = []
        gone: set[int] = set()
        for dummy, group, cost in self.bound.open_byes:
            able = (i for i in reversed(self.order[group]) if bye_cost(self.field, i) == cost)
            recipient = next(i for i in able if i not in gone)
            gone.add(recipient)
            unpaired.append((recipient, dummy))
        for upper, lower in self.bound.crossings:
            leaving = next(i for i in reversed(self.order[-1 - upper]) if i not in gone)
            gone.add(leaving)
            opponent = next(i for i in self.order[-1 - lower] if i not in gone)
            gone.add(opponent)
            pairs.append((leaving, opponent))
        for ranked in self.order:
            pairs += self.pair_members([i for i in ranked if i not in gone])
        return pairs, unpaired


@dataclass(frozen=True, slots=True)
class Outcome:
    pairs: Pairs  # all pairs, locked ones and house games included, in table order
    bye: int | None  # who has it
    repeats: Pairs  # the pairs who have met before
    across: Pairs  # the pairs of players with different points
    housed: Pairs  # the pairs with a house entrant, who is the second
    # Players who have the bye or meet a house entrant.
    alone: Sequence[int]
    first: Sequence[str] = ()  # per pair, whether its "a" or "b" moves first; empty while that is not decided


def build_outcome(field: Field, pairs: Pairs, bye: int | None, first: Sequence[str] = ()) -> Outcome:
    points, house, met = field.points, field.house, field.met
    housed: Pairs = []
    if any(house):
        other = {"a": "b", "b": "a"}
        first = [other[side] if house[a] else side for (a, _), side in zip(pairs, first, strict=False)]
        pairs = [(b, a) if house[a] else (a, b) for a, b in pairs]
        housed = [(a, b) for a, b in pairs if house[b]]
    return Outcome(
        pairs,
        bye,
        repeats=[(a, b) for a, b in pairs if b in met[a]],
        across=[(a, b) for a, b in pairs if points[a] != points[b] and not house[b]],
        housed=housed,
        alone=[*([] if bye is None else [bye]), *(a for a, _ in housed)],
        first=first,
    )


MAIN = ("repeats", "bye", "score_difference")
TARGETS = ("fold", "adjacent")
LABELS = "labels_apart"
NEW_TABLES = "new_tables"  # tables that were not published so: the last criterion of a repair


def criteria_order(policy: Policy) -> tuple[str, ...]:
    """Return all criteria in order, including implied ones. Labels, if not named, come just before fold or adjacent."""
    order = [name for name in policy.criteria if policy.sides or name not in SIDES]
    for place, name in enumerate(MAIN):
        if name not in order:
            order.insert(order.index(MAIN[place - 1]) + 1 if place else 0, name)
    if policy.within in TARGETS and policy.within not in order:
        order.append(policy.within)
    if policy.sides and not set(SIDES) & set(order):
        order.append("alternate_sides")
    if policy.round > policy.labels_apart_until_round:
        return tuple(name for name in order if name != LABELS)
    if LABELS not in order:
        first = next((order.index(name) for name in order if name in TARGETS), len(order))
        order.insert(first, LABELS)
    return tuple(order)


class Meter:
    """The costs of pairs and of players without an opponent, by criterion.

    order      the criteria
    names      one name per number of a cost: the criteria, with `bye` repeated once per bye level
    targets    {criterion: its target} for fold and adjacent
    pair_cost  {criterion: function of two players that returns the cost of their pair}
    published  tables that cost nothing under `new_tables`: frozensets of indices (one index: the bye)
    partner    {player: partner} at these tables
    labels     whether labels count in this round and anyone has one
    """

    def __init__(self, field: Field):
        order, published = criteria_order(field.policy), field.request.published
        self.field = field
        self.order = order if published is None else (*order, NEW_TABLES)
        self.targets = {name: FoldTarget(field, name == "adjacent") for name in order if name in TARGETS}
        # -1 stands for a player who is not in the field. The bye has no index.
        self.published = tables = {
            frozenset(field.index.get(name, -1) for name in table if name is not None)
            for table in published or ()
        }
        pairs = [(min(table), max(table)) for table in tables if len(table) == 2]
        self.partner = dict(pairs) | {b: a for a, b in pairs}
        met, labels, until = field.met, field.labels, field.policy.labels_apart_until_round
        self.labels = labels_count = field.policy.round <= until and any(labels)
        self.sides = Sides(field, self.order)
        self.names = [name for name in self.order for _ in range(bye_levels(field) if name == "bye" else 1)]
        # None of these functions may refer to the meter: a reference cycle would keep a large field in memory.
        self.pair_cost: dict[str, Callable[[int, int], int]] = {
            "repeats": lambda i, j: int(j in met[i]),
            "bye": lambda i, j: 0,
            "score_difference": field.difference,
            "pair_downs": field.pair_down_cost,
            LABELS: lambda i, j: int(labels_count and not labels[i].isdisjoint(labels[j])),
            NEW_TABLES: lambda i, j: int(frozenset((i, j)) not in tables),
            **{name: target.pair_distance for name, target in self.targets.items()},
            **{name: self.sides.pair_cost(name) for name in self.sides.names},
        }
        self._pair_costs = [self.pair_cost[name] for name in self.names]

    @property
    def target(self) -> FoldTarget | None:
        return next(iter(self.targets.values()), None)

    def pair_costs(self, i: int, j: int) -> tuple[int, ...]:
        """Return the costs of pairing two free players, one per name."""
        return tuple([cost(i, j) for cost in self._pair_costs])

    def unpaired_costs(self, i: int, house: int | None) -> tuple[int, ...]:
        """Return the costs of giving player i the bye or a house opponent, one per name."""
        costs: list[int] = []
        for name in self.order:
            if name == "bye":
                costs += bye_cost(self.field, i)
            elif name in TARGETS:
                costs.append(self.targets[name].bye_distance(i))
            elif name in ("score_difference", "pair_downs"):
                costs.append(0)
            elif house is not None:
                costs.append(self.pair_cost[name](i, house))
            else:
                costs.append(int(name == NEW_TABLES and frozenset((i,)) not in self.published))
        return tuple(costs)

    def total_costs(self, pairs: Pairs, unpaired: Unpaired) -> tuple[int, ...]:
        costs = [self.pair_costs(i, j) for i, j in pairs]
        costs += [self.unpaired_costs(i, house) for i, house in unpaired]
        return tuple(map(sum, zip(*costs, strict=True))) or (0,) * len(self.names)

    def round_costs(self, name: str, outcome: Outcome) -> Iterator[tuple[str, Value]]:
        """Yield (name, value) of a criterion over a whole round; the bye has several values.

        Fold and adjacent ignore locked pairs. Undecided first moves count as the best possible ones.
        """
        field = self.field
        if name == "repeats":
            yield name, len(outcome.repeats)
        elif name == "bye":
            yield from bye_totals(field, outcome.alone)
        elif name == "score_difference":
            yield name, score_difference(field, outcome)
        elif name == "pair_downs":
            yield name, sum(field.pair_down_cost(a, b) for a, b in outcome.across)
        elif name in TARGETS:
            target = self.targets[name]
            free = target.place
            distance = sum(target.pair_distance(a, b) for a, b in outcome.pairs if a in free and b in free)
            yield name, distance + sum(target.bye_distance(i) for i in outcome.alone if i in free)
        elif name in SIDES and outcome.first:
            yield name, len([*self.sides.players_against(name, outcome.pairs, outcome.first)])
        else:
            yield name, sum(self.pair_cost[name](a, b) for a, b in outcome.pairs)


def score_difference(field: Field, outcome: Outcome) -> Value:
    """Return the sum of squared differences; `protect_top` has one per score group of the higher player."""
    points = field.points
    if field.policy.objective == "balance":
        return sum((points[a] - points[b]) ** 2 for a, b in outcome.across)
    levels = sorted(set(compress(points, map(not_, field.house))), reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in outcome.across:
        sums[max(points[a], points[b])] += (points[a] - points[b]) ** 2
    return tuple(sums.values())
