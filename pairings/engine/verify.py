"""An independent check of a round. Shares no code with the search. O(players)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pairings.engine.types import Entrant, Policy, Problem, as_list, as_pairs, check_policy, entrant_list


def verify(
    entrants: Iterable[Entrant], pairing: Any, policy: Policy, *, forbidden: Sequence[tuple] = ()
) -> list[Problem]:
    """List a round's problems; empty if there are none. Raises ValueError for an invalid field, round or policy.

    Errors:   listed twice, missing, doubled, unknown, table (not two players), self, bye (in an even field), no bye,
              house bye, house pair, forbidden, repeat (under `repeats="never"`), first (missing, or `untracked`)
    Notices:  repeat, second bye, bye group (above the lowest), side limits (`running` times in a row, or `more` times
              more than the other side); these can be unavoidable, which the certificate says
    """
    listed = entrant_list(entrants)
    check_policy(policy)
    check_round(pairing)
    by_id = {entrant.id: entrant for entrant in listed}
    times = Counter(entrant.id for entrant in listed).items()
    problems = [Problem("listed twice", (name,), {"count": count}) for name, count in times if count > 1]
    problems += seat_problems(by_id, pairing)
    problems += bye_problems(by_id, pairing.bye)
    never = set(map(frozenset, as_pairs("prohibited", forbidden)))
    for both in pairing.pairs:
        if len(both) != 2:
            problems.append(Problem("table", tuple(both), {"count": len(both)}))
        elif both[0] in by_id and both[1] in by_id:
            problems += pair_problems(by_id[both[0]], by_id[both[1]], policy, never)
    problems += first_problems(pairing, policy)
    problems += side_problems(by_id, pairing, policy)
    return problems


def check_round(pairing: Any) -> None:
    for name in ("pairs", "bye", "first"):
        if not hasattr(pairing, name):
            raise ValueError(f"expected a round with pairs, bye and first, not {pairing!r}")
    for table in as_list("the pairs of the round", pairing.pairs):
        for name in as_list("the two at a table", table):
            if not isinstance(name, int | str):
                raise ValueError(f"a table must hold ids, not {name!r}")
    if not isinstance(pairing.bye, int | str | None):
        raise ValueError(f"the bye must be an id or None, not {pairing.bye!r}")


def seat_problems(by_id: dict, pairing: Any) -> list[Problem]:
    seated = Counter(name for pair in pairing.pairs for name in pair)
    if pairing.bye is not None:
        seated[pairing.bye] += 1
    problems = [Problem("unknown", (name,)) for name in seated if name not in by_id]
    problems += [Problem("doubled", (name,), {"count": times}) for name, times in seated.items() if times > 1]
    problems += [Problem("missing", (name,)) for name in by_id if name not in seated]
    return problems


def bye_problems(by_id: dict, bye: Any) -> list[Problem]:
    odd = len(by_id) % 2 == 1
    if bye is None:
        return [Problem("no bye")] if odd else []
    if bye not in by_id:
        return []  # named as unknown
    recipient = by_id[bye]
    lowest = min((e.points for e in by_id.values() if not e.house), default=recipient.points)
    problems = []
    if not odd:
        problems.append(Problem("bye", (bye,)))
    if recipient.house:
        problems.append(Problem("house bye", (bye,)))
    if recipient.byes:
        problems.append(Problem("second bye", (bye,), severity="notice"))
    if recipient.points > lowest and not recipient.house:
        problems.append(Problem("bye group", (bye,), severity="notice"))
    return problems


def pair_problems(a: Entrant, b: Entrant, policy: Policy, never: set) -> list[Problem]:
    both = (a.id, b.id)
    if a.id == b.id:
        return [Problem("self", (a.id,))]
    problems = []
    if frozenset(both) in never:
        problems.append(Problem("forbidden", both))
    if a.house and b.house:
        problems.append(Problem("house pair", both))
    if b.id in a.opponents or a.id in b.opponents:
        problems.append(Problem("repeat", both, severity="error" if policy.repeats == "never" else "notice"))
    return problems


def first_problems(pairing: Any, policy: Policy) -> list[Problem]:
    if not policy.sides or not pairing.pairs:
        return [Problem("first", params={"untracked": 1})] if pairing.first else []
    if len(pairing.first) != len(pairing.pairs) or set(pairing.first) - {"a", "b"}:
        return [Problem("first")]
    return []


def has_side_limits(pairing: Any, policy: Policy) -> bool:
    """Whether the policy limits sides and every pair has a first move."""
    return policy.sides and "side_limits" in policy.criteria and len(pairing.first) == len(pairing.pairs)


def side_problems(by_id: dict, pairing: Any, policy: Policy) -> list[Problem]:
    if not has_side_limits(pairing, policy):
        return []
    most_running, most_more = policy.side_limits
    problems = []
    for player, now in players_with_sides(by_id, pairing):
        running, more = side_counts(player.sides, now)
        if (most_running or running) < running or (most_more or more) < more:
            counts = {"running": running, "more": more}
            problems.append(Problem("side limits", (player.id,), counts, "notice"))
    return problems


def players_with_sides(by_id: dict, pairing: Any) -> Iterator[tuple[Entrant, str]]:
    """Yield everyone but house entrants with the side, a or b, in a round where every pair has a first move."""
    for both, first in zip(pairing.pairs, pairing.first, strict=True):
        for name, side in zip(both, (first, "b" if first == "a" else "a"), strict=False):
            if (player := by_id.get(name)) and not player.house:
                yield player, side


def side_counts(sides: str, now: str) -> tuple[int, int]:
    """Return how many times in a row the player now has this side, and how many more times than the other."""
    running, balance = 1, 1
    unbroken = True
    for side in reversed(sides):
        if side != "-":
            unbroken = unbroken and side == now
            running += unbroken
            balance += 1 if side == now else -1
    return running, abs(balance)


def round_cost(entrants: Iterable[Entrant], pairing: Any, policy: Policy) -> dict[str, Any]:
    """Return a round's cost, counted like the certificate. Raises KeyError for an unknown entrant, ValueError."""
    by_id = {entrant.id: entrant for entrant in entrant_list(entrants)}
    alone = [] if pairing.bye is None else [by_id[pairing.bye]]
    repeats, differences = 0, []
    for one, other in pairing.pairs:
        a, b = by_id[one], by_id[other]
        repeats += b.id in a.opponents or a.id in b.opponents
        if a.house or b.house:
            alone.append(b if a.house else a)
        else:
            differences.append((max(a.points, b.points), (a.points - b.points) ** 2))
    levels = sorted({entrant.points for entrant in by_id.values() if not entrant.house}, reverse=True)
    difference: Any = sum(square for _, square in differences)
    if policy.objective == "protect_top":
        sums = dict.fromkeys(levels, 0)
        for higher, square in differences:
            sums[higher] += square
        difference = tuple(sums.values())
    cost: dict[str, Any] = {
        "repeats": repeats,
        "second_bye": sum(entrant.byes for entrant in alone),
        "bye_group": sum(entrant.points - levels[-1] for entrant in alone),
        "score_difference": difference,
    }
    if has_side_limits(pairing, policy):
        cost["side_limits"] = len(side_problems(by_id, pairing, policy))
    if policy.sides and len(pairing.first) == len(pairing.pairs):
        is_last = policy.round >= (policy.planned_rounds or 3)
        alike = (set(player.sides) == {side} for player, side in players_with_sides(by_id, pairing))
        cost["not_same_side_all_rounds"] = sum(alike) if is_last else 0
    return cost
