"""Conformance: worked examples and published events, computed by the engine and compared.

Reads `swiss-vectors` and `swiss-published` files. What the engine does not implement is listed as unknown and
never counts as passed.
"""

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from standings.conformance.report import UNKNOWN, ConformanceReport
from standings.conformance.vectors import check_vectors
from standings.engine.bracket.cut import Cut
from standings.engine.metrics import UnknownMetric
from standings.engine.ranking.chain import step_of
from standings.engine.ranking.rank import Ranking
from standings.event.bracket import final_places_of
from standings.event.qualifiers import qualifiers_of
from standings.event.swiss import standings_of
from tournament.archive.json import ArchiveError
from tournament.archive.read import event_of
from tournament.event.types import Event

POINTS = "match_points"


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


class PublishedRow(Struct):
    """A row of the published standings, its values in the order of the columns."""

    entry: str
    rank: int
    values: list[int | float | str]


class Published(Struct):
    """What a publisher printed. `ordered_runs`: first and last rank of the runs that are in Swiss order."""

    columns: list[str]
    rows: list[PublishedRow]
    tolerance: int | float | str = 0
    ordered_runs: list[tuple[int, int]] = []
    cut: list[str] | None = None
    alternates: list[str] | None = None
    places: list[str] | None = None


def check_published(report: ConformanceReport, name: str, data: dict[str, Any]) -> None:
    """Check every published value, each ordered run, and the cut, alternates and places if they are given."""
    event, published = event_of(data["archive"]), msgspec.convert(data["published"], Published)
    steps = []
    for key in published.columns:
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
    if len(steps) == len(published.columns):
        _check_runs(report, name, published, ranking)
    _check_finals(report, name, published, event)


def _check_values(report: ConformanceReport, name: str, published: Published, ranking: Ranking) -> None:
    tolerance = exact_number(published.tolerance)
    for row in published.rows:
        if row.entry not in ranking:
            report.check(False, f"{name}: {row.entry} has no row")
            continue
        ours = dict(zip(ranking.columns, ranking.row(row.entry).values, strict=True))
        for key, value in zip(published.columns, row.values, strict=True):
            if key in ours:
                near = abs(ours[key] - exact_number(value)) <= (0 if key == POINTS else tolerance)
                report.check(near, f"{name}: {row.entry} {key} is {ours[key]}, published {value}")


def _check_runs(report: ConformanceReport, name: str, published: Published, ranking: Ranking) -> None:
    """Check that our exact values never rise from one row to the next inside a run of ranks."""
    rows = sorted(published.rows, key=lambda row: row.rank)
    for first, last in published.ordered_runs:
        run = [row for row in rows if first <= row.rank <= last and row.entry in ranking]
        for above, below in pairwise(run):
            report.check(
                _key(ranking, above.entry) >= _key(ranking, below.entry),
                f"{name}: {below.entry} (rank {below.rank}) stands above {above.entry} here",
            )


def _key(ranking: Ranking, entry: str) -> tuple[Fraction, ...]:
    """The values of an entry, with a better one always greater."""
    values = ranking.row(entry).values
    return tuple(-v if step.ascending else v for v, step in zip(values, ranking.steps, strict=True))


def _check_finals(report: ConformanceReport, name: str, published: Published, event: Event) -> None:
    def cut_of() -> Cut:
        return qualifiers_of(event, (event.cut or 0) if published.cut is None else len(published.cut))

    finals: dict[str, Callable[[], list[str]]] = {
        "cut": lambda: cut_of().qualifiers,
        "alternates": lambda: cut_of().alternates,
        "places": lambda: [place.entry for place in final_places_of(event)][: len(published.places or ())],
    }
    for key, compute in finals.items():
        if (expected := getattr(published, key)) is not None:
            report.compare(f"{name}: {key}", compute, expected)


def exact_number(value: int | float | str) -> Fraction:
    """The exact number of a JSON number or string: 0.33 is 33/100, "1/3" one third."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
