"""Pairings and checks as plain documents and as tables: what the commands print."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.audit.check import LEVELS, Finding, called
from pairings.engine import Criterion, NoPairing, Pairing
from pairings.question.codes import plain, proof_text
from pairings.question.history import histories_of
from pairings.question.next_round import next_round_of, position_of
from pairings.question.request import pair_next_round
from pairings.question.rerun import rerun_round
from pairings.question.seats import paired_codes
from pairings.question.tables import fixed_tables
from pairings.words.costs import CRITERIA
from pairings.words.problems import no_pairing_words, problem_words
from pairings.words.reasons import reasons_words
from tournament.event.table_numbers import assign_tables
from tournament.event.types import NO_SEED, Event, Stage

MOST_NOTICES = 3  # of one kind in a round, named in text


def next_round_document(
    event: Event,
    *,
    seed_hex: str | None = None,
    attempt: int = 1,
    house: str | Sequence[str] | None = None,
    absent: Collection[str] = (),
) -> dict[str, Any]:
    """The next round of an event as `pair --json` prints it. Raises as `pair_next`."""
    number = next_round_of(event)[1]
    pairing = pair_next_round(event, seed_hex=seed_hex, attempt=attempt, house=house, absent=absent)
    return pairing_document(number, pairing, seed_hex or event.seed or NO_SEED)


def drawn_again_document(event: Event, number: int, seed_hex: str | None = None) -> dict[str, Any]:
    """A round of the file drawn again, as `pair --round --json` prints it.

    Raises ValueError where the file has no such round or it was not paired by a drawing.
    """
    round_ = next((round_ for round_ in event.rounds if round_.number == number), None)
    if round_ is None or event.stage(round_.stage).kind != "swiss" or not paired_codes(round_):
        raise ValueError(f"the file has no paired Swiss round {number}")
    again = rerun_round(event, round_, seed_hex)
    record = round_.pairing
    seed = seed_hex or record.seed or event.seed
    return {
        **pairing_document(number, again.pairing, seed or NO_SEED),
        "seed_known": bool(seed),
        "attempt": record.attempt,
        "recorded_digest": record.digest or None,
        "recorded_engine": record.engine or None,
        "asked_the_same": again.same_request,
        "seated_the_same": again.same_seats,
        "edits": len(record.edits) + len(record.repairs),
    }


def comparison_lines(document: dict[str, Any]) -> list[str]:
    """What a round drawn again says about the one in the file."""
    recorded = document["recorded_digest"]
    if recorded is None:
        return ["the file keeps no digest for this round"]
    if document["asked_the_same"] is None:
        return [
            f"recorded {recorded} by engine {document['recorded_engine']}",
            f"this is engine {document['engine']}: it pairs differently, so the rounds cannot be compared",
        ]
    if not document["asked_the_same"] and not document["seed_known"]:
        return [
            f"recorded {recorded}",
            (
                "not compared: the file has no seed (secret until the event ends); pass --seed with "
                "the seed the event's page publishes then"
            ),
        ]
    if not document["asked_the_same"]:
        return [
            f"digest {document['digest']}",
            f"recorded {recorded}: the input differs (another seed, or results and players changed since)",
        ]
    seats = "the file has the same pairings"
    if not document["seated_the_same"]:
        edits = document["edits"]
        seats = (
            f"the file has other pairings (manual changes recorded: {edits})"
            if edits
            else ("THE FILE HAS OTHER PAIRINGS, and no manual change is recorded")
        )
    return [f"digest {recorded}, as recorded: {seats}"]


def pairing_document(number: int, pairing: Pairing, seed_hex: str) -> dict[str, Any]:
    """One round; `seed` is the tournament seed its draw derives from, 32 zeros where there is none."""
    return {
        "round": number,
        "pairs": [list(pair) for pair in pairing.pairs],
        "bye": pairing.bye,
        "first": list(pairing.first),
        "certificate": [criterion_document(line) for line in pairing.certificate],
        "reasons": {str(entrant): reasons_words(reasons) for entrant, reasons in pairing.reasons.items()},
        "seed": seed_hex.lower(),
        "digest": pairing.digest,
        "engine": pairing.engine,
    }


def criterion_document(line: Criterion) -> dict[str, Any]:
    """One line of a certificate; values by score group become lists."""
    return {
        "criterion": line.criterion,
        "value": plain(line.value),
        "bound": plain(line.bound),
        "optimal": line.optimal,
        "proof": proof_text(line.proof),
    }


def names_of(event: Event) -> dict[str, str]:
    """{entry: its id and name}, for lines that people read."""
    return {code: called(entry) for code, entry in event.entries.items()}


def impossible_words(event: Event, error: NoPairing) -> str:
    """Why no round is complete, whom that concerns, and what to change in the file."""
    never = (event.profile.get("pairing") or {}).get("repeats") == "never"
    if not never:
        advice = _('Remove a pair from "forbidden" in the file, then pair again.')
    elif event.forbidden:
        advice = _(
            'Remove a pair from "forbidden" in the file or let the ruleset allow rematches '
            '("repeats": "last_resort"), then pair again.'
        )
    else:
        advice = _('Let the ruleset allow rematches ("repeats": "last_resort"), then pair again.')
    return f"{no_pairing_words(error, names_of(event))} {advice}"


def points_before(event: Event, stage: Stage, number: int) -> dict[str, int | Fraction]:
    """{entry: the points it comes into the round with}; who has no match yet is left out."""
    known = histories_of(event, stage, position_of(event, stage, number))
    return {entry: history.points for entry, history in known.items()}


def pairing_table(event: Event, stage: Stage, document: dict[str, Any]) -> list[list[object]]:
    """The same round for people: header and one row per table, each player with the points before the round."""
    points = points_before(event, stage, document["round"])
    sides = document["first"]

    def seat(code: str) -> list[object]:
        return [called(event.entries[code]), points.get(code, 0)]

    rows: list[list[object]] = [["table", "a", "points", "b", "points", *(["first"] if sides else [])]]
    for index, (table, (a, b)) in enumerate(seated_tables(event, document)):
        rows.append([table, *seat(a), *seat(b)] + ([sides[index]] if sides else []))
    if document["bye"] is not None:
        rows.append(["", *seat(document["bye"]), "bye"])
    return rows


def seated_tables(event: Event, document: dict[str, Any]) -> list[tuple[int, list[str]]]:
    """(table, pair) in the order of the round."""
    pairs = document["pairs"]
    fixed = fixed_tables(event, pairs)
    tables = assign_tables(pairs, first=event.first_table, skip=event.skip_tables, fixed=fixed)
    return list(zip(tables, pairs, strict=True))


def reasons_table(event: Event, document: dict[str, Any]) -> list[list[object]]:
    """Whose place needs a word, table by table; empty where nobody's does."""
    reasons = document["reasons"]
    places: list[tuple[object, str]] = [
        (table, code) for table, pair in seated_tables(event, document) for code in pair
    ]
    places += [("", document["bye"])] if document["bye"] else []
    rows = [[table, called(event.entries[code]), reasons[code]] for table, code in places if code in reasons]
    return [["table", "player", "why"], *rows] if rows else []


def certificate_lines(document: dict[str, Any]) -> list[str]:
    """The certificate in one line per criterion, and the seed."""
    lines = [
        f"{CRITERIA[line['criterion']]}: {line['value']}"
        + (f" ({line['proof']})" if line["optimal"] else f", lower bound {line['bound']}")
        for line in document["certificate"]
    ]
    none = " (no seed given)" if document["seed"] == NO_SEED else ""
    return [*lines, f"seed {document['seed']}{none}, {document['engine']}"]


def findings_document(findings: Sequence[Finding], names: Mapping[str, str]) -> dict[str, Any]:
    """All checked rounds as `verify --json` prints them, with players by these names in the messages."""
    return {
        "rounds": [
            {
                "round": finding.round,
                "stage": finding.stage,
                "players": finding.players,
                "cost": {name: plain(value) for name, value in finding.cost.items()},
                "optimum": {name: plain(value) for name, value in finding.optimum.items()},
                "proof": "no pairing" if finding.proof is None else proof_text(finding.proof),
                "problems": [
                    {
                        "kind": problem.code,
                        "severity": problem.severity,
                        "entrants": list(problem.entrants),
                        "message": problem_words(problem, names),
                    }
                    for problem in finding.problems
                ],
            }
            for finding in findings
        ],
        "errors": sum(len(finding.errors) for finding in findings),
        "notices": sum(len(finding.problems) - len(finding.errors) for finding in findings),
    }


def findings_table(findings: Sequence[Finding]) -> list[list[object]]:
    """The checked rounds for people: header, then one row per round."""
    rows: list[list[object]] = [["round", "players", *(name.replace("_", " ") for name in LEVELS), "verdict"]]
    for finding in findings:
        shown = [shown_against(finding, name) for name in LEVELS]
        rows.append([finding.round, finding.players, *shown, verdict(finding)])
    return rows


def verdict(finding: Finding) -> str:
    """Such as "OK" or "2 errors, 1 notice"."""
    errors = len(finding.errors)
    notices = len(finding.problems) - errors
    parts = []
    if errors:
        parts.append(ngettext("%(count)s error", "%(count)s errors", errors) % {"count": errors})
    if notices:
        parts.append(ngettext("%(count)s notice", "%(count)s notices", notices) % {"count": notices})
    return ", ".join(parts if errors else ["OK", *parts])


def problem_lines(findings: Sequence[Finding], names: Mapping[str, str]) -> list[str]:
    """Errors, then notices, round by round; of many notices of one kind in a round the first few."""
    lines = [
        _("round %(number)s, error: %(problem)s")
        % {"number": finding.round, "problem": problem_words(problem, names)}
        for finding in findings
        for problem in finding.errors
    ]
    for finding in findings:
        notices = [problem for problem in finding.problems if problem.severity == "notice"]
        for code in dict.fromkeys(problem.code for problem in notices):
            alike = [problem for problem in notices if problem.code == code]
            lines += [
                _("round %(number)s, notice: %(problem)s")
                % {"number": finding.round, "problem": problem_words(problem, names)}
                for problem in alike[:MOST_NOTICES]
            ]
            if (more := len(alike) - MOST_NOTICES) > 0:
                text = ngettext(
                    "round %(number)s, notice: %(count)s more of this kind (all with --json)",
                    "round %(number)s, notice: %(count)s more of this kind (all with --json)",
                    more,
                )
                lines.append(text % {"number": finding.round, "count": more})
    return lines


def shown_against(finding: Finding, name: str) -> str:
    """The cost, and the optimum beside it where it differs."""
    cost, best = finding.cost[name], finding.optimum.get(name)
    return str(plain(cost)) if best in (None, cost) else f"{plain(cost)} (best {plain(best)})"
