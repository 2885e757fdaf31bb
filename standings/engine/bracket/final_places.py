"""Final places after an elimination: by round reached, then by the ruleset's placement."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from standings.engine.bracket.slots import FINAL, THIRD_PLACE, Bracket, Meeting
from standings.engine.records import group_by_value

SWISS_SEED = "swiss_seed_within_round"
LOST_TO = "round_then_points_then_lost_to_placement"
SHARED = "shared"


class UnknownPlacing(ValueError):
    pass


class Place(NamedTuple):
    """One row of the final standings; entries that the ruleset leaves tied share a `place`."""

    place: int
    entry: str


def places_in_bracket(bracket: Bracket, mode: str = SWISS_SEED, without: Collection[str] = ()) -> list[Place]:
    """Return the places of all entrants except `without`, best first; entrants still in the bracket come first.

    Entrants beaten in the same round, and not separated by a placing match, are ordered by `mode`: Swiss seed;
    ClineCON's points scored in the elimination, then the place of the opponent who beat them; or they share the
    place. Raises UnknownPlacing.
    """
    ranges = {entry: reached for entry, reached in _ranges(bracket).items() if entry not in without}
    groups = group_by_value(ranges, ranges.__getitem__, descending=False)
    return order_groups(groups, mode, bracket.seeds, bracket_points_of(bracket), conquerors_of(bracket))


def order_groups(
    groups: Sequence[Sequence[str]],
    mode: str,
    seeds: Mapping[str, int],
    points: Mapping[str, Fraction] | None = None,
    conquerors: Mapping[str, str] | None = None,
) -> list[Place]:
    """Return the places of groups of entries, best group first, each ordered by `mode`. Raises UnknownPlacing."""
    if mode not in (SWISS_SEED, LOST_TO, SHARED):
        raise UnknownPlacing(f"Unknown placement mode {mode!r}.")
    points, conquerors = points or {}, conquerors or {}
    order: dict[str | None, int] = {}
    rows: list[Place] = []

    def key(entry):
        seed = (seeds.get(entry, len(seeds) + 1), entry)
        if mode != LOST_TO:
            return seed
        return (-points.get(entry, 0), order.get(conquerors.get(entry), len(seeds) + 1), *seed)

    for group in groups:
        start = len(rows) + 1
        for place, entry in enumerate(sorted(group, key=key), start=start):
            rows.append(Place(start if mode == SHARED else place, entry))
        order |= {row.entry: row.place for row in rows[start - 1 :]}
    return rows


def bracket_points_of(bracket: Bracket) -> dict[str, Fraction]:
    """Return each entrant's points in the elimination; a draw counts one half, a repeat game by its result."""
    points: dict[str, Fraction] = {}
    for match in bracket.matches.values():
        if match.meeting is None or match.slot == THIRD_PLACE:
            continue
        sides = (match.meeting.a, match.meeting.b)
        for entry, made in zip(sides, match.meeting.points, strict=True):
            if entry is not None:
                points[entry] = points.get(entry, Fraction(0)) + made
    return points


def conquerors_of(bracket: Bracket) -> dict[str, str]:
    return {
        match.loser: match.winner
        for match in bracket.matches.values()
        if match.loser is not None and match.winner is not None and match.slot != THIRD_PLACE
    }


def _ranges(bracket: Bracket) -> dict[str, tuple[int, int]]:
    """Return the places each entrant can still reach, as (best, worst).

    An entrant beaten in round r of k can have 2^(k-r) + 1 to 2^(k-r+1); a placing match halves the range of its two
    entrants; after a final without a winner both finalists share the best two places.
    """
    ranges = {entry: (1, len(bracket.lines)) for entry in bracket.lines if entry is not None}
    for match in bracket.matches.values():
        if match.slot == THIRD_PLACE:
            continue
        span = 1 << (bracket.rounds - match.round)
        beaten = (1, 2) if match.slot == FINAL and match.done and not match.winner else (span + 1, 2 * span)
        ranges |= dict.fromkeys(match.gone, (span + 1, 2 * span))
        for entry in (match.a, match.b) if match.done else ():
            if entry is not None:
                ranges[entry] = (1, span) if entry == match.winner else beaten
    third = bracket.matches.get(THIRD_PLACE)
    if third and third.gone and third.winner:
        ranges[third.winner] = (3, 3)
        ranges |= dict.fromkeys(third.gone, (4, 4))
    for meeting in ([third.meeting] if third and third.meeting else []) + bracket.placing:
        _halve(ranges, meeting)
    return ranges


def _halve(ranges: dict[str, tuple[int, int]], meeting: Meeting) -> None:
    if not meeting.final or meeting.winner is None or meeting.b is None:
        return
    best, worst = ranges.get(meeting.a, (0, 0))
    if ranges.get(meeting.b) != (best, worst) or worst <= best:
        return
    loser = meeting.b if meeting.winner == meeting.a else meeting.a
    middle = (best + worst) // 2
    ranges[meeting.winner], ranges[loser] = (best, middle), (middle + 1, worst)
