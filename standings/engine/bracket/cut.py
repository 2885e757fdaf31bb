"""The cut, the next step of an elimination match, and the final places."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.bracket.tree import FINAL, THIRD_PLACE, Bracket, Meeting
from standings.engine.records import group_by_value


class Cut(NamedTuple):
    qualifiers: list[str]
    alternates: list[str]


class CutRule(NamedTuple):
    """The players who qualify: `size`, all with `min_points`, and if `all_tied` all tied with the last one."""

    size: int
    min_points: Fraction | None = None
    all_tied: bool = False


def cut(
    order: Iterable[str],
    size: int,
    *,
    passed_over: Collection[str] = (),
    persons: Mapping[str, str] | None = None,
    points: Mapping[str, Fraction] | None = None,
    min_points: Fraction | int | None = None,
    all_tied: bool = False,
) -> Cut:
    """Return the first `size` entries of `order` (ids, best first) that may qualify.

    With `persons` ({entry: person}), only a person's best entry qualifies.
    With `min_points`, everyone with at least that many `points` qualifies, and at least `size` in all (Limitless). With
    `all_tied`, everyone with the points of the last one qualifies too. With fewer than `size`, the bracket has byes.
    """
    persons = persons or {}
    eligible, seen = [], set()
    for entry in order:
        person = persons.get(entry, entry)
        if entry in passed_over or person in seen:
            continue
        seen.add(person)
        eligible.append(entry)
    points = points or {}
    if min_points is not None:
        size = max(size, sum(points.get(entry, 0) >= min_points for entry in eligible))
    if all_tied and 0 < size < len(eligible):
        last = points.get(eligible[size - 1], 0)
        size += sum(points.get(entry, 0) == last for entry in eligible[size:])
    return Cut(eligible[:size], eligible[size:])


NOT_ALLOWED = "not_allowed"
HIGHER_SEED = "higher_seed"
REPLAY = "replay_colours_swapped_else_higher_seed"
# Other ways to decide a drawn match. FORFEIT: the opponent has left.
TIEBREAK, FORFEIT = "tiebreak", "forfeit"

# Rules for first moves, in ClineCON's order.
FIRST_MOVES = ("not_same_all_rounds", "alternate", "higher_seed_precedence")
# Limits of repeat games, used where the ruleset's `elimination.replay` gives none (ClineCON's numbers).
LIMITS = {"min_minutes_per_player": 20, "delay_s_per_move": 30, "min_remaining_minutes_for_later_rounds": 50}


class Time(NamedTuple):
    """Minutes left in this round and to the end of the stage; None if no end is set."""

    of_round: int | None = None
    of_stage: int | None = None


class Due(NamedTuple):
    # `game` (its first), `repeat`, `higher_seed` (too little time for a repeat game), `insist` (a repeat game
    # unless a finalist insists on the tiebreaker), `tiebreak`, or `over`.
    kind: str
    first: str | None = None  # the side that moves first in the repeat game, if sides are known
    minutes_each: int = 0  # the repeat game's time control
    delay_s: int = 0
    later: int | None = None  # minutes it leaves for the later rounds, None if no end is set


def next_due(
    games: Sequence[tuple[int, int, int]],
    rule: str,
    *,
    final: bool = False,
    first: str | None = None,
    decided: bool = False,
    time: Time = Time(),  # noqa: B008  (a plain value)
    limits: Mapping[str, Any] | None = None,
) -> Due:
    """Return the next step of a match with these games (a's wins, b's wins, drawn), including repeat games.

    `first`: who moved first in the first game. `limits`: the ruleset's `elimination.replay`.
    """
    if not games:
        return Due("game")
    if decided or rule == HIGHER_SEED or any(won != lost for won, lost, _ in games):
        return Due("over")
    if rule != REPLAY:
        return Due("game")  # a draw that is not allowed decides nothing
    if final and len(games) > 1:
        return Due("tiebreak")
    given = {name: value for name, value in (limits or {}).items() if value is not None}
    least, delay, keep = (LIMITS | given).values()
    each = max(least, (time.of_round or 0) // 2)
    later = None if time.of_stage is None else time.of_stage - 2 * each
    # Sides swap in each repeat game.
    swapped = {"a": "b", "b": "a"}.get(first or "") if len(games) % 2 else first
    if final:
        short = time.of_stage is not None and time.of_stage < keep
        kind = "insist" if short else "repeat"
    else:
        kind = "higher_seed" if later is not None and later < keep else "repeat"
    return Due(kind, swapped, each, delay, later)


def winner_by_points(a: Fraction, b: Fraction) -> str | None:
    """Return the winner of a drawn final by points in the bracket, or None. Source: ClineCON, "Top six places" 2."""
    return None if a == b else ("a" if a > b else "b")


def find_first_mover(
    a: Sequence[str],
    b: Sequence[str],
    seed_a: int,
    seed_b: int,
    last: bool,
    rules: Sequence[str] = FIRST_MOVES,
) -> str:
    """Return the side ("a" or "b") that moves first by the ruleset's `elimination.colours`, most important rule first.

    `a`, `b`: the sides each had in earlier rounds ("first" or "second"). `not_same_all_rounds`: in the `last` round, an
    entrant that always had one side gets the other. `alternate`: each gets the other side than last time. If both
    should get the same side, or no rule applies, the better seed decides. Source: ClineCON, "Elimination session
    pairing" 1, 2.
    """
    better, worse = ("a", "b") if seed_a < seed_b else ("b", "a")
    other = {"first": "second", "second": "first"}
    for rule in rules:
        if rule == "higher_seed_precedence":
            break
        had = (_only(a, last), _only(b, last)) if rule == "not_same_all_rounds" else (a[-1:], b[-1:])
        due_a, due_b = (other[sides[0]] if sides else None for sides in had)
        if due_a and due_a == due_b:
            return better if due_a == "first" else worse
        if due_a or due_b:
            return "a" if due_a == "first" or due_b == "second" else "b"
    return better


def _only(sides: Sequence[str], last: bool) -> Sequence[str]:
    return sides[:1] if last and len(sides) > 1 and len(set(sides)) == 1 else ()


SWISS_SEED = "swiss_seed_within_round"
LOST_TO = "round_then_points_then_lost_to_placement"
SHARED = "shared"


class UnknownPlacing(ValueError):
    pass


class Place(NamedTuple):
    """One row of the final standings. Entries that the ruleset leaves tied share a `place`."""

    place: int
    entry: str


def places_in_bracket(bracket: Bracket, mode: str = SWISS_SEED, without: Collection[str] = ()) -> list[Place]:
    """Return the places of all entrants except `without`, best first. Raises UnknownPlacing.

    `mode` orders those who lost in one round: by Swiss seed; by ClineCON's points, then conqueror's place; or tied.
    """
    ranges = {entry: reached for entry, reached in _ranges(bracket).items() if entry not in without}
    groups = group_by_value(ranges, ranges.__getitem__, descending=False)
    return order_groups(groups, mode, bracket.seeds, sum_bracket_points(bracket), find_conquerors(bracket))


def order_groups(
    groups: Sequence[Sequence[str]],
    mode: str,
    seeds: Mapping[str, int],
    points: Mapping[str, Fraction] | None = None,
    conquerors: Mapping[str, str] | None = None,
) -> list[Place]:
    """Return the places of groups of entries, best group first; `mode` orders each group. Raises UnknownPlacing."""
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


def sum_bracket_points(bracket: Bracket) -> dict[str, Fraction]:
    """Return each entrant's points in the elimination; a draw counts one half, and repeat games count too."""
    points: dict[str, Fraction] = {}
    for match in bracket.matches.values():
        if match.meeting is None or match.slot == THIRD_PLACE:
            continue
        sides = (match.meeting.a, match.meeting.b)
        for entry, made in zip(sides, match.meeting.points, strict=True):
            if entry is not None:
                points[entry] = points.get(entry, Fraction(0)) + made
    return points


def find_conquerors(bracket: Bracket) -> dict[str, str]:
    return {
        match.loser: match.winner
        for match in bracket.matches.values()
        if match.loser is not None and match.winner is not None and match.slot != THIRD_PLACE
    }


def _ranges(bracket: Bracket) -> dict[str, tuple[int, int]]:
    """Return the (best, worst) place each entrant can still reach; placing matches halve the range of their two."""
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
