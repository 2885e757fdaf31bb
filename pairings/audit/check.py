"""Every Swiss round of an event against the rules, and against the best round for the same field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pairings.engine import Entrant, NoPairing, Pairing, Policy, Problem, Proof, cost_of, pair, verify
from pairings.engine.types import Value
from pairings.question.field import field_of
from pairings.question.policy import policy_of
from tournament.event.types import BYES, Entry, Event, Match, Round

HAVE_PLAYED = ("playing", "dropped", "disqualified")
LEVELS = ("repeats", "second_bye", "bye_group", "score_difference")
Severity = Literal["error", "notice"]
Costs = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Finding:
    """One round: what it costs, what the best round for the same field costs, and what is wrong with it.

    cost, optimum  {criterion: value}
    proof          how the optimum is known; None where the field has no complete round
    """

    round: int
    stage: int
    players: int
    cost: Costs
    optimum: Costs
    proof: Proof | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> list[Problem]:
        """What breaks a rule."""
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def notices(self) -> list[Problem]:
        """What is legal, but rare."""
        return [problem for problem in self.problems if problem.severity == "notice"]


@dataclass(frozen=True, slots=True)
class Seating:
    """A recorded round in the shape `verify` and `cost_of` read."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    first: tuple[str, ...]


def verify_event(event: Event) -> list[Finding]:
    """A finding for each Swiss round that is no draft, in order."""
    return list(findings_of(event))


def findings_of(event: Event) -> Iterator[Finding]:
    """As `verify_event`, one by one."""
    for round_ in event.rounds:
        if round_.status == "draft" or event.stage(round_.stage).kind != "swiss":
            continue
        if round_.matches or is_paired_here(round_):
            yield check_round(event, round_)


def check_round(event: Event, round_: Round) -> Finding:
    """One round; the optimum is found by pairing its field again, around the tables that it was made around."""
    stage = event.stage(round_.stage)
    policy = policy_of(event, stage, round_.number)
    byes = [match for match in round_.matches if match.result == "bye"]
    seating = seating_of(round_, policy, byes)
    seated = dict.fromkeys(code for pair_ in [*seating.pairs, (seating.bye,)] for code in pair_ if code)
    field = field_of(event, stage, round_.number, list(seated)).entrants
    waived = {frozenset((match.a, match.b)) for match in round_.matches if match.waived}
    fixed = [both for both in round_.pairing.kept_tables if set(both) <= {*seated, None}]
    try:
        best: Pairing | None = pair(
            field, policy, seed=0, locked=fixed, forbidden=event.forbidden, waived=fixed
        )
    except (NoPairing, ValueError):
        best = None  # what makes the field impossible is among the problems
    cost = cost_of(field, seating, policy)
    if policy.sides and len(seating.first) == len(seating.pairs):
        cost["not_same_side_all_rounds"] = same_side_players(field, seating, policy)
    optimum = {line.criterion: line.value for line in best.certificate} if best else {}
    return Finding(
        round=round_.number,
        stage=round_.stage,
        players=sum(not entrant.house for entrant in field),
        cost=cost,
        optimum={name: optimum[name] for name in cost if name in optimum},
        proof=best.certificate[0].proof if best else None,
        problems=(
            *seat_problems(event, round_, byes),
            *rule_problems(event, field, seating, policy, waived),
            *avoidable_costs(cost, optimum, waived=bool(waived)),
        ),
    )


def seating_of(round_: Round, policy: Policy, byes: list[Match]) -> Seating:
    """Who sits where; the bye only where there is one, first moves only where they count."""
    tables = [match for match in round_.matches if match.b is not None]
    return Seating(
        tuple((match.a, match.b or "") for match in tables),
        byes[0].a if len(byes) == 1 else None,
        tuple(match.first for match in tables if match.first) if policy.sides else (),
    )


def seat_problems(event: Event, round_: Round, byes: list[Match]) -> list[Problem]:
    """Byes beside the one that a pairing may give, or after a drop, and players without a seat."""
    problems = []
    if len(byes) > 1:
        players = tuple(match.a for match in byes)
        severity: Severity = "notice" if all(match.waived for match in byes[1:]) else "error"
        problems.append(Problem("several byes", players, {"count": len(byes)}, severity))
    problems += missing_players(event, round_)
    for match in round_.matches:
        left = event.entries[match.a].dropped_after
        if match.b is None and match.result in BYES and left is not None and left < round_.number:
            problems.append(Problem("bye after drop", (match.a,), severity="notice"))
    return problems


def missing_players(event: Event, round_: Round) -> list[Problem]:
    """Players who belong to the round and have no match, bye or missed round in it.

    An error where the round was paired here, which leaves no one out. Files of other programs often do not say who sat
    out: there it is a notice.
    """
    here = is_paired_here(round_)
    seated = {code for match in round_.matches for code in (match.a, match.b)}
    params = {"round": round_.number, "paired_here": int(here)}
    return [
        Problem("not seated", (entry.id,), params, "error" if here else "notice")
        for entry in entries_in(event, round_)
        if entry.id not in seated
    ]


def is_paired_here(round_: Round) -> bool:
    """Whether the round keeps a digest: then this program paired it."""
    return bool(round_.pairing.digest)


def entries_in(event: Event, round_: Round) -> list[Entry]:
    """The entries that belong to a round, in id order: still playing, or dropped only afterwards."""
    entries = (event.entries[code] for code in event.entries_of(event.stage(round_.stage)))
    return sorted(
        (entry for entry in entries if was_playing(entry, round_.number)), key=lambda entry: entry.id
    )


def was_playing(entry: Entry, number: int) -> bool:
    """Whether the entry was in the event when that round was played; no house entry ever is."""
    if entry.house or entry.status not in HAVE_PLAYED or (entry.joined_round or 1) > number:
        return False
    if entry.dropped_after is None:
        return entry.status == "playing"  # when the others left is not known
    return entry.dropped_after >= number


def entry_label(entry: Entry) -> str:
    """Id and name, once where they are the same."""
    return entry.id if entry.name == entry.id else f"{entry.id} {entry.name}"


def rule_problems(
    event: Event, field: list[Entrant], seating: Seating, policy: Policy, waived: set
) -> list[Problem]:
    """What the independent check finds; where a round was recorded without first moves, one notice."""
    problems = []
    if policy.sides and len(seating.first) != len(seating.pairs):
        policy = replace(policy, sides=False)
        seating = replace(seating, first=())
        problems.append(Problem("first", (), {"unrecorded": 1}, "notice"))
    for problem in verify(field, seating, policy, forbidden=event.forbidden):
        if frozenset(problem.entrants) in waived:
            problem = replace(problem, severity="notice", params={**problem.params, "waived": 1})
        problems.append(problem)
    return problems


def avoidable_costs(cost: Costs, optimum: Costs, waived: bool) -> list[Problem]:
    """The first criterion, in order of importance, on which the round is not as good as it could be.

    A notice in a round where the organizer waived something.
    """
    for name, value in cost.items():
        if name in optimum and value != optimum[name]:
            if value < optimum[name]:  # type: ignore[operator]
                return []  # only a prohibited pair can do that, and it is among the problems
            params = {"value": value, "best": optimum[name]}
            return [Problem(f"avoidable {name}", (), params, "notice" if waived else "error")]
    return []


def same_side_players(field: list[Entrant], seating: Seating, policy: Policy) -> int:
    """How many players, with this round, have had one and the same side in all planned rounds."""
    if policy.round < (policy.planned_rounds or 3):
        return 0
    sides = {entrant.id: "" if entrant.house else entrant.sides for entrant in field}
    count = 0
    for (a, b), first in zip(seating.pairs, seating.first, strict=True):
        for code, side in ((a, first), (b, "b" if first == "a" else "a")):
            count += sides[code] != "" and set(sides[code]) == {side}
    return count
