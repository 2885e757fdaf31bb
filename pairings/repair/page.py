"""A published round after something changed: a corrected result, a restored drop, a late or a missing player."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pairings.question.past_round import round_as_paired
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import paired_codes
from pairings.repair.open_round import OpenRound, open_round
from pairings.repair.options import RepairOption, options_of
from standings.words.formats import format_number
from tournament.models import Tournament


@dataclass(frozen=True, slots=True)
class CorrectedPoints:
    """A player's points when the round was paired, and now."""

    code: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class RepairPage:
    """The page of a repair.

    seen              the event's revision that the page shows
    names             {entry code: name}
    absent, dropped   codes of players who may be added to the round, or removed
    corrected         players whose points have changed since the round was paired
    finished          how many tables stand, as they have a result
    added, removed    codes of the players that the options add and remove
    options           none where the choice was refused
    """

    number: int
    seen: int
    names: dict[str, str]
    absent: tuple[str, ...]
    dropped: tuple[str, ...]
    corrected: tuple[CorrectedPoints, ...]
    finished: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    options: tuple[RepairOption, ...] = ()

    @property
    def stands_best(self) -> bool:
        """Whether no option would change a table: the round stays, and nothing is better."""
        return bool(self.options) and all(
            option.possible and not option.table_changes for option in self.options
        )


def repair_page(
    tournament: Tournament,
    number: int,
    added: Collection[str] | None = None,
    removed: Collection[str] | None = None,
    *,
    seen: int | None = None,
) -> RepairPage:
    """What changed since the round was published, and the three options.

    `added` and `removed` are the players to add to the round and to remove (None: as the facts suggest). `seen`
    as of `open_round`. Raises WrongState for a round that is not in progress, Refused for players who cannot be
    added or removed.
    """
    round_ = open_round(tournament, number, seen)
    to_add = tuple(sorted(round_.to_add if added is None else added))
    to_remove = tuple(sorted(round_.dropped if removed is None else removed))
    round_.check_choice(to_add, to_remove)
    request = round_.joined_by(to_add).request_with(to_add, to_remove)
    options = options_of(round_, request, to_add, to_remove)
    return _page_of(
        tournament, round_, request, to_add, to_remove, options, tournament.revision if seen is None else seen
    )


def refused_repair_page(
    tournament: Tournament, number: int, added: Collection[str], removed: Collection[str]
) -> RepairPage:
    """The same page without options, for a choice that was refused: it stays as it was made.

    Raises WrongState for a round that is not in progress.
    """
    round_ = open_round(tournament, number)
    request = round_.request_with((), ())
    return _page_of(tournament, round_, request, tuple(added), tuple(removed), (), tournament.revision)


def _page_of(
    tournament: Tournament,
    round_: OpenRound,
    request: PairingRequest,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    options: tuple[RepairOption, ...],
    seen: int,
) -> RepairPage:
    return RepairPage(
        number=round_.round.number,
        seen=seen,
        names=round_.names,
        absent=tuple(round_.absent),
        dropped=tuple(round_.dropped),
        corrected=_corrected_points(tournament, request, round_.round.number),
        finished=len(round_.finished),
        added=added,
        removed=removed,
        options=options,
    )


def _corrected_points(
    tournament: Tournament, request: PairingRequest, number: int
) -> tuple[CorrectedPoints, ...]:
    """The players in the request whose points differ from those the round was paired from."""
    event, round_ = round_as_paired(tournament, number)
    then = request_of(event, round_, [code for code in paired_codes(round_) if code in event.entries]).points
    return tuple(
        CorrectedPoints(code, format_number(then[code]), format_number(points))
        for code, points in request.points.items()
        if code in then and then[code] != points
    )
