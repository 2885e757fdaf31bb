"""What `verify` prints of many files: what their pairings cost, as a document for programs and as a table."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from pairings.audit.summary import Audit, WorseRound, sum_of, totals_of
from standings.words.formats import format_number


def audit_document(audit: Audit) -> dict[str, Any]:
    """What `verify --json` prints of several files."""
    totals = totals_of(audit.files)
    return {
        "files": len(audit.files),
        "rounds": sum(line.rounds for line in totals),
        "worse": sum(len(line.worse) for line in totals),
        "programs": [
            {
                "program": line.program,
                "files": line.files,
                "rounds": line.rounds,
                "proven": line.proven,
                "worse": len(line.worse),
                "by_criterion": {
                    name: {"rounds": len(rounds), "extra": str(_extra(rounds))}
                    for name, rounds in line.by_criterion.items()
                },
                "broken": line.broken,
            }
            for line in totals
        ],
        "worse_rounds": [
            {
                "file": str(worse.path),
                "round": worse.round,
                "criterion": worse.criterion,
                "cost": worse.cost,
                "best": worse.best,
                "extra": str(worse.extra),
            }
            for line in totals
            for worse in line.worse
        ],
        "unreadable": audit.unreadable,
    }


def audit_table(audit: Audit) -> list[list[object]]:
    """Header, a row for each program, and one of all where there are several.

    A criterion's column has its rounds, and in brackets how much more these cost than the best rounds.
    """
    totals = totals_of(audit.files)
    whole = sum_of(totals)
    criteria = [name.replace("_", " ") for name in whole.by_criterion]
    rows: list[list[object]] = [
        ["paired by", "events", "rounds", "proven", "worse", *criteria, "rules broken"]
    ]
    for line in totals + [whole] * (len(totals) > 1):
        cells = [_cell(line.by_criterion.get(name, [])) for name in whole.by_criterion]
        rows.append(
            [line.program, line.files, line.rounds, line.proven, len(line.worse), *cells, line.broken]
        )
    return rows


def _cell(rounds: Sequence[WorseRound]) -> str:
    extra = _extra(rounds)
    return f"{len(rounds)} (+{format_number(extra)})" if extra else str(len(rounds))


def _extra(rounds: Iterable[WorseRound]) -> Fraction:
    return sum((worse.extra for worse in rounds), Fraction(0))
