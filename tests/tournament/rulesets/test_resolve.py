import json

import pytest

from tests.factories import TournamentFactory
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.rulesets import (
    UnknownRuleset,
    default_games,
    presets,
    resolve,
    resolve_spec,
    rounds_and_cut,
    validate,
    wins_needed,
)
from tournament.rulesets.resolve import PRESETS_FILE
from tournament.rulesets.schema import drop_value, ignored_fields
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
    """But for the fields that nothing reads."""
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
