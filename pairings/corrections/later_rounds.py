"""The rounds that were paired before a correction: at which tables others would have met."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from pairings.engine import NoPairing
from pairings.question.request import PairingRequest, request_of
from pairings.question.seats import is_paired
from tournament.actionlog.fold import Change
from tournament.actionlog.match_facts import MatchFact
from tournament.event.pairing_record import Lock
from tournament.event.types import Event, Round


class LaterRound(NamedTuple):
    """A published Swiss round that was paired from points a correction changes.

    open    whether tables are outstanding
    tables  those that would have been paired otherwise, as few as possible: of the first round that was paired from
            the correction's points and of one that is being played; None for others, and where it is not known
    """

    number: int
    open: bool
    tables: list[int] | None


def rounds_changed_by(changes: Iterable[Change]) -> set[int]:
    """The numbers of the rounds with a match that these changes write."""
    keys = (change["fact"].split("/") for change in changes)
    return {int(parts[1]) for parts in keys if parts[0] == "rounds" and len(parts) == 4}


def players_changed_by(changes: Sequence[Change], event: Event) -> set[str]:
    """Codes of the players whose matches or entries these changes write, in the event as it is afterwards."""
    changed = {change["fact"] for change in changes}
    players = {key.split("/")[1] for key in changed if key.startswith("entries/")}
    for round_ in event.rounds:
        for match in round_.matches:
            if MatchFact(match.a, match.b, match.table).key_in(round_.number) in changed:
                players |= {code for code in (match.a, match.b) if code}
    for change in changes:
        before = change.get("before") or {}
        players |= {before[side] for side in "ab" if before.get(side) in event.entries}
    return players


def rounds_after(event: Event, changes: Sequence[Change], *, own: bool = False) -> list[Round]:
    """The published Swiss rounds after the first that these changes write, of stages that a changed player is in.

    `own`: that first one, too. None where no round is changed: no other was paired from what these changes write.
    """
    first = min(rounds_changed_by(changes), default=None)
    if first is None:
        return []
    players = players_changed_by(changes, event)
    stages = {
        stage.number
        for stage in event.stages
        if stage.kind == "swiss" and not players.isdisjoint(event.entries_of(stage))
    }
    return [
        round_
        for round_ in event.rounds
        if round_.number >= first + (not own)
        and round_.stage in stages
        and round_.status in ("published", "complete")
    ]


def is_open(round_: Round) -> bool:
    """Whether a published round has tables without a result."""
    return round_.status == "published" and any(match.result is None for match in round_.matches)


def later_rounds_of(event: Event, corrected: Event, changes: Sequence[Change]) -> list[LaterRound]:
    """The rounds after those that the changes write, each with the tables that would have been paired otherwise."""
    later = rounds_after(corrected, changes)
    return [
        LaterRound(
            round_.number,
            is_open(round_),
            _other_tables(event, corrected, round_)
            if round_ is later[0] or round_.status == "published"
            else None,
        )
        for round_ in later
    ]


def _other_tables(event: Event, corrected: Event, round_: Round) -> list[int] | None:
    """The tables of a round that a pairing by the corrected facts would not seat, as few as possible.

    Tables that would be paired otherwise by the uncorrected facts too, such as those swapped by hand, are none.
    """
    if not round_.pairing.digest:
        return None  # paired elsewhere
    tables = _unlike_best(corrected, round_)
    return sorted(tables - (_unlike_best(event, round_) if tables else set()))


def _unlike_best(event: Event, round_: Round) -> set[int]:
    request = request_of(event, round_)
    published = tuple((m.a, m.b) for m in round_.matches if is_paired(m))
    pairs = _nearest_pairs(replace(request, entrants=tuple(request.entrants)), published)
    tables = {m.table for m in round_.matches if m.b and m.table and frozenset((m.a, m.b)) not in pairs}
    return tables if pairs else set()


# Kept: what is worked out for one correction is what the next one is compared with.
@lru_cache(maxsize=8)
def _nearest_pairs(request: PairingRequest, published: tuple[Lock, ...]) -> frozenset[frozenset[str]]:
    """The pairs of the best round that keeps most of the `published` ones; none where there is no round."""
    try:
        keep = request.repair_options(published)[1]
    except NoPairing:
        return frozenset()
    return frozenset(map(frozenset, keep.pairing.pairs)) if keep.pairing else frozenset()
