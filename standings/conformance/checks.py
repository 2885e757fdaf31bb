"""Published events and worked examples: compare the numbers a platform or publisher printed with ours."""

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from standings.conformance.library import ShortEvent, build_example_field
from standings.engine.bracket.cut import LOST_TO, SWISS_SEED, Cut, UnknownPlacing, cut, order_groups
from standings.engine.bracket.tree import bracket_order, place_on_lines
from standings.engine.field import Field
from standings.engine.metrics import METRICS, UnknownMetric
from standings.engine.metrics.percentages import round_half_up
from standings.engine.metrics.registry import read_params
from standings.engine.ranking import Ranking, RankingStep, build_step, parse_steps, rank
from standings.engine.scoring import UnknownScoring
from standings.table.places import find_qualifiers, rank_final_places
from standings.table.swiss import compute_standings
from tournament.archive.format import ArchiveError
from tournament.archive.read import parse_event
from tournament.event.types import Event
from tournament.rulesets import UnknownRuleset, fide_version_on

POINTS = "match_points"


UNKNOWN = (UnknownMetric, UnknownPlacing, UnknownRuleset, UnknownScoring)


class ConformanceReport(Struct):
    """The counts, and one fragment per finding, starting with the file's name."""

    files: int = 0
    checks: int = 0
    passed: int = 0
    failed: list[str] = []
    unknown: list[str] = []
    known_faults: list[str] = []  # ranks that the publisher's own program got wrong
    unreadable: list[str] = []  # files that were skipped

    def check(self, right: bool, message: str) -> None:
        self.checks += 1
        if right:
            self.passed += 1
        else:
            self.failed.append(message)

    def missing(self, message: str) -> None:
        self.checks += 1
        self.unknown.append(message)

    def compare(self, what: str, compute: Callable[[], Any], expected: Any) -> None:
        """Check that `compute()` equals `expected`; values the engine does not know are reported as unchecked."""
        try:
            ours = compute()
        except UNKNOWN as error:
            self.missing(f"{what}: {error}")
        else:
            self.check(ours == expected, f"{what} is {ours}, expected {expected}")

    @property
    def clean(self) -> bool:
        return not (self.failed or self.unknown or self.unreadable)


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
        if row.entry not in ranking or len(row.values) != len(published.columns):
            has = f"{len(row.values)} values" if row.entry in ranking else "no row"
            report.check(False, f"{name}: {row.entry} has {has}")
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


# {short name in the notation: field of a profile}.
POINTS_FIELDS = {
    "half": "requested_half", "zero": "requested_zero", "full": "requested_full", "awarded": "awarded_bye",
    "missed": "missed_round",
}  # fmt: skip
PLACING = {"swiss_seed": SWISS_SEED, "lost_to_placement": LOST_TO}
Comparison = tuple[str, Any, Any]  # what is compared, ours, what is expected


def check_vectors(report: ConformanceReport, name: str, data: dict[str, Any]) -> None:
    for vector in data.get("vectors", ()):
        _check_vector(report, f"{name}: {vector['id']}", vector)
    for vector in data.get("structure_vectors", ()):
        where = f"{name}: {vector['id']}"
        try:
            for what, ours, expected in _compare_structure(vector):
                report.check(ours == expected, f"{where}: {what} is {ours}, expected {expected}")
        except UnknownPlacing as error:
            report.missing(f"{where}: {error}")


def _check_vector(report: ConformanceReport, where: str, vector: dict[str, Any]) -> None:
    event = vector["event"]
    profile = _profile(event.get("scoring", {}))
    field = build_example_field(msgspec.convert(event, ShortEvent), profile)
    for check in vector.get("checks", ()):
        for entry, expected in check["expect"].items():
            what = f"{where}: {check['metric']} {check['params']} of {entry}"
            report.compare(what, partial(_value, field, check, entry), Fraction(expected))
    if "rank" in vector:
        expected = [sorted(group) for group in vector["rank"]["expect"]]
        report.compare(f"{where}: order", lambda: _ranked(field, profile, vector["rank"]["chain"]), expected)
    for check in vector.get("groups", ()):
        expected = [sorted(group) for group in check["expect"]]
        report.compare(f"{where}: {check['mode']}", partial(_tied_group, field, check), expected)


def _value(field: Field, check: dict[str, Any], entry: str) -> Any:
    value = field.value(check["metric"], entry, check["params"])
    return round_half_up(value, check["round"]) if "round" in check else value


def _ranked(field: Field, profile: dict[str, Any], chain: list[dict[str, Any]]) -> list[list[str]]:
    groups: dict[int, list[str]] = {}
    for row in rank(field.records, profile, chain=parse_steps(chain)):
        groups.setdefault(row.rank, []).append(row.entry)
    return [sorted(group) for group in groups.values()]


def _tied_group(field: Field, check: dict[str, Any]) -> list[list[str]]:
    params = {name: check[name] for name in ("mode", "on") if name in check}
    params = read_params(METRICS["head_to_head"], params)
    return [sorted(part) for part in METRICS["head_to_head"].function(field, check["group"], **params)]


def _profile(scoring: dict[str, Any]) -> dict[str, Any]:
    points = {"win": "3", "draw": "1", "loss": "0"}
    match_points = points | scoring.get("match", {})
    return {
        "match_points": {POINTS_FIELDS.get(key, key): value for key, value in match_points.items()},
        "game_points": points | scoring.get("game", {}),
        "best_of_swiss": scoring.get("best_of", 3),
        "bye_games": scoring.get("bye_games", [2, 0, 0]),
        "forfeit_games": scoring.get("forfeit_games", [2, 0, 0]),
        "tiebreaks": [],
    }


def _pairs(lines: list) -> list[list]:
    return [list(pair) for pair in zip(lines[::2], lines[1::2], strict=True)]


def _first_round(n: int) -> list[list[int | None]]:
    return _pairs([line and int(line) for line in place_on_lines([str(seed) for seed in range(1, n + 1)])])


def _compare_structure(vector: dict[str, Any]) -> Iterator[Comparison]:
    """Yield what one vector about brackets, cuts and places compares. Raises UnknownPlacing, also for another kind."""
    match vector["kind"]:
        case "bracket":
            yield "bracket", _pairs(bracket_order(vector["size"])), vector["expect"]
        case "bracket_byes":
            yield "bracket", _first_round(vector["n"]), vector["expect"]
        case "bye_count":
            alone = sorted(a or b or 0 for a, b in _first_round(vector["n"]) if None in (a, b))
            yield "number of byes", len(alone), vector["expect"]
            if "expect_seeds" in vector:
                yield "byes", alone, vector["expect_seeds"]
        case "lookup":
            n = vector["n"]
            rows = [r for r in vector["table"] if r["min"] <= n and (r["max"] is None or n <= r["max"])]
            yield f"number of rows for {n} players", len(rows), 1
            for key, expected in vector["expect"].items():
                yield key, rows[0][key] if rows else None, expected
        case "cut":
            points = {f"{n:04}": Fraction(p) for n, p in enumerate(vector["points"])}
            order = sorted(points, key=lambda entry: (-points[entry], entry))
            inside = cut(order, vector["size"], points=points, min_points=vector.get("min_points"))
            yield "number in the cut", len(inside.qualifiers), vector["expect"]
        case "places":
            yield "places", _places(vector), vector["expect"]
        case kind:
            raise UnknownPlacing(f"Unknown kind {kind!r}.")


def _places(vector: dict[str, Any]) -> list[str]:
    groups = [[vector["champion"]], [vector["runner_up"]]]
    groups += [group for group in reversed(vector["losers"]) if group != [vector["runner_up"]]]
    # The names contain the seeds: s1 is seed 1.
    seeds = {entry: int(entry.lstrip("s")) for group in groups for entry in group}
    mode = PLACING.get(vector["mode"], vector["mode"])
    return [row.entry for row in order_groups(groups, mode, seeds, {}, vector["lost_to"])]


CHECKERS = {"swiss-published": check_published, "swiss-vectors": check_vectors}


def conformance(paths: Sequence[str | Path]) -> ConformanceReport:
    """Check files, and `.json` files of known formats in folders. Raises ArchiveError, OSError for a single path."""
    report = ConformanceReport()
    for path in map(Path, paths):
        if not path.is_dir():
            _check_file(report, path, required=True, alone=len(paths) == 1)
            continue
        before = report.files + len(report.unreadable)
        for file in sorted(path.rglob("*.json")):
            if not file.is_dir():
                _check_file(report, file)
        if report.files + len(report.unreadable) == before:
            raise ArchiveError(str(path), "no swiss-published or swiss-vectors file in this folder")
    return report


def _check_file(
    report: ConformanceReport, path: Path, *, required: bool = False, alone: bool = False
) -> None:
    try:
        report.files += _is_checked(report, path, required)
    except (ArchiveError, OSError) as error:
        if alone:
            raise
        words = str(error) if isinstance(error, ArchiveError) else f"{path}: {error.strerror}"
        report.unreadable.append(words)


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
