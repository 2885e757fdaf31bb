"""No field of a ruleset is ignored: with another value the app does something else, it does not just say so."""

from copy import deepcopy
from fractions import Fraction
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from pairings.request.entrants import build_histories, build_policy
from pairings.request.pairing_request import check_house
from standings.bracket.cut import make_cut
from standings.bracket.open_matches import find_first_side
from standings.bracket.results import find_due
from standings.engine.bracket.cut import REPLAY, Time
from standings.engine.ranking import build_chain
from standings.preview.examples import find_origin_key
from standings.table.places import build_event_bracket, find_qualifiers, rank_final_places
from standings.table.swiss import compute_standings
from standings.views.bracket_desk import BracketRow
from standings.words.formats import format_value
from standings.words.rules import rule_changes_in_words, rules_in_words
from tests.factories import RoundFactory, TournamentFactory
from tests.steps import confirmed
from tournament.actionlog.match_facts import MatchFact
from tournament.archive import parse_event
from tournament.errors import Refused
from tournament.event.clock import turns_after_time
from tournament.models import Tournament
from tournament.results.shorthand import read_slip
from tournament.results.slip import build_match_rules
from tournament.rulesets import closed_paths, is_meeting, requestable_byes, resolve, rounds_and_cut, validate
from tournament.rulesets.schema import FIELD_AT, set_value
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.requested_byes import request_bye
from tournament.services.stage_entries import missed_result

METRICS = (
    "match_points", "match_win_pct", "game_win_pct", "opp_match_win_pct", "opp_game_win_pct", "buchholz", "random",
)  # fmt: skip
BASE = {"tiebreaks": [{"metric": metric} for metric in METRICS]}
PER_GAME, COLOURS = {"match_points": {"mode": "per_game"}}, {"pairing": {"colours": True}}
LIMITS = {"pairing": {"colours": True, "max_same_colour_row": 2}}
REPLAYED = {"elimination": {"draw_rule": REPLAY, "colours": ["alternate"]}}
HALF = {"match_points": {"requested_half": "1/2"}}

# By field: the value that must make a difference, and what else the ruleset says.
CASES = {
    "name": ("Other", {}), "source": ("hearsay", {}), "confidence": ("memory", {}), "based_on": ("twixt", {}),
    "open_fields": ([], {}), "rule_changes": ([{"after": 1, "fields": ["cut"], "reason": "x"}], {}),
    **{f"match_points.{name}": ("7", {}) for name in (
        "win", "draw", "loss", "bye", "awarded_bye", "requested_half", "requested_zero", "requested_full",
        "forfeit_win", "forfeit_loss", "double_loss", "missed_round", "draw_ahead", "draw_behind")},
    "match_points.mode": ("per_game", {}),
    **{f"match_points.{name}": ("7", PER_GAME) for name in ("game_win", "game_draw", "game_loss", "sweep_bonus")},
    **{f"game_points.{name}": ("7", {}) for name in ("win", "draw", "loss")},
    "best_of_swiss": (5, {}), "best_of_elim": (5, {}), "bye_games": ([1, 1, 0], {}), "forfeit_games": ([1, 0, 0], {}),
    "unfinished_games": ("void", {}), "turns_after_time": (3, {}), "team_ignores_games": (False, {}),
    "records_scores": (True, {}), "draws_allowed.match": (False, {}), "draws_allowed.intentional": (False, {}),
    "draws_allowed.double_loss": (True, {"draws_allowed": {"match": False}}),
    "percentages.match_mode": ("wins", {}), "percentages.game_mode": ("wins", {}),
    "percentages.match_floor": ("3/5", {}), "percentages.match_cap": ("1/2", {}),
    "percentages.match_cap_dropped": ("2/5", {}), "percentages.game_floor": ("3/5", {}),
    "percentages.floor_own_gw": (False, {"percentages": {"game_floor": "3/5"}}),
    "percentages.own_include_byes": (False, {}), "percentages.opp_include_byes": (False, {}),
    "percentages.bye_as_opponent": ("zero", {}), "percentages.count_no_show_tables": (False, {}),
    "percentages.count_missed_rounds": (False, {}),
    "display.percent_places": (4, {}), "display.mode": ("truncate", {}),
    "tiebreaks": ([{"metric": "match_points"}, {"metric": "random"}], {}),
    "tiebreaks_frozen_by_stage": (True, {}), "frozen_at_drop": (True, {}), "fide_version": (2009, {}),
    "pairing.method": ("adjacent_by_rank", {}), "pairing.first_round": ("seed", {}),
    "pairing.repeats": ("never", {}), "pairing.colours": (True, {}), "pairing.criteria": (["fold", "bye"], {}),
    "pairing.max_same_colour_row": (3, LIMITS), "pairing.max_colour_difference": (1, COLOURS),
    "pairing.colour_limits_in_last_round": (False, LIMITS), "pairing.boards_in_order": (True, {}),
    "pairing.objective": ("protect_top", {}), "pairing.labels_apart_until_round": (2, {}),
    "pairing.forfeits_are_meetings": (False, {}),
    "bye.to": ("lowest_rank", {}), "bye.excluded_if": ("had_pab_or_full_point_without_play", {}),
    "bye.house_opponent": (True, {}), "bye.house_contribution": ("own", {}),
    "bye.requested": ("full", {}), "byes_refused": (["zero"], {}),
    "bye.requested_max": (1, HALF), "bye.requested_not_last": (1, HALF),
    "bye.requested_last_before": (1, {**HALF, "bye": {"requested_not_last": 1}}),
    "late_entry.allowed_until_round": (1, {}), "late_entry.missed": ("half", {}),
    "late_entry.rank_below_on_time": (True, {}),
    "drop.stays_in_standings": (False, {}), "drop.walkover": ("opponent", {}),
    "drop.after_cut_replacement": (True, {}), "cut.alternates": (True, {}),
    "rounds_table": ("log2_ceil", {}), "cut.min_points": ("1", {}), "cut.tie_policy": ("include_all_tied", {}),
    "elimination.reseed": (True, {}), "elimination.first_choice": ("random", {}),
    "elimination.third_place_match": (True, {}), "elimination.placement": ("shared", {}),
    "elimination.draw_rule": ("higher_seed", {}), "elimination.colours": (["alternate"], {}),
    "elimination.round1_first": (["b", "b", "b", "b"], REPLAYED),
    "elimination.replay": ({"min_minutes_per_player": 33}, REPLAYED),
}  # fmt: skip
# What only a service of an event in the database obeys.
BY_SERVICES = (
    "bye.requested_max", "bye.requested_not_last", "bye.requested_last_before", "late_entry.allowed_until_round",
    "drop.after_cut_replacement", "cut.alternates",
)  # fmt: skip


def rules(base, *changes):
    """A ruleset that says this, with these (path, value) changed."""
    overrides = deepcopy({**BASE, **base})
    for path, value in changes:
        set_value(overrides, path, value)
    profile = resolve("mtr", overrides=overrides)
    assert validate(profile) == []
    return profile


def match(a, b=None, games=None, **facts):
    result = facts.pop("result", "played" if b else "bye")
    return {"a": a, "b": b, "result": result, **({"games": games} if games else {}), **facts}


def swiss(profile):
    """Three rounds of two days with every kind of result; P10 met a house opponent, P06 and P09 left."""
    rounds = [
        [match("P01", "P02", [2, 0, 0]), match("P03", "P04", [1, 0, 1]), match("P05", "P06", [1, 1, 0]),
         match("P07", "P08", result="double_loss"), match("P10", "P09", [2, 0, 0])],
        [match("P01", "P03", [2, 1, 0]), match("P08", "P09", result="forfeit"), match("P02"),
         *(match(code, result=result) for code, result in (
             ("P04", "awarded_bye"), ("P05", "half_bye"), ("P06", "zero_bye"), ("P07", "full_bye"),
             ("P10", "missed")))],
        [match("P04", "P01", [1, 1, 0]), match("P02", "P03", [0, 2, 0]),
         match("P07", "P05", result="forfeit", winner="a"),
         match("P10", "H", [0, 2, 0]), match("P08")],
    ]  # fmt: skip
    left = {"P06": ("dropped", 2), "P03": ("dropped", 3), "P09": ("disqualified", 2)}
    entries = [
        {
            "id": code,
            "name": code,
            **({"status": left[code][0], "dropped_after": left[code][1]} if code in left else {}),
        }
        for code in (f"P{number:02d}" for number in range(1, 11))
    ]
    entries[6]["late"] = True
    days = [{"number": 1, "kind": "swiss"}, {"number": 2, "kind": "swiss", "from": [1], "carries": True}]
    data = {
        "format": "swiss-archive", "version": 1, "ruleset": {"preset": "mtr"},
        "tournament": {"name": "x", "rounds": 4, "seed": "01"},
        "entries": [*entries, {"id": "H", "name": "House", "house": True}],
        "stages": days,
        "rounds": [{"number": place, "stage": 1 + (place > 2), "matches": matches}
                   for place, matches in enumerate(rounds, start=1)],
    }  # fmt: skip
    return parse_event(data).replace(profile=profile)


def bracket(profile):
    """Quarterfinals of eight in which the eighth wins and the second drops after winning."""
    codes = [f"P{number:02d}" for number in range(1, 9)]
    games = {"W1.1": ("P01", "P08", [0, 2, 0]), "W1.2": ("P04", "P05", [2, 0, 0]),
             "W1.3": ("P02", "P07", [2, 1, 0]), "W1.4": ("P03", "P06", [0, 2, 0])}  # fmt: skip
    left = {"P02": {"status": "dropped", "dropped_after": 2}}
    data = {
        "format": "swiss-archive", "version": 1, "ruleset": {"preset": "mtr"}, "tournament": {"name": "x"},
        "entries": [{"id": code, "name": code, **left.get(code, {})} for code in codes],
        "stages": [{"number": 1, "kind": "swiss"}, {"number": 2, "kind": "elimination", "from": [1], "seeds": codes}],
        "rounds": [
            {"number": 1, "stage": 1, "matches": [match(a, b, score) for a, b, score in games.values()]},
            {"number": 2, "stage": 2, "matches": [match(a, b, score, slot=slot, first="a")
                                                  for slot, (a, b, score) in games.items()]},
        ],
    }  # fmt: skip
    return parse_event(data).replace(profile=profile)


def outcome(action, *args, **kwargs):
    try:
        return action(*args, **kwargs)
    except Refused as refusal:
        return str(refusal)


def what_it_does(profile):
    """Everything the app computes by the ruleset, from the same facts."""
    event, knockout = swiss(profile), bracket(profile)
    stage, tree, elimination = event.stages[1], build_event_bracket(knockout), profile["elimination"]
    drawn = MatchFact("P01", "P02", 1, "played", games=(0, 0, 1), first="a")
    sides = [SimpleNamespace(seed=place, name=f"seed {place}") for place in (2, 1)]
    at = Tournament(profile=profile)
    yield [(row.entry, row.rank, row.values) for row in compute_standings(event)]
    yield [step.key for step in build_chain(profile, team=True)]
    yield format_value(Fraction(29, 57), "share", profile["display"])
    yield [rounds_and_cut(profile, players) for players in (8, 16, 300)]
    yield [event.match_length(event.stages[0], 1), event.match_length(knockout.stages[1], 1)]
    yield [
        outcome(read_slip, text, build_match_rules(profile, 3, swiss=is_swiss))
        for text in ("21", "11", "id", "10t", "20 5 3")
        for is_swiss in (True, False)
    ]
    yield turns_after_time(at), missed_result(at)
    for number in (1, 2, 4):
        policy = build_policy(event, stage if number > 2 else event.stages[0], number)
        yield policy, policy.side_limits
    yield build_histories(event, stage, 4), is_meeting(profile, "forfeit"), event.varies_tables
    yield outcome(check_house, event, stage, "H"), requestable_byes(profile)
    yield [find_qualifiers(event, size) for size in range(1, 6)]
    yield [(m.slot, m.a, m.b, m.winner) for m in tree.matches.values()], rank_final_places(knockout)
    yield [find_first_side(m, tree, elimination) for m in tree.matches.values() if m.a and m.b]
    yield (
        find_due(drawn, "W1.1", elimination, Time(30, 200)),
        find_due(drawn, "F.1", elimination, Time(30, 20)),
    )
    yield BracketRow(None, SimpleNamespace(sides=sides), None, elimination).chooser


def what_it_says(profile):
    context = {"profile": profile, "summary": rules_in_words(profile)}
    yield render_to_string("standings/rules/_rules.html", context), rule_changes_in_words(profile)
    yield closed_paths(profile, {"cut": {"min_points": "9"}}), find_origin_key(profile)


def what_services_do(tournament):
    """Byes requested ahead, a late entry, and a drop from the bracket."""
    for code, number in (("P0001", 2), ("P0001", 3), ("P0002", 4)):
        yield outcome(request_bye, tournament, code, number, "half") is None
    RoundFactory(tournament=tournament, results=True)
    yield outcome(request_bye, tournament, "P0003", 4, "half")
    yield isinstance(outcome(add_entries, tournament, ["Late Lee"]), str)
    make_cut(tournament, 4)
    seeded = tournament.stages.get(kind="elimination").stage_entries.exclude(seed=None).order_by("seed")
    confirmed(drop_entry, tournament, seeded.first().entry.code)
    yield list(seeded.values_list("entry__code", flat=True))


def test_every_field_has_a_case():
    assert {path for path, field in FIELD_AT.items() if field.part != "identity"} == set(CASES)


@pytest.mark.parametrize("path", [path for path in CASES if path not in BY_SERVICES])
def test_another_value_makes_a_difference(path):
    look = what_it_does if FIELD_AT[path].part == "rule" else what_it_says
    value, base = CASES[path]
    assert [*look(rules(base))] != [*look(rules(base, (path, value)))]


@pytest.mark.django_db
@pytest.mark.parametrize("path", BY_SERVICES)
def test_another_value_makes_a_difference_to_the_services(path):
    value, base = CASES[path]
    other = deepcopy(base)
    set_value(other, path, value)
    done = [
        [*what_services_do(TournamentFactory(entries=6, rounds_planned=4, overrides=overrides))]
        for overrides in (base, other)
    ]
    assert done[0] != done[1]
