"""What is wrong with a profile, said by the path of the field.

Here is checked what any reader of the profile relies on. What only others can judge they add with
`also_check`: the standings say whether a metric exists and knows its params.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from tournament.rulesets.schema import (
    LONGEST_REASON,
    MOST_ROWS,
    MOST_STEPS,
    is_field,
    unknown_fields,
    value_at,
)

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
SWITCHES = (
    "team_ignores_games tiebreaks_frozen_by_stage records_scores draws_allowed.match draws_allowed.intentional "
    "draws_allowed.elimination draws_allowed.double_loss pairing.colours pairing.side_balance "
    "bye.house_opponent late_entry.rank_below_on_time drop.stays_in_standings drop.after_cut_replacement "
    "cut.size_from_table cut.alternates elimination.bracket_reset elimination.reseed "
    "elimination.third_place_match"
).split()
COUNTS = (
    "display.percent_places late_entry.allowed_until_round bye.max_per_player cut.size "
    "pairing.labels_apart_until_round pairing.max_same_colour_row pairing.max_colour_difference"
).split()


# characters of a reason
TEXTS = {"key": 60, "name": 120, "source": 1000, "confidence": 60, "based_on": 60}  # characters
LONGEST_LABEL = 60


MOST = 99  # of a count that is no number of players
MOST_PLACES = 9  # of a printed number: more is wider than a phone
WORDS = {
    "match_points.mode": ("per_match", "per_game"),
    "display.mode": ("half_up", "truncate"),
    "unfinished_games": ("drawn", "void"),
}
EXACT = re.compile(r"[+-]?\d{1,15}(/[1-9]\d{0,14}|\.\d{1,15})?", re.ASCII)
# Params of metrics that are not words: exact numbers, counts, worths of byes by kind.
EXACT_PARAMS = (
    "floor", "cap", "cap_dropped", "empty", "limit", "decay", "win", "max_per_round", "forfeit_win",
    "forfeit_loss", "missing", "start",
)  # fmt: skip
COUNT_PARAMS = ("cut", "cut_low", "cut_high", "round_each", "count", "version")

Fault = tuple[str, str]
_further: list[Callable[[dict], list[Fault]]] = []


def also_check(check: Callable[[dict], list[Fault]]) -> None:
    """Let `check` look at every profile too: it answers its faults as `validate` does. Once is enough.

    It must bear any profile: what is wrong elsewhere may have any shape.
    """
    if check not in _further:
        _further.append(check)


def validate(profile: dict) -> list[Fault]:
    """Every fault as (path, message), at most one a path; an empty list means a sound profile."""
    faults = [(path, "unknown field") for path in unknown_fields(profile)]
    for part in (
        _objects,
        _points,
        _games,
        _percentages,
        _tiebreaks,
        _pairing,
        _lists,
        _shapes,
        _rounds_table,
        _rule_changes,
    ):
        part(profile, lambda path, message: faults.append((path, message)))
    for check in _further:
        faults += check(profile)
    said: dict[str, str] = {}
    for path, message in faults:
        said.setdefault(path, message)
    return list(said.items())


def exact_number(value) -> Fraction | None:
    """The exact number a profile's string or integer means, None if it is none. Floats are refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and EXACT.fullmatch(value) else None


def _objects(profile, fault):
    for key, longest in TEXTS.items():
        text = profile.get(key) or ""
        if not isinstance(text, str) or len(text) > longest:
            fault(key, f"must be text of up to {longest} characters")
    if not _is_count(profile.get("version", 1)):
        fault("version", "must be a whole number")
    for key in OBJECTS:
        if not isinstance(profile.get(key), dict):
            fault(key, "must be an object")


def _points(profile, fault):
    for table in ("match_points", "game_points"):
        values = profile.get(table)
        if not isinstance(values, dict):
            fault(table, "must be an object of points")
            continue
        for key, value in values.items():
            if key != "mode" and exact_number(value) is None:
                fault(f"{table}.{key}", f'{value!r} is not an exact number such as "3" or "1/2"')
        win = exact_number(values.get("win"))
        if win is not None and win <= 0:
            fault(f"{table}.win", "a win must be worth more than 0")


def _games(profile, fault):
    for key in ("best_of_swiss", "best_of_elim"):
        if isinstance(profile.get(key), bool) or profile.get(key) not in BEST_OF:
            fault(key, f'{profile.get(key)!r} is not one of 1, 3, 5, "exactly_2"')
    for key in ("bye_games", "forfeit_games"):
        games = profile.get(key)
        whole = (
            isinstance(games, list)
            and len(games) == 3
            and all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 99 for n in games)
        )
        if not whole:
            fault(key, "must be a list of 3 whole numbers: won, lost, drawn")


def _percentages(profile, fault):
    shares = profile.get("percentages")
    if not isinstance(shares, dict):
        fault("percentages", "must be an object")
        return
    read: dict[str, Fraction] = {}
    for key in ("match_floor", "game_floor", "match_cap", "match_cap_dropped"):
        share = exact_number(shares.get(key))
        if share is not None and 0 <= share <= 1:
            read[key] = share
        elif shares.get(key) is not None:
            fault(f"percentages.{key}", f"{shares[key]!r} is not an exact share from 0 to 1")
    for cap in ("match_cap", "match_cap_dropped"):
        if cap in read and "match_floor" in read and read["match_floor"] > read[cap]:
            fault(f"percentages.{cap}", "the maximum (cap) is below the minimum (floor)")
    for key, modes in (("match_mode", MATCH_MODES), ("game_mode", GAME_MODES)):
        if shares.get(key) not in modes:
            fault(f"percentages.{key}", f"{shares.get(key)!r} is not one of {', '.join(modes)}")
    for key in FLAGS:
        if not isinstance(shares.get(key), bool):
            fault(f"percentages.{key}", "must be true or false")
    if not _is_bye(shares.get("bye_as_opponent")):
        fault(
            "percentages.bye_as_opponent",
            "must be exclude, zero, or a number of opponents and their value, such as 3 x 1/5",
        )


def _tiebreaks(profile, fault):
    chain = profile.get("tiebreaks")
    if not isinstance(chain, list) or not chain:
        fault("tiebreaks", "the order is empty")
        return
    if len(chain) > MOST_STEPS:
        fault("tiebreaks", f"the order can have at most {MOST_STEPS} lines")
    for i, step in enumerate(chain):
        if not isinstance(step, dict) or not isinstance(step.get("metric"), str):
            fault(f"tiebreaks[{i}]", "must name a metric")
            return
        params = step.get("params") or {}
        if not isinstance(params, dict):
            fault(f"tiebreaks[{i}].params", "must be an object")
        else:
            for key in params:
                if not _is_param(key, params[key]):
                    fault(f"tiebreaks[{i}].params.{key}", f"{params[key]!r} is not a valid value")
        label = step.get("label", "")
        if not isinstance(label, str) or len(label) > LONGEST_LABEL:
            fault(f"tiebreaks[{i}].label", f"must be text of up to {LONGEST_LABEL} characters")
        if step.get("order", "desc") not in ("asc", "desc"):
            fault(f"tiebreaks[{i}].order", f"must be asc or desc, not {step['order']!r}")


def _is_param(key, value) -> bool:
    if value is None:
        return True
    if key in EXACT_PARAMS:
        return exact_number(value) is not None
    if key in COUNT_PARAMS:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9999
    if key == "bye_as":
        return isinstance(value, dict) and all(exact_number(worth) is not None for worth in value.values())
    if key == "bye":
        return _is_bye(value) or exact_number(value) is not None
    return isinstance(value, str | bool | int)


def _is_bye(value) -> bool:
    """How a bye stands among the opponents: a word, or so many opponents worth so much."""
    if not isinstance(value, dict):
        return value in ("exclude", "zero")
    count = value.get("count", 1)
    whole = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= 99
    return whole and exact_number(value.get("value")) is not None


def _pairing(profile, fault):
    pairing = profile.get("pairing")
    method = pairing.get("method") if isinstance(pairing, dict) else None
    if method not in METHODS:
        fault("pairing.method", f"{method!r} is not a known pairing method")
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
            fault(path, "must be a list of words")
    opened = profile.get("open_fields")
    if opened is not None:
        if not isinstance(opened, list) or not all(isinstance(path, str) for path in opened):
            fault("open_fields", "must be a list of fields")
        else:
            for path in opened:
                if not is_field(path):
                    fault("open_fields", f"unknown field {path!r}")
    elimination = profile.get("elimination")
    first = elimination.get("round1_first") if isinstance(elimination, dict) else None
    if first is not None and not (isinstance(first, list) and all(side in ("a", "b") for side in first)):
        fault("elimination.round1_first", 'must be a list of "a" and "b", first match on top')
    least = cut.get("min_points") if isinstance(cut, dict) else None
    if least is not None and exact_number(least) is None:
        fault("cut.min_points", f"{least!r} is not an exact number")


def _rule_changes(profile, fault):
    """What was changed in a running event: after which round, which fields, and why."""
    changes = profile.get("rule_changes")
    if changes is not None and not isinstance(changes, list):
        fault("rule_changes", "must be a list of changes")
        return
    for i, change in enumerate(changes or []):
        fields = change.get("fields") if isinstance(change, dict) else None
        sound = (
            isinstance(fields, list)
            and all(isinstance(path, str) and len(path) <= LONGEST_REASON for path in fields)
            and _is_count(change.get("after"))
            and isinstance(change.get("reason"), str)
            and 1 <= len(change["reason"]) <= LONGEST_REASON
        )
        if not sound:
            fault(f"rule_changes[{i}]", "needs after (a round), fields (a list of words) and a reason")


def _shapes(profile, fault):
    """Fields whose kind alone is checked; null and absent are the same."""
    for path in SWITCHES:
        value = value_at(profile, path)
        if value is not None and not isinstance(value, bool):
            fault(path, "must be true or false")
    for path in COUNTS:
        value = value_at(profile, path)
        most = MOST_PLACES if path == "display.percent_places" else MOST
        if value is not None and not (_is_count(value) and value <= most):
            fault(path, f"must be a whole number from 0 to {most}")
    for path, words in WORDS.items():
        value = value_at(profile, path)
        if value is not None and value not in words:
            fault(path, f"{value!r} is not one of {', '.join(words)}")


def _rounds_table(profile, fault):
    table = profile.get("rounds_table")
    if isinstance(table, dict) and table.get("formula") == "ceil(log2(n))":
        return
    if not isinstance(table, list) or not table:
        fault("rounds_table", "must be a list of rows or the formula ceil(log2(n))")
        return
    if len(table) > MOST_ROWS:
        fault("rounds_table", f"can have at most {MOST_ROWS} rows")
        return
    reached = None
    for i, row in enumerate(table):
        path = f"rounds_table[{i}]"
        if not isinstance(row, dict) or not all(_is_count(row.get(key)) for key in ("min", "rounds")):
            fault(path, "has min, max, rounds and cut")
            return
        for key in ("max", "cut"):
            if row.get(key) is not None and not _is_count(row[key]):
                fault(f"{path}.{key}", f"{row[key]!r} is not a whole number")
                return
        if reached is not None and row["min"] != reached + 1:
            fault(f"{path}.min", f"rows must follow without gap or overlap: {reached + 1}, not {row['min']}")
        if row.get("max") is None:
            if i != len(table) - 1:
                fault(f"{path}.max", "only the last row can be open-ended")
            return
        if row["max"] < row["min"]:
            fault(f"{path}.max", "must not be below min")
        reached = row["max"]


def _is_count(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**6
