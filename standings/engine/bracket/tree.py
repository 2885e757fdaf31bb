"""The bracket: a tree of matches, computed from seeds and results and never stored.

The structure is data: for each match, where its two entrants come from. Slots are named `W1.3` (round 1, third from the
top), `F.1` (the final) and `P3.1` (third place), as in the archive format.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

FINAL = "F.1"
THIRD_PLACE = "P3.1"


class Source(NamedTuple):
    """The origin of an entrant: a line, the winner or loser of a slot or, reseeded, a survivor by rank (from 1)."""

    kind: str
    of: int | str


class Slot(NamedTuple):
    name: str
    round: int
    a: Source
    b: Source


def bracket_order(size: int) -> list[int]:
    """Return the seeds from top to bottom, so that 1 and 2 can only meet in the final. For 8: 1 8 4 5 2 7 3 6.

    `size` is a power of 2, from 1. Raises ValueError. Source: MTR; ClineCON.
    """
    if size < 1 or size & (size - 1):
        raise ValueError(f"A bracket must have 1, 2, 4, 8, … lines, not {size}.")
    order = [1]
    while len(order) < size:
        order = [line for seed in order for line in (seed, 2 * len(order) + 1 - seed)]
    return order


def size_for(entrants: int) -> int:
    return 1 << max(entrants - 1, 0).bit_length()


def place_on_lines(seeds: Sequence[str]) -> list[str | None]:
    """Place entrants in seed order on the lines of the tree; missing entrants become byes of the top seeds."""
    order = bracket_order(size_for(len(seeds)))
    return [seeds[seed - 1] if seed <= len(seeds) else None for seed in order]


def build_slots(size: int, third_place: bool = False, reseed: bool = False) -> list[Slot]:
    """Return the slots of a tree for `size` entrants by round. With `reseed`, the best seed left meets the worst."""
    last = size_for(size).bit_length() - 1
    tree = []
    for number in range(1, last + 1):
        order = bracket_order(size >> (number - 1)) if reseed and number > 1 else None
        for i in range(1, (size >> number) + 1):
            a, b = (_feeder(number, place, last, order) for place in (2 * i - 1, 2 * i))
            tree.append(Slot(build_slot_name(number, i, last), number, a, b))
    if third_place and last >= 2:
        a, b = (Source("loser", build_slot_name(last - 1, place, last)) for place in (1, 2))
        tree.append(Slot(THIRD_PLACE, last, a, b))
    return tree


def _feeder(number: int, place: int, last: int, order: list[int] | None) -> Source:
    if number == 1:
        return Source("line", place - 1)
    if order is not None:
        return Source("survivor", order[place - 1])
    return Source("winner", build_slot_name(number - 1, place, last))


def build_slot_name(number: int, place: int, last: int) -> str:
    return FINAL if number == last else f"W{number}.{place}"


class Meeting(NamedTuple):
    """An elimination match as recorded. `b` None: a bye. `winner` None: no one advances, or it is not known yet."""

    a: str
    b: str | None
    winner: str | None = None
    final: bool = True
    slot: str | None = None
    # Points of a and b for placing, including repeat games and draws.
    points: tuple[Fraction | int, Fraction | int] = (0, 0)
    ref: Any = None  # anything of the caller's


@dataclass(slots=True)
class BracketMatch:
    """A slot of the tree. If an entrant is known to be None, that side stays empty and the other one has a bye."""

    slot: str
    round: int
    # The entrants that follow from earlier results, whatever is recorded; empty while unknown.
    due: frozenset[str | None] = frozenset()
    gone: tuple[str, ...] = ()  # those that dropped
    a: str | None = None
    b: str | None = None
    a_known: bool = False
    b_known: bool = False
    winner: str | None = None
    loser: str | None = None
    done: bool = False
    meeting: Meeting | None = None

    @property
    def both_known(self) -> bool:
        return self.a_known and self.b_known

    @property
    def is_bye(self) -> bool:
        return self.both_known and (self.a is None) != (self.b is None)


@dataclass(slots=True)
class Bracket:
    lines: list[str | None]  # entrants from top to bottom, None for an empty one
    seeds: dict[str, int]  # {entry: seed}
    matches: dict[str, BracketMatch] = field(default_factory=dict)
    # Recorded matches between beaten entrants, without the third-place match.
    placing: list[Meeting] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        return len(self.lines).bit_length() - 1

    @property
    def champion(self) -> str | None:
        return self.matches[FINAL].winner if FINAL in self.matches else self.lines[0]

    def round(self, number: int) -> list[BracketMatch]:
        """Return the matches of that round, from the top; the round of the final includes the third-place match."""
        return [match for match in self.matches.values() if match.round == number]


class BracketDrops(NamedTuple):
    """Entrants that dropped without being beaten: `after` is {entrant: its last round of the bracket, from 1}."""

    after: Mapping[str, int] = {}
    # Whether the best seed of the round gets the bye (MTR 2.10) instead of the opponent (ClineCON and most others).
    top_bye: bool = False


def fill_bracket(
    seeds: Sequence[str],
    meetings: Iterable[Meeting] = (),
    *,
    third_place: bool = False,
    reseed: bool = False,
    drops: BracketDrops | None = None,
) -> Bracket:
    """Return the bracket of these entrants, best seed first, with the matches played so far. Byes need not be recorded.

    A meeting without a slot is placed by its entrants; if meetings do not fit the standard tree, lines are inferred.
    """
    meetings = list(meetings)
    numbers = {entry: number for number, entry in enumerate(seeds, start=1)}

    def fill(lines: list[str | None]) -> Bracket:
        slots = build_slots(len(lines), third_place, reseed)
        return _fill(Bracket(lines, numbers), slots, meetings, drops or BracketDrops())

    bracket = fill(place_on_lines(seeds))
    if any(is_main(meeting, meetings) for meeting in bracket.placing):
        bracket = fill(infer_lines(meetings, seeds))
    return bracket


def matches_to_open(bracket: Bracket) -> list[BracketMatch]:
    """List unrecorded matches whose entrants are known, including byes but not matches without entrants."""
    known = [match for match in bracket.matches.values() if match.both_known and match.meeting is None]
    return [match for match in known if match.a is not None or match.b is not None]


def outdated_matches(bracket: Bracket) -> list[BracketMatch]:
    """List recorded matches whose entrants no longer follow from earlier results, earliest first."""
    recorded = [(match, match.meeting) for match in bracket.matches.values() if match.meeting is not None]
    return [match for match, meeting in recorded if {meeting.a, meeting.b} != match.due]


def _fill(bracket: Bracket, slots: list[Slot], meetings: list[Meeting], drops: BracketDrops) -> Bracket:
    named = {meeting.slot: meeting for meeting in meetings if meeting.slot}
    loose = [meeting for meeting in meetings if not meeting.slot]
    for round_, of_round in groupby(slots, lambda slot: slot.round):
        matches = []
        for slot in of_round:
            match = BracketMatch(slot.name, round_)
            match.a, match.a_known = _entrant(slot.a, round_, bracket)
            match.b, match.b_known = _entrant(slot.b, round_, bracket)
            matches.append(match)
        apply_drops(matches, named, drops, bracket.seeds)
        for match in matches:
            match.due = frozenset((match.a, match.b) if match.both_known else ())
            _settle(match, named.pop(match.slot, None) or _pop_meeting(match, loose))
            bracket.matches[match.slot] = match
    bracket.placing = [meeting for meeting in meetings if meeting in loose or meeting.slot in named]
    return bracket


def _entrant(source: Source, round_: int, bracket: Bracket) -> tuple[str | None, bool]:
    if source.kind == "line":
        return bracket.lines[int(source.of)], True
    if source.kind == "survivor":
        before = [match for match in bracket.round(round_ - 1) if match.slot != THIRD_PLACE]
        if not all(match.done for match in before):
            return None, False
        left = sorted((m.winner for m in before if m.winner), key=lambda entry: bracket.seeds.get(entry, 0))
        place = int(source.of) - 1
        return (left[place] if place < len(left) else None), True
    match = bracket.matches[str(source.of)]
    return (match.winner if source.kind == "winner" else match.loser), match.done


def _pop_meeting(match: BracketMatch, loose: list[Meeting]) -> Meeting | None:
    if match.both_known and (match.a or match.b):
        for i, meeting in enumerate(loose):
            if {meeting.a, meeting.b} == {match.a, match.b}:
                return loose.pop(i)
    return None


def _settle(match: BracketMatch, meeting: Meeting | None) -> None:
    """Put a meeting into its slot; its recorded entrants replace the ones that follow from the tree."""
    if meeting is None:
        if match.both_known and not (match.a and match.b):
            match.winner, match.done = match.a or match.b, True
        return
    match.meeting = meeting
    if {meeting.a, meeting.b} != {match.a, match.b}:
        match.a, match.b = meeting.a, meeting.b
    match.a_known = match.b_known = True
    match.winner = meeting.a if meeting.b is None else meeting.winner
    match.done = meeting.b is None or meeting.final
    if match.done and match.winner is not None:
        match.loser = match.b if match.winner == match.a else match.a


def apply_drops(
    matches: list[BracketMatch], named: Mapping[str, Meeting], drops: BracketDrops, seeds: Mapping[str, int]
) -> None:
    """Remove dropped entrants from the matches of a round: their opponents get byes.

    With `top_bye`, the best seed that has not played yet gets the bye, and its opponent plays the one left alone.
    """
    alone = []
    for match in matches:
        here = (match.a, match.b)
        match.gone = tuple(e for e in here if e is not None and drops.after.get(e, match.round) < match.round)
        match.a, match.b = (None if entry in match.gone else entry for entry in here)
        if match.gone and match.slot != THIRD_PLACE:
            alone.append(match)
    if not drops.top_bye:
        return
    # No one advances from the third-place match.
    main = [match for match in matches if match.slot != THIRD_PLACE]
    if alone and not all(match.both_known for match in matches):
        for match in main:  # the best seed of the round is known only once the whole round is
            if not _is_played(match, named.get(match.slot)):
                match.a_known = match.b_known = False
        return
    moves = [move for match in alone if (move := _recorded_move(match, named.get(match.slot), main))]
    if not moves and len(alone) == 1:
        free = [o for o in main if o.a and o.b and not _is_played(o, named.get(o.slot))]
        moves = _moves_to(alone[0], free, seeds)
    for match, other, entry in moves:
        other.a, other.b = (None if e == entry else e for e in (other.a, other.b))
        match.a, match.b = (match.a, entry) if match.b is None else (entry, match.b)


class _Move(NamedTuple):
    to: BracketMatch
    of: BracketMatch
    entry: str


def _is_played(match: BracketMatch, meeting: Meeting | None) -> bool:
    return meeting is not None and meeting.final and {meeting.a, meeting.b} == {match.a, match.b}


def _recorded_move(match: BracketMatch, meeting: Meeting | None, matches: list[BracketMatch]) -> _Move | None:
    left = match.a or match.b
    if meeting is None or meeting.b is None or left not in (meeting.a, meeting.b):
        return None
    entry = meeting.b if meeting.a == left else meeting.a
    return next((_Move(match, other, entry) for other in matches if entry in (other.a, other.b)), None)


def _moves_to(match: BracketMatch, free: list[BracketMatch], seeds: Mapping[str, int]) -> list[_Move]:
    """Move the weaker entrant of the best seed's unplayed match to `match`, unless a better seed is alone there."""
    left = match.a or match.b
    pairs = [(sorted((str(other.a), str(other.b)), key=seeds.__getitem__), other) for other in free]
    (best, worse), other = min(pairs, key=lambda pair: seeds[pair[0][0]], default=(("", ""), match))
    return [] if left is None or not best or seeds[left] < seeds[best] else [_Move(match, other, worse)]


def is_main(meeting: Meeting, meetings: list[Meeting]) -> bool:
    """Whether this is not a placing match: at least one of the two had not been beaten before."""
    if meeting.b is None:
        return False
    beaten: set[str | None] = set()
    for earlier in meetings:
        if earlier is meeting:
            break
        beaten |= _beaten(earlier)
    return not {meeting.a, meeting.b} <= beaten


def _beaten(meeting: Meeting) -> set[str | None]:
    if meeting.b is None or not meeting.final:
        return set()
    return {entry for entry in (meeting.a, meeting.b) if entry != meeting.winner}


def infer_lines(meetings: Sequence[Meeting], seeds: Sequence[str]) -> list[str | None]:
    """Return lines on which the recorded matches form a tree, for brackets that do not follow the standard order."""
    place = {entry: n for n, entry in enumerate(seeds)}
    trees: dict[str, Any] = {}  # entrant still in: the tree it won, an id or a pair of trees
    gone: list[Any] = []  # trees without a winner yet
    beaten: set[str | None] = set()
    for meeting in meetings:
        if meeting.b is None or {meeting.a, meeting.b} <= beaten:
            continue
        pair = sorted((meeting.a, meeting.b), key=lambda entry: place.get(entry, len(place)))
        tree = tuple(trees.pop(entry, entry) for entry in pair)
        if meeting.winner is not None and meeting.final:
            trees[meeting.winner] = tree
        else:
            gone.append(tree)
        beaten |= _beaten(meeting)
    met = {entry for tree in [*trees.values(), *gone] for entry in _leaves(tree)}
    roots = [*trees.values(), *gone, *(entry for entry in seeds if entry not in met)]
    roots.sort(key=lambda tree: (-_height(tree), min(place.get(e, len(place)) for e in _leaves(tree))))
    size = max(size_for(len(seeds)), size_for(sum(1 << _height(tree) for tree in roots)))
    lines: list[str | None] = []
    for root in roots:
        lines += _spread(root, size if len(roots) == 1 else 1 << _height(root))
    return lines + [None] * (size - len(lines))


def _leaves(tree) -> list[str]:
    return [tree] if isinstance(tree, str) else [leaf for part in tree for leaf in _leaves(part)]


def _height(tree) -> int:
    return 0 if isinstance(tree, str) else 1 + max(map(_height, tree))


def _spread(tree, width: int) -> list[str | None]:
    if isinstance(tree, str):
        return [tree] + [None] * (width - 1)
    return [line for part in tree for line in _spread(part, width // 2)]
