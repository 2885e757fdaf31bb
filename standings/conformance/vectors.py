"""Worked examples (`swiss-vectors`): a short event notation, metrics, rankings and structures to compare.

The notation is that of `standings.conformance.notation`. Metrics are called with the given params alone, never
with those of a ruleset.
"""

from __future__ import annotations

from fractions import Fraction

from standings.conformance.notation import field_of
from standings.engine.bracket.cut import cut
from standings.engine.bracket.final_places import LOST_TO, SWISS_SEED, order_groups
from standings.engine.bracket.slots import bracket_order, lines_of
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric
from standings.engine.metrics.head_to_head import head_to_head
from standings.engine.metrics.percentages import round_half_up
from standings.engine.ranking.chain import steps_of
from standings.engine.ranking.rank import rank

# Short names of the notation: fields of a profile.
POINTS_FIELDS = {
    "half": "requested_half", "zero": "requested_zero", "full": "requested_full", "awarded": "awarded_bye",
    "missed": "missed_round",
}  # fmt: skip
PLACING = {"swiss_seed": SWISS_SEED, "lost_to_placement": LOST_TO}


def check_vectors(report, name: str, data: dict) -> None:
    """Check every vector; one that needs an unknown metric, mode or kind is listed as unknown."""
    for vector in data.get("vectors", ()):
        where = f"{name}: {vector['id']}"
        event = vector["event"]
        field = field_of(event, _profile(event.get("scoring", {})))
        for check in vector.get("checks", ()):
            _check_metric(report, where, field, check)
        if "rank" in vector:
            _check_rank(report, where, field, vector["rank"])
        for group in vector.get("groups", ()):
            _check_group(report, where, field, group)
    for vector in data.get("structure_vectors", ()):
        checker = STRUCTURES.get(vector["kind"])
        if checker is None:
            report.missing(f"{name}: {vector['id']}: Unknown kind {vector['kind']!r}.")
        else:
            checker(report, f"{name}: {vector['id']}", vector)


def _check_metric(report, where: str, field: Field, check: dict) -> None:
    for entry, expected in check["expect"].items():
        what = f"{where}: {check['metric']} {check['params']} of {entry}"
        try:
            value = field.value(check["metric"], entry, check["params"])
        except UnknownMetric as error:
            report.missing(f"{what}: {error}")
            continue
        if "round" in check:
            value = round_half_up(value, check["round"])
        report.check(value == Fraction(expected), f"{what} is {value}, expected {expected}")


def _check_group(report, where: str, field: Field, check: dict) -> None:
    """Check a tied group ordered by head-to-head: groups best first, each in any order."""
    params = {name: value for name, value in check.items() if name in ("mode", "on")}
    try:
        parts = head_to_head(field, check["group"], **params)
    except UnknownMetric as error:
        report.missing(f"{where}: {error}")
        return
    ours, theirs = [sorted(part) for part in parts], [sorted(part) for part in check["expect"]]
    report.check(ours == theirs, f"{where}: {check['mode']} gives {ours}, expected {theirs}")


def _check_rank(report, where: str, field: Field, expected: dict) -> None:
    try:
        ranking = rank(field.records, _profile({}), chain=steps_of(expected["chain"]))
    except UnknownMetric as error:
        report.missing(f"{where}: {error}")
        return
    groups: dict[int, list[str]] = {}
    for row in ranking:
        groups.setdefault(row.rank, []).append(row.entry)
    ours = [sorted(group) for group in groups.values()]
    theirs = [sorted(group) for group in expected["expect"]]
    report.check(ours == theirs, f"{where}: ranked {ours}, expected {theirs}")


def _profile(scoring: dict) -> dict:
    """A profile with the notation's points: by default 3/1/0, a bye 3 points and 2-0."""
    points = {"win": "3", "draw": "1", "loss": "0"} | scoring.get("match", {})
    return {
        "match_points": {POINTS_FIELDS.get(key, key): value for key, value in points.items()},
        "game_points": {"win": "3", "draw": "1", "loss": "0"} | scoring.get("game", {}),
        "best_of_swiss": scoring.get("best_of", 3),
        "bye_games": scoring.get("bye_games", [2, 0, 0]),
        "forfeit_games": scoring.get("forfeit_games", [2, 0, 0]),
        "tiebreaks": [],
    }


def _check_bracket(report, where: str, vector: dict) -> None:
    order = bracket_order(vector["size"])
    ours = [list(pair) for pair in zip(order[::2], order[1::2], strict=True)]
    report.check(ours == vector["expect"], f"{where}: bracket {ours}, expected {vector['expect']}")


def _first_round(n: int) -> list[tuple[int | None, int | None]]:
    """Pairs of seeds of the first round with `n` entrants; None for a missing one."""
    lines = [None if line is None else int(line) for line in lines_of([str(s) for s in range(1, n + 1)])]
    return list(zip(lines[::2], lines[1::2], strict=True))


def _check_byes(report, where: str, vector: dict) -> None:
    ours = [list(pair) for pair in _first_round(vector["n"])]
    report.check(ours == vector["expect"], f"{where}: bracket {ours}, expected {vector['expect']}")


def _check_bye_count(report, where: str, vector: dict) -> None:
    alone = sorted(a or b or 0 for a, b in _first_round(vector["n"]) if None in (a, b))
    report.check(len(alone) == vector["expect"], f"{where}: {len(alone)} byes, expected {vector['expect']}")
    if "expect_seeds" in vector:
        report.check(
            alone == vector["expect_seeds"], f"{where}: byes of {alone}, expected {vector['expect_seeds']}"
        )


def _check_lookup(report, where: str, vector: dict) -> None:
    n = vector["n"]
    rows = [r for r in vector["table"] if r["min"] <= n and (r["max"] is None or n <= r["max"])]
    report.check(len(rows) == 1, f"{where}: {len(rows)} rows for {n} players")
    for key, expected in vector["expect"].items():
        ours = rows[0][key] if rows else None
        report.check(ours == expected, f"{where}: {key} {ours}, expected {expected}")


def _check_cut(report, where: str, vector: dict) -> None:
    points = {f"{n:04}": Fraction(p) for n, p in enumerate(vector["points"])}
    order = sorted(points, key=lambda entry: (-points[entry], entry))
    chosen = cut(order, vector["size"], points=points, min_points=vector.get("min_points")).qualifiers
    report.check(len(chosen) == vector["expect"], f"{where}: {len(chosen)} in, expected {vector['expect']}")


def _check_places(report, where: str, vector: dict) -> None:
    if vector["mode"] not in PLACING:
        report.missing(f"{where}: unknown placement mode {vector['mode']!r}.")
        return
    groups = [[vector["champion"]], [vector["runner_up"]]]
    groups += [group for group in reversed(vector["losers"]) if group != [vector["runner_up"]]]
    # Seeds are read off the names: s1 is seed 1.
    seeds = {entry: int(entry.lstrip("s")) for group in groups for entry in group}
    ours = [row.entry for row in order_groups(groups, PLACING[vector["mode"]], seeds, {}, vector["lost_to"])]
    report.check(ours == vector["expect"], f"{where}: places {ours}, expected {vector['expect']}")


STRUCTURES = {
    "bracket": _check_bracket,
    "bracket_byes": _check_byes,
    "bye_count": _check_bye_count,
    "lookup": _check_lookup,
    "cut": _check_cut,
    "places": _check_places,
}
