"""The effect of a correction before it is saved: ranks, the cut, the bracket, later rounds, and whom to tell.

The correction is written by its own service and rolled back; its changes, applied to the facts, give the event as
it would be. So what is shown is what will happen, whatever is corrected."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from django.db import transaction

from pairings.engine import NoPairing
from pairings.request.pairing_request import RoundRequest, request_of
from pairings.request.tables import is_paired
from standings.bracket.cut import ChangedQualifiers, changed_qualifiers_of
from standings.bracket.tree import place_labels_of
from standings.rulesets.comparison import Comparison, compare_rankings
from tournament.actionlog.change import digest_of
from tournament.actionlog.fold import Change, State, fold
from tournament.actionlog.match_facts import MatchFact
from tournament.event.from_facts import Person, event_of_state
from tournament.event.pairing_record import Lock
from tournament.event.read import state_of
from tournament.event.table_plan import plan_of
from tournament.event.types import Event, Round
from tournament.models import Action, Tournament
from tournament.text.display_names import names_in


class OtherTables(NamedTuple):
    """The tables of a round that a correction would have had paired differently, as few as possible."""

    number: int
    tables: list[int]


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
    return round_.status == "published" and any(match.result is None for match in round_.matches)


def paired_again(later: Sequence[Round]) -> list[Round]:
    """The `later` rounds to compare table by table: the first and the one in progress, if paired here."""
    return [
        round_
        for place, round_ in enumerate(later)
        if (place == 0 or round_.status == "published") and round_.pairing.digest
    ]


def other_tables_of(event: Event, corrected: Event, rounds: Iterable[Round]) -> list[OtherTables]:
    """The tables of these rounds that a pairing by the corrected facts would not seat: it pairs each round again.

    Tables that would be paired differently by the uncorrected facts too, such as those swapped by hand, do not count.
    """
    others = []
    for round_ in rounds:
        if tables := _unlike_best(corrected, round_):
            others.append(OtherTables(round_.number, sorted(tables - _unlike_best(event, round_))))
    return [each for each in others if each.tables]


def _unlike_best(event: Event, round_: Round) -> set[int]:
    request = request_of(event, round_)
    published = tuple((m.a, m.b) for m in round_.matches if is_paired(m))
    pairs = _nearest_pairs(replace(request, entrants=tuple(request.entrants)), published)
    tables = {m.table for m in round_.matches if m.b and m.table and frozenset((m.a, m.b)) not in pairs}
    return tables if pairs else set()


# Kept: what is worked out for one correction is what the next one is compared with.
@lru_cache(maxsize=8)
def _nearest_pairs(request: RoundRequest, published: tuple[Lock, ...]) -> frozenset[frozenset[str]]:
    """The pairs of the best round that keeps most of the `published` ones; none where there is no round."""
    try:
        keep = request.repair_options(published)[1]
    except NoPairing:
        return frozenset()
    return frozenset(map(frozenset, keep.pairing.pairs)) if keep.pairing else frozenset()


class ClearedMatch(NamedTuple):
    """A bracket match that would go: its place in the tree, the players' codes, whether it has a result."""

    slot: str
    a: str
    b: str
    played: bool


class PlaceChange(NamedTuple):
    """The final place of a player of the bracket, before and after, as it is read: 1st, 3rd–4th, still in."""

    entry: str
    before: str
    after: str


class CorrectionEffect(NamedTuple):
    """What a correction would do.

    action       as it would be written
    before       the event as it is
    event        as it would be
    comparison   of the standings after the complete rounds
    bracket      how the bracket would differ if it were set now; None where it would not differ or is not set
    bracket_set  whether there is a bracket: its seeds stay
    places       the final places that would change in the bracket
    cleared      bracket matches that would no longer be there
    reopened     whether a finished event would have matches to play again
    later        the published Swiss rounds after it of these players' stages: they stay as they were paired
    counts       whether a round that it changes counts in the standings already
    to_tell      {code: table in the round being played, or ""} of the players it concerns
    digest       of all that is shown
    """

    action: Action
    before: Event
    event: Event
    names: Mapping[str, str]
    comparison: Comparison
    bracket: ChangedQualifiers | None
    bracket_set: bool
    places: list[PlaceChange]
    cleared: list[ClearedMatch]
    reopened: bool
    later: list[Round]
    counts: bool
    to_tell: dict[str, str]
    digest: str


def effect_of_correction(
    tournament: Tournament, preview: Callable[[], Action | None], *, newcomer: str = ""
) -> CorrectionEffect | None:
    """What the action would change that `preview` writes and rolls back; None where it would change nothing.

    `newcomer` is the name of the player it would add. Raises what `preview` raises.
    """
    state, people, action = _read_and_preview(tournament, preview)
    if action is None:
        return None
    event = event_of_state(tournament, state, people)
    fold(state, action.changes)
    added = {key.split("/")[1] for key in state if key.startswith("entries/")} - set(people)
    corrected = event_of_state(tournament, state, people | {code: {"name": newcomer} for code in added})
    names = names_in(corrected) | names_in(event)  # two entries that become one are told apart as before
    comparison = compare_rankings(event, corrected)
    numbers = rounds_changed_by(action.changes)
    bracket = changed_qualifiers_of(corrected, names)
    to_tell = _to_tell(corrected, action.changes, comparison)
    cleared = list(_cleared(action.changes))
    was, now = place_labels_of(event, names), place_labels_of(corrected, names)
    places = [
        PlaceChange(code, was[code], place) for code, place in now.items() if was.get(code, place) != place
    ]
    shown = [
        digest_of(action.changes),
        comparison.moves,
        [(swap.into, swap.out) for swap in comparison.swaps],
        bracket and [bracket.into, bracket.out],
        places,
    ]
    return CorrectionEffect(
        action=action,
        before=event,
        event=corrected,
        names=names,
        comparison=comparison,
        bracket=bracket,
        bracket_set=any(stage.kind != "swiss" for stage in event.stages),
        places=places,
        cleared=cleared,
        reopened=event.state == "finished" != corrected.state,
        later=rounds_after(corrected, action.changes),
        counts=any(round_.status == "complete" for round_ in event.rounds if round_.number in numbers),
        to_tell=to_tell,
        digest=digest_of(shown),
    )


def _read_and_preview(
    tournament: Tournament, preview: Callable[[], Action | None]
) -> tuple[State, dict[str, Person], Action | None]:
    """The facts, what is personal, and the action that `preview` writes on them.

    Where someone else writes between the two, once more under the row lock: a busy desk waits, and no one is refused.
    """
    state, people = state_of(tournament)
    revision = tournament.revision
    action = preview()
    if action is None or action.number == revision + 1:
        return state, people, action
    with transaction.atomic():
        Tournament.objects.select_for_update().only("pk").get(pk=tournament.pk)
        tournament.refresh_from_db()
        return *state_of(tournament), preview()


def _cleared(changes: Sequence[Change]) -> Iterator[ClearedMatch]:
    """Matches of a bracket that are removed and do not come back with the same players."""
    seated = {
        (after["slot"], after["a"], after["b"])
        for change in changes
        if (after := change.get("after") or {}).get("slot")
    }
    for change in changes:
        before = change.get("before") or {}
        if "personal" in change or change["after"] is not None or not (before.get("slot") and before["b"]):
            continue
        if (before["slot"], before["a"], before["b"]) not in seated:
            played = before["result"] is not None
            yield ClearedMatch(before["slot"], before["a"], before["b"], played)


def _to_tell(event: Event, changes: Sequence[Change], comparison: Comparison) -> dict[str, str]:
    """The players whose matches or entries change and those who enter or leave the cut, with their tables."""
    concerned = players_changed_by(changes, event)
    concerned |= {move.entry for swap in comparison.swaps for move in (swap.into, swap.out) if move}
    tables = {
        code: plan_of(event, round_).name(match.table)
        for round_ in event.rounds
        if round_.status == "published"
        for match in round_.matches
        if match.result is None
        for code in (match.a, match.b)
        if code
    }
    players = (event.entries[code] for code in sorted(concerned))
    return {one.id: tables.get(one.id, "") for one in players if not one.house and one.status != "merged"}
