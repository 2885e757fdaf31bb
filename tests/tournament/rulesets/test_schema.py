import pytest

from tournament.rulesets import presets, resolve, stated_rules, validate
from tournament.rulesets.diff import DESCRIPTIVE, IDENTITY
from tournament.rulesets.resolve import DERIVED_POINTS, defaults
from tournament.rulesets.schema import (
    FIELD_AT,
    FIELDS,
    GROUPS,
    IGNORED,
    ignored_fields,
    is_field,
    set_value,
    unknown_fields,
    value_at,
)


def leaves(profile: dict) -> list[str]:
    """The paths of a profile's fields."""
    return [
        f"{field}.{name}" if field in GROUPS else field
        for field, value in profile.items()
        for name in (value if field in GROUPS else [""])
    ]


def test_each_field_stands_once_by_its_path_and_what_describes_a_ruleset_is_no_rule():
    assert len({field.path for field in FIELDS}) == len(FIELDS)
    assert {field.empty for field in FIELDS} == {"refused", "none", "follows"}
    assert frozenset({"key", "version"}) == IDENTITY
    assert {"name", "source", "confidence", "open_fields", "based_on", "rule_changes"} == DESCRIPTIVE
    assert is_field("match_points.win") and is_field("tiebreaks") and is_field("elimination")
    assert not is_field("match_points.won") and not is_field("points") and not is_field("match_points.")
    profile = resolve("mtr") | {"colour": 1, "match_points.win": "3"}
    profile["cut"]["colour"] = 1
    assert unknown_fields(profile) == ["colour", "cut.colour", "match_points.win"]


@pytest.mark.parametrize("key", presets())
def test_no_built_in_ruleset_has_a_field_that_the_table_does_not_know(key):
    assert set(leaves(presets()[key])) <= set(FIELD_AT)


def test_what_is_never_absent_has_a_default_or_follows_from_what_is_there():
    required = {field.path for field in FIELDS if field.empty == "refused"}
    usual = {path for path in required if value_at(defaults(), path) is not None}
    assert required - usual == {"bye_games", "forfeit_games"}
    known = {"win", "draw", "loss"}
    for name, source in DERIVED_POINTS:
        assert source in known
        known.add(name)


@pytest.mark.parametrize("path", sorted(IGNORED))
def test_a_field_of_an_earlier_version_is_let_be_and_no_rule(path):
    profile = resolve("mtr", overrides={"open_fields": [path]})
    set_value(profile, path, {"any": ["thing"]})
    assert validate(profile) == [] and unknown_fields(profile) == []
    assert ignored_fields(profile) == [path]
    assert stated_rules(profile) == stated_rules(resolve("mtr", overrides={"open_fields": [path]}))
    assert not is_field(path) and value_at(defaults(), path) is None


@pytest.mark.parametrize("value", [None, 5, "size", ["size"]])
def test_a_group_that_is_no_object_has_no_ignored_fields(value):
    assert ignored_fields({"cut": value, "compare": value}) == ["compare"]


@pytest.mark.parametrize(
    ("overrides", "fault"),
    [
        ({"match_points": {"draw": 0.5}}, ("match_points.draw", '0.5 is not an exact number such as "3" or "1/2"')),
        ({"match_points": {"win": "1e999999999"}},
         ("match_points.win", "'1e999999999' is not an exact number such as \"3\" or \"1/2\"")),
        ({"match_points": {"win": "0"}}, ("match_points.win", "must be worth more than 0")),
        ({"match_points": {"bye": None}}, ("match_points.bye", 'null is not an exact number such as "3" or "1/2"')),
        ({"percentages": {"game_floor": "3/2"}},
         ("percentages.game_floor", "'3/2' is not an exact share from 0 to 1, such as 1/4 or 0.25")),
        ({"display": {"percent_places": 10}},
         ("display.percent_places", "must be a whole number from 0 to 9, not 10")),
        ({"pairing": {"max_same_colour_row": 0}},
         ("pairing.max_same_colour_row", "must be a whole number from 1 to 99, not 0")),
        ({"team_ignores_games": "yes"}, ("team_ignores_games", "must be true or false")),
        ({"best_of_elim": True}, ("best_of_elim", "true is not one of 1, 3, 5, exactly_2")),
        ({"late_entry": {"missed": "win"}}, ("late_entry.missed", "'win' is not one of bye, half, loss")),
        ({"bye_games": [2, True, 0]},
         ("bye_games", "[2, true, 0] is not a list of 3 whole numbers: games won, lost and drawn")),
        ({"name": "x" * 121}, ("name", "must be text of up to 120 characters")),
        ({"elimination": {"round1_first": ["a", "c"]}},
         ("elimination.round1_first[1]", "'c' is not one of a, b")),
        ({"rounds_table": 5}, ("rounds_table", "must be a list of 1 to 60 or an object, not 5")),
        ({"rounds_table": [{"min": 2}]},
         ("rounds_table[0].rounds", "is missing: expected a whole number from 0 to 1000000")),
        ({"open_fields": ["points"]}, ("open_fields", "unknown field 'points'")),
        ({"rule_changes": [{"after": 1, "fields": ["cut"], "reason": ""}]},
         ("rule_changes[0].reason", "must be text of 1 to 500 characters")),
        ({"cut": "top 8"}, ("cut", "must be an object")),
        ({"points": {"win": "3"}}, ("points", "unknown field")),
        ({"match_points": {"won": "3"}}, ("match_points.won", "unknown field")),
        ({"pairing": {"criteria": ["repeats", "moon"]}},
         ("pairing.criteria[1]", "'moon' is not one of adjacent, alternate_sides, bye, fold, labels_apart, "
          "not_same_side_all_rounds, pair_downs, repeats, score_difference, side_limits")),
        ({"pairing": {"criteria": ["fold", "bye", "fold"]}},
         ("pairing.criteria[2]", "'fold' is in the list already")),
        ({"pairing": {"criteria": "fold"}}, ("pairing.criteria", "must be a list")),
        ({"elimination": {"replay": {"min_minutes_per_player": -1}}},
         ("elimination.replay.min_minutes_per_player", "must be a whole number from 0 to 999, not -1")),
        ({"elimination": {"replay": {"hours": 1}}}, ("elimination.replay.hours", "unknown key")),
        ({"elimination": {"replay": 20}}, ("elimination.replay", "must be an object, not 20")),
    ],
)  # fmt: skip
def test_a_fault_says_what_was_expected(overrides, fault):
    assert fault in validate(resolve("mtr", overrides=overrides))


@pytest.mark.parametrize("path", [field.path for field in FIELDS if field.empty == "none"])
def test_what_may_be_absent_may_be_null(path):
    profile = resolve("mtr")
    group, _dot, name = path.rpartition(".")
    (profile[group] if group else profile)[name] = None
    assert path not in dict(validate(profile))


@pytest.mark.parametrize("value", ["1e999999999", 10**5, "moon", {"a": 1}, [1]])
def test_a_parameter_of_a_metric_is_checked_before_anything_is_computed_with_it(value):
    order = [{"metric": "match_points"}, {"metric": "opp_match_win_pct", "params": {"round_each": value}},
             {"metric": "random"}]  # fmt: skip
    assert "tiebreaks[1].params.round_each" in dict(validate(resolve("mtr", overrides={"tiebreaks": order})))
    order[1]["params"] = {"floor": "1e999999999"}
    assert "tiebreaks[1].params.floor" in dict(validate(resolve("mtr", overrides={"tiebreaks": order})))
