"""Reasons for pairings: at most one sentence per player, where a pairing needs explaining."""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING

from pairings.engine.criteria.labels import share, shared
from pairings.engine.criteria.order import LABELS, Meter
from pairings.engine.field import Field
from pairings.engine.proof.outcome import Outcome

if TYPE_CHECKING:
    from pairings.engine.solver.whole_field import Round


def reasons(field: Field, meter: Meter, outcome: Outcome, found: Round) -> dict:
    """Per entrant, true sentences where something needs a word.

    Said of: the bye, house opponents, repeats, pairs across score groups, and labels that could not be kept
    apart. Of locked pairs only that the organizer set them.
    """
    set_by_hand = {i for pair in field.locked for i in pair if i is not None}
    ways = between_groups(field, outcome)
    house = field.house
    unusual = dict.fromkeys([*outcome.across, *outcome.repeats, *outcome.housed])
    to_explain = outcome.pairs if meter.labels else unusual
    said: dict = {}
    for a, b in to_explain:
        for i, j in ((a, b), (b, a)):
            if i in set_by_hand or house[i]:
                continue
            if words := of_pair(field, meter, i, j, ways, found):
                said[field.ids[i]] = " ".join(words)
    if outcome.bye is not None:
        said[field.ids[outcome.bye]] = bye_sentence(field, meter, outcome.bye, found)
    said.update({field.ids[i]: "Set by the organizer." for i in set_by_hand})
    return said


def of_pair(
    field: Field, meter: Meter, i: int, j: int, ways: dict[int, list[int]], found: Round
) -> list[str]:
    """What player i is told about meeting j."""
    words = []
    if j in field.met[i]:
        first = meter.order[0] == "repeats"
        words.append(
            "Rematch: no pairing of this round has fewer rematches."
            if first
            else "Rematch: fewer rematches would cost more on a higher-priority criterion."
        )
    if field.house[j]:
        words.append("Plays the house opponent instead of getting the bye.")
    elif field.points[i] > field.points[j]:
        words.append(down_sentence(field, i, ways, found))
    elif field.points[i] < field.points[j]:
        words.append(up_sentence(field, i))
    if meter.labels and share(field, i, j):
        why = (
            "no pairing as good on the higher-priority criteria"
            if LABELS in found.proofs
            else "no swap was found that"
        )
        words.append(f"Same label ({shared(field, i, j)}): {why} keeps more such players apart.")
    return words


def between_groups(field: Field, outcome: Outcome) -> dict[int, list[int]]:
    """{points: [players who meet nobody from other groups, who come from above, who go down]}, house aside."""
    points = field.points
    seated = Counter(points)
    seated.subtract(points[i] for i in [*outcome.over, *compress(range(len(points)), field.house)])
    ways = {level: [count, 0, 0] for level, count in seated.items()}
    for a, b in outcome.across:
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
            "no one else is left in this score group"
            if left == 1
            else f"{left} players are left in this score group"
        )
        cause = alone if left == 1 else f"{alone}, an odd number"
        if meet_above:
            above = "1 was paired up" if meet_above == 1 else f"{meet_above} were paired up"
            cause += f" after {above}"
        return f"Paired down{again}: {cause}."
    crowd = f"Paired down{again}: {down} of the {left} players left in this score group are paired down"
    if found.ahead is not None and not found.ahead.proved:
        return f"{crowd}."
    return f"{crowd}; smaller score differences would cost more on a higher-priority criterion."


def up_sentence(field: Field, i: int) -> str:
    """Why this player meets somebody with more points."""
    times = field.up[i]
    again = f" for the {ordinal(times + 1)} time" if times else ""
    return f"Paired up{again}: plays someone who was paired down."


def ordinal(number: int) -> str:
    """2nd, 3rd, 4th …"""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number // 10 % 10 != 1 else 0, "th")
    return f"{number}{ending}"


def bye_sentence(field: Field, meter: Meter, bye: int, found: Round) -> str:
    """Why this player has the bye."""
    by_rank = field.policy.bye_rule == "lowest_rank" or meter.places
    if meter.order[:2] != ("repeats", "bye"):
        return "Bye: the number of players is odd, and a lower bye would cost more on a higher-priority criterion."
    if field.byes[bye]:
        return "Repeat bye: everyone who could take it without more rematches has had as many."
    if field.points[bye] == field.lowest:
        how = "lowest ranked" if by_rank else "chosen at random"
        return f"Bye: the number of players is odd; {how} in the lowest score group, among players without a bye."
    prohibited = ", a do-not-pair conflict" if any(field.hard) else ""
    ahead = ", or making a later planned round impossible" if found.ahead else ""
    return (
        "Bye: the number of players is odd, and no lower score group can take it without a "
        f"second bye{prohibited} or a rematch{ahead}."
    )
