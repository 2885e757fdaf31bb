"""The effect of a correction before it is saved: ranks, the cut, the bracket, later rounds, and whom to tell.

The correction is written by its own service and rolled back; its changes, applied to the facts, give the event as
it would be. So what is shown is what will happen, whatever is corrected.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.db import transaction

from pairings.corrections.later_rounds import (
    LaterRound,
    later_rounds_of,
    players_changed_by,
    rounds_changed_by,
)
from standings.bracket.cut_preview import ChangedQualifiers, changed_qualifiers_of
from standings.bracket.podium import place_labels_of
from standings.rulesets.trial.comparison import Comparison, compare_rankings
from tournament.actionlog.change import digest_of
from tournament.actionlog.fold import Change, State, fold
from tournament.actionlog.match_facts import Fact
from tournament.event.from_facts import Person, event_of_state
from tournament.event.read import state_of
from tournament.event.types import Event
from tournament.models import Action, Tournament
from tournament.text.display_names import names_in


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
    event        as it would be
    comparison   of the standings after the complete rounds
    bracket      how the bracket would differ if it were set now; None where it would not differ or is not set
    bracket_set  whether there is a bracket: its seeds stay
    places       the final places that would change in the bracket
    cleared      bracket matches that would no longer be there
    reopened     whether a finished event would have matches to play again
    later        the published Swiss rounds after it of these players' stages: they stay as they were paired
    counts       whether a round that it changes counts in the standings already
    to_tell      {code: table in the round being played, or None} of the players it concerns
    digest       of all that is shown
    """

    action: Action
    event: Event
    names: Mapping[str, str]
    comparison: Comparison
    bracket: ChangedQualifiers | None
    bracket_set: bool
    places: list[PlaceChange]
    cleared: list[ClearedMatch]
    reopened: bool
    later: list[LaterRound]
    counts: bool
    to_tell: dict[str, int | None]
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
    later = later_rounds_of(event, corrected, action.changes)
    bracket = changed_qualifiers_of(corrected, names)
    to_tell = _to_tell(corrected, action.changes, comparison)
    cleared = list(_cleared(action.changes))
    places = list(_changed_places(place_labels_of(event, names), place_labels_of(corrected, names)))
    shown = [
        digest_of(action.changes),
        comparison.moves,
        [(swap.into, swap.out) for swap in comparison.swaps],
        bracket and [bracket.into, bracket.out],
        places,
        [(round_.number, round_.tables) for round_ in later],
    ]
    return CorrectionEffect(
        action=action,
        event=corrected,
        names=names,
        comparison=comparison,
        bracket=bracket,
        bracket_set=any(stage.kind != "swiss" for stage in event.stages),
        places=places,
        cleared=cleared,
        reopened=event.state == "finished" != corrected.state,
        later=later,
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


def _changed_places(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[PlaceChange]:
    for code, place in after.items():
        if before.get(code, place) != place:
            yield PlaceChange(code, before[code], place)


def _cleared(changes: Sequence[Change]) -> Iterator[ClearedMatch]:
    """Matches of a bracket that are removed and do not come back with the same players."""
    seated = {
        (change["fact"], after["a"], after["b"])
        for change in changes
        if (after := _after(change)).get("slot")
    }
    for change in changes:
        before = change.get("before") or {}
        if "personal" in change or change["after"] is not None or not (before.get("slot") and before["b"]):
            continue
        if (change["fact"], before["a"], before["b"]) not in seated:
            played = before["result"] is not None
            yield ClearedMatch(before["slot"], before["a"], before["b"], played)


def _after(change: Change) -> Fact:
    return change.get("after") or {}


def _to_tell(event: Event, changes: Sequence[Change], comparison: Comparison) -> dict[str, int | None]:
    """The players whose matches or entries change and those who enter or leave the cut, with their tables."""
    concerned = players_changed_by(changes, event)
    concerned |= {move.entry for swap in comparison.swaps for move in (swap.into, swap.out) if move}
    tables: dict[str, int | None] = {
        code: match.table
        for round_ in event.rounds
        if round_.status == "published"
        for match in round_.matches
        if match.result is None
        for code in (match.a, match.b)
        if code
    }
    players = (event.entries[code] for code in sorted(concerned))
    return {one.id: tables.get(one.id) for one in players if not one.house and one.status != "merged"}
