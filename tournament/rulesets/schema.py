"""Every field a ruleset may have: what nobody here knows is refused, not passed over in silence."""

from __future__ import annotations

from typing import Any

TOP = frozenset(
    "key name version source confidence match_points game_points bye_games forfeit_games best_of_swiss "
    "best_of_elim draws_allowed percentages compare display team_ignores_games tiebreaks "
    "tiebreaks_frozen_by_stage pairing bye late_entry drop cut elimination rounds_table byes_refused "
    "records_scores unfinished_games open_fields based_on rule_changes".split()
)
INSIDE = {
    "match_points": "win draw loss bye awarded_bye requested_half requested_zero requested_full forfeit_win "
    "forfeit_loss double_loss missed_round draw_ahead draw_behind mode sweep_bonus game_win",
    "game_points": "win draw loss unplayed",
    "draws_allowed": "match intentional elimination double_loss",
    "percentages": "match_mode game_mode match_floor game_floor floor_own_gw match_cap match_cap_dropped "
    "own_include_byes opp_include_byes bye_as_opponent count_no_show_tables",
    "display": "percent_places mode packed",
    "pairing": "method first_round rematch repeats pair_down last_round colours colour_rules round1_colours "
    "side_balance max_same_colour_row max_colour_difference criteria objective labels_apart_until_round",
    "bye": "to max_per_player first_round excluded_if house_opponent house_contribution",
    "late_entry": "allowed_until_round missed rank_below_on_time",
    "drop": "stays_in_standings after_cut_replacement walkover",
    "cut": "size size_from_table min_points tie_policy alternates",
    "elimination": "type bracket_reset seeding bracket byes reseed first_choice placement third_place_match "
    "draw_rule replay colours round1_first",
}


def is_field(path: str) -> bool:
    """Whether a path such as "match_points.win" or "tiebreaks" names a field of a ruleset."""
    field, _, name = path.partition(".")
    return name in INSIDE.get(field, "").split() if name else field in TOP


def unknown_fields(profile: dict) -> list[str]:
    """Paths of fields no ruleset has, in alphabetical order."""
    found = [key for key in profile if key not in TOP]
    for key, inside in INSIDE.items():
        if isinstance(profile.get(key), dict):
            known = inside.split()
            found += [f"{key}.{name}" for name in profile[key] if name not in known]
    return sorted(found)


def value_at(profile: dict, path: str) -> Any:
    """The value under a path such as "match_points.win"; None where there is none."""
    value: Any = profile
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def set_value(profile: dict, path: str, value: Any) -> None:
    """Set the value under a path, in place."""
    *outer, last = path.split(".")
    for part in outer:
        if not isinstance(profile.get(part), dict):
            profile[part] = {}
        profile = profile[part]
    profile[last] = value


def drop_value(profile: dict, path: str) -> None:
    """Take the field under a path away, in place: it follows from others, or there is none."""
    *outer, last = path.split(".")
    for part in outer:
        profile = profile.get(part) or {}
    profile.pop(last, None)


LONGEST_REASON = 500


MOST_STEPS = 30


MOST_ROWS = 60
