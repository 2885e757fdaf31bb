"""What a round reached, what nobody can go below, and the sentences that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairings.engine.criteria import PLACES, Meter
from pairings.engine.field import Field
from pairings.engine.types import Criterion, Entrant

if TYPE_CHECKING:
    from pairings.engine.swiss import Round


def certify(field: Field, meter: Meter, pairs, bye: int | None, found: Round) -> tuple[Criterion, ...]:
    """One line per criterion, in the ruleset's order. Locked pairs count into value and bound alike."""
    lines: list[Criterion] = []
    for name in meter.order:
        for part, value in values(field, meter, name, pairs, bye, found):
            if name in ("repeats", "bye", "score_difference") or found.exact:
                lines.append(Criterion(part, value, value, True, found.proof))
            elif value == 0:
                lines.append(Criterion(part, 0, 0, True, "bound reached"))
            else:
                lines.append(Criterion(part, value, 0, False, "not proved"))
    return tuple(lines)


def values(field: Field, meter: Meter, name: str, pairs, bye: int | None, found: Round):
    """(name, value) of a criterion over the whole round; the bye has two, the third only orders."""
    if name == "repeats":
        return [(name, sum(b in field.met[a] for a, b in pairs))]
    if name == "bye":
        over = left_over(field, pairs, bye)
        lowest = min((e.points for e in field.entrants if not e.house), default=0)
        return [
            ("second_bye", sum(field.entrants[i].byes for i in over)),
            ("bye_group", sum(field.points[i] - lowest for i in over)),
        ]
    if name == "score_difference":
        return [(name, score_difference(field.entrants, field.policy.objective, named(field, pairs)))]
    if name == "pair_downs":
        return [(name, sum(field.floats(a, b) for a, b in between_players(field, pairs)))]
    if name in PLACES:
        places = meter.places[name]
        free = sum(places.of_pair(a, b) for a, b in found.pairs)
        return [(name, free + sum(places.of_slot(i) for _, i in found.slots))]
    position = ("not_same_side_all_rounds", "alternate_sides").index(name)
    return [(name, sum(meter.sides.cheapest(a, b)[position] for a, b in pairs))]


def left_over(field: Field, pairs, bye: int | None) -> list[int]:
    """Who has the bye, and who meets a house entrant in its place."""
    over = [] if bye is None else [bye]
    for a, b in pairs:
        if field.entrants[b].house:
            over.append(a)
    return over


def between_players(field: Field, pairs) -> list[tuple[int, int]]:
    """The pairs without a house entrant."""
    return [(a, b) for a, b in pairs if not field.entrants[b].house]


def named(field: Field, pairs) -> list[tuple[Entrant, Entrant]]:
    """The entrants of the pairs without a house entrant."""
    return [(field.entrants[a], field.entrants[b]) for a, b in between_players(field, pairs)]


def score_difference(entrants, objective: str, pairs) -> int | tuple[int, ...]:
    """The sum of squared differences; under `protect_top` one sum per score group of the higher player."""
    if objective == "balance":
        return sum((a.points - b.points) ** 2 for a, b in pairs)
    levels = sorted({entrant.points for entrant in entrants if not entrant.house}, reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in pairs:
        sums[max(a.points, b.points)] += (a.points - b.points) ** 2
    return tuple(sums.values())


def reasons(field: Field, pairs, bye: int | None) -> dict:
    """Per entrant, one true sentence where something needs a word: bye, house, repeat, paired down or up."""
    entrants = field.entrants
    said: dict = {}
    for a, b in pairs:
        repeat = b in field.met[a]
        for i, j in ((a, b), (b, a)):
            if entrants[i].house:
                continue
            words = []
            if repeat:
                words.append("A repeat: no round with fewer repeats exists.")
            if entrants[j].house:
                words.append("Meets the house opponent instead of taking the bye.")
            elif entrants[i].points != entrants[j].points:
                words.append(f"Paired {'down' if entrants[i].points > entrants[j].points else 'up'}.")
            if words:
                said[entrants[i].id] = " ".join(words)
    if bye is not None:
        said[entrants[bye].id] = bye_sentence(field, bye)
    if field.locked:
        for pair in field.locked:
            said.update({entrants[i].id: "Set by the organizer." for i in pair if i is not None})
    return said


def bye_sentence(field: Field, bye: int) -> str:
    """Why this player has the bye."""
    if field.entrants[bye].byes:
        return "A further bye: everybody who could take the bye without more repeats has had as many."
    if field.points[bye] == field.lowest:
        return "The bye: the number is odd; drawn in the lowest score group among those without a bye."
    return "The bye: the number is odd; no lower score group can give it without a second bye or a repeat."
