"""The bracket: a single-elimination tree, computed from seeds and results and never stored.

The tree is declared as data (`slots`): where each match's two entrants come from. Slots are named `W1.3`
(round 1, third from the top), `F.1` (the final) and `P3.1` (for place 3), as in the archive format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

FINAL = "F.1"
THIRD_PLACE = "P3.1"


class Source(NamedTuple):
    """Where an entrant comes from: a `line` of the tree (from 0), or the `winner` or `loser` of a slot."""

    kind: str
    of: int | str


class Slot(NamedTuple):
    """One match of the tree."""

    name: str
    round: int
    a: Source
    b: Source


class Meeting(NamedTuple):
    """An elimination match as recorded. `b` None: a bye. `winner` None: nobody advances or not yet known.

    `points`: what a and b scored in it, replays included (draws count, for placing). `ref`: the caller's own.
    """

    a: str
    b: str | None
    winner: str | None = None
    final: bool = True
    slot: str | None = None
    points: tuple[Fraction | int, Fraction | int] = (0, 0)
    ref: Any = None


@dataclass(slots=True)
class BracketMatch:
    """A slot as it stands. An entrant that is known and None is nobody: the other one has a bye."""

    slot: str
    round: int
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
    """The whole tree. `lines`: entrants from top to bottom, None where nobody stands; `seeds`: {entry: seed}.

    `placing`: recorded matches between entrants already beaten, other than the declared third-place match.
    """

    size: int
    rounds: int
    lines: list[str | None]
    seeds: dict[str, int]
    matches: dict[str, BracketMatch]
    placing: list[Meeting] = field(default_factory=list)

    @property
    def champion(self) -> str | None:
        return self.matches[FINAL].winner if FINAL in self.matches else self.lines[0]

    def round(self, number: int) -> list[BracketMatch]:
        """The matches of that round, top of the tree first; the third-place match stands with the final."""
        return [match for match in self.matches.values() if match.round == number]


def bracket_order(size: int) -> list[int]:
    """Seeds from top to bottom, so that seeds 1 and 2 meet in the final only. For 8: 1 8 4 5 2 7 3 6.

    `size` is a power of two, from 1. Raises ValueError. Source: rules, "Standard bracket"; ClineCON.
    """
    if size < 1 or size & (size - 1):
        raise ValueError(f"A bracket has 1, 2, 4, 8, … lines, not {size}.")
    order = [1]
    while len(order) < size:
        order = [line for seed in order for line in (seed, 2 * len(order) + 1 - seed)]
    return order


def size_for(entrants: int) -> int:
    """The smallest bracket that holds so many: 1, 2, 4, 8, …"""
    return 1 << max(entrants - 1, 0).bit_length()


def lines_of(seeds: Sequence[str], size: int | None = None) -> list[str | None]:
    """Entrants in seed order set on the lines of the tree; the top seeds stand alone where some are missing.

    Raises ValueError for more entrants than lines.
    """
    size = size_for(len(seeds)) if size is None else size
    if len(seeds) > size:
        raise ValueError(f"{len(seeds)} entrants for {size} lines.")
    return [seeds[seed - 1] if seed <= len(seeds) else None for seed in bracket_order(size)]


def slots(size: int, third_place: bool = False) -> list[Slot]:
    """The tree of so many lines as data, round by round."""
    last = size_for(size).bit_length() - 1
    tree = []
    for number in range(1, last + 1):
        for i in range(1, (size >> number) + 1):
            a, b = (_feeder(number, place, last) for place in (2 * i - 1, 2 * i))
            tree.append(Slot(slot_name(number, i, last), number, a, b))
    if third_place and last >= 2:
        a, b = (Source("loser", slot_name(last - 1, place, last)) for place in (1, 2))
        tree.append(Slot(THIRD_PLACE, last, a, b))
    return tree


def _feeder(number: int, place: int, last: int) -> Source:
    """Where the entrant on that place (from 1) of a round comes from."""
    return Source("line", place - 1) if number == 1 else Source("winner", slot_name(number - 1, place, last))


def slot_name(number: int, place: int, last: int) -> str:
    """`W1.3`; `F.1` in the last round."""
    return FINAL if number == last else f"W{number}.{place}"


def bracket_of(
    seeds: Sequence[str],
    meetings: Iterable[Meeting] = (),
    *,
    size: int | None = None,
    third_place: bool = False,
) -> Bracket:
    """The bracket of these entrants, best seed first, with what has been played.

    Meetings with a slot stand there; without one (recorded events) they are placed by who met whom, and where
    the recorded matches do not fit the standard tree the lines are inferred from them. A bye advances its
    entrant without being recorded. Raises ValueError for more entrants than `size`.
    """
    meetings = list(meetings)
    bracket = _filled(seeds, lines_of(seeds, size), meetings, third_place)
    if any(_is_main(meeting, meetings) for meeting in bracket.placing):
        bracket = _filled(seeds, inferred_lines(meetings, seeds), meetings, third_place)
    return bracket


def ready(bracket: Bracket) -> list[BracketMatch]:
    """Matches whose entrants are known and that are not recorded yet; byes too, nobody against nobody not."""
    return [
        match
        for match in bracket.matches.values()
        if match.both_known and match.meeting is None and (match.a is not None or match.b is not None)
    ]


def stale(bracket: Bracket) -> list[BracketMatch]:
    """Recorded matches whose entrants no longer are those the results before them say, earliest first."""
    found = []
    for slot in slots(bracket.size, THIRD_PLACE in bracket.matches):
        match = bracket.matches[slot.name]
        due = {_entrant(source, bracket.lines, bracket.matches)[0] for source in (slot.a, slot.b)}
        if match.meeting is not None and {match.meeting.a, match.meeting.b} != due:
            found.append(match)
    return found


def _filled(seeds, lines, meetings: list[Meeting], third_place: bool) -> Bracket:
    tree = slots(len(lines), third_place)
    named = {meeting.slot: meeting for meeting in meetings if meeting.slot}
    loose = [meeting for meeting in meetings if not meeting.slot]
    matches: dict[str, BracketMatch] = {}
    for slot in tree:
        match = BracketMatch(slot.name, slot.round)
        match.a, match.a_known = _entrant(slot.a, lines, matches)
        match.b, match.b_known = _entrant(slot.b, lines, matches)
        _settle(match, named.pop(slot.name, None) or _taken(match, loose))
        matches[slot.name] = match
    numbers = {entry: number for number, entry in enumerate(seeds, start=1)}
    left_over = [meeting for meeting in meetings if meeting in loose or meeting.slot in named]
    return Bracket(len(lines), len(lines).bit_length() - 1, lines, numbers, matches, left_over)


def _entrant(source: Source, lines, matches) -> tuple[str | None, bool]:
    """(entrant or nobody, whether that is known)."""
    if source.kind == "line":
        return lines[source.of], True
    before = matches[source.of]
    return (before.winner if source.kind == "winner" else before.loser), before.done


def _taken(match: BracketMatch, loose: list[Meeting]) -> Meeting | None:
    """Take the first loose meeting of this match's two entrants."""
    if match.both_known and (match.a or match.b):
        for i, meeting in enumerate(loose):
            if {meeting.a, meeting.b} == {match.a, match.b}:
                return loose.pop(i)
    return None


def _settle(match: BracketMatch, meeting: Meeting | None) -> None:
    """Put a meeting into its slot; what was recorded wins over what follows from the tree."""
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


def _is_main(meeting: Meeting, meetings: list[Meeting]) -> bool:
    """Whether it is no placing match: one of the two had not been beaten before."""
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


def inferred_lines(meetings: Sequence[Meeting], seeds: Sequence[str]) -> list[str | None]:
    """Lines on which the recorded matches form a tree: each winner beside whom it met next.

    Used for brackets drawn in another way than ours. Trees that nothing joins yet follow one another by
    their best seed; entrants without a match stand last.
    """
    place = {entry: n for n, entry in enumerate(seeds)}
    trees: dict[str, Any] = {}  # entrant still in -> the tree it has come out of: an id or a pair of trees
    gone: list[Any] = []  # trees nobody came out of
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
    """A tree on so many lines; an entrant with nobody to meet stands on the first of its own."""
    if isinstance(tree, str):
        return [tree] + [None] * (width - 1)
    return [line for part in tree for line in _spread(part, width // 2)]
