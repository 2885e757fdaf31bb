"""Every field of a ruleset: its path, type, default, and when it may change.

Used by the checks (`validate`), the editor, changes to a running event and the published JSON Schema. Defaults are in
`presets.json`, labels in `tournament.rulesets.rule_fields`, explanations in `docs/rules.md`.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from tournament.rulesets.derive import REQUESTED
from tournament.schemas.kinds import Exact, SomeGames, ThreeGames

LONGEST_REASON = 500  # characters
MOST_STEPS = 30  # of a standings order
MOST_ROWS = 60  # of a rounds table
MOST = 99  # of a count that is not of players

Count = Annotated[int, Meta(ge=0, le=10**6)]
Time = Annotated[int, Meta(ge=0, le=999)]  # minutes, or seconds


class Opponents(Struct):
    """A bye counted as a number of opponents with a value."""

    value: Exact
    count: SomeGames = 1


class Step(Struct):
    """A step of the standings order. `also_check` checks its parameters, which depend on the metric."""

    metric: str
    params: dict[str, Any] | None = None
    label: Annotated[str, Meta(max_length=60)] = ""
    order: Literal["asc", "desc"] = "desc"


class Row(Struct):
    """Rounds and cut for `min` to `max` players; the last row may be open-ended."""

    min: Count
    rounds: Count
    max: Count | None = None
    cut: Count | None = None
    stage: Any = "swiss"


class Replay(Struct, forbid_unknown_fields=True):
    """Time limits of a repeat game."""

    min_minutes_per_player: Time | None = None
    delay_s_per_move: Time | None = None
    min_remaining_minutes_for_later_rounds: Time | None = None


class Formula(Struct):
    """Rounds by the number of players, without a cut."""

    formula: Literal["ceil(log2(n))"]


class RuleChange(Struct):
    """A rule change in a running event: after which round, which fields, and why."""

    after: Count
    fields: list[Annotated[str, Meta(max_length=LONGEST_REASON)]]
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: how the editor treats it, and the type that checks and publishes it."""

    name: str
    type: Any


def text(longest: int) -> Kind:
    return Kind("text", Annotated[str, Meta(max_length=longest)])


def whole(most: int = MOST, least: int = 0) -> Kind:
    return Kind("whole", Annotated[int, Meta(ge=least, le=most)])


def choice(*words: str) -> Kind:
    return Kind("choice", Literal.__getitem__(words))


def ordered(*words: str) -> Kind:
    """Some of these words, each at most once, the most important first."""
    some = list.__class_getitem__(choice(*words).type)
    return Kind("ordered", Annotated[some, Meta(extra_json_schema={"uniqueItems": True})])


NUMBER = Kind("number", Exact)
POSITIVE = Kind("positive", Exact)
SHARE = Kind("share", Annotated[Exact, Meta(description="an exact share from 0 to 1")])
SWITCH = Kind("switch", bool)
LENGTH = Kind("option", Literal[1, 3, 5, "exactly_2"])
FIDE_VERSION = Kind("option", Literal[2009, 2023, 2026])
_GAMES = Meta(description="a list of 3 whole numbers: games won, lost and drawn")
GAMES = Kind("games", Annotated[ThreeGames, _GAMES])
_BYE = Meta(description="exclude, zero, or a number of opponents and their value, such as 3 x 1/5")
BYE = Kind("bye", Annotated[Literal["exclude", "zero"] | Opponents, _BYE])
TIEBREAKS = Kind("tiebreaks", Annotated[list[Step], Meta(min_length=1, max_length=MOST_STEPS)])
ROUNDS = Kind("rounds", Annotated[list[Row], Meta(min_length=1, max_length=MOST_ROWS)] | Formula)
REPLAY = Kind("parts", Replay)
WORDS = Kind("words", list[str])
SIDES = Kind("sides", list[Literal["a", "b"]])
CHANGES = Kind("changes", list[RuleChange])
VERSION = Kind("whole", Count)
FREE = Kind("free", Any)  # checked against known words


@dataclass(frozen=True, slots=True)
class Field:
    path: str
    kind: Kind
    # A missing value is "refused", means "none" (no limit, or the code's default; the same for null),
    # or "follows" the field `source` of its group or the code's default.
    empty: str = "none"
    source: str = ""
    part: str = "rule"  # "description": decides nothing; "identity": set by publishing a version
    fixed: str = ""  # until when a running event may change it: "pairing", "results", "bracket", always


def _fields(group: str, kinds: dict[str, Kind], **about: str) -> list[Field]:
    return [Field(f"{group}.{name}".lstrip("."), kind, **about) for name, kind in kinds.items()]


def _following(group: str, kind: Kind, sources: dict[str, str]) -> list[Field]:
    return [Field(f"{group}.{name}", kind, "follows", source) for name, source in sources.items()]


# What the pairing engine can look at, and what decides the first moves of bracket matches.
CRITERIA = (
    "repeats", "bye", "score_difference", "pair_downs",
    "side_limits", "not_same_side_all_rounds", "labels_apart", "fold", "adjacent", "alternate_sides",
)  # fmt: skip
FIRST_MOVES = ("not_same_all_rounds", "alternate", "higher_seed_precedence")

NUMBERS_OF_RESULTS = {"win": POSITIVE, "draw": NUMBER, "loss": NUMBER}
FIELDS: tuple[Field, ...] = (
    *_fields("", {"key": text(60)}, part="identity"),
    *_fields("", {"version": VERSION}, empty="follows", part="identity"),
    *_fields("", {
        "name": text(120), "source": text(1000), "confidence": text(60), "based_on": text(60),
        "open_fields": WORDS, "rule_changes": CHANGES,
    }, part="description"),
    *_fields("match_points", {
        **NUMBERS_OF_RESULTS, "requested_half": NUMBER, "requested_zero": NUMBER,
    }, empty="refused"),
    *_following("match_points", NUMBER, {
        "bye": "win", "awarded_bye": "bye", "requested_full": "bye", "forfeit_win": "win",
        "forfeit_loss": "loss", "double_loss": "loss", "missed_round": "loss",
    }),
    *_fields("match_points", {"mode": choice("per_match", "per_game")}),
    *_fields("match_points", {
        "draw_ahead": NUMBER, "draw_behind": NUMBER, "game_win": NUMBER, "game_draw": NUMBER,
        "game_loss": NUMBER, "sweep_bonus": NUMBER,
    }, empty="follows"),
    *_fields("game_points", NUMBERS_OF_RESULTS, empty="refused"),
    *_fields("", {"best_of_swiss": LENGTH}, empty="refused", fixed="pairing"),
    *_fields("", {"best_of_elim": LENGTH}, empty="refused", fixed="bracket"),
    *_fields("", {"bye_games": GAMES, "forfeit_games": GAMES}, empty="refused"),
    *_fields("", {
        "unfinished_games": choice("drawn", "void"), "turns_after_time": whole(), "team_ignores_games": SWITCH,
    }),
    *_fields("", {"records_scores": SWITCH}, fixed="results"),
    *_fields("draws_allowed", {"match": SWITCH, "intentional": SWITCH, "double_loss": SWITCH}),
    *_fields("percentages", {
        "match_mode": choice("points", "wins", "wins_half_draws"), "game_mode": choice("points", "wins"),
        "floor_own_gw": SWITCH, "own_include_byes": SWITCH, "opp_include_byes": SWITCH,
        "bye_as_opponent": BYE, "count_no_show_tables": SWITCH,
    }, empty="refused"),
    *_fields("percentages", {
        "match_floor": SHARE, "match_cap": SHARE, "match_cap_dropped": SHARE, "game_floor": SHARE,
        "count_missed_rounds": SWITCH,
    }),
    # A phone cannot show more than 9 decimal places.
    *_fields("display", {"percent_places": whole(9), "mode": choice("half_up", "truncate")}),
    *_fields("", {"tiebreaks": TIEBREAKS}, empty="refused"),
    *_fields("", {
        "tiebreaks_frozen_by_stage": SWITCH, "frozen_at_drop": SWITCH, "fide_version": FIDE_VERSION,
    }),
    *_fields("pairing", {"method": choice(
        "random_in_score_group", "adjacent_by_rank", "top_half_vs_bottom_half", "dutch", "mcmahon",
        "king_of_the_hill", "win_path_then_random", "round_robin", "pods", "random", "adjacent", "fold",
    )}, empty="refused"),
    *_fields("pairing", {
        "first_round": choice("random", "rating_halves", "seed"), "repeats": choice("last_resort", "never"),
        "colours": SWITCH, "max_same_colour_row": whole(least=1), "max_colour_difference": whole(least=1),
        "colour_limits_in_last_round": SWITCH, "boards_in_order": SWITCH,
        "criteria": ordered(*CRITERIA), "objective": choice("balance", "protect_top"),
        "labels_apart_until_round": whole(), "forfeits_are_meetings": SWITCH,
    }),
    *_fields("bye", {
        "to": choice("lowest_score_group_random", "lowest_score_group", "lowest_rank"),
        "excluded_if": choice("had_pab_or_full_point_without_play"),
        "house_opponent": SWITCH, "house_contribution": choice("zero", "own", "exclude"),
        "requested": choice("none", *REQUESTED), "requested_max": whole(), "requested_not_last": whole(),
        "requested_last_before": whole(),
    }),
    *_fields("", {"byes_refused": WORDS}),
    *_fields("late_entry", {
        "allowed_until_round": whole(), "missed": choice("loss", "half", "bye"),
        "rank_below_on_time": SWITCH,
    }),
    *_fields("drop", {"stays_in_standings": SWITCH, "after_cut_replacement": SWITCH}),
    *_fields("drop", {"walkover": choice("opponent", "highest_ranked_remaining_gets_bye")}, fixed="bracket"),
    *_fields("", {"rounds_table": ROUNDS}, empty="refused"),
    *_fields("cut", {
        "min_points": NUMBER, "tie_policy": FREE, "alternates": SWITCH,
    }, fixed="bracket"),
    *_fields("elimination", {
        "reseed": SWITCH, "first_choice": FREE, "third_place_match": SWITCH, "round1_first": SIDES,
        "placement": choice("swiss_seed_within_round", "shared", "round_then_points_then_lost_to_placement"),
        "draw_rule": choice("not_allowed", "higher_seed", "replay_colours_swapped_else_higher_seed"),
        "replay": REPLAY, "colours": ordered(*FIRST_MOVES),
    }, fixed="bracket"),
)  # fmt: skip
FIELD_AT: dict[str, Field] = {field.path: field for field in FIELDS}
GROUPS = tuple(dict.fromkeys(path.partition(".")[0] for path in FIELD_AT if "." in path))


# Fields that files of earlier versions have and nothing reads. They stay in the files and mean nothing.
IGNORED = frozenset("""
    compare display.packed draws_allowed.elimination game_points.unplayed
    pairing.rematch pairing.pair_down pairing.last_round pairing.colour_rules pairing.round1_colours
    pairing.side_balance bye.max_per_player bye.first_round cut.size cut.size_from_table elimination.type
    elimination.bracket_reset elimination.seeding elimination.bracket elimination.byes
""".split())  # fmt: skip


def is_field(path: str) -> bool:
    """Whether a path such as "match_points.win", "tiebreaks" or "elimination" names a field or group."""
    return path in FIELD_AT or path in GROUPS


def unknown_fields(profile: dict) -> list[str]:
    """Return paths of unknown fields, which no ruleset has or had, in alphabetical order."""
    paths = [key for key in profile if "." in key or not (is_field(key) or key in IGNORED)]
    for group in GROUPS:
        if isinstance(inside := profile.get(group), dict):
            paths += [path for name in inside if (path := f"{group}.{name}") not in FIELD_AT.keys() | IGNORED]
    return sorted(paths)


def ignored_fields(profile: dict) -> list[str]:
    found = []
    for path in sorted(IGNORED):
        group, _, name = path.rpartition(".")
        inside = profile.get(group) if group else profile
        if isinstance(inside, dict) and name in inside:
            found.append(path)
    return found


def value_at(profile: dict, path: str) -> Any:
    """Return the value under a path such as "match_points.win"; None if absent."""
    value: Any = profile
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def set_value(profile: dict, path: str, value: Any) -> None:
    *outer, last = path.split(".")
    for part in outer:
        if not isinstance(profile.get(part), dict):
            profile[part] = {}
        profile = profile[part]
    profile[last] = value


def drop_value(profile: dict, path: str) -> None:
    *outer, last = path.split(".")
    for part in outer:
        profile = profile.get(part) or {}
    profile.pop(last, None)
