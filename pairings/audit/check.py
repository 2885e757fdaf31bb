"""Every Swiss round of an event against the rules, and against the best round for the same field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from pairings.engine import Entrant, NoPairing, Pairing, Policy, Problem, Proof, cost_of, pair, verify
from pairings.question.field import field_of
from pairings.question.policy import policy_of
from tournament.event.types import BYES, Entry, Event, Match, Round

HAVE_PLAYED = ("playing", "dropped", "disqualified")
Severity = Literal["error", "notice"]
LEVELS = ("repeats", "second_bye", "bye_group", "score_difference")


@dataclass(frozen=True, slots=True)
class Finding:
    """One round: what it cost, what the best round for the same field costs, and what is wrong with it.

    proof  how the optimum is known; None where the field has no complete round
    """

    round: int
    stage: int
    players: int
    cost: dict[str, Any]
    optimum: dict[str, Any]
    proof: Proof | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]


@dataclass(frozen=True, slots=True)
class Seating:
    """A recorded round in the shape `verify` and `cost_of` read."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    first: tuple[str, ...]


def verify_event(event: Event) -> list[Finding]:
    """A finding for each Swiss round that is no draft, in order."""
    return list(findings(event))


def findings(event: Event) -> Iterator[Finding]:
    """As `verify_event`, one by one."""
    for round_ in event.rounds:
        if round_.status == "draft" or event.stage(round_.stage).kind != "swiss":
            continue
        if round_.matches or paired_here(round_):
            yield check_round(event, round_)


def check_round(event: Event, round_: Round) -> Finding:
    """One round, with the optimum found by pairing its field again, around the tables that it was made around."""
    stage = event.stage(round_.stage)
    policy = policy_of(event, stage, round_.number)
    tables = [match for match in round_.matches if match.b is not None]
    byes = [match for match in round_.matches if match.result == "bye"]
    alone = byes[0].a if len(byes) == 1 else None
    seating = Seating(
        tuple((match.a, match.b or "") for match in tables),
        alone,
        tuple(match.first for match in tables if match.first) if policy.sides else (),
    )
    problems = seats(event, round_, byes)
    seated = dict.fromkeys([name for both in seating.pairs for name in both] + ([alone] if alone else []))
    field = field_of(event, stage, round_.number, list(seated)).entrants
    waived = {frozenset((match.a, match.b)) for match in round_.matches if match.waived}
    problems += told(field, seating, policy, waived, event)
    held = [both for both in round_.pairing.kept_tables if set(both) <= {*seated, None}]
    try:
        best: Pairing | None = pair(
            field, policy, seed=0, locked=held, forbidden=event.forbidden, waived=held
        )
    except (NoPairing, ValueError):
        best = None  # what makes the field impossible has been named above
    cost = cost_of(field, seating, policy)
    if policy.sides and len(seating.first) == len(seating.pairs):
        cost["not_same_side_all_rounds"] = same_side_throughout(field, seating, policy)
    optimum = {line.criterion: line.value for line in best.certificate} if best else {}
    problems += above_optimum(cost, optimum, waived=bool(waived))
    return Finding(
        round=round_.number,
        stage=round_.stage,
        players=sum(not entrant.house for entrant in field),
        cost=cost,
        optimum={name: optimum[name] for name in cost if name in optimum},
        proof=best.certificate[0].proof if best else None,
        problems=tuple(problems),
    )


def seats(event: Event, round_: Round, byes: list[Match]) -> list[Problem]:
    """Byes beside the one the pairing may give, or after a drop, and who has no seat."""
    problems = []
    if len(byes) > 1:
        names = tuple(match.a for match in byes)
        waived = all(match.waived for match in byes[1:])
        severity: Severity = "notice" if waived else "error"
        problems.append(Problem("several byes", names, {"count": len(byes)}, severity))
    problems += without_seat(event, round_)
    for match in round_.matches:
        left = event.entries[match.a].dropped_after
        if match.b is None and match.result in BYES and left is not None and left < round_.number:
            problems.append(Problem("bye after drop", (match.a,), severity="notice"))
    return problems


def without_seat(event: Event, round_: Round) -> list[Problem]:
    """Who belongs to the round and has no match, bye or missed round in it.

    An error where the round was paired here, which leaves nobody out. Files of other programs often do not say
    who sat out: there it is a notice.
    """
    here = paired_here(round_)
    seated = {code for match in round_.matches for code in (match.a, match.b)}
    params = {"round": round_.number, "paired_here": int(here)}
    return [
        Problem("not seated", (entry.id,), params, "error" if here else "notice")
        for entry in belonging(event, round_)
        if entry.id not in seated
    ]


def paired_here(round_: Round) -> bool:
    """Whether the round keeps the digest of a drawing: our own program paired it."""
    return bool(round_.pairing.digest)


def belonging(event: Event, round_: Round) -> list[Entry]:
    """The entries that belong to a round, in id order: still playing, or dropped only afterwards."""
    entries = (event.entries[code] for code in event.entries_of(event.stage(round_.stage)))
    return sorted((entry for entry in entries if belongs(entry, round_.number)), key=lambda entry: entry.id)


def belongs(entry: Entry, number: int) -> bool:
    """Whether the entry was in the event when that round was played; no house entry ever is."""
    if entry.house or entry.status not in HAVE_PLAYED or (entry.joined_round or 1) > number:
        return False
    if entry.dropped_after is None:
        return entry.status == "playing"  # of the others nobody knows when they left
    return entry.dropped_after >= number


def called(entry: Entry) -> str:
    """Id and name, once where they are the same."""
    return entry.id if entry.name == entry.id else f"{entry.id} {entry.name}"


def told(field: list[Entrant], seating: Seating, policy: Policy, waived: set, event: Event) -> list[Problem]:
    """What the independent check says; where a round was recorded without first moves, one notice."""
    if policy.sides and len(seating.first) != len(seating.pairs):
        policy = replace(policy, sides=False)
        seating = replace(seating, first=())
        problems = [Problem("first", (), {"unrecorded": 1}, "notice")]
    else:
        problems = []
    for problem in verify(field, seating, policy, forbidden=event.forbidden):
        if frozenset(problem.entrants) in waived:
            problem = replace(problem, severity="notice", params={**problem.params, "waived": 1})
        problems.append(problem)
    return problems


def above_optimum(cost: dict[str, Any], optimum: dict[str, Any], waived: bool) -> list[Problem]:
    """The first criterion, in order of importance, on which the round is not as good as it could be.

    A notice in a round where the organizer waived something.
    """
    for name in cost:
        if name in optimum and cost[name] != optimum[name]:
            if cost[name] < optimum[name]:
                return []  # only a forbidden pair can do that, and it has been named
            params = {"value": cost[name], "best": optimum[name]}
            return [Problem(f"avoidable {name}", (), params, "notice" if waived else "error")]
    return []


def same_side_throughout(field: list[Entrant], seating: Seating, policy: Policy) -> int:
    """Players who, with this round, have had one and the same side in all planned rounds."""
    if policy.round < (policy.planned_rounds or 3):
        return 0
    sides = {entrant.id: "" if entrant.house else entrant.sides for entrant in field}
    count = 0
    for (a, b), first in zip(seating.pairs, seating.first, strict=True):
        for name, side in ((a, first), (b, "b" if first == "a" else "a")):
            count += sides[name] != "" and set(sides[name]) == {side}
    return count
