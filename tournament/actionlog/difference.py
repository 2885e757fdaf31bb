"""What turns the facts of an event into those of another moment, also as steps that the database accepts."""

import math
from collections.abc import Iterator

from tournament.actionlog.change import AWAY_RESULTS
from tournament.actionlog.facts import (
    DECK_CHECK,
    DECKLIST,
    ENTRY,
    EXTENSION,
    FLAG,
    PENALTY,
    REPORT,
    ROUND,
    STAGE,
    STAGE_ENTRY,
    TOURNAMENT,
    Kind,
    kind_of,
)
from tournament.actionlog.fold import Change, State
from tournament.actionlog.match_facts import Fact

# Part of a match's seats: where one differs, the match is removed and seated again.
SEATED = ("a", "b", "slot", "waived", "best_of", "draws_allowed")
# What goes first, and what comes first.
GOING: dict[Kind | None, int] = {
    FLAG: 0, ENTRY: 0, EXTENSION: 1, REPORT: 1, PENALTY: 1, DECK_CHECK: 1, DECKLIST: 1,
    None: 2, ROUND: 2, STAGE_ENTRY: 3, STAGE: 4,
}  # fmt: skip
COMING: dict[Kind | None, int] = {
    TOURNAMENT: 0, STAGE: 1, ENTRY: 2, STAGE_ENTRY: 3, ROUND: 4, None: 4,
    EXTENSION: 5, REPORT: 5, PENALTY: 5, DECK_CHECK: 5, DECKLIST: 5, FLAG: 6,
}  # fmt: skip


def changes_between(now: State, then: State) -> Iterator[Change]:
    """What differs, by fact, with `then` after. A match of other players goes, and another comes."""
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
    """The same as steps, each of which the database accepts.

    From the first round on in which others meet, rounds go and come again: an earlier round is closed for good.
    """
    bare = _bare(now, then)
    return [
        *sorted(changes_between(now, bare), key=_going),
        *sorted(changes_between(bare, then), key=_coming),
    ]


def is_replaced(key: str, before: Fact, after: Fact) -> bool:
    """Whether a row cannot become the other, but goes, and the other comes."""
    kind = kind_of(key)
    if kind is not None:
        return kind is STAGE_ENTRY and before != after  # seeds change hands
    alone = before["b"] is None and before["result"] != after["result"]  # the kind of bye is in the seat
    return alone or any(before[name] != after[name] for name in SEATED)


def _bare(now: State, then: State) -> State:
    """The facts of now without those that go or come again, and with nothing that points to them."""
    first = _first_round_to_make(now, then)
    bare = {}
    for key, fact in now.items():
        kind, later = kind_of(key), then.get(key)
        if later is None or is_replaced(key, fact, later) or _round_of(key, fact) >= first:
            if kind is not FLAG:
                continue
            fact = {**fact, "round": None}
        elif kind is ENTRY and fact["waits"] != later["waits"]:
            fact = {**fact, "waits": None}  # places on the waitlist change hands
        bare[key] = fact
    return bare


def _first_round_to_make(now: State, then: State) -> float:
    """The number of the first round that goes or comes, or in which others meet."""
    numbers = [math.inf]
    for key in {**now, **then}:
        kind, facts = kind_of(key), [state[key] for state in (now, then) if key in state]
        if kind is not ROUND and kind is not None:
            continue
        away = kind is None and all(fact["result"] in AWAY_RESULTS for fact in facts)
        if not away and (len(facts) == 1 or is_replaced(key, *facts) or _stage_differs(*facts)):
            numbers.append(int(key.split("/")[1]))
    return min(numbers)


def _stage_differs(before: Fact, after: Fact) -> bool:
    return bool(before.get("stage") != after.get("stage"))


def _round_of(key: str, fact: Fact) -> int:
    """The number of the round a fact belongs or points to; 0 for none."""
    if key.startswith("rounds/"):
        return int(key.split("/")[1])
    return int(fact.get("round") or 0) if kind_of(key) in (PENALTY, DECK_CHECK, FLAG) else 0


def _number_in(key: str) -> int:
    first, number = (*key.split("/"), "")[:2]
    return int(number) if first in ("rounds", "stages") else 0


def _going(change: Change) -> tuple[int, int, bool]:
    """Later rounds first, and in each the matches before the round."""
    kind = kind_of(change["fact"])
    return GOING[kind], -_number_in(change["fact"]), kind is ROUND


def _coming(change: Change) -> tuple[int, int, bool]:
    """Earlier rounds first, so that one is closed before the next comes; each before its matches."""
    kind = kind_of(change["fact"])
    return COMING[kind], _number_in(change["fact"]), kind is not ROUND
