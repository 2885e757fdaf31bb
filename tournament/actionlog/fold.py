"""The facts as they stood after any action: folded from the baseline and the log alone."""

from collections.abc import Iterable
from typing import TypedDict

from tournament.actionlog.facts import with_defaults
from tournament.actionlog.match_facts import Fact
from tournament.models import Baseline, Tournament

State = dict[str, Fact]  # facts by natural key


class Change(TypedDict, total=False):
    """One change of one fact, as an action stores it: the changed fields before and after (None: no such fact),
    or only the names of personal fields, whose values stay out of the log."""

    fact: str
    before: Fact | None
    after: Fact | None
    personal: list[str]


def fold(state: State, changes: Iterable[Change]) -> None:
    """Apply one action's changes to a state, in place. A personal change leaves the facts alone."""
    for change in changes:
        if "personal" in change:
            continue
        key, after = change["fact"], change["after"]
        if after is None:
            del state[key]
        elif change["before"] is None:
            state[key] = dict(after)
        else:
            state[key].update(after)


def baseline_of(tournament: Tournament) -> State:
    """The facts the event was loaded with; none where it began here."""
    rows = Baseline.objects.filter(tournament=tournament)
    return rows.values_list("facts", flat=True).first() or {}


def state_at(tournament: Tournament, number: int | None = None) -> State:
    """The facts after action `number` (None: now)."""
    state = baseline_of(tournament)
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    if number is not None:
        actions = actions.filter(number__lte=number)
    for changes in actions.order_by("number").values_list("changes", flat=True):
        fold(state, changes)
    return {key: with_defaults(key, fact) for key, fact in state.items()}
