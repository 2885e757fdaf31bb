"""The facts after any action, folded from baseline and log, and the changes between two states."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

from tournament.actionlog import facts
from tournament.actionlog.facts import find_kind
from tournament.actionlog.match_facts import AWAY_RESULTS, Fact
from tournament.models import Baseline, Tournament

State = dict[str, Fact]  # facts by natural key


class Change(TypedDict, total=False):
    """One change of one fact: its changed fields before and after (None: no such fact), or names of personal fields."""

    fact: str
    before: Fact | None
    after: Fact | None
    personal: list[str]


def fold(state: State, changes: Iterable[Change]) -> None:
    """Apply one action's changes to a state, in place; personal changes have no effect."""
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


def taken_back(changes: Sequence[Change]) -> list[Change]:
    others = [change for change in reversed(changes) if "personal" not in change]
    return [{"fact": each["fact"], "before": each["after"], "after": each["before"]} for each in others]


def load_baseline(tournament: Tournament) -> State:
    return Baseline.objects.filter(tournament=tournament).values_list("facts", flat=True).first() or {}


def state_at(tournament: Tournament, number: int | None = None) -> State:
    state = load_baseline(tournament)
    actions = tournament.actions.filter(number__gt=tournament.baseline_number)
    if number is not None:
        actions = actions.filter(number__lte=number)
    for changes in actions.order_by("number").values_list("changes", flat=True):
        fold(state, changes)
    return {key: facts.with_defaults(key, fact) for key, fact in state.items()}


def earlier_state(tournament: Tournament, state: State, number: int) -> State:
    """Return the facts after action `number`, by reversing later actions from the current facts."""
    earlier = {key: dict(fact) for key, fact in state.items()}
    later = tournament.actions.filter(number__gt=number, number__lte=tournament.revision)
    for changes in later.order_by("-number").values_list("changes", flat=True):
        fold(earlier, taken_back(changes))
    return earlier


# Part of a match's seats: where one differs, the match is removed and seated again.
SEATED = ("a", "b", "slot", "waived", "best_of", "draws_allowed")


def changes_between(now: State, then: State) -> Iterator[Change]:
    """Yield the changes from `now` to the later `then`. A match with other players counts as removed and added."""
    for key in [*now, *(key for key in then if key not in now)]:
        before, after = now.get(key), then.get(key)
        if before is None or after is None or is_replaced(key, before, after):
            if before is not None:
                yield {"fact": key, "before": before, "after": None}
            if after is not None:
                yield {"fact": key, "before": None, "after": after}
        elif names := [name for name in after if before.get(name) != after[name]]:
            old, new = ({name: fact.get(name) for name in names} for fact in (before, after))
            yield {"fact": key, "before": old, "after": new}


def steps_between(now: State, then: State) -> list[Change]:
    """Return the changes in an order that the database accepts; rounds with other pairings are recreated."""
    bare = _bare(now, then)
    removed = sorted(changes_between(now, bare), key=_creation_order, reverse=True)
    return removed + sorted(changes_between(bare, then), key=_creation_order)


def is_replaced(key: str, before: Fact, after: Fact) -> bool:
    kind = find_kind(key)
    if kind is not None:
        return kind is facts.STAGE_ENTRY and before != after  # seeds are swapped
    alone = before["b"] is None and before["result"] != after["result"]  # the kind of bye is in the seat
    return alone or any(before[name] != after[name] for name in SEATED)


def _bare(now: State, then: State) -> State:
    """Return the facts of `now` without those removed or recreated, and without references to them."""
    first = _first_round_to_make(now, then)
    bare = {}
    for key, fact in now.items():
        kind, later = find_kind(key), then.get(key)
        if later is None or is_replaced(key, fact, later) or _round_in_fact(key, fact) >= first:
            if kind is not facts.FLAG:
                continue
            fact = {**fact, "round": None}
        elif kind is facts.ENTRY and fact["waits"] != later["waits"]:
            fact = {**fact, "waits": None}  # places on the waitlist are swapped
        bare[key] = fact
    return bare


def _first_round_to_make(now: State, then: State) -> float:
    numbers = [math.inf]
    for key in {**now, **then}:
        kind, both = find_kind(key), [state[key] for state in (now, then) if key in state]
        if kind is not facts.ROUND and kind is not None:
            continue
        away = kind is None and all(fact["result"] in AWAY_RESULTS for fact in both)
        moved = len(both) == 1 or is_replaced(key, *both) or both[0].get("stage") != both[1].get("stage")
        if moved and not away:
            numbers.append(int(key.split("/")[1]))
    return min(numbers)


def _round_in_fact(key: str, fact: Fact) -> int:
    if key.startswith("rounds/"):
        return int(key.split("/")[1])
    return (
        int(fact.get("round") or 0) if find_kind(key) in (facts.PENALTY, facts.DECK_CHECK, facts.FLAG) else 0
    )


def _number_in(key: str) -> int:
    first, number = (*key.split("/"), "")[:2]
    return int(number) if first in ("rounds", "stages") else 0


def _creation_order(change: Change) -> tuple[int, int, bool]:
    """Sort key: each round before its matches, earlier ones first, so that one is closed before the next is added."""
    kind = find_kind(change["fact"])
    return facts.RANK[kind], _number_in(change["fact"]), kind is not facts.ROUND
