"""Input checks. A ValueError says which value is wrong."""

from collections.abc import Iterable, Set
from itertools import pairwise
from operator import attrgetter
from typing import Any

from pairings.engine.types import Entrant, Policy

KNOWN_CRITERIA = (
    "repeats", "bye", "score_difference", "pair_downs",
    "side_limits", "not_same_side_all_rounds", "labels_apart", "fold", "adjacent", "alternate_sides",
)  # fmt: skip
COLLECTIONS: set[type] = {frozenset, set, list, tuple}
# Per fact beside the id: the types it may have, and how an error names them.
FACT_TYPES: dict[str, tuple[set[type], str]] = {
    "points": ({int}, "a whole number of units"),
    "opponents": (COLLECTIONS, "a set of ids"),
    "byes": ({int}, "a whole number"),
    "down": ({int}, "a whole number"),
    "up": ({int}, "a whole number"),
    "sides": ({str}, "text"),
    "seed_rank": ({int}, "a whole number"),
    "labels": (COLLECTIONS, "a set of labels"),
    "house": ({bool}, "yes or no"),
}
COUNTS = {"points": "points", "byes": "byes", "down": "pair-downs", "up": "pair-ups"}
CHOICES = {
    "objective": ("balance", "protect_top"),
    "within": ("random", "fold", "adjacent"),
    "repeats": ("last_resort", "never"),
    "bye_rule": ("lowest_group", "random", "lowest_rank"),
}


def columns_of(entrants: Iterable[Entrant]) -> dict[str, list]:
    """Return {field: one value per entrant}, in the order of the ids.

    Raises ValueError for fewer than two entrants, values that are not entrants, duplicate or mixed ids, and
    impossible values.
    """
    listed = entrant_list(entrants)
    if not listed:
        raise ValueError("there is no one to pair")
    if len(listed) == 1:
        raise ValueError(f"{listed[0].id!r} is the only entrant: a round needs two")
    id_of = attrgetter("id")
    if set(map(type, map(id_of, listed))) not in ({int}, {str}):
        raise ValueError("ids must be all int or all str")
    listed.sort(key=id_of)
    ids = list(map(id_of, listed))
    if len(set(ids)) < len(ids):
        doubled = next(one for one, other in pairwise(ids) if one == other)
        raise ValueError(f"entrant {doubled!r} is listed twice")
    columns = {name: list(map(attrgetter(name), listed)) for name in FACT_TYPES}
    check_columns(ids, columns)
    for name in ("opponents", "labels"):
        if not set(map(type, columns[name])) <= {frozenset, set}:
            columns[name] = [as_set(name, *fact) for fact in zip(ids, columns[name], strict=True)]
    return {"id": ids, **columns}


def entrant_list(entrants: Any) -> list[Entrant]:
    listed = as_list("the entrants", entrants)
    for other in listed:
        if not isinstance(other, Entrant):
            raise ValueError(f"expected an Entrant, not {other!r}")
    return listed


def check_columns(ids: list, columns: dict[str, list]) -> None:
    for name, (types, expected) in FACT_TYPES.items():
        if not set(map(type, columns[name])) <= types:
            whose, wrong = next(
                both for both in zip(ids, columns[name], strict=True) if type(both[1]) not in types
            )
            raise ValueError(f"{name} of {whose!r} must be {expected}, not {wrong!r}")
    for name, plural in COUNTS.items():
        if (least := min(columns[name])) < 0:
            raise ValueError(f"{ids[columns[name].index(least)]!r} has negative {plural}: {least}")
    if not set().union(*set(columns["sides"])) <= set("ab-"):
        whose, wrong = next(both for both in zip(ids, columns["sides"], strict=True) if both[1].strip("ab-"))
        raise ValueError(f"sides of {whose!r} may only contain a, b and -, not {wrong!r}")


def as_set(name: str, whose: Any, values: Iterable) -> frozenset:
    try:
        return frozenset(values)
    except TypeError:
        raise ValueError(f"{name} of {whose!r} must be a set, not {values!r}") from None


def as_list(what: str, values: Any) -> list:
    if isinstance(values, str | bytes | Entrant) or not isinstance(values, Iterable):
        raise ValueError(f"{what} must be a list, not {values!r}")
    return list(values)


def as_pairs(kind: str, pairs: Iterable) -> list[tuple]:
    """Return the pairs as tuples. Raises ValueError unless each has two places."""
    listed = as_list(f"the {kind} pairs", pairs)
    for both in listed:
        if not isinstance(both, tuple | list | Set) or len(both) != 2:
            raise ValueError(f"a {kind} pair must have 2 places: {both!r}")
        for name in both:
            if not isinstance(name, int | str | None):
                raise ValueError(f"a {kind} pair must hold ids, not {name!r}")
    return [tuple(both) for both in listed]


def check_policy(policy: Policy) -> None:
    if not isinstance(policy, Policy):
        raise ValueError(f"expected a Policy, not {policy!r}")
    planned = policy.planned_rounds
    expected = [
        ("round", is_count(policy.round), "a whole number of at least 1"),
        ("planned_rounds", planned is None or is_count(planned), "a whole number of at least 1"),
        ("sides", isinstance(policy.sides, bool), "True or False"),
        *(
            (name, limit is None or is_count(limit), "a whole number of at least 1, or None")
            for name in ("max_same_side", "max_side_difference")
            for limit in (getattr(policy, name),)
        ),
        ("labels_apart_until_round", type(policy.labels_apart_until_round) is int, "a whole number"),
        *(
            (name, getattr(policy, name) in known, f"one of {', '.join(known)}")
            for name, known in CHOICES.items()
        ),
        ("criteria", isinstance(policy.criteria, tuple | list), "a tuple of names"),
    ]
    for name, is_right, words in expected:
        if not is_right:
            raise ValueError(f"policy.{name} must be {words}, not {getattr(policy, name)!r}")
    for criterion in policy.criteria:
        if criterion not in KNOWN_CRITERIA:
            raise ValueError(f"unknown pairing criterion {criterion!r}")
    if len(set(policy.criteria)) < len(policy.criteria):
        raise ValueError("a pairing criterion is listed twice")


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
