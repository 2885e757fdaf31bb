"""Players who drop from a bracket, and who gets the bye.

Source: MTR 2.10 (no replacement after the cut; the highest-ranked remaining player gets the bye); ClineCON and
most others: the opponent gets it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from standings.engine.bracket.slots import THIRD_PLACE
from standings.engine.bracket.types import BracketMatch, Meeting


class BracketDrops(NamedTuple):
    """Entrants that dropped without being beaten: `after` is {entrant: its last round of the bracket, from 1}.

    `top_bye`: the best seed of the round gets the bye instead of the opponent (MTR 2.10).
    """

    after: Mapping[str, int] = {}
    top_bye: bool = False


def apply_drops(
    matches: list[BracketMatch], named: Mapping[str, Meeting], drops: BracketDrops, seeds: Mapping[str, int]
) -> None:
    """Remove entrants that dropped from the matches of a round: their opponents get byes.

    With `top_bye` the best seed that has not played yet gets the bye instead, and its opponent plays the entrant
    that was left alone. If two drop from one round, both opponents get byes.
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
    if not all(match.both_known for match in matches):
        for match in alone:  # the best seed of the round is known only once the whole round is
            match.a_known = match.b_known = False
        return
    # Nobody advances from the third-place match.
    main = [match for match in matches if match.slot != THIRD_PLACE]
    moves = [move for match in alone if (move := _recorded_move(match, named.get(match.slot), main))]
    if not moves and len(alone) == 1:
        free = [o for o in main if o.a and o.b and not _is_played(o, named.get(o.slot))]
        moves = _moves_to(alone[0], free, seeds)
    for match, other, entry in moves:
        other.a, other.b = (None if e == entry else e for e in (other.a, other.b))
        match.a, match.b = (match.a, entry) if match.b is None else (entry, match.b)


class _Move(NamedTuple):
    """The entrant that moves to a match in which one was left alone, and the match it comes from."""

    to: BracketMatch
    of: BracketMatch
    entry: str


def _is_played(match: BracketMatch, meeting: Meeting | None) -> bool:
    """Whether the two entrants have played their match: it stays, whatever drops follow."""
    return meeting is not None and meeting.final and {meeting.a, meeting.b} == {match.a, match.b}


def _recorded_move(match: BracketMatch, meeting: Meeting | None, matches: list[BracketMatch]) -> _Move | None:
    """The move that a recorded match shows: it stays, whatever drops follow."""
    left = match.a or match.b
    if meeting is None or meeting.b is None or left not in (meeting.a, meeting.b):
        return None
    entry = meeting.b if meeting.a == left else meeting.a
    return next((_Move(match, other, entry) for other in matches if entry in (other.a, other.b)), None)


def _moves_to(match: BracketMatch, free: list[BracketMatch], seeds: Mapping[str, int]) -> list[_Move]:
    """Move the opponent of the best seed still to play here, unless the entrant left alone is the better seed."""
    left = match.a or match.b
    pairs = [(sorted((str(other.a), str(other.b)), key=seeds.__getitem__), other) for other in free]
    (best, worse), other = min(pairs, key=lambda pair: seeds[pair[0][0]], default=(("", ""), match))
    return [] if left is None or not best or seeds[left] < seeds[best] else [_Move(match, other, worse)]
