"""What is wrong with a profile, said by the path of the field.

Whether a metric exists and knows its params is for the standings to say (`standings.engine.validating`); here
is checked what any reader of the profile relies on.
"""

from __future__ import annotations

import re
from fractions import Fraction

from tournament.rulesets.fields import unknown_fields

POINTS_METRICS = ("match_points", "match_wins", "mms", "victory_points")
LAST_RESORTS = ("random", "manual")
BEST_OF = (1, 3, 5, "exactly_2")
MATCH_MODES = ("points", "wins", "wins_half_draws")
GAME_MODES = ("points", "wins")
FLAGS = ("floor_own_gw", "own_include_byes", "opp_include_byes", "count_no_show_tables")
HOUSE = ("zero", "own", "exclude")
LATE = ("loss", "half", "bye")
METHODS = (
    "random_in_score_group", "adjacent_by_rank", "top_half_vs_bottom_half", "dutch", "mcmahon",
    "king_of_the_hill", "win_path_then_random", "random", "adjacent", "fold",
)  # fmt: skip
OBJECTS = ("draws_allowed", "display", "pairing", "bye", "late_entry", "drop", "cut", "elimination")
EXACT = re.compile(r"[+-]?\d{1,15}(/[1-9]\d{0,14}|\.\d{1,15})?", re.ASCII)
# Params of metrics that are not words: exact numbers, counts, worths of byes by kind.
EXACT_PARAMS = (
    "floor", "cap", "cap_dropped", "empty", "limit", "decay", "win", "max_per_round", "forfeit_win",
    "forfeit_loss", "missing", "start",
)  # fmt: skip
COUNT_PARAMS = ("cut", "cut_low", "cut_high", "round_each", "count", "version")


def validate(profile: dict) -> list[tuple[str, str]]:
    """Every fault as (path, message), in the order of the fields; an empty list means a sound profile."""
    faults = [(path, "no ruleset has this field") for path in unknown_fields(profile)]
    for part in (_objects, _points, _games, _percentages, _tiebreaks, _pairing, _lists, _rounds_table):
        part(profile, lambda path, message: faults.append((path, message)))
    return faults


def exact(value) -> Fraction | None:
    """The exact number a profile's string or integer means, None if it is none. Floats are refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and EXACT.fullmatch(value) else None


def _objects(profile, fault):
    for key in ("key", "name", "source", "confidence"):
        if not isinstance(profile.get(key) or "", str):
            fault(key, "is a text")
    if not _is_count(profile.get("version", 1)):
        fault("version", "is a whole number")
    for key in OBJECTS:
        if not isinstance(profile.get(key), dict):
            fault(key, "is an object")


def _points(profile, fault):
    for table in ("match_points", "game_points"):
        values = profile.get(table)
        if not isinstance(values, dict):
            fault(table, "is an object of points")
            continue
        for key, value in values.items():
            if key != "mode" and exact(value) is None:
                fault(f"{table}.{key}", f'{value!r} is not an exact number such as "3" or "1/2"')
        win = exact(values.get("win"))
        if win is not None and win <= 0:
            fault(f"{table}.win", "a win is worth more than nothing")


def _games(profile, fault):
    for key in ("best_of_swiss", "best_of_elim"):
        if isinstance(profile.get(key), bool) or profile.get(key) not in BEST_OF:
            fault(key, f'{profile.get(key)!r} is none of 1, 3, 5, "exactly_2"')
    for key in ("bye_games", "forfeit_games"):
        games = profile.get(key)
        whole = (
            isinstance(games, list)
            and len(games) == 3
            and all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 99 for n in games)
        )
        if not whole:
            fault(key, "is a list of three whole numbers: won, lost, drawn")


def _percentages(profile, fault):
    shares = profile.get("percentages")
    if not isinstance(shares, dict):
        fault("percentages", "is an object")
        return
    read: dict[str, Fraction] = {}
    for key in ("match_floor", "game_floor", "match_cap", "match_cap_dropped"):
        share = exact(shares.get(key))
        if share is not None and 0 <= share <= 1:
            read[key] = share
        elif shares.get(key) is not None:
            fault(f"percentages.{key}", f"{shares[key]!r} is not an exact share from 0 to 1")
    for cap in ("match_cap", "match_cap_dropped"):
        if cap in read and "match_floor" in read and read["match_floor"] > read[cap]:
            fault(f"percentages.{cap}", "the cap is below the floor")
    for key, modes in (("match_mode", MATCH_MODES), ("game_mode", GAME_MODES)):
        if shares.get(key) not in modes:
            fault(f"percentages.{key}", f"{shares.get(key)!r} is none of {', '.join(modes)}")
    for key in FLAGS:
        if not isinstance(shares.get(key), bool):
            fault(f"percentages.{key}", "is true or false")
    if not _is_bye(shares.get("bye_as_opponent")):
        fault("percentages.bye_as_opponent", "is exclude, zero or an object of value and count")


def _tiebreaks(profile, fault):
    chain = profile.get("tiebreaks")
    if not isinstance(chain, list) or not chain:
        fault("tiebreaks", "the order is empty")
        return
    for i, step in enumerate(chain):
        if not isinstance(step, dict) or not isinstance(step.get("metric"), str):
            fault(f"tiebreaks[{i}]", "names a metric")
            return
        params = step.get("params") or {}
        if not isinstance(params, dict):
            fault(f"tiebreaks[{i}].params", "is an object")
        else:
            for key in params:
                if not _is_param(key, params[key]):
                    fault(f"tiebreaks[{i}].params.{key}", f"{params[key]!r} is no value of it")
        if not isinstance(step.get("label", ""), str):
            fault(f"tiebreaks[{i}].label", "is a text")
        if step.get("order", "desc") not in ("asc", "desc"):
            fault(f"tiebreaks[{i}].order", f"{step['order']!r} is neither asc nor desc")
    if chain[0]["metric"] not in POINTS_METRICS:
        fault("tiebreaks[0].metric", "the order starts with points")
    if chain[-1]["metric"] not in LAST_RESORTS:
        fault(f"tiebreaks[{len(chain) - 1}].metric", "the order ends with random or manual")


def _is_param(key, value) -> bool:
    if value is None:
        return True
    if key in EXACT_PARAMS:
        return exact(value) is not None
    if key in COUNT_PARAMS:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9999
    if key == "bye_as":
        return isinstance(value, dict) and all(exact(worth) is not None for worth in value.values())
    if key == "bye":
        return _is_bye(value) or exact(value) is not None
    return isinstance(value, str | bool | int)


def _is_bye(value) -> bool:
    """How a bye stands among the opponents: a word, or so many opponents worth so much."""
    if not isinstance(value, dict):
        return value in ("exclude", "zero")
    count = value.get("count", 1)
    whole = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= 99
    return whole and exact(value.get("value")) is not None


def _pairing(profile, fault):
    pairing = profile.get("pairing")
    method = pairing.get("method") if isinstance(pairing, dict) else None
    if method not in METHODS:
        fault("pairing.method", f"{method!r} is no known way of pairing")
    for table, key, words in (
        ("pairing", "first_round", None),
        ("pairing", "objective", None),
        ("pairing", "repeats", None),
        ("bye", "to", None),
        ("bye", "house_contribution", HOUSE),
        ("late_entry", "missed", LATE),
        ("elimination", "placement", None),
        ("elimination", "draw_rule", None),
    ):
        value = profile[table].get(key) if isinstance(profile.get(table), dict) else None
        known = isinstance(value, str) if words is None else value in words
        if value is not None and not known:
            fault(f"{table}.{key}", f"{value!r} is not known")


def _lists(profile, fault):
    """Texts in lists, and the exact points a cut may ask for."""
    pairing, cut = profile.get("pairing"), profile.get("cut")
    criteria = pairing.get("criteria") if isinstance(pairing, dict) else None
    for path, value in (("pairing.criteria", criteria), ("byes_refused", profile.get("byes_refused"))):
        texts = isinstance(value, list) and all(isinstance(word, str) for word in value)
        if value is not None and not texts:
            fault(path, "is a list of words")
    least = cut.get("min_points") if isinstance(cut, dict) else None
    if least is not None and exact(least) is None:
        fault("cut.min_points", f"{least!r} is not an exact number")


def _rounds_table(profile, fault):
    table = profile.get("rounds_table")
    if isinstance(table, dict) and table.get("formula") == "ceil(log2(n))":
        return
    if not isinstance(table, list) or not table:
        fault("rounds_table", "is a list of rows or the formula ceil(log2(n))")
        return
    reached = None
    for i, row in enumerate(table):
        path = f"rounds_table[{i}]"
        if not isinstance(row, dict) or not all(_is_count(row.get(key)) for key in ("min", "rounds")):
            fault(path, "has min, max, rounds and cut")
            return
        for key in ("max", "cut"):
            if row.get(key) is not None and not _is_count(row[key]):
                fault(f"{path}.{key}", f"{row[key]!r} is no whole number")
                return
        if reached is not None and row["min"] != reached + 1:
            fault(f"{path}.min", f"rows follow without gap or overlap: {reached + 1}, not {row['min']}")
        if row.get("max") is None:
            if i != len(table) - 1:
                fault(f"{path}.max", "only the last row is open")
            return
        if row["max"] < row["min"]:
            fault(f"{path}.max", "is below min")
        reached = row["max"]


def _is_count(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**6
