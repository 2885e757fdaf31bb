"""Is the question one? What is handed to the engine, refused in words where it makes no sense."""

from __future__ import annotations

from collections.abc import Iterable, Set
from operator import attrgetter

from pairings.engine.types import Entrant, Policy

KNOWN_CRITERIA = (
    "repeats", "bye", "score_difference", "pair_downs",
    "side_limits", "not_same_side_all_rounds", "labels_apart", "fold", "adjacent", "alternate_sides",
)  # fmt: skip
# Of each fact: the kinds it may be of, and what they are called.
KINDS: dict[str, tuple[set[type], str]] = {
    "points": ({int}, "a whole number of units"),
    "byes": ({int}, "a whole number"),
    "down": ({int}, "a whole number"),
    "up": ({int}, "a whole number"),
    "seed_rank": ({int}, "a whole number"),
    "sides": ({str}, "text"),
    "opponents": ({frozenset, set, list, tuple}, "a set of ids"),
}


def sorted_entrants(entrants: Iterable[Entrant]) -> list[Entrant]:
    """The entrants by id. Raises ValueError for fewer than two, doubled or mixed ids and impossible numbers."""
    listed = list(entrants)
    if not listed:
        raise ValueError("there is nobody to pair")
    if len(listed) == 1:
        raise ValueError(f"{listed[0].id!r} is the only entrant: a round needs two")
    kinds = {type(entrant.id) for entrant in listed}
    if kinds != {int} and kinds != {str}:
        raise ValueError("ids are all int or all str")
    check_kinds(listed)
    seen: set = set()
    for entrant in listed:
        if entrant.id in seen:
            raise ValueError(f"entrant {entrant.id!r} is listed twice")
        seen.add(entrant.id)
        if entrant.points < 0 or entrant.byes < 0 or entrant.down < 0 or entrant.up < 0:
            raise ValueError(f"{entrant.id!r} has negative points, byes, pair-downs or pair-ups")
    return sorted(listed, key=lambda entrant: entrant.id)


def check_kinds(listed: list[Entrant]) -> None:
    """Raises ValueError for the first fact that is of another kind than its field says."""
    for name, (kinds, what) in KINDS.items():
        if not set(map(type, map(attrgetter(name), listed))) <= kinds:
            wrong = next(entrant for entrant in listed if type(getattr(entrant, name)) not in kinds)
            raise ValueError(f"{name} of {wrong.id!r} are not {what}: {getattr(wrong, name)!r}")
    for entrant in listed:
        if entrant.sides.strip("ab-"):
            raise ValueError(f"sides of {entrant.id!r} are written with a, b and -, not {entrant.sides!r}")


def couples(kind: str, pairs: Iterable) -> list[tuple]:
    """The pairs as tuples. Raises ValueError for one that does not have two places."""
    listed = list(pairs)
    for both in listed:
        if not isinstance(both, tuple | list | Set) or len(both) != 2:
            raise ValueError(f"a {kind} pair has two places: {both!r}")
    return [tuple(both) for both in listed]


def check_policy(policy: Policy) -> None:
    """Raises ValueError where the policy holds a word the engine does not know, or no round number."""
    planned = policy.planned_rounds
    for name, number in (("round", policy.round), ("planned_rounds", 1 if planned is None else planned)):
        if type(number) is not int or number < 1:
            raise ValueError(f"policy.{name} is a whole number from 1, not {number!r}")
    for name, known in (
        ("objective", ("balance", "protect_top")),
        ("within", ("random", "fold", "adjacent")),
        ("repeats", ("last_resort", "never")),
        ("bye_rule", ("lowest_group", "lowest_rank")),
    ):
        if getattr(policy, name) not in known:
            raise ValueError(f"policy.{name} {getattr(policy, name)!r} is not one of {', '.join(known)}")
    for criterion in policy.criteria:
        if criterion not in KNOWN_CRITERIA:
            raise ValueError(f"unknown pairing criterion {criterion!r}")
    if len(set(policy.criteria)) < len(policy.criteria):
        raise ValueError("a pairing criterion is listed twice")
