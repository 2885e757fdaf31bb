"""Conformance: worked examples and published events, computed by the engine and compared.

Reads `swiss-vectors` and `swiss-published` files. What the engine does not implement is listed as unknown and
never counts as passed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from standings.conformance.vectors import check_vectors
from standings.engine.metrics import UnknownMetric
from standings.engine.ranking.chain import step_of
from standings.engine.scoring import UnknownScoring
from standings.event.bracket import final_places_of
from standings.event.qualifiers import qualifiers_of
from standings.event.swiss import standings_of
from tournament.archive.json import ArchiveError
from tournament.archive.read import event_of
from tournament.rulesets import UnknownRuleset

POINTS = "match_points"
UNKNOWN = (UnknownMetric, UnknownScoring, UnknownRuleset)


@dataclass(slots=True)
class ConformanceReport:
    """What was checked. `failed` and `unknown` hold one fragment each, beginning with the file's name."""

    files: int = 0
    checks: int = 0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def check(self, right: bool, message: str) -> None:
        """Count one check; store the message if it failed."""
        self.checks += 1
        if right:
            self.passed += 1
        else:
            self.failed.append(message)

    def missing(self, message: str) -> None:
        """Count one check that could not be made."""
        self.checks += 1
        self.unknown.append(message)

    @property
    def clean(self) -> bool:
        """Whether every check was made and passed."""
        return not self.failed and not self.unknown

    def as_json(self) -> dict:
        """The report as the command prints it."""
        return {
            "files": self.files,
            "checks": self.checks,
            "passed": self.passed,
            "failed": self.failed,
            "unknown": self.unknown,
        }


def conformance(paths: Iterable[str | Path]) -> ConformanceReport:
    """Check every file of `paths`, and of a folder every `.json` file of a known format.

    Raises ArchiveError for a file of another format and for a folder without a known one, and OSError.
    """
    report = ConformanceReport()
    for path in map(Path, paths):
        if path.is_dir():
            before = report.files
            for file in sorted(path.rglob("*.json")):
                _check_file(report, file, required=False)
            if report.files == before:
                raise ArchiveError(str(path), "no swiss-published or swiss-vectors file in this folder")
        else:
            _check_file(report, path, required=True)
    return report


def _check_file(report: ConformanceReport, path: Path, required: bool) -> None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(str(path), f"not valid JSON in UTF-8 ({error})") from None
    form = str(data.get("format")) if isinstance(data, dict) else ""
    checker = {"swiss-published": check_published, "swiss-vectors": check_vectors}.get(form)
    if checker is None:
        if required:
            raise ArchiveError(str(path), "neither a swiss-published nor a swiss-vectors file")
        return
    if data.get("version") != 1:
        raise ArchiveError(str(path), f"expected version 1, not {data.get('version')!r}")
    report.files += 1
    try:
        checker(report, path.name, data)
    except ArchiveError as error:
        raise ArchiveError(str(path), str(error)) from None
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise ArchiveError(str(path), f"cannot be read ({type(error).__name__}: {error})") from None


def check_published(report: ConformanceReport, name: str, data: dict) -> None:
    """Check every published value, each ordered run, and the cut, alternates and places if they are given."""
    event = event_of(data["archive"])
    published = data["published"]
    steps = []
    for key in published["columns"]:
        try:
            steps.append(step_of(key, event.profile))
        except UnknownMetric as error:
            report.missing(f"{name}: {error}")
    try:
        ranking = standings_of(event, chain=steps)
    except UNKNOWN as error:
        report.missing(f"{name}: {error}")
        return
    _check_values(report, name, published, ranking)
    if len(steps) == len(published["columns"]):
        _check_runs(report, name, published, ranking)
    _check_finals(report, name, published, event)


def _check_values(report: ConformanceReport, name: str, published: dict, ranking) -> None:
    tolerance = exact_number(published.get("tolerance", 0))
    places = {key: i for i, key in enumerate(ranking.columns)}
    for row in published["rows"]:
        entry = row["entry"]
        if entry not in ranking:
            report.check(False, f"{name}: {entry} has no row")
            continue
        for key, value in zip(published["columns"], row["values"], strict=True):
            if key not in places:
                continue
            ours, theirs = ranking.row(entry).values[places[key]], exact_number(value)
            near = abs(ours - theirs) <= (0 if key == POINTS else tolerance)
            report.check(near, f"{name}: {entry} {key} is {ours}, published {value}")


def _check_runs(report: ConformanceReport, name: str, published: dict, ranking) -> None:
    """Check that our exact values never rise from one row to the next inside a run of ranks."""
    rows = sorted(published["rows"], key=lambda row: row["rank"])
    for first, last in published.get("ordered_runs", ()):
        run = [row for row in rows if first <= row["rank"] <= last and row["entry"] in ranking]
        for above, below in pairwise(run):
            key_above, key_below = (_key(ranking, row["entry"]) for row in (above, below))
            report.check(
                key_above >= key_below,
                f"{name}: {below['entry']} (rank {below['rank']}) stands above {above['entry']} here",
            )


def _key(ranking, entry: str) -> tuple[Fraction, ...]:
    """The values of an entry, with a better one always greater."""
    values = ranking.row(entry).values
    return tuple(-v if step.ascending else v for v, step in zip(values, ranking.steps, strict=True))


def _check_finals(report: ConformanceReport, name: str, published: dict, event) -> None:
    for key in ("cut", "alternates", "places"):
        expected = published.get(key)
        if expected is None:
            continue
        try:
            if key == "places":
                ours = [place.entry for place in final_places_of(event)][: len(expected)]
            else:
                size = len(published["cut"]) if "cut" in published else event.cut
                ours = getattr(qualifiers_of(event, size), {"cut": "qualifiers"}.get(key, key))
        except ValueError as error:
            report.missing(f"{name}: {key}: {error}")
            continue
        report.check(ours == expected, f"{name}: {key} is {ours}, published {expected}")


def exact_number(value) -> Fraction:
    """The exact number of a JSON number or string: 0.33 is 33/100, "1/3" one third."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
