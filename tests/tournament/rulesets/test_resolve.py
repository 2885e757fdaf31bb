import json

import pytest

from tests.factories import TournamentFactory
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.rulesets import (
    UnknownRuleset,
    default_games,
    fide_version_on,
    list_fide_versions,
    presets,
    resolve,
    resolve_spec,
    rounds_and_cut,
    stated_rules,
    validate,
    wins_needed,
)
from tournament.rulesets.diff import DESCRIPTIVE, IDENTITY
from tournament.rulesets.resolve import DERIVED_POINTS, PRESETS_FILE, defaults
from tournament.rulesets.rule_fields import fide_warning
from tournament.rulesets.schema import (
    FIELD_AT,
    FIELDS,
    GROUPS,
    IGNORED,
    drop_value,
    ignored_fields,
    is_field,
    set_value,
    unknown_fields,
    value_at,
)
from tournament.services.rulesets import change_rules


def test_the_presets_are_whole_sound_and_plain_json():
    for key, profile in presets().items():
        assert validate(profile) == []
        assert json.loads(json.dumps(profile)) == profile
        assert (profile["key"], profile["version"]) == (key, 1)
        assert profile["name"] and profile["source"] and profile["confidence"]


def test_publishers_differ_where_their_documents_do():
    every = presets()
    shares = {key: profile["percentages"] for key, profile in every.items()}
    assert [key for key, rules in shares.items() if not rules["floor_own_gw"]] == ["dci1999", "riftbound"]
    assert [key for key, rules in shares.items() if not rules["opp_include_byes"]] == ["cardeio", "pokemon"]
    assert [key for key, rules in shares.items() if not rules["count_no_show_tables"]] == ["riftbound"]
    competed = [key for key, rules in shares.items() if not rules["count_missed_rounds"]]
    assert competed == ["dci1999", "mtr_jp", "cardeio"]
    floors = {key: rules["match_floor"] for key, rules in shares.items() if rules["match_floor"] != "33/100"}
    assert floors == {
        "pokemon": "1/4", "yugioh": None, "fab": None, "swu": "1/3", "fide": None, "uscf": None,
        "mstr_pods": "1/7",
    }  # fmt: skip
    memory = [key for key, profile in every.items() if profile["confidence"] == "memory"]
    assert memory == ["altered", "sorcery", "scrabble"]
    assert every["mtr"]["drop"]["walkover"] == "highest_ranked_remaining_gets_bye"
    assert every["twixt"]["match_points"]["draw"] == "1/2"
    assert [step["metric"] for step in every["twixt"]["tiebreaks"]] == [
        "match_points", "cumulative", "buchholz", "cumulative_opposition", "random",
    ]  # fmt: skip


def test_objects_merge_by_key_and_derived_values_follow_unless_given():
    chain = [{"metric": "match_points"}, {"metric": "random"}]
    profile = resolve("dci1999", overrides={"percentages": {"match_floor": "1/3"}, "tiebreaks": chain})
    assert profile["percentages"]["match_floor"] == "1/3"
    assert profile["percentages"]["game_floor"] == "33/100"
    assert profile["percentages"]["floor_own_gw"] is False
    assert profile["tiebreaks"] == chain
    profile = resolve("cardeio", overrides={"match_points": {"win": "2"}, "best_of_swiss": 5})
    points = profile["match_points"]
    assert [points[k] for k in ("bye", "awarded_bye", "requested_full", "forfeit_win")] == ["2"] * 4
    assert [points[k] for k in ("forfeit_loss", "double_loss", "missed_round")] == ["0"] * 3
    assert profile["bye_games"] == profile["forfeit_games"] == [3, 0, 0]
    profile = resolve("cardeio", overrides={"match_points": {"bye": "1"}, "bye_games": [1, 0, 0]})
    assert profile["match_points"]["bye"] == profile["match_points"]["awarded_bye"] == "1"
    assert profile["match_points"]["forfeit_win"] == "3"
    assert (profile["bye_games"], profile["forfeit_games"]) == ([1, 0, 0], [2, 0, 0])


def test_a_whole_profile_comes_back_and_a_partial_one_goes_over_the_defaults_sharing_nothing():
    for profile in presets().values():
        assert resolve_spec({"name": profile["name"], "profile": profile}) == profile
    profile = resolve_spec({"name": "House rules", "profile": {"match_points": {"draw": "0"}}})
    assert (profile["name"], profile["match_points"]["win"], profile["match_points"]["draw"]) == (
        "House rules", "3", "0",
    )  # fmt: skip
    assert validate(profile) == []
    overrides = {"pairing": {"colour_rules": ["alternate"]}}
    first = resolve("twixt", overrides=overrides)
    first["pairing"]["colour_rules"].append("changed")
    first["rounds_table"][0]["rounds"] = 99
    assert overrides == {"pairing": {"colour_rules": ["alternate"]}}
    assert resolve("twixt")["rounds_table"][0]["rounds"] == 3


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"preset": "chess960"}, "chess960"),
        ({"preset": "mtr", "version": 7}, "7"),
        ({"preset": "mtr", "overrides": {"rounds_table": "nowhere"}}, "nowhere"),
        ({"preset": ["mtr"]}, "mtr"),
        ({"preset": "mtr", "overrides": {"best_of_swiss": "many"}}, "many"),
        ({"name": "only a name"}, "profile"),
        ("mtr", "mtr"),
    ],
)
def test_what_is_unknown_is_named(spec, named):
    with pytest.raises(UnknownRuleset, match=named):
        resolve_spec(spec)


@pytest.mark.parametrize(
    ("result", "winner", "games"),
    [*((bye, None, (2, 0, 0)) for bye in ("bye", "awarded_bye", "full_bye")), ("forfeit", "a", (2, 0, 0)),
     ("forfeit", "b", (0, 2, 0)), ("forfeit", None, (0, 0, 0)), ("intentional_draw", None, (0, 0, 3)),
     *((nothing, None, (0, 0, 0)) for nothing in ("half_bye", "zero_bye", "missed", "double_loss")),
     ("played", None, None), (None, None, None)],
)  # fmt: skip
def test_games_of_a_result_in_a_best_of_three(result, winner, games):
    assert default_games(resolve("cardeio"), result, winner) == games


def test_a_single_game_has_its_results_and_a_match_the_wins_it_needs():
    twixt = resolve("twixt")
    assert default_games(twixt, "intentional_draw", None) == (0, 0, 1)
    assert default_games(twixt, "bye", None) == (1, 0, 0)
    assert resolve_spec({"preset": "mtr"}, best_of=1)["bye_games"] == [1, 0, 0]
    assert default_games(resolve("mtr"), "intentional_draw", best_of=1) == (0, 0, 1)
    with pytest.raises(ValueError, match="walkabout"):
        default_games(twixt, "walkabout")
    assert [wins_needed(n) for n in (1, 3, 5, "exactly_2")] == [1, 2, 3, 2]


@pytest.mark.parametrize(
    ("preset", "players", "expected"),
    [("mtr", 1, (0, 0)), ("mtr", 2, (1, 0)), ("mtr", 8, (3, 0)), ("mtr", 9, (5, 4)), ("mtr", 16, (5, 4)),
     ("mtr", 17, (5, 8)), ("mtr", 33, (6, 8)), ("mtr", 226, (8, 8)), ("mtr", 227, (9, 8)), ("mtr", 2500, (10, 8)),
     ("pokemon", 13, (5, 4)), ("pokemon", 227, (9, 8)), ("yugioh", 8, (3, 0)), ("yugioh", 2049, (12, 0)),
     ("fide", 9, (4, 0)), ("lorcana", 8, (3, 0)), ("lorcana", 300, (9, 0)), ("nsg", 17, (5, 8)), ("twixt", 14, (3, 8))],
)  # fmt: skip
def test_rounds_and_cut_of_the_publishers_tables(preset, players, expected):
    assert rounds_and_cut(resolve(preset), players) == expected


def test_rounds_follow_sound_tables_or_a_formula():
    by_formula = resolve("mtr", overrides={"rounds_table": "log2_ceil"})
    rounds = {2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 1024: 10, 1025: 11}
    assert {n: rounds_and_cut(by_formula, n)[0] for n in rounds} == rounds
    for name, table in json.loads(PRESETS_FILE.read_text(encoding="utf-8"))["rounds_tables"].items():
        assert validate(resolve("mtr", overrides={"rounds_table": table})) == [], name


# What does not fit together; `test_schema` has what each field refuses by itself.
@pytest.mark.parametrize(
    ("overrides", "path"),
    [
        ({"percentages": {"match_cap": "1/4"}}, "percentages.match_cap"),
        ({"tiebreaks": [{"metric": "random"}]}, "tiebreaks[0].metric"),
        ({"tiebreaks": [{"metric": "match_points"}]}, "tiebreaks[0].metric"),
        ({"tiebreaks": [{"metric": "match_points", "params": 3}]}, "tiebreaks[0].params"),
        ({"tiebreaks": [{"metric": "spread", "params": 3}], "records_scores": False}, "tiebreaks[0].params"),
        ({"rounds_table": [{"min": 2, "max": 8, "rounds": 3, "cut": 0},
                           {"min": 8, "max": None, "rounds": 4, "cut": 0}]}, "rounds_table[1].min"),
    ],
)  # fmt: skip
def test_a_fault_is_named_by_its_path(overrides, path):
    assert path in [where for where, _ in validate(resolve("cardeio", overrides=overrides))]


def test_each_place_has_one_fault():
    places = [path for path, _ in validate(resolve("mtr", overrides={"tiebreaks": []}))]
    assert places == ["tiebreaks"]


def test_an_event_takes_no_rules_that_cannot_be_ranked(db):
    wrong = {"tiebreaks": [{"metric": "match_points"}, {"metric": "moon_phase"}, {"metric": "random"}]}
    with pytest.raises(Refused, match=r"tiebreaks\[1\].metric: there is no metric 'moon_phase'"):
        TournamentFactory(entries=0, overrides=wrong)
    assert not Tournament.objects.exists()
    copy = TournamentFactory(entries=0)
    for overrides in (wrong, {"match_points": 3}, {"rounds_table": "nonesuch"}):
        with pytest.raises(Refused, match="This ruleset cannot be used"):
            change_rules(copy, None, overrides, revision=copy.revision)
    copy.refresh_from_db()
    assert copy.overrides == {}


def holds(ours, theirs):
    """Whether ours says all that theirs says; beside it, it may have what was learned since."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all(name in ours and holds(ours[name], value) for name, value in theirs.items())
    return ours == theirs


def without_ignored(rules):
    """The rules without the fields that nothing reads, and without groups that held no other."""
    for path in ignored_fields(rules):
        drop_value(rules, path)
    return {name: value for name, value in rules.items() if value != {}}


def test_the_shipped_rulesets_are_the_catalogue_word_for_word(shared_data):
    ours = json.loads(PRESETS_FILE.read_text(encoding="utf-8"))
    theirs = json.loads((shared_data / "rulesets.json").read_text(encoding="utf-8"))
    assert holds(ours["defaults"], without_ignored(theirs["defaults"]))
    assert ours["rounds_tables"] == theirs["rounds_tables"]
    assert set(ours["rulesets"]) == {*theirs["rulesets"], "nsg_double_sided", "xwing"}
    assert len(theirs["rulesets"]) == 28 and len(theirs["rounds_tables"]) == 12
    for step in theirs["rulesets"]["fide"]["overrides"]["tiebreaks"]:
        if (step.get("params") or {}).pop("version", 0) and not step["params"]:
            del step["params"]  # the version is that of the event's date
    for key, ruleset in theirs["rulesets"].items():
        assert holds(ours["rulesets"][key]["overrides"], without_ignored(ruleset["overrides"])), key
        assert ours["rulesets"][key]["confidence"] == ruleset["confidence"]


def leaves(profile: dict) -> list[str]:
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


@pytest.mark.parametrize(
    ("day", "version"),
    [("2008-06-01", 2009), ("2022-12-31T23:59:59+01:00", 2009), ("2023-01-01T00:00:00+01:00", 2023),
     ("2025-12-31", 2023), ("2026-02-28T20:00:00Z", 2023), ("2026-03-01", 2026), ("2031-01-01", 2026)],
)  # fmt: skip
def test_every_day_has_its_version(day, version):
    assert fide_version_on(day) == version
    assert resolve("fide", starts_at=day)["fide_version"] == version


def test_what_names_a_version_keeps_it_and_a_whole_profile_is_dated_too():
    day = "2024-05-01T10:00:00+00:00"
    assert "fide_version" not in resolve("fide")
    assert resolve("fide", overrides={"fide_version": 2009}, starts_at=day)["fide_version"] == 2009
    assert resolve("fide", overrides={"fide_version": None}, starts_at=day)["fide_version"] == 2023
    named = {"tiebreaks": [{"metric": "match_points"}, {"metric": "buchholz", "params": {"version": 2018}}]}
    assert "fide_version" not in resolve("fide", overrides=named, starts_at=day)
    assert list_fide_versions(resolve("fide", overrides=named)) == {2009}
    for key in ("mtr", "twixt", "uscf", "go_mcmahon"):
        assert "fide_version" not in resolve(key, starts_at=day) and not list_fide_versions(resolve(key))
    profile = resolve("fide")
    assert resolve_spec({"name": "Club", "profile": profile}, starts_at="2019-01-01")["fide_version"] == 2009
    broken = resolve_spec({"profile": profile, "overrides": {"tiebreaks": [3]}}, starts_at="2019-01-01")
    assert any(path.startswith("tiebreaks") for path, _ in validate(broken))
    assert ("fide_version", "2018 is not one of 2009, 2023, 2026") in validate(
        {**profile, "fide_version": 2018}
    )


def test_rules_of_another_time_are_named_in_one_sentence():
    older = resolve("fide", overrides={"fide_version": 2009})
    assert fide_warning(older, "2024-04-02T00:00:00+00:00") == (
        "FIDE's rules on the date of this event (2024-04-02) are those of 2023, not these."
    )
    assert fide_warning(older, "2022-04-02") == fide_warning(older, None) == ""
    assert fide_warning(resolve("fide", starts_at="2026-04-07"), "2026-04-07") == ""
    assert fide_warning(resolve("mtr"), "2026-04-07") == ""
