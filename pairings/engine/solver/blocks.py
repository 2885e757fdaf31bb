"""What counts after the score difference, decided block by block.

No cheapest round has a pair across the end of a window, nor between groups outside of the windows that no link of
the bound connects (`windows`). So a field falls into blocks: the rounds that are best in repeats, bye and score
difference are those which are so in every block, and the best of them by all that counts next is the best one of
every block. A block in which something after the score difference costs is matched exactly by all criteria at once.

Blocks too large for that are improved in parts: some neighbouring pairs at a time are matched exactly among
themselves. That makes no criterion worse that counts more, but of what it leaves the certificate says that it is
not proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from pairings.engine.criteria.order import KEPT, Meter
from pairings.engine.field import Field
from pairings.engine.rng import Chance
from pairings.engine.solver.exchange import exchanged
from pairings.engine.solver.whole_field import Block, Round, matched_exactly
from pairings.engine.types import Proof

Pairs = list[tuple[int, int]]

EDGES = 120_000  # of all blocks that are matched exactly, the smallest first: one of 490 players, or many small ones
PARTS = 60_000  # edges of all parts of larger blocks, in one pass
IN_ALL = 240_000  # … and in all passes
FEWEST = 12  # pairs in a part


def refined(field: Field, chance: Chance, meter: Meter, found: Round, runs: Sequence[range]) -> Round:
    """The round with each block at its best; `runs` are the groups of the blocks."""
    better = Round([], [], dict(found.proofs))
    left, unproved = EDGES, set()
    for block, pairs, slots in sorted(split(field, found, runs), key=lambda part: len(part[0].players)):
        costly = set(costs_in(meter, pairs, slots)) - found.proofs.keys()
        if costly and not meter.places:
            pairs = exchanged(field, meter, pairs, chance, costly)
            costly = set(costs_in(meter, pairs, slots)) - found.proofs.keys()
        edges = len(block.players) ** 2 // 2
        if costly and edges <= left:
            left -= edges
            pairs, slots = matched_exactly(field, chance, meter, block) or (pairs, slots)
        elif costly - {KEPT}:  # of tables, parts would keep few
            pairs = improved(field, chance, meter, pairs)
            unproved |= set(costs_in(meter, pairs, slots)) - found.proofs.keys()
        else:
            unproved |= costly
        better.pairs += pairs
        better.slots += slots
    exact = Proof("blocks")
    better.proofs |= {
        name: exact for name in meter.order if name not in found.proofs and name not in unproved
    }
    return better


def split(field: Field, found: Round, runs: Sequence[range]) -> Iterable[tuple[Block, Pairs, Pairs]]:
    """Per block, the block, its pairs and its slots, each in the order of the round."""
    block_of = {group: block for block, run in enumerate(runs) for group in run}
    pairs: list[Pairs] = [[] for _ in runs]
    slots: list[Pairs] = [[] for _ in runs]
    for a, b in found.pairs:
        pairs[block_of[field.group_of[a]]].append((a, b))
    for position, i in found.slots:
        slots[block_of[field.group_of[i]]].append((position, i))
    for run, paired, taken in zip(runs, pairs, slots, strict=True):
        players = [i for group in run for i in field.groups[group]]
        yield Block(players, [position for position, _ in taken]), paired, taken


def costs_in(meter: Meter, pairs: Pairs, slots: Pairs) -> list[str]:
    """The criteria that cost something here."""
    return [name for name, total in zip(meter.names, meter.total(pairs, slots), strict=True) if total]


def improved(field: Field, chance: Chance, meter: Meter, pairs: Pairs) -> Pairs:
    """The pairs of a large block after parts of it were matched exactly, those next to each other together.

    Pairs of one group stand by the places of its members where fold or adjacent counts, else in drawn order.
    """
    places = next(iter(meter.places.values()), None)
    everybody = len(field.players)
    size = max(FEWEST, PARTS // everybody)
    for number in range(max(1, IN_ALL // (size * everybody))):
        if places is None:
            pairs = chance.shuffled(pairs)
            pairs.sort(key=lambda both: min(field.group_of[i] for i in both))
        else:
            pairs.sort(key=lambda both: min((field.group_of[i], places.place[i]) for i in both))
        starts = [0, *range(number % 2 * size // 2 or size, len(pairs), size), len(pairs)]
        parts = [pairs[start:end] for start, end in pairwise(starts)]
        before = meter.total(pairs, [])
        pairs = [both for part in parts for both in rematched(field, chance, meter, part)]
        if meter.total(pairs, []) == before:
            break
    return pairs


def rematched(field: Field, chance: Chance, meter: Meter, pairs: Pairs) -> Pairs:
    """The same players paired by one exact matching, where something costs."""
    if not costs_in(meter, pairs, []):
        return pairs
    players = sorted(i for both in pairs for i in both)
    matched = matched_exactly(field, chance, meter, Block(players, ()))
    return matched[0] if matched else pairs
