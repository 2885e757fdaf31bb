"""Worked examples (`swiss-vectors`): check metrics, rankings and brackets against a short event notation.

The notation is `library.ShortEvent`. Metrics get only the given params, never a ruleset's.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import msgspec

from standings.conformance.library import ConformanceReport, ShortEvent, build_example_field
from standings.engine.bracket.cut import LOST_TO, SWISS_SEED, UnknownPlacing, cut, order_groups
from standings.engine.bracket.tree import bracket_order, place_on_lines
from standings.engine.field import Field
from standings.engine.metrics import find_metric
from standings.engine.metrics.percentages import round_half_up
from standings.engine.metrics.registry import read_params
from standings.engine.ranking.rank import parse_steps, rank

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
        if vector["kind"] not in STRUCTURES:
            report.missing(f"{where}: Unknown kind {vector['kind']!r}.")
            continue
        try:
            for what, ours, expected in STRUCTURES[vector["kind"]](vector):
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
    metric = find_metric("head_to_head")
    params = read_params(metric, {name: check[name] for name in ("mode", "on") if name in check})
    return [sorted(part) for part in metric.function(field, check["group"], **params)]


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


def _bracket(vector: dict[str, Any]) -> Iterator[Comparison]:
    yield "bracket", _pairs(bracket_order(vector["size"])), vector["expect"]


def _byes(vector: dict[str, Any]) -> Iterator[Comparison]:
    yield "bracket", _first_round(vector["n"]), vector["expect"]


def _bye_count(vector: dict[str, Any]) -> Iterator[Comparison]:
    alone = sorted(a or b or 0 for a, b in _first_round(vector["n"]) if None in (a, b))
    yield "number of byes", len(alone), vector["expect"]
    if "expect_seeds" in vector:
        yield "byes", alone, vector["expect_seeds"]


def _lookup(vector: dict[str, Any]) -> Iterator[Comparison]:
    n = vector["n"]
    rows = [r for r in vector["table"] if r["min"] <= n and (r["max"] is None or n <= r["max"])]
    yield f"number of rows for {n} players", len(rows), 1
    for key, expected in vector["expect"].items():
        yield key, rows[0][key] if rows else None, expected


def _cut(vector: dict[str, Any]) -> Iterator[Comparison]:
    points = {f"{n:04}": Fraction(p) for n, p in enumerate(vector["points"])}
    order = sorted(points, key=lambda entry: (-points[entry], entry))
    qualifiers = cut(order, vector["size"], points=points, min_points=vector.get("min_points")).qualifiers
    yield "number in the cut", len(qualifiers), vector["expect"]


def _places(vector: dict[str, Any]) -> Iterator[Comparison]:
    groups = [[vector["champion"]], [vector["runner_up"]]]
    groups += [group for group in reversed(vector["losers"]) if group != [vector["runner_up"]]]
    # The names contain the seeds: s1 is seed 1.
    seeds = {entry: int(entry.lstrip("s")) for group in groups for entry in group}
    mode = PLACING.get(vector["mode"], vector["mode"])
    rows = order_groups(groups, mode, seeds, {}, vector["lost_to"])
    yield "places", [row.entry for row in rows], vector["expect"]


STRUCTURES = {
    "bracket": _bracket,
    "bracket_byes": _byes,
    "bye_count": _bye_count,
    "lookup": _lookup,
    "cut": _cut,
    "places": _places,
}
