"""Who leaves a bracket without being beaten, and who has the bye that leaves.

Source: MTR 2.10 (no replacement after the cut; the highest-ranked remaining player has the bye); ClineCON and
most others: the opponent has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.types import BracketMatch, Meeting


class BracketDrops(NamedTuple):
    """Who left the bracket without being beaten: {entrant: the last of its rounds (from 1) it stood for}.

    `top_bye`: the highest seed of a round has the bye the place gives, instead of the opponent (MTR 2.10).
    """

    after: Mapping[str, int] = {}
    top_bye: bool = False


def apply_drops(
    opened: list[BracketMatch], named: Mapping[str, Meeting], leaving: BracketDrops, seeds: Mapping[str, int]
) -> None:
    """Take who has left out of a round's matches: the opponent has a bye.

    With `top_bye` the best seed that had not yet played has it instead, and that one's opponent meets the one
    who was left alone. Where two leave one round, both opponents have byes.
    """
    alone = []
    for match in opened:
        here = (match.a, match.b)
        match.gone = tuple(
            e for e in here if e is not None and leaving.after.get(e, match.round) < match.round
        )
        match.a, match.b = (None if entry in match.gone else entry for entry in here)
        if match.gone and match.slot != THIRD_PLACE:
            alone.append(match)
    if not leaving.top_bye:
        return
    if not all(match.both_known for match in opened):
        for match in alone:  # who is the best seed of the round is known with the whole round only
            match.a_known = match.b_known = False
        return
    main = [match for match in opened if match.slot != THIRD_PLACE]  # nobody comes back from the other one
    moved = [found for match in alone if (found := _moved(match, named.get(match.slot), main))]
    if not moved and len(alone) == 1:
        free = [o for o in main if o.a and o.b and not _as_drawn(o, named.get(o.slot))]
        moved = _beside_the_best(alone[0], free, seeds)
    for match, other, entry in moved:
        other.a, other.b = (None if e == entry else e for e in (other.a, other.b))
        match.a, match.b = (match.a, entry) if match.b is None else (entry, match.b)


class _Move(NamedTuple):
    """Who is moved to the match one was left alone in, and from which other."""

    to: BracketMatch
    of: BracketMatch
    entry: str


def _as_drawn(match: BracketMatch, meeting: Meeting | None) -> bool:
    """Whether the two of the tree have played their match: it stays, whoever leaves afterwards."""
    return meeting is not None and meeting.final and {meeting.a, meeting.b} == {match.a, match.b}


def _moved(match: BracketMatch, meeting: Meeting | None, opened: list[BracketMatch]) -> _Move | None:
    """The move a match that was opened shows: it stays, whoever else leaves the round afterwards."""
    left = match.a or match.b
    if meeting is None or meeting.b is None or left not in (meeting.a, meeting.b):
        return None
    entry = meeting.b if meeting.a == left else meeting.a
    return next((_Move(match, other, entry) for other in opened if entry in (other.a, other.b)), None)


def _beside_the_best(match: BracketMatch, free: list[BracketMatch], seeds: Mapping[str, int]) -> list[_Move]:
    """Move the opponent of the best seed still to play to who is alone, unless that one is better still."""
    left = match.a or match.b
    pairs = [(sorted((str(other.a), str(other.b)), key=seeds.__getitem__), other) for other in free]
    (best, worse), other = min(pairs, key=lambda pair: seeds[pair[0][0]], default=(("", ""), match))
    return [] if left is None or not best or seeds[left] < seeds[best] else [_Move(match, other, worse)]
