"""Check every Swiss round of an event against the rules and the best possible round; `verify` prints the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.engine.compare import verify_round
from pairings.engine.types import NoPairing, Pairing, PairingRequest, Problem, Proof, Value
from pairings.engine.verify import round_cost
from pairings.request.entrants import find_position
from pairings.request.pairing_request import (
    new_request,
    pair_round,
    paired_codes,
    plain_value,
    proof_text,
    recorded_pairing,
)
from pairings.words.reasons import problem_words
from tournament.event.types import BYES, Entry, Event, Match, Round
from tournament.results.slip import games_words, is_odd

HAVE_PLAYED = ("playing", "dropped", "disqualified")
LEVELS = ("repeats", "second_bye", "bye_group", "score_difference")
Severity = Literal["error", "notice"]
Costs = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Finding:
    """One round: its cost, the best possible cost for the same field, and its problems."""

    round: int
    stage: int
    players: int
    cost: Costs  # {criterion: value}
    optimum: Costs
    proof: Proof | None  # how the optimum is known; None if the field has no complete round
    problems: tuple[Problem, ...]
    unit: int = 1  # factor that makes all points whole numbers

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def notices(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "notice"]


def verify_event(event: Event) -> list[Finding]:
    """Return a finding for each Swiss round that is not a draft, in order."""
    return [
        check_round(event, round_)
        for round_ in event.rounds
        if round_.status != "draft" and event.stage(round_.stage).kind == "swiss"
        if round_.matches or round_.pairing.digest
    ]


def check_round(event: Event, round_: Round) -> Finding:
    """Check one round; find the optimum by pairing its field again around the same fixed tables."""
    byes = [match for match in round_.matches if match.result == "bye"]
    # Several byes are a problem of their own; the rest is compared without them.
    judged = round_ if len(byes) < 2 else round_.replace(matches=[m for m in round_.matches if m.b])
    seated = paired_codes(judged)
    locks = tuple(both for both in round_.pairing.kept_tables if {*both} <= {*seated, None})
    request = new_request(event, event.stage(round_.stage), round_.number, seated, 0, locks)
    entrants, policy = request.entrants, request.policy
    seating = recorded_pairing(request, judged)
    try:
        certificate = pair_round(request).certificate
    except (NoPairing, ValueError):
        certificate = ()  # what makes the field impossible is among the problems
    cost = round_cost(entrants, seating, policy)
    optimum = {line.criterion: line.value for line in certificate}
    waived = {frozenset((match.a, match.b)) for match in round_.matches if match.waived}
    return Finding(
        round=round_.number,
        stage=round_.stage,
        players=sum(not entrant.house for entrant in entrants),
        cost=cost,
        optimum={name: optimum[name] for name in cost if name in optimum},
        proof=certificate[0].proof if certificate else None,
        problems=(
            *seat_problems(event, round_, byes),
            *rule_problems(request, seating, waived),
            *avoidable_costs(cost, optimum, waived=bool(waived)),
        ),
        unit=request.unit,
    )


def seat_problems(event: Event, round_: Round, byes: list[Match]) -> list[Problem]:
    """List surplus byes, players without a seat, and irregular results."""
    problems = []
    if len(byes) > 1:
        players, waived = tuple(match.a for match in byes), all(match.waived for match in byes[1:])
        severity: Severity = "notice" if waived else "error"
        problems.append(Problem("several byes", players, {"count": len(byes)}, severity))
    problems += missing_players(event, round_)
    for match in round_.matches:
        left = event.entries[match.a].dropped_after
        if match.b is None and match.result in BYES and left is not None and left < round_.number:
            problems.append(Problem("bye after drop", (match.a,), severity="notice"))
    stage = event.stage(round_.stage)
    place = 1 + event.rounds_of(stage.number).index(round_)
    for match in round_.matches:
        if is_odd(event, stage, place, match):
            games = {"games": games_words(match.games)}
            problems.append(Problem("odd result", (match.a, match.b), games, "notice"))
    return problems


def missing_players(event: Event, round_: Round) -> list[Problem]:
    """List players who belong to the round but are not in it: an error if it was paired here, or for an awarded bye."""
    stage = event.stage(round_.stage)
    place = find_position(event, stage, round_.number)
    here = bool(round_.pairing.digest)
    seated = {code for match in round_.matches for code in (match.a, match.b)}
    params = {"round": round_.number, "paired_here": int(here)}
    missing = [
        event.entries[code]
        for code in sorted(event.entries_of(stage))
        if code not in seated and was_playing(event.entries[code], round_.number)
    ]
    return [
        Problem("no awarded bye", (entry.id,), params, "error")
        if entry.awarded_byes >= place
        else Problem("not seated", (entry.id,), params, "error" if here else "notice")
        for entry in missing
    ]


def was_playing(entry: Entry, number: int) -> bool:
    """Whether the entry was in the event when that round was played; always false for house entries."""
    if entry.house or entry.status not in HAVE_PLAYED or (entry.joined_round or 1) > number:
        return False
    if entry.dropped_after is None:
        return entry.status == "playing"  # when the others left is not known
    return entry.dropped_after >= number


def entry_label(entry: Entry) -> str:
    return entry.id if entry.name == entry.id else f"{entry.id} {entry.name}"


def rule_problems(request: PairingRequest, seating: Pairing, waived: set) -> list[Problem]:
    policy, problems = request.policy, []
    if policy.sides and len(seating.first) != len(seating.pairs):
        policy, seating = replace(policy, sides=False), replace(seating, first=())
        problems.append(Problem("first", (), {"unrecorded": 1}, "notice"))
    for problem in verify_round(replace(request, policy=policy), seating):
        if frozenset(problem.entrants) in waived:
            problem = replace(problem, severity="notice", params={**problem.params, "waived": 1})
        problems.append(problem)
    return problems


def avoidable_costs(cost: Costs, optimum: Costs, waived: bool) -> list[Problem]:
    """Report the most important criterion on which the round is not optimal; a notice if something was waived."""
    for name, value in cost.items():
        if name in optimum and value != optimum[name]:
            if value < optimum[name]:  # type: ignore[operator]
                return []  # only a prohibited pair can do that, and it is among the problems
            params = {"value": value, "best": optimum[name]}
            return [Problem(f"avoidable {name}", (), params, "notice" if waived else "error")]
    return []


MOST_NOTICES = 3  # of one kind in a round, named in text


def findings_document(findings: Sequence[Finding], names: Mapping[str, str]) -> dict[str, Any]:
    """Return all checked rounds as `verify --json` prints them; `names` are the players' in the messages."""
    return {
        "rounds": [finding_document(finding, names) for finding in findings],
        "errors": sum(len(finding.errors) for finding in findings),
        "notices": sum(len(finding.notices) for finding in findings),
    }


def finding_document(finding: Finding, names: Mapping[str, str]) -> dict[str, Any]:
    document = asdict(finding)
    del document["unit"]
    return document | {
        "proof": "no pairing" if finding.proof is None else proof_text(finding.proof),
        "problems": [
            {
                "kind": problem.code,
                "severity": problem.severity,
                "entrants": problem.entrants,
                "message": problem_words(problem, names),
            }
            for problem in finding.problems
        ],
    }


def findings_table(findings: Sequence[Finding]) -> list[list[object]]:
    rows: list[list[object]] = [["round", "players", *(name.replace("_", " ") for name in LEVELS), "verdict"]]
    for finding in findings:
        costs = [cost_words(finding, name) for name in LEVELS]
        rows.append([finding.round, finding.players, *costs, verdict_words(finding)])
    return rows


def cost_words(finding: Finding, name: str) -> str:
    cost, best = finding.cost[name], finding.optimum.get(name)
    if best in (None, cost):
        return str(plain_value(cost))
    return _("%(cost)s (best %(best)s)") % {"cost": plain_value(cost), "best": plain_value(best)}


def verdict_words(finding: Finding) -> str:
    errors, notices = len(finding.errors), len(finding.notices)
    parts = [
        ngettext("%(count)s error", "%(count)s errors", errors) % {"count": errors} if errors else _("OK")
    ]
    if notices:
        parts.append(ngettext("%(count)s notice", "%(count)s notices", notices) % {"count": notices})
    return ", ".join(parts)


def problem_lines(findings: Sequence[Finding], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the problems as text, round by round, errors first. Long runs of one kind of notice are shortened."""
    for finding in findings:
        for problem in finding.errors:
            yield _line(_("round %(number)s, error: %(problem)s"), finding, problem, names)
    for finding in findings:
        for code in dict.fromkeys(problem.code for problem in finding.notices):
            alike = [problem for problem in finding.notices if problem.code == code]
            for problem in alike[:MOST_NOTICES]:
                yield _line(_("round %(number)s, notice: %(problem)s"), finding, problem, names)
            if (more := len(alike) - MOST_NOTICES) > 0:
                text = ngettext(
                    "round %(number)s, notice: %(count)s more of this kind (all with --json)",
                    "round %(number)s, notice: %(count)s more of this kind (all with --json)",
                    more,
                )
                yield text % {"number": finding.round, "count": more}


def _line(text: str, finding: Finding, problem: Problem, names: Mapping[str, str]) -> str:
    return text % {"number": finding.round, "problem": problem_words(problem, names)}
