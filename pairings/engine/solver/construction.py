"""From a structure to a complete round: choose the members of relaxed groups, and pair the rest of each group."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from operator import contains

from pairings.engine.bye import can_take, draw_recipient
from pairings.engine.criteria import FoldTarget, Meter
from pairings.engine.field import Field
from pairings.engine.lower_bound import Crossing, Structure
from pairings.engine.matching import Pairs, Unpaired, cheapest_perfect_matching

COUNTED = 18  # members of a group up to whom all its pairings are counted where shuffles fail
SHUFFLES = 200  # whole shuffles of a group before that, or before swaps in one
SHUFFLED = 20_000  # players shuffled in all, so that a big group soon goes over to swaps
EXACT_BELOW = 240  # members of a group up to whom it is matched exactly where all else fails
GIVE_UP = 60  # partners tried for one rematch


def pair_group(field: Field, members: list[int], target: FoldTarget | None = None) -> Pairs | None:
    """Pair an even number of players without a rematch, near the `target` if given; None if that fails."""
    if not members:
        return []
    pairs: Pairs
    barred = field.barred
    if target is not None:
        pairs = target.pair_members(members)
        if swap_out_rematches(field, pairs, nearby=True):
            return pairs
    tries = max(2, min(SHUFFLES, SHUFFLED // len(members), 1 << len(members) // 2))
    pairs = []
    for _ in range(tries):
        shuffled = field.rng.permutation(members)
        ones, others = shuffled[::2], shuffled[1::2]
        pairs = list(zip(ones, others, strict=True))
        if not any(map(contains, map(barred.__getitem__, ones), others)):
            return pairs
        if len(members) == 2:
            return None
    if len(members) <= COUNTED:
        return draw_by_counting(field, members)
    if swap_out_rematches(field, pairs):
        return pairs
    if len(members) > EXACT_BELOW:
        return None
    edges = [
        (u, v, (0,))
        for u, i in enumerate(members)
        for v in range(u + 1, len(members))
        if members[v] not in barred[i]
    ]
    matching = cheapest_perfect_matching(len(members), edges, field.rng)
    return None if matching is None else [(members[u], members[v]) for u, v in matching]


def draw_by_counting(field: Field, members: list[int]) -> Pairs | None:
    """Draw uniformly from all pairings without a rematch; None if there is none."""
    free = [
        sum(1 << v for v, j in enumerate(members) if v > u and j not in field.barred[i])
        for u, i in enumerate(members)
    ]
    counts = {0: 1}
    left = (1 << len(members)) - 1
    pairs = []
    while left:
        number = field.rng.randbelow(count_pairings(left, free, counts))
        for choice in first_pairs(left, free):
            number -= count_pairings(choice[2], free, counts)
            if number < 0:
                break
        else:
            return None
        i, j, left = choice
        pairs.append((members[i], members[j]))
    return pairs


def count_pairings(left: int, free: list[int], counts: dict[int, int]) -> int:
    """Count the pairings of the players in the mask `left`; `counts` memoizes."""
    if left not in counts:
        counts[left] = sum(count_pairings(rest, free, counts) for _, _, rest in first_pairs(left, free))
    return counts[left]


def first_pairs(left: int, free: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the first player of a mask with each possible partner, and the mask without the two."""
    i = (left & -left).bit_length() - 1
    partners = free[i] & left
    while partners:
        j = (partners & -partners).bit_length() - 1
        partners &= partners - 1
        yield i, j, left ^ 1 << i ^ 1 << j


def swap_out_rematches(field: Field, pairs: Pairs, nearby: bool = False) -> bool:
    """Remove rematches in place by swapping partners with random or `nearby` pairs; True if none is left."""
    barred = field.barred
    for position, (a, b) in enumerate(pairs):
        if b not in barred[a]:
            continue
        for step in range(GIVE_UP):
            if nearby:
                away = (step // 4 + 1) * (-1 if step % 4 > 1 else 1)
                other, flip = position + away, step % 2 == 0
            else:
                other, flip = field.rng.randbelow(len(pairs)), field.rng.randbelow(2) == 1
            if other == position or not 0 <= other < len(pairs):
                continue
            c, d = pairs[other]
            if flip:
                c, d = d, c
            if c not in barred[a] and d not in barred[b]:
                pairs[position], pairs[other] = (a, c), (d, b)
                break
        else:
            return False
    return True


CHOICES = 3  # of all who leave a group, before some group counts as failed or is paired down again
CROWD = 40  # members from whom on a group hardly ever fails
REDRAWS = 12  # other choices of who leaves a group, before the group counts as failed


class Construction:
    """One attempt: `choose_members`, then `pair_groups`, then `round_parts`.

    failed      the groups where a step failed
    ends        per crossing, the members chosen: [upper, lower]
    recipients  per open bye, the member chosen: [player]
    touching    {group: its chosen members, each as (list from `ends` or `recipients`, position in it)}
    used        all members chosen
    """

    def __init__(self, meter: Meter, structure: Structure, real: set[int], count_pair_downs: bool):
        self.field, self.target = meter.field, meter.target
        self.partner = meter.partner  # at published tables, which had better stay
        self.structure, self.real, self.count_pair_downs = structure, real, count_pair_downs
        self.pairs: Pairs = []
        self.failed: set[int] = set()
        self.ends: list[list[int]] = []
        self.recipients: list[list[int]] = []
        self.touching: dict[int, list[tuple[list[int], int]]] = defaultdict(list)
        self.used: set[int] = set()
        # How often each player was paired down (at an upper end) and up before; all 0 if that does not count.
        none = [0] * len(self.field.ids)
        self.times = (self.field.down, self.field.up) if count_pair_downs else (none, none)
        self._by_times: dict[tuple[int, int], list[list[int]]] = {}

    def choose_members(self) -> bool:
        """Choose members for all crossings and byes, with few repeated pair-downs if these count; True if possible."""
        for _ in range(CHOICES):
            self._choose_once()
            if not self.failed and not (self.count_pair_downs and self.groups_paired_down_again()):
                break
        return not self.failed

    def pair_groups(self) -> bool:
        """Pair the players who stay in their group, small groups first; True if that succeeds in all groups."""
        relaxed = (group for group in range(len(self.field.groups)) if group not in self.real)
        for group in sorted(relaxed, key=lambda group: len(self.field.groups[group])):
            if self.failed and len(self.field.groups[group]) > CROWD:
                break
            self._pair_group(group)
        return not self.failed

    def round_parts(self) -> tuple[Pairs, Unpaired]:
        pairs = [*self.structure.pairs, *((a, b) for a, b in self.ends), *self.pairs]
        taken = zip(self.structure.open_byes, self.recipients, strict=True)
        byes = [(recipient, dummy) for (dummy, _, _), (recipient,) in taken]
        return pairs, self.structure.unpaired + byes

    def pair_down_cost(self) -> int:
        """Count how often the players now paired down or up were so before."""
        return sum(self.field.pair_down_cost(a, b) for a, b in [*self.structure.pairs, *self.ends])

    def groups_paired_down_again(self) -> set[int]:
        """Return the groups whose chosen members were paired down or up more often than the structure requires."""
        crossings = zip(self.ends, self.structure.crossings, self.structure.pair_down_costs, strict=True)
        again = [crossing for both, crossing, cost in crossings if self.field.pair_down_cost(*both) > cost]
        return {self._smaller_group(crossing) for crossing in again}

    def _choose_once(self) -> None:
        self.ends, self.recipients, self.touching, self.used = [], [], defaultdict(list), set()
        self.failed.clear()
        for bye in self.structure.open_byes:
            recipient, group = draw_recipient(self.field, bye, self.used), bye[1]
            if recipient is None:
                self.failed.add(group)
                continue
            self.used.add(recipient)
            self.recipients.append([recipient])
            self.touching[group].append((self.recipients[-1], 0))
        for crossing in self.structure.crossings:
            self._choose_ends(crossing)

    def _choose_ends(self, crossing: Crossing) -> None:
        """Choose two players who have not met for both ends; if none are left, change an earlier choice."""
        if self._join(crossing):
            return
        for group in (-1 - end for end in crossing if end < 0):
            for holder, side in self.touching[group]:
                old = holder[side]
                for new in self._alternatives(group, holder, side):
                    self._replace(holder, side, new)
                    if self._join(crossing):
                        return
                    self._replace(holder, side, old)
        self.failed.add(self._smaller_group(crossing))

    def _join(self, crossing: Crossing) -> bool:
        """Choose both ends, players never paired down (or up) first; False if no two may meet."""
        random_ends = ((a, b) for a in self._candidates(crossing, 0) for b in self._candidates(crossing, 1))
        for a, b in chain(self._published_ends(crossing), random_ends):
            if b not in self.field.barred[a]:
                self.used.update((a, b))
                ends = [a, b]
                self.ends.append(ends)
                for side, end in enumerate(crossing):
                    if end < 0:
                        self.touching[-1 - end].append((ends, side))
                return True
        return False

    def _published_ends(self, crossing: Crossing) -> Iterator[tuple[int, int]]:
        if self.partner:
            ends = [
                [end] if end >= 0 else self._members_by_times(-1 - end, side)[0]
                for side, end in enumerate(crossing)
            ]
            lower = set(ends[1]) - self.used
            for a in ends[0]:
                if a not in self.used and self.partner.get(a) in lower:
                    yield a, self.partner[a]

    def _candidates(self, crossing: Crossing, side: int) -> Iterator[int]:
        if crossing[side] >= 0:
            yield crossing[side]
            return
        for members in self._members_by_times(-1 - crossing[side], side):
            for i in self.field.rng.draw_each(members):
                if i not in self.used:
                    yield i

    def _members_by_times(self, group: int, side: int) -> list[list[int]]:
        """Group the members by how often they were at this end before, fewest first."""
        if not self.count_pair_downs:
            return [self.field.groups[group]]
        if (group, side) not in self._by_times:
            members, times = self.field.groups[group], self.times[side]
            counts = sorted({times[i] for i in members})
            self._by_times[group, side] = [[i for i in members if times[i] == count] for count in counts]
        return self._by_times[group, side]

    def _pair_group(self, group: int) -> None:
        members = self.field.groups[group]
        for _ in range(REDRAWS):
            pairs = self._pair_members([i for i in members if i not in self.used])
            if pairs is not None:
                self.pairs += pairs
                return
            if not self._redraw(group):
                break
        self.failed.add(group)

    def _pair_members(self, members: list[int]) -> Pairs | None:
        field, partner = self.field, self.partner
        here = set(members) if partner else set()
        stay = [(i, partner[i]) for i in members if i < partner.get(i, -1) and partner[i] in here]
        stay = [(i, j) for i, j in stay if j not in field.barred[i]]
        if stay:
            others = sorted(here.difference(*stay))
            pairs = pair_group(field, others, self.target)
            if pairs is not None:
                return stay + pairs
        return pair_group(field, members, self.target)

    def _redraw(self, group: int) -> bool:
        """Choose other members of this group for its crossings and byes; the crossings' far ends stay."""
        changed = False
        for holder, side in self.touching[group]:
            if alternatives := self._alternatives(group, holder, side):
                self._replace(holder, side, alternatives[self.field.rng.randbelow(len(alternatives))])
                changed = True
        return changed

    def _alternatives(self, group: int, holder: list[int], side: int) -> list[int]:
        return [i for i in self.field.groups[group] if i not in self.used and self._fits(i, holder, side)]

    def _replace(self, holder: list[int], side: int, new: int) -> None:
        self.used.discard(holder[side])
        self.used.add(new)
        holder[side] = new

    def _fits(self, i: int, holder: list[int], side: int) -> bool:
        if len(holder) == 2:
            times = self.times[side]
            return i not in self.field.barred[holder[1 - side]] and times[i] <= times[holder[side]]
        position = next(k for k, recipient in enumerate(self.recipients) if recipient is holder)
        return can_take(self.field, i, self.structure.open_byes[position])

    def _smaller_group(self, crossing: Crossing) -> int:
        """Return the smaller group of the crossing, which is nearly always the cause when it fails."""
        return min((-1 - end for end in crossing if end < 0), key=lambda group: len(self.field.groups[group]))
