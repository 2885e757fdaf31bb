"""What `verify` prints: the findings about an archive's rounds, as a document for programs and as text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.audit.check import LEVELS, Finding
from pairings.engine import Problem
from pairings.question.record import plain_value, proof_text
from pairings.words.problems import problem_words

MOST_NOTICES = 3  # of one kind in a round, named in text


def findings_document(findings: Sequence[Finding], names: Mapping[str, str]) -> dict[str, Any]:
    """All checked rounds as `verify --json` prints them; `names` are those of the players in the messages."""
    return {
        "rounds": [finding_document(finding, names) for finding in findings],
        "errors": sum(len(finding.errors) for finding in findings),
        "notices": sum(len(finding.notices) for finding in findings),
    }


def finding_document(finding: Finding, names: Mapping[str, str]) -> dict[str, Any]:
    """One checked round."""
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
    """Header, then one row per round."""
    rows: list[list[object]] = [["round", "players", *(name.replace("_", " ") for name in LEVELS), "verdict"]]
    for finding in findings:
        costs = [cost_words(finding, name) for name in LEVELS]
        rows.append([finding.round, finding.players, *costs, verdict_words(finding)])
    return rows


def cost_words(finding: Finding, name: str) -> str:
    """A criterion's cost, and the best there is where that is another."""
    cost, best = finding.cost[name], finding.optimum.get(name)
    if best in (None, cost):
        return str(plain_value(cost))
    return _("%(cost)s (best %(best)s)") % {"cost": plain_value(cost), "best": plain_value(best)}


def verdict_words(finding: Finding) -> str:
    """Such as "OK" or "2 errors, 1 notice"."""
    errors, notices = len(finding.errors), len(finding.notices)
    parts = [
        ngettext("%(count)s error", "%(count)s errors", errors) % {"count": errors} if errors else _("OK")
    ]
    if notices:
        parts.append(ngettext("%(count)s notice", "%(count)s notices", notices) % {"count": notices})
    return ", ".join(parts)


def problem_lines(findings: Sequence[Finding], names: Mapping[str, str]) -> Iterator[str]:
    """Errors, then notices, round by round; of many notices of one kind in a round the first few."""
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
