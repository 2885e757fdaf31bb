"""What a round reached, what nobody can go below, and the sentences that say so."""

from __future__ import annotations

from collections import Counter
from itertools import chain, compress
from operator import not_
from typing import TYPE_CHECKING

from pairings.engine.criteria import KEPT, LABELS, MAIN, PLACES, Meter
from pairings.engine.field import Field
from pairings.engine.labels import share, shared
from pairings.engine.types import Criterion

if TYPE_CHECKING:
    from pairings.engine.ahead import Ahead
    from pairings.engine.whole import Round


def certify(field: Field, meter: Meter, pairs, bye: int | None, found: Round) -> tuple[Criterion, ...]:
    """One line per criterion, in the ruleset's order. Locked pairs count into value and bound alike."""
    lines: list[Criterion] = []
    sure, only_one = True, False
    for name in meter.order:
        if name == KEPT:
            continue  # between two roads to a re-pairing, and no property of the round
        for part, value in values(field, meter, name, pairs, bye, found):
            zero = (0,) * len(value) if isinstance(value, tuple) else 0
            if sure and name in found.proved and (name in MAIN or value != zero):
                lines.append(Criterion(part, value, value, True, found.proof))
            elif value == zero:
                lines.append(Criterion(part, zero, zero, True, "bound reached"))
            elif sure and only_one:
                lines.append(Criterion(part, value, value, True, "the ideal leaves no choice"))
            else:
                lines.append(Criterion(part, value, zero, False, "not proved"))
        if name in PLACES and lines[-1].value == 0 and all(line.optimal for line in lines):
            only_one = True
        if name == "repeats" and found.ahead is not None:
            lines += looking_ahead(field, found.ahead)
            sure = found.ahead.proved
    return tuple(lines)


def looking_ahead(field: Field, ahead: Ahead) -> list[Criterion]:
    """Later planned rounds that need a repeat; in odd fields whether a planned round needs a second bye."""
    numbers = [("later_rounds", ahead.lost)]
    if len(field.ids) % 2:
        numbers.append(("later_byes", int(not ahead.strict)))
    proof = "exhaustive search" if ahead.proved else "not proved"
    return [
        Criterion(name, value, value if ahead.proved else 0, ahead.proved or not value, proof)
        for name, value in numbers
    ]


def values(field: Field, meter: Meter, name: str, pairs, bye: int | None, found: Round):
    """(name, value) of a criterion over the whole round; the bye has two, the third only orders."""
    if name == "repeats":
        return [(name, sum(b in field.met[a] for a, b in pairs))]
    if name == "bye":
        over = left_over(field, pairs, bye)
        lowest = min(compress(field.points, map(not_, field.house)), default=0)
        return [
            ("second_bye", sum(field.byes[i] for i in over)),
            ("bye_group", sum(field.points[i] - lowest for i in over)),
        ]
    if name == "score_difference":
        return [(name, score_difference(field, pairs))]
    if name == "pair_downs":
        return [(name, sum(field.floats(a, b) for a, b in between_players(field, pairs)))]
    if name in PLACES:
        places = meter.places[name]
        free = sum(places.of_pair(a, b) for a, b in found.pairs)
        return [(name, free + sum(places.of_slot(i) for _, i in found.slots))]
    if name == LABELS:
        return [(name, sum(meter.labels and share(field, a, b) for a, b in pairs))]
    return [(name, sum(meter.sides.of_pair(name, a, b) for a, b in pairs))]


def left_over(field: Field, pairs, bye: int | None) -> list[int]:
    """Who has the bye, and who meets a house entrant in its place."""
    over = [] if bye is None else [bye]
    return over + [a for a, b in pairs if field.house[b]]


def between_players(field: Field, pairs) -> list[tuple[int, int]]:
    """The pairs without a house entrant."""
    return [(a, b) for a, b in pairs if not field.house[b]]


def score_difference(field: Field, pairs) -> int | tuple[int, ...]:
    """The sum of squared differences; under `protect_top` one sum per score group of the higher player."""
    points = field.points
    across = [(points[a], points[b]) for a, b in between_players(field, pairs) if points[a] != points[b]]
    if field.policy.objective == "balance":
        return sum((a - b) ** 2 for a, b in across)
    levels = sorted(set(compress(field.points, map(not_, field.house))), reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in across:
        sums[max(a, b)] += (a - b) ** 2
    return tuple(sums.values())


def reasons(field: Field, meter: Meter, pairs, bye: int | None, found: Round) -> dict:
    """Per entrant, true sentences where something needs a word.

    Said of: the bye, house opponents, repeats, pairs across score groups, and labels that could not be kept
    apart. Of locked pairs only that the organizer set them.
    """
    set_by_hand = {i for pair in field.locked for i in pair if i is not None}
    ways = between_groups(field, pairs)
    points, met, house = field.points, field.met, field.house
    to_explain = (
        pairs
        if meter.labels
        else [(a, b) for a, b in pairs if points[a] != points[b] or b in met[a] or house[b]]
    )
    said: dict = {}
    for a, b in to_explain:
        for i, j in ((a, b), (b, a)):
            if i in set_by_hand or house[i]:
                continue
            if words := of_pair(field, meter, i, j, ways, found):
                said[field.ids[i]] = " ".join(words)
    if bye is not None:
        said[field.ids[bye]] = bye_sentence(field, bye, found)
    said.update({field.ids[i]: "Set by the organizer." for i in set_by_hand})
    return said


def of_pair(
    field: Field, meter: Meter, i: int, j: int, ways: dict[int, list[int]], found: Round
) -> list[str]:
    """What player i is told about meeting j."""
    words = []
    if j in field.met[i]:
        words.append("A repeat: no round with fewer repeats exists.")
    if field.house[j]:
        words.append("Meets the house opponent instead of taking the bye.")
    elif field.points[i] > field.points[j]:
        words.append(down_sentence(field, i, ways, found))
    elif field.points[i] < field.points[j]:
        words.append(up_sentence(field, i))
    if meter.labels and share(field, i, j):
        why = (
            "no round as good in what counts more" if LABELS in found.proved else "no exchange was found that"
        )
        words.append(f"Same label ({shared(field, i, j)}): {why} keeps more of them apart.")
    return words


def between_groups(field: Field, pairs) -> dict[int, list[int]]:
    """{points: [players who meet nobody from other groups, who come from above, who go down]}, house aside."""
    points, pairs = field.points, between_players(field, pairs)
    seated = Counter(map(points.__getitem__, chain.from_iterable(pairs)))
    ways = {level: [count, 0, 0] for level, count in seated.items()}
    for a, b in pairs:
        if points[a] != points[b]:
            high, low = max(points[a], points[b]), min(points[a], points[b])
            for level, way in ((high, 2), (low, 1)):
                ways[level][0] -= 1
                ways[level][way] += 1
    return ways


def down_sentence(field: Field, i: int, ways: dict[int, list[int]], found: Round) -> str:
    """Why this player meets somebody with fewer points."""
    stay, meet_above, down = ways[field.points[i]]
    again = f" for the {ordinal(field.down[i] + 1)} time" if field.down[i] else ""
    left = stay + down
    if down == 1:
        alone = (
            "nobody else on these points is left to meet" if left == 1 else f"{left} on these points are left"
        )
        cause = alone if left == 1 else f"{alone}, an odd number"
        if meet_above:
            above = "one met a player" if meet_above == 1 else f"{meet_above} met players"
            cause += f" after {above} from above"
        return f"Paired down{again}: {cause}."
    crowd = f"Paired down{again}: {down} of {left} on these points play down"
    if found.ahead is not None and not found.ahead.proved:
        return f"{crowd}."
    return f"{crowd}; no round that is as good in what counts more has smaller score differences."


def up_sentence(field: Field, i: int) -> str:
    """Why this player meets somebody with more points."""
    times = field.up[i]
    again = f" for the {ordinal(times + 1)} time" if times else ""
    return f"Paired up{again}: meets one who plays down."


def ordinal(number: int) -> str:
    """2nd, 3rd, 4th …"""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 % 10 != 1 else 0, "th")
    return f"{number}{ending}"


def bye_sentence(field: Field, bye: int, found: Round) -> str:
    """Why this player has the bye."""
    if field.byes[bye]:
        return "A further bye: everybody who could take the bye without more repeats has had as many."
    if field.points[bye] == field.lowest:
        return "The bye: the number is odd; drawn in the lowest score group among those without a bye."
    ahead = ", or without making a later planned round impossible" if found.ahead else ""
    return f"The bye: the number is odd; no lower score group can give it without a second bye or a repeat{ahead}."
