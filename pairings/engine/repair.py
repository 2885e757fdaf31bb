"""A published round after something changed: leave it, change as little as possible, or pair it again.

The change may be a corrected result, a drop restored, a late arrival or a missing player; the entrants are given as
they are now. All three options are costed alike, so that an organizer can compare them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.cost import CostModel, RoundCost
from pairings.engine.pair import solve
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy, Problem, Question
from pairings.engine.verify import verify


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on with a published round.

    name      "leave", "keep" (the best round that keeps most published tables) or "anew"
    pairing   None where it is impossible; of "leave" the `problems` say why
    cost      (criterion, value) in order of importance
    changed   tables of it that were not published so, the bye counted as one
    problems  what `verify` says of the published round, for "leave"
    proven    whether no best round keeps more tables (of "keep" in large fields not always known)
    """

    name: str
    pairing: Pairing | None
    cost: RoundCost = ()
    changed: int = 0
    problems: tuple[Problem, ...] = ()
    proven: bool = True


def repair(
    entrants: Iterable[Entrant],
    published: Sequence[tuple],
    policy: Policy,
    *,
    seed: int,
    first: Sequence[str] = (),
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
) -> tuple[Option, Option, Option]:
    """The three options for the `published` tables ((a, None) is the bye), entrants being as they are now.

    `first` says for each of these tables whether its "a" or "b" moved first; tables that stay keep that. `locked` are
    the tables that must stand, such as those already finished, whoever meets there. Raises as `pair`, except that the
    second and third option have no pairing where no complete round exists.
    """
    question = Question(list(entrants), policy, seed, locked, forbidden, waived=locked)
    model = CostModel(question)
    movers = {
        frozenset(both): both["ab".index(side)] for both, side in zip(published, first, strict=False) if side
    }
    leave = leave_option(question, published, model, movers)
    tables = {frozenset(both) - {None} for both in published}
    try:
        anew = new_option("anew", keep_first_moves(solve(question)[0], movers), model, tables, True)
        if leave.pairing is not None and leave.cost == anew.cost:  # nothing is better, so nothing changes
            return leave, replace(leave, name="keep", problems=()), anew
        nearest, proven = solve(replace(question, published=published))
    except NoPairing:
        return leave, Option("keep", None), Option("anew", None)
    return leave, new_option("keep", keep_first_moves(nearest, movers), model, tables, proven), anew


def keep_first_moves(pairing: Pairing, movers: dict[frozenset, Any]) -> Pairing:
    """The round with the first moves of published tables as they were; `movers` is {table: who moved first}."""
    if not pairing.first:
        return pairing
    sides = [
        "ab"[both.index(movers[frozenset(both)])] if frozenset(both) in movers else side
        for both, side in zip(pairing.pairs, pairing.first, strict=True)
    ]
    return replace(pairing, first=tuple(sides))


def leave_option(
    question: Question, published: Sequence[tuple], model: CostModel, movers: dict[frozenset, Any]
) -> Option:
    """The published round, if everyone still has exactly one place in it."""
    pairs = tuple(tuple(both) for both in published if None not in both)
    byes = [a if b is None else b for a, b in published if a is None or b is None]
    pairing = Pairing(pairs=pairs, bye=byes[0] if byes else None)
    if all(frozenset(both) in movers for both in pairs):
        pairing = keep_first_moves(replace(pairing, first=("a",) * len(pairs)), movers)
    problems = tuple(verify(question.entrants, pairing, question.policy, forbidden=question.prohibited_pairs))
    errors = tuple(problem for problem in problems if problem.severity == "error" and problem.code != "first")
    if len(byes) > 1:
        errors = (*errors, Problem("several byes", tuple(byes), {"count": len(byes)}))
    if errors:
        return Option("leave", None, problems=errors)
    return Option("leave", pairing, model.cost(pairing), problems=problems)


def new_option(name: str, pairing: Pairing, model: CostModel, tables: set, proven: bool) -> Option:
    """A new round, compared with the published `tables`; the bye is a table of one."""
    bye = () if pairing.bye is None else ((pairing.bye,),)
    changed = len(set(map(frozenset, pairing.pairs + bye)) - tables)
    return Option(name, pairing, model.cost(pairing), changed, proven=proven)
