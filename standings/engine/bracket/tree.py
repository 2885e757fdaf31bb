"""The bracket: a tree of matches, computed from seeds and results and never stored.

The shape of the tree is data (`standings.engine.bracket.slots`), filled with recorded matches and drops.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from standings.engine.bracket.drops import BracketDrops, apply_drops
from standings.engine.bracket.inference import infer_lines, is_main
from standings.engine.bracket.slots import THIRD_PLACE, Slot, Source, lines_of, slots_of
from standings.engine.bracket.types import Bracket, BracketMatch, Meeting


def bracket_of(
    seeds: Sequence[str],
    meetings: Iterable[Meeting] = (),
    *,
    third_place: bool = False,
    reseed: bool = False,
    drops: BracketDrops | None = None,
) -> Bracket:
    """The bracket of these entrants, best seed first, with what has been played.

    Meetings with a slot belong there; those without one (events recorded elsewhere) are placed by their
    entrants, and if they do not fit the standard tree, its lines are inferred from them. A bye need not be
    recorded.
    """
    meetings = list(meetings)
    numbers = {entry: number for number, entry in enumerate(seeds, start=1)}

    def fill(lines: list[str | None]) -> Bracket:
        slots = slots_of(len(lines), third_place, reseed)
        return _fill(Bracket(lines, numbers), slots, meetings, drops or BracketDrops())

    bracket = fill(lines_of(seeds))
    if any(is_main(meeting, meetings) for meeting in bracket.placing):
        bracket = fill(infer_lines(meetings, seeds))
    return bracket


def matches_to_open(bracket: Bracket) -> list[BracketMatch]:
    """Matches whose entrants are known and that are not recorded yet, byes included, empty matches left out."""
    return [
        match
        for match in bracket.matches.values()
        if match.both_known and match.meeting is None and (match.a is not None or match.b is not None)
    ]


def outdated_matches(bracket: Bracket) -> list[BracketMatch]:
    """Recorded matches whose entrants no longer follow from the results before them, earliest first."""
    return [
        match
        for match in bracket.matches.values()
        if match.meeting is not None and {match.meeting.a, match.meeting.b} != match.due
    ]


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
            match.due = frozenset((match.a, match.b))
            _settle(match, named.pop(match.slot, None) or _pop_meeting(match, loose))
            bracket.matches[match.slot] = match
    bracket.placing = [meeting for meeting in meetings if meeting in loose or meeting.slot in named]
    return bracket


def _entrant(source: Source, round_: int, bracket: Bracket) -> tuple[str | None, bool]:
    """(entrant or None, whether that is known)."""
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
    """Take the first loose meeting of this match's two entrants out of the list."""
    if match.both_known and (match.a or match.b):
        for i, meeting in enumerate(loose):
            if {meeting.a, meeting.b} == {match.a, match.b}:
                return loose.pop(i)
    return None


def _settle(match: BracketMatch, meeting: Meeting | None) -> None:
    """Put a meeting into its slot; its recorded entrants replace those that follow from the tree."""
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
