"""Every field of a ruleset, once: where it stands, what it may hold, what an empty one means, who may change it.

Checks (`validate`), the editor, what a running event may still change and the published JSON Schema all read
this table. The defaults stand in `presets.json`, words for the fields in `tournament.rulebooks.field_words`, and
what each field means in `docs/rules.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tournament.rulesets.kinds import (
    BYE,
    CHANGES,
    FREE,
    GAMES,
    LENGTH,
    NUMBER,
    ROUNDS,
    SHARE,
    SIDES,
    SWITCH,
    TIEBREAKS,
    VERSION,
    WORD,
    WORDS,
    Kind,
    choice,
    text,
    whole,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a ruleset.

    `empty`: what holds where it is absent or null: "refused", "none" (no such limit, or as the code does), or
    "follows" (absent only: it follows from the field `source` beside it, or from what the code does).
    `positive`: an exact number above 0.
    `part`: "rule"; "description" for what decides nothing; "identity" for what only the publisher's log gives.
    `fixed`: from when on a running event cannot change it: "pairing", "results", "bracket", or never ("").
    """

    path: str
    kind: Kind
    empty: str = "none"
    source: str = ""
    positive: bool = False
    part: str = "rule"
    fixed: str = ""


def _points(name: str, source: str = "", empty: str = "follows", positive: bool = False) -> Field:
    return Field(f"match_points.{name}", NUMBER, empty, source, positive=positive)


def _share(name: str) -> Field:
    return Field(f"percentages.{name}", SHARE)


FIELDS: tuple[Field, ...] = (
    Field("key", text(60), part="identity"),
    Field("version", VERSION, "follows", part="identity"),
    Field("name", text(120), part="description"),
    Field("source", text(1000), part="description"),
    Field("confidence", text(60), part="description"),
    Field("based_on", text(60), part="description"),
    Field("open_fields", WORDS, part="description"),
    Field("rule_changes", CHANGES, part="description"),
    _points("win", empty="refused", positive=True),
    _points("draw", empty="refused"),
    _points("loss", empty="refused"),
    _points("bye", "win"),
    _points("awarded_bye", "bye"),
    _points("requested_full", "bye"),
    _points("requested_half", empty="refused"),
    _points("requested_zero", empty="refused"),
    _points("forfeit_win", "win"),
    _points("forfeit_loss", "loss"),
    _points("double_loss", "loss"),
    _points("missed_round", "loss"),
    _points("draw_ahead"),
    _points("draw_behind"),
    Field("match_points.mode", choice("per_match", "per_game")),
    _points("game_win"),
    _points("sweep_bonus"),
    Field("game_points.win", NUMBER, "refused", positive=True),
    Field("game_points.draw", NUMBER, "refused"),
    Field("game_points.loss", NUMBER, "refused"),
    Field("game_points.unplayed", NUMBER, "follows"),
    Field("best_of_swiss", LENGTH, "refused", fixed="pairing"),
    Field("best_of_elim", LENGTH, "refused", fixed="bracket"),
    Field("unfinished_games", choice("drawn", "void")),
    Field("bye_games", GAMES, "refused"),
    Field("forfeit_games", GAMES, "refused"),
    Field("team_ignores_games", SWITCH),
    Field("records_scores", SWITCH, fixed="results"),
    Field("draws_allowed.match", SWITCH),
    Field("draws_allowed.intentional", SWITCH),
    Field("draws_allowed.double_loss", SWITCH),
    Field("draws_allowed.elimination", SWITCH, fixed="bracket"),
    Field("percentages.match_mode", choice("points", "wins", "wins_half_draws"), "refused"),
    _share("match_floor"),
    _share("match_cap"),
    _share("match_cap_dropped"),
    Field("percentages.game_mode", choice("points", "wins"), "refused"),
    _share("game_floor"),
    Field("percentages.floor_own_gw", SWITCH, "refused"),
    Field("percentages.own_include_byes", SWITCH, "refused"),
    Field("percentages.opp_include_byes", SWITCH, "refused"),
    Field("percentages.bye_as_opponent", BYE, "refused"),
    Field("percentages.count_no_show_tables", SWITCH, "refused"),
    Field("compare", FREE),
    Field("display.percent_places", whole(9)),  # more is wider than a phone
    Field("display.mode", choice("half_up", "truncate")),
    Field("display.packed", FREE),
    Field("tiebreaks", TIEBREAKS, "refused"),
    Field("tiebreaks_frozen_by_stage", SWITCH),
    Field(
        "pairing.method",
        choice(
            "random_in_score_group", "adjacent_by_rank", "top_half_vs_bottom_half", "dutch", "mcmahon",
            "king_of_the_hill", "win_path_then_random", "random", "adjacent", "fold",
        ),
        "refused",
    ),
    Field("pairing.first_round", WORD),
    Field("pairing.rematch", FREE),
    Field("pairing.repeats", WORD),
    Field("pairing.pair_down", FREE),
    Field("pairing.last_round", FREE),
    Field("pairing.colours", SWITCH),
    Field("pairing.colour_rules", FREE),
    Field("pairing.round1_colours", FREE),
    Field("pairing.side_balance", SWITCH),
    Field("pairing.max_same_colour_row", whole()),
    Field("pairing.max_colour_difference", whole()),
    Field("pairing.criteria", WORDS),
    Field("pairing.objective", WORD),
    Field("pairing.labels_apart_until_round", whole()),
    Field("bye.to", WORD),
    Field("bye.max_per_player", whole()),
    Field("bye.first_round", FREE),
    Field("bye.excluded_if", FREE),
    Field("bye.house_opponent", SWITCH),
    Field("bye.house_contribution", choice("zero", "own", "exclude")),
    Field("byes_refused", WORDS),
    Field("late_entry.allowed_until_round", whole()),
    Field("late_entry.missed", choice("loss", "half", "bye")),
    Field("late_entry.rank_below_on_time", SWITCH),
    Field("drop.stays_in_standings", SWITCH),
    Field("drop.after_cut_replacement", SWITCH),
    Field("drop.walkover", FREE),
    Field("rounds_table", ROUNDS, "refused"),
    Field("cut.size", whole(), fixed="bracket"),
    Field("cut.size_from_table", SWITCH, fixed="bracket"),
    Field("cut.min_points", NUMBER, fixed="bracket"),
    Field("cut.tie_policy", FREE, fixed="bracket"),
    Field("cut.alternates", SWITCH, fixed="bracket"),
    Field("elimination.type", FREE, fixed="bracket"),
    Field("elimination.bracket_reset", SWITCH, fixed="bracket"),
    Field("elimination.seeding", FREE, fixed="bracket"),
    Field("elimination.bracket", FREE, fixed="bracket"),
    Field("elimination.byes", FREE, fixed="bracket"),
    Field("elimination.reseed", SWITCH, fixed="bracket"),
    Field("elimination.first_choice", FREE, fixed="bracket"),
    Field("elimination.placement", WORD, fixed="bracket"),
    Field("elimination.third_place_match", SWITCH, fixed="bracket"),
    Field("elimination.draw_rule", WORD, fixed="bracket"),
    Field("elimination.replay", FREE, fixed="bracket"),
    Field("elimination.colours", FREE, fixed="bracket"),
    Field("elimination.round1_first", SIDES, fixed="bracket"),
)  # fmt: skip
FIELD_AT: dict[str, Field] = {field.path: field for field in FIELDS}
GROUPS = tuple(dict.fromkeys(path.partition(".")[0] for path in FIELD_AT if "." in path))


def is_field(path: str) -> bool:
    """Whether a path such as "match_points.win", "tiebreaks" or "elimination" names a field, or a group of them."""
    return path in FIELD_AT or path in GROUPS


def unknown_fields(profile: dict) -> list[str]:
    """Paths of fields no ruleset has, in alphabetical order."""
    found = [key for key in profile if "." in key or not is_field(key)]
    for group in GROUPS:
        if isinstance(inside := profile.get(group), dict):
            found += [path for name in inside if not is_field(path := f"{group}.{name}")]
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
    """Remove the field under a path, in place: it follows from others, or there is none."""
    *outer, last = path.split(".")
    for part in outer:
        profile = profile.get(part) or {}
    profile.pop(last, None)
