"""The repair page: re-pair a published round after a correction, a reinstatement, or a late or missing player."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pairings.engine.types import PairingRequest
from pairings.repair.options import OpenRound, RepairOption, list_repair_options, open_round
from pairings.request.pairing_request import (
    paired_codes,
    rebuild_request,
    revision_as_paired,
    round_as_paired,
)
from tournament.actionlog.fold import Change
from tournament.event.formats import format_number
from tournament.history.describe import DescribedAction, describe_actions
from tournament.models import Tournament
from tournament.services.undo import undone_numbers

RESULT_FIELDS = {"a", "b", "result", "games", "winner", "score"}


class RepairPage(NamedTuple):
    open: OpenRound  # the round
    seen: int  # the event's revision shown
    corrections: list[DescribedAction]  # actions since pairing that changed results of earlier rounds
    # (name, points when paired, points now) of players whose points have changed.
    corrected: list[tuple[str, str, str]]
    added: tuple[str, ...]  # codes of players the options add and remove
    removed: tuple[str, ...]
    options: tuple[RepairOption, ...]  # empty if the choice was refused

    @property
    def stands_best(self) -> bool:
        return bool(self.options) and self.options[0].is_best and not (self.added or self.removed)

    @property
    def stands_alone(self) -> bool:
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
    """Return what changed since the round was published, and the three options.

    `added`, `removed`: players (None: the suggested ones). `refused`: show the choice of players without options.
    Raises WrongState for a round not in progress, Refused for players who cannot be added or removed.
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
        options = list_repair_options(round_, request, to_add, to_remove)
    return RepairPage(
        round_,
        tournament.revision if seen is None else seen,
        _corrections_since(tournament, round_),
        _corrected_points(tournament, round_, request),
        to_add,
        to_remove,
        options,
    )


def _corrections_since(tournament: Tournament, open_: OpenRound) -> list[DescribedAction]:
    """List actions since pairing that changed a result of an earlier, complete round and were not undone."""
    paired = revision_as_paired(tournament, open_.round)
    if paired is None:
        return []
    rounds = open_.event.rounds
    earlier = {r.number for r in rounds if r.number < open_.round.number and r.status == "complete"}
    undone = undone_numbers(tournament, paired)
    actions = [
        action
        for action in tournament.actions.filter(number__gt=paired).order_by("number")
        if action.number not in undone
        and (action.undoes or 0) <= paired
        and any(_changes_result(change, earlier) for change in action.changes)
    ]
    return describe_actions(tournament, actions)


def _changes_result(change: Change, rounds: Collection[int]) -> bool:
    kind, *place = change["fact"].split("/")
    if kind != "rounds" or len(place) != 3 or int(place[0]) not in rounds:
        return False
    before, after = change["before"], change["after"]
    if before is None or before.get("result", "") is None:
        return False  # the first result of a table, or the missed round of a late player
    return after is None or not RESULT_FIELDS.isdisjoint(after)


def _corrected_points(
    tournament: Tournament, open_: OpenRound, request: PairingRequest
) -> list[tuple[str, str, str]]:
    event, round_ = round_as_paired(tournament, open_.round.number)
    known = [code for code in paired_codes(round_) if code in event.entries]
    then = rebuild_request(event, round_, known).points
    return [
        (open_.names[code], format_number(then[code]), format_number(points))
        for code, points in request.points.items()
        if code in then and then[code] != points
    ]
