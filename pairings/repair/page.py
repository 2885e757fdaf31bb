"""A published round after something changed: a corrected result, a restored drop, a late or a missing player."""

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
class RepairPage:
    """The page of a repair.

    open            the round
    seen            the event's revision that the page shows
    corrected       (name, points then, points now) of players whose points have changed since the round was paired
    added, removed  codes of the players that the options add and remove
    options         none where the choice was refused
    """

    open: OpenRound
    seen: int
    corrected: list[tuple[str, str, str]]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    options: tuple[RepairOption, ...]

    @property
    def stands_best(self) -> bool:
        """Whether no option would change a table: the round stays, and nothing is better."""
        return bool(self.options) and all(o.possible and not o.table_changes for o in self.options)


def repair_page(
    tournament: Tournament,
    number: int,
    added: Collection[str] | None = None,
    removed: Collection[str] | None = None,
    *,
    seen: int | None = None,
    refused: bool = False,
) -> RepairPage:
    """What changed since the round was published, and the three options.

    `added` and `removed` are the players to add to the round and to remove (None: as the facts suggest). `seen`
    as of `open_round`. Raises WrongState for a round that is not in progress, Refused for players who cannot be
    added or removed; `refused`: such a choice, which is shown as it was made, without options.
    """
    round_ = open_round(tournament, number, seen)
    to_add = tuple(sorted(round_.to_add if added is None else added))
    to_remove = tuple(sorted(round_.dropped if removed is None else removed))
    options: tuple[RepairOption, ...] = ()
    if refused:
        request = round_.request_with((), ())
    else:
        round_.check_choice(to_add, to_remove)
        request = round_.joined_by(to_add).request_with(to_add, to_remove)
        options = options_of(round_, request, to_add, to_remove)
    return RepairPage(
        round_,
        tournament.revision if seen is None else seen,
        _corrected_points(tournament, round_, request),
        to_add,
        to_remove,
        options,
    )


def _corrected_points(
    tournament: Tournament, open_: OpenRound, request: PairingRequest
) -> list[tuple[str, str, str]]:
    """The players in the request whose points differ from those the round was paired from."""
    event, round_ = round_as_paired(tournament, open_.round.number)
    then = request_of(event, round_, [code for code in paired_codes(round_) if code in event.entries]).points
    return [
        (open_.names[code], format_number(then[code]), format_number(points))
        for code, points in request.points.items()
        if code in then and then[code] != points
    ]
