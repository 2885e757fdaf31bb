"""Published events: compare the values a platform printed with ours. Also runs all files."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from standings.conformance.library import UNKNOWN, ConformanceReport
from standings.conformance.vectors import check_vectors
from standings.engine import METRICS, Ranking, RankingStep, UnknownMetric
from standings.engine.bracket.cut import Cut
from standings.engine.metrics.registry import read_params
from standings.engine.ranking.rank import build_step, parse_steps
from standings.table.places import find_qualifiers, rank_final_places
from standings.table.swiss import compute_standings
from tournament.archive.format import ArchiveError
from tournament.archive.read import parse_event
from tournament.event.types import Event
from tournament.rulesets import fide_version_on

POINTS = "match_points"


class PublishedRow(Struct):
    """A row of the published standings; its values are in column order."""

    entry: str
    rank: int
    values: list[int | float | str]


class Column(Struct, forbid_unknown_fields=True):
    """A published column as a tiebreaker. Parameters that are not given come from the profile's percentages."""

    metric: str
    params: dict[str, Any] = {}
    order: Literal["asc", "desc"] | None = None
    label: str = ""

    @property
    def name(self) -> str:
        params = ", ".join(f"{name} {value}" for name, value in self.params.items())
        return self.label or (f"{self.metric} ({params})" if params else self.metric)


class KnownFault(Struct, forbid_unknown_fields=True):
    """A run of ranks, from first to last, that the publisher's own program ordered wrongly, and why."""

    ranks: tuple[int, int]
    reason: Annotated[str, Meta(min_length=1)]

    @property
    def name(self) -> str:
        return f"ranks {self.ranks[0]}–{self.ranks[1]} ({self.reason})"


class Published(Struct):
    """Published values. A column given only by its key is computed by the archive's ruleset.

    `ordered_runs`: first and last rank of each run that is in Swiss order.
    """

    columns: list[str | Column]
    rows: list[PublishedRow]
    tolerance: int | float | str = 0
    ordered_runs: list[tuple[int, int]] = []
    known_faults: list[KnownFault] = []
    cut: list[str] | None = None
    alternates: list[str] | None = None
    places: list[str] | None = None


class PublishedColumn(NamedTuple):
    place: int
    name: str
    step: RankingStep


def check_published(report: ConformanceReport, name: str, data: dict[str, Any]) -> None:
    """Check every published value, each ordered run, and if given the cut, alternates and places."""
    event, published = parse_event(data["archive"]), msgspec.convert(data["published"], Published)
    columns, profile = [], event.profile
    if event.starts_at and not profile.get("fide_version"):  # also for columns that are not in its order
        profile = {**profile, "fide_version": fide_version_on(event.starts_at)}
    for place, column in enumerate(published.columns):
        try:
            columns.append(_column(place, column, profile))
        except UnknownMetric as error:
            report.missing(f"{name}: {error}")
    try:
        ranking = compute_standings(event, chain=[column.step for column in columns])
    except UNKNOWN as error:
        report.missing(f"{name}: {error}")
        return
    _check_values(report, name, published, columns, ranking)
    if len(columns) == len(published.columns):
        _check_runs(report, name, published, ranking)
    _check_finals(report, name, published, event)


def _column(place: int, column: str | Column, profile: dict[str, Any]) -> PublishedColumn:
    if isinstance(column, str):
        return PublishedColumn(place, column, build_step(column, profile))
    [step] = parse_steps([msgspec.to_builtins(column)], profile)
    read_params(METRICS[step.key], step.params)
    return PublishedColumn(place, column.name, step)


def _check_values(
    report: ConformanceReport,
    name: str,
    published: Published,
    columns: list[PublishedColumn],
    ranking: Ranking,
) -> None:
    tolerance = json_number(published.tolerance)
    for row in published.rows:
        if row.entry not in ranking:
            report.check(False, f"{name}: {row.entry} has no row")
            continue
        if len(row.values) != len(published.columns):
            report.check(False, f"{name}: {row.entry} has {len(row.values)} values")
            continue
        for column, ours in zip(columns, ranking.row(row.entry).values, strict=True):
            theirs = row.values[column.place]
            near = abs(ours - json_number(theirs)) <= (0 if column.step.key == POINTS else tolerance)
            report.check(near, f"{name}: {row.entry} {column.name} is {ours}, published {theirs}")


def _check_runs(report: ConformanceReport, name: str, published: Published, ranking: Ranking) -> None:
    """Check that exact values never rise inside a run of ranks, but do in the publisher's known faults."""
    rows = sorted((row for row in published.rows if row.entry in ranking), key=lambda row: row.rank)
    faults: set[int] = set()
    for first, last in published.ordered_runs:
        for above, below in pairwise(row for row in rows if first <= row.rank <= last):
            right = _key(ranking, above.entry) >= _key(ranking, below.entry)
            known = {
                place
                for place, fault in enumerate(published.known_faults)
                if not right and fault.ranks[0] <= above.rank and below.rank <= fault.ranks[1]
            }
            faults |= known
            if not known:
                report.check(
                    right, f"{name}: {below.entry} (rank {below.rank}) stands above {above.entry} here"
                )
    for place, fault in enumerate(published.known_faults):
        if place in faults:
            report.known_faults.append(f"{name}: {fault.name}")
        else:
            report.check(False, f"{name}: {fault.name} are in the right order: no known fault")


def _key(ranking: Ranking, entry: str) -> tuple[Fraction, ...]:
    values = ranking.row(entry).values
    return tuple(-v if step.ascending else v for v, step in zip(values, ranking.steps, strict=True))


def _check_finals(report: ConformanceReport, name: str, published: Published, event: Event) -> None:
    def cut_of() -> Cut:
        return find_qualifiers(event, (event.cut or 0) if published.cut is None else len(published.cut))

    finals: dict[str, Callable[[], list[str]]] = {
        "cut": lambda: cut_of().qualifiers,
        "alternates": lambda: cut_of().alternates,
        "places": lambda: [place.entry for place in rank_final_places(event)][: len(published.places or ())],
    }
    for key, compute in finals.items():
        if (expected := getattr(published, key)) is not None:
            report.compare(f"{name}: {key}", compute, expected)


def json_number(value: int | float | str) -> Fraction:
    """Return the exact number of a JSON number or string: 0.33 is 33/100, "1/3" is one third."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


CHECKERS = {"swiss-published": check_published, "swiss-vectors": check_vectors}


def conformance(paths: Sequence[str | Path]) -> ConformanceReport:
    """Check each file in `paths`; for a folder, every `.json` file of a known format in it.

    An unreadable file is reported and the others are checked. Raises ArchiveError or OSError if it is the only path,
    and ArchiveError for a folder without a file of a known format.
    """
    report = ConformanceReport()
    for path in map(Path, paths):
        if path.is_dir():
            _check_folder(report, path)
        else:
            _check_file(report, path, required=True, alone=len(paths) == 1)
    return report


def _check_folder(report: ConformanceReport, folder: Path) -> None:
    before = report.files + len(report.unreadable)
    for file in sorted(folder.rglob("*.json")):
        if not file.is_dir():
            _check_file(report, file)
    if report.files + len(report.unreadable) == before:
        raise ArchiveError(str(folder), "no swiss-published or swiss-vectors file in this folder")


def _check_file(
    report: ConformanceReport, path: Path, *, required: bool = False, alone: bool = False
) -> None:
    try:
        report.files += _is_checked(report, path, required)
    except (ArchiveError, OSError) as error:
        if alone:
            raise
        report.unreadable.append(
            str(error) if isinstance(error, ArchiveError) else f"{path}: {error.strerror}"
        )


def _is_checked(report: ConformanceReport, path: Path, required: bool) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(str(path), f"not valid JSON in UTF-8 ({error})") from None
    checker = CHECKERS.get(str(data.get("format"))) if isinstance(data, dict) else None
    if checker is None:
        if required:
            raise ArchiveError(str(path), "neither a swiss-published nor a swiss-vectors file")
        return False
    if data.get("version") != 1:
        raise ArchiveError(str(path), f"expected version 1, not {data.get('version')!r}")
    try:
        checker(report, path.name, data)
    except ArchiveError as error:
        raise ArchiveError(str(path), str(error)) from None
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, ArithmeticError) as error:
        raise ArchiveError(str(path), f"cannot be read ({type(error).__name__}: {error})") from None
    return True
