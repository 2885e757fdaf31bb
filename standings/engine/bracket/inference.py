"""Brackets recorded elsewhere: the lines of the tree, inferred from the recorded matches."""

from collections.abc import Sequence
from typing import Any

from standings.engine.bracket.slots import size_for
from standings.engine.bracket.types import Meeting


def is_main(meeting: Meeting, meetings: list[Meeting]) -> bool:
    """Whether it is not a placing match: one of the two had not been beaten before."""
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
    """Lines on which the recorded matches form a tree: each winner beside its next opponent.

    For brackets that were not set in the standard order. Trees that no match joins yet are ordered by their
    best seed; entrants without a match come last.
    """
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
    """A tree on `width` lines; an entrant without an opponent stands on the first of them."""
    if isinstance(tree, str):
        return [tree] + [None] * (width - 1)
    return [line for part in tree for line in _spread(part, width // 2)]
