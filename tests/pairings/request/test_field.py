import hashlib
import json
from collections import defaultdict
from fractions import Fraction
from typing import get_args

import pytest

from pairings.audit.check import verify_event
from pairings.engine.criteria import criteria_order
from pairings.engine.types import CHOICES, KNOWN_CRITERIA, Policy
from pairings.request.entrants import (
    BYE_RULES,
    FIRST_ROUND,
    NoRound,
    build_histories,
    build_policy,
    find_next_round,
    find_position,
    playing_entries,
    seed_ranks,
)
from pairings.request.pairing_request import next_request, pair_round, round_seed
from pairings.simulation import simulate as simulation
from pairings.words.reasons import problem_words
from tournament.archive import parse_event
from tournament.event.types import Entry, Event, Match, RequestedBye, Round, Stage
from tournament.rulesets import resolve
from tournament.rulesets.schema import CRITERIA, FIELD_AT


def event_with(entries, rounds=(), ruleset="mtr", **facts):
    """An event of entries by id (or Entry values) and rounds of (a, b, result or games, first) tuples."""
    listed = [entry if isinstance(entry, Entry) else Entry(id=entry, name=entry) for entry in entries]
    event = Event(name="Any", profile=resolve(ruleset), entries={each.id: each for each in listed}, **facts)
    event.stages = event.stages or [Stage(number=1)]
    for number, (stage, matches) in enumerate(rounds, start=1):
        event.rounds.append(Round(number=number, stage=stage, matches=[match(*m) for m in matches]))
    return event


def match(a, b, result, first=None):
    if isinstance(result, tuple):
        return Match(table=1, a=a, b=b, result="played", games=result, first=first)
    return Match(table=None if b is None else 1, a=a, b=b, result=result, first=first)


WON, LOST = (2, 0, 0), (0, 2, 0)


def test_histories_are_read_from_the_matches_and_forfeits_are_meetings():
    event = event_with(
        "ABCDE",
        [
            (1, [("A", "B", WON), ("C", "D", WON), ("E", None, "bye")]),
            (1, [("A", "D", WON), ("C", "E", (1, 1, 1)), ("B", None, "missed")]),
        ],
    )
    known = build_histories(event, event.stages[0], 3)
    assert {entry: h.points for entry, h in known.items()} == {"A": 6, "B": 0, "C": 4, "D": 0, "E": 4}
    assert known["A"].opponents == {"B", "D"} and known["E"].byes == 1 and known["B"].byes == 0
    assert (known["A"].down, known["D"].up, known["C"].down) == (1, 1, 0)
    assert build_histories(event, event.stages[0], 2)["A"].points == 3
    matches = [("A", "B", "forfeit"), ("C", None, "awarded_bye"), ("D", None, "half_bye")]
    event = event_with("ABCD", [(1, matches)])
    known = build_histories(event, event.stages[0], 2)
    assert known["A"].opponents == {"B"} and known["C"].byes == known["D"].byes == 0


def test_a_forfeit_is_no_meeting_where_the_ruleset_says_so_and_no_one_moved_first_in_it():
    rounds = [
        (1, [("A", "B", "forfeit", "a"), ("C", "D", (1, 0, 0), "a")]),
        (1, [("A", "C", (0, 1, 0), "b"), ("B", "D", "forfeit", "a")]),
    ]
    for ruleset, met in (("fide", {"C"}), ("uscf", {"C"}), ("twixt", {"B", "C"})):
        event = event_with("ABCD", rounds, ruleset=ruleset)
        known = build_histories(event, event.stages[0], 3)
        assert known["A"].opponents == met and known["D"].opponents == met
        assert (known["A"].sides, known["B"].sides, known["D"].sides) == ("-b", "--", "b-")


@pytest.mark.parametrize("forfeits_count", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_who_has_met_and_who_moved_first_as_anyone_would_read_them(seed, forfeits_count, monkeypatch):
    monkeypatch.setattr(simulation, "NO_SHOW", 333)
    rules = resolve("twixt", overrides={"pairing": {"forfeits_are_meetings": forfeits_count}})
    event = simulation.simulate(9, 5, rules, f"{seed:02x}")
    met, sides = defaultdict(set), defaultdict(lambda: ["-"] * 5)
    for round_ in event.rounds:
        for m in round_.matches:
            if m.b and (m.result != "forfeit" or forfeits_count):
                met[m.a].add(m.b)
                met[m.b].add(m.a)
            if m.b and m.result != "forfeit":
                sides[m.a][round_.number - 1], sides[m.b][round_.number - 1] = m.first, "ab"[m.first == "a"]
    known = build_histories(event, event.stages[0], 6)
    assert {code: history.opponents for code, history in known.items()} == {code: met[code] for code in known}
    assert {c: history.sides for c, history in known.items()} == {c: "".join(sides[c]) for c in known}
    assert all(finding.errors == [] for finding in verify_event(event))


def test_after_a_forfeit_the_rest_of_a_round_robin_can_still_be_played():
    """Four players in four rounds: only because one match was forfeited is there a fourth round without a rematch."""
    rounds = [
        (1, [("A", "B", "forfeit"), ("C", "D", "forfeit")]),
        (1, [("A", "C", (1, 0, 0)), ("B", "D", (1, 0, 0))]),
        (1, [("A", "D", (1, 0, 0)), ("B", "C", (1, 0, 0))]),
    ]
    for ruleset, rematches in (("fide", 0), ("mtr", 2)):
        request = next_request(event_with("ABCD", rounds, ruleset=ruleset, rounds_planned=4))
        pairing = pair_round(request)
        assert pairing.certificate[0].criterion == "repeats" and pairing.certificate[0].value == rematches
    early = pair_round(next_request(event_with("ABCD", rounds[:1], ruleset="fide", rounds_planned=4)))
    assert {line.criterion: line.value for line in early.certificate}["later_rounds"] == 0


def test_points_become_whole_units_and_sides_one_character_per_round():
    rounds = [(1, [("A", "B", (0, 0, 1)), ("C", "D", (1, 0, 0))])]
    event = event_with("ABCD", rounds, ruleset="twixt")
    assert {e.id: e.points for e in next_request(event).entrants} == {"A": 1, "B": 1, "C": 2, "D": 0}
    assert build_histories(event, event.stages[0], 2)["A"].points == Fraction(1, 2)
    rounds = [
        (1, [("A", "B", (1, 0, 0), "b"), ("C", None, "bye")]),
        (1, [("B", "C", (1, 0, 0), "a"), ("A", None, "zero_bye")]),
    ]
    event = event_with("ABC", rounds, ruleset="twixt")
    assert {e.id: e.sides for e in next_request(event).entrants} == {"A": "b-", "B": "aa", "C": "-b"}


def test_who_plays_next():
    event = event_with(
        [
            Entry("A", "A"),
            Entry("B", "B", status="dropped", dropped_after=1),
            Entry("C", "C", dropped_after=1),
            Entry("D", "D", dropped_after=2),
            Entry("E", "E", joined_round=2),
            Entry("F", "F", joined_round=3),
            Entry("G", "G", status="disqualified"),
            Entry("H", "H", house=True),
            Entry("I", "I", awarded_byes=2),
            Entry("J", "J", awarded_byes=1),
            Entry("K", "K", status="waitlisted"),
            Entry("L", "L", requested_byes=(RequestedBye(2, "half"), RequestedBye(3, "zero"))),
            Entry("M", "M", awarded_byes=2, requested_byes=(RequestedBye(2, "zero"),)),
        ],
        [(1, [("A", "D", WON)])],
    )
    stage, number, byes, codes = find_next_round(event)
    assert number == 2
    assert codes == ["A", "D", "E", "J"]
    assert byes == {"I": "awarded_bye", "L": "half_bye", "M": "awarded_bye"}
    assert [e.id for e in playing_entries(event, stage, 2)] == ["A", "D", "E", "I", "J", "L", "M"]
    entrants = next_request(event, house="H").entrants
    assert {e.id: e.house for e in entrants} == {"A": False, "D": False, "E": False, "J": False, "H": True}


def test_seed_ranks_follow_the_file_then_the_rating_then_the_lot():
    entries = [
        Entry("A", "A", lot=2),
        Entry("B", "B", lot=1),
        Entry("C", "C", rating=1500),
        Entry("D", "D", rating=1700),
        Entry("E", "E", seed_rank=4),
        Entry("F", "F", seed_rank=1, rating=900),
    ]
    event = event_with(entries)
    ranks = seed_ranks(event, event.stages[0])
    assert sorted(ranks, key=ranks.get) == ["F", "E", "D", "C", "B", "A"]


def test_the_ruleset_becomes_a_policy():
    event = event_with("ABCDEFGH", rounds_planned=3)
    assert build_policy(event, event.stages[0], 1) == Policy(planned_rounds=3)
    event.profile["pairing"]["objective"] = "protect_top"
    event.profile["bye"]["to"] = "lowest_rank"
    assert build_policy(event, event.stages[0], 1).objective == "protect_top"
    assert build_policy(event, event.stages[0], 1).bye_rule == "lowest_rank"
    event.profile["pairing"]["method"] = "adjacent_by_rank"
    event.profile["bye"]["to"] = "lowest_score_group_random"
    event.rounds = [Round(1, 1)]
    policies = [build_policy(event, event.stages[0], n) for n in (1, 2)]
    assert [policy.within for policy in policies] == ["random", "adjacent"]
    assert [policy.bye_rule for policy in policies] == ["lowest_group", "random"]  # random either way
    event.profile["pairing"]["method"] = "dutch"
    assert build_policy(event, event.stages[0], 2).within == "random"
    twixt = event_with("ABCDEFGH", ruleset="twixt")
    policy = build_policy(twixt, twixt.stages[0], 1)
    assert (policy.within, policy.sides, policy.planned_rounds) == ("fold", True, 3)
    assert policy.bye_rule == "lowest_group"
    assert policy.criteria == tuple(twixt.profile["pairing"]["criteria"])


def test_fides_limits_on_colors_become_a_criterion_but_not_in_a_last_round_that_lifts_them():
    event = event_with("ABCDEFGH", ruleset="fide", rounds_planned=3)
    event.rounds = [Round(1, 1), Round(2, 1)]
    stage, rules = event.stages[0], event.profile["pairing"]
    below = ("side_limits", "pair_downs", "alternate_sides")
    for number in (2, 3):
        policy = build_policy(event, stage, number)
        assert policy.criteria == ("repeats", "bye", "score_difference", *below)
        assert policy.side_limits == (2, 2)
        assert criteria_order(policy) == policy.criteria
    assert build_policy(event, stage, 1).criteria[-2:] == ("fold", "alternate_sides")
    rules["max_same_colour_row"], rules["max_colour_difference"] = 3, None
    assert build_policy(event, stage, 2).side_limits == (3, None)
    rules["criteria"] = ["bye", "fold", "side_limits", "repeats"]  # where the ruleset places them
    assert build_policy(event, stage, 2).criteria == ("bye", "side_limits", "repeats")
    rules["criteria"] = ["repeats", "score_difference", "alternate_sides"]
    assert build_policy(event, stage, 2).criteria[2:] == ("side_limits", "alternate_sides")
    rules["colours"] = False
    assert build_policy(event, stage, 2).criteria == tuple(rules["criteria"])
    lifted = {"pairing": {"colour_limits_in_last_round": False}}
    event = event_with("ABCDEFGH", rounds_planned=3).replace(profile=resolve("fide", overrides=lifted))
    event.rounds = [Round(1, 1), Round(2, 1)]
    limited = ["side_limits" in build_policy(event, event.stages[0], number).criteria for number in (1, 2, 3)]
    assert limited == [True, True, False]
    assert build_policy(event, event.stages[0], 3).engine == "swiss 5"


def test_a_ruleset_may_say_whatever_the_engine_knows_and_nothing_else():
    def known(path):
        return set(get_args(FIELD_AT[path].kind.type))

    assert set(CRITERIA) == set(KNOWN_CRITERIA)
    assert known("pairing.objective") == set(CHOICES["objective"])
    assert known("pairing.repeats") == set(CHOICES["repeats"])
    assert set(FIRST_ROUND) == known("pairing.first_round")
    assert set(BYE_RULES) == known("bye.to") - {"lowest_score_group"}


def test_a_second_session_starts_afresh_and_a_second_day_carries_on():
    rounds = [(1, [("A", "B", WON), ("C", "D", WON)])]
    afresh = [Stage(1), Stage(2, entries=("A", "B"))]
    event = event_with("ABCD", rounds, stages=afresh, rounds_planned=1)
    stage, number, _, _ = find_next_round(event)
    assert (stage.number, number, find_position(event, stage, number)) == (2, 2, 1)
    assert all(e.points == 0 and not e.opponents for e in next_request(event).entrants)
    carried = [Stage(1), Stage(2, sources=(1,), carries=True, entries=("A", "B"))]
    event = event_with("ABCD", rounds, stages=carried, rounds_planned=3)
    stage, number, _, _ = find_next_round(event)
    assert (stage.number, number, find_position(event, stage, number)) == (2, 2, 2)
    assert [(e.id, e.points, e.opponents) for e in next_request(event).entrants] == [
        ("A", 3, {"B"}),
        ("B", 0, {"A"}),
    ]


def test_there_is_no_next_round_while_one_is_played_or_after_the_cut():
    event = event_with("AB", [(1, [("A", "B", WON)])])
    event.rounds[0].status = "published"
    with pytest.raises(NoRound, match="not_complete"):
        find_next_round(event)
    event.rounds[0].status = "draft"
    assert find_next_round(event)[1] == 1
    event = event_with("AB", [(1, []), (2, [])], stages=[Stage(1), Stage(2, "elimination", (1,))])
    with pytest.raises(NoRound, match="bracket"):
        find_next_round(event)


def test_the_next_round_is_drawn_from_the_published_hash_of_the_event_seed():
    text = "00ff:3:2"
    assert round_seed("00FF", 3, 2) == int(hashlib.sha256(text.encode()).hexdigest(), 16)
    assert round_seed(None, 1) == round_seed("0" * 32, 1)
    with pytest.raises(ValueError, match="hexadecimal"):
        round_seed("luck", 1)
    names = [f"P{n:02}" for n in range(16)]
    event = event_with(names, seed="ab" * 16)
    assert pair_round(next_request(event)) == pair_round(next_request(event))
    assert pair_round(next_request(event)).seed == round_seed("ab" * 16, 1)
    assert pair_round(next_request(event, seed_hex="cd")).pairs != pair_round(next_request(event)).pairs
    assert pair_round(next_request(event, attempt=2)).pairs != pair_round(next_request(event)).pairs
    event.forbidden = (("P00", "P01"),)
    digest = pair_round(next_request(event)).digest
    event.forbidden = (("P01", "P00"),)
    assert pair_round(next_request(event)).digest == digest


def test_whoever_met_the_house_avoids_every_house_entry():
    entries = [
        *(Entry(name, name) for name in "ABC"),
        Entry("H1", "H1", house=True),
        Entry("H2", "H2", house=True),
    ]
    event = event_with(
        entries, [(1, [("A", "B", (1, 0, 0), "a"), ("C", "H1", (0, 1, 0), "a")])], ruleset="twixt"
    )
    pairing = pair_round(next_request(event, house="H2"))
    assert not any(set(both) == {"C", "H2"} for both in pairing.pairs)


def kinds(event):
    return [[problem.code for problem in finding.errors] for finding in verify_event(event)]


FIRST = (1, [("A", "B", WON), ("C", "D", WON), ("E", "F", WON), ("G", "H", WON)])


def test_planted_faults_of_a_round_are_found_and_what_the_organizer_waived_is_a_notice():
    repeated = (1, [("A", "B", WON), ("C", "E", WON), ("D", "F", WON), ("G", "H", WON)])
    assert kinds(event_with("ABCDEFGH", [FIRST, repeated])) == [[], ["avoidable repeats"]]
    crossed = (1, [("A", "D", WON), ("C", "E", WON), ("B", "G", WON), ("F", "H", WON)])
    assert kinds(event_with("ABCDEFGH", [FIRST, crossed])) == [[], ["avoidable score_difference"]]
    odd = (1, [("A", "B", WON), ("C", None, "bye")])
    second = (1, [("A", "B", WON), ("C", None, "bye")])
    assert kinds(event_with("ABC", [odd, second])) == [[], ["avoidable repeats"]]
    high = (1, [("B", "C", WON), ("A", None, "bye")])
    assert kinds(event_with("ABC", [odd, high])) == [[], ["avoidable bye_group"]]
    two = (1, [("A", "B", WON), ("C", None, "bye"), ("D", None, "bye")])
    assert kinds(event_with("ABCD", [two])) == [["several byes"]]
    forbidden = event_with("ABCDEFGH", [FIRST], forbidden=(("A", "B"),))
    assert kinds(forbidden) == [["forbidden"]]
    event = event_with("ABCDEFGH", [FIRST, repeated])
    event.rounds[1].matches[0].waived = {"rule": "repeat", "reason": "both asked"}
    assert kinds(event) == [[], []]
    codes = [problem.code for problem in verify_event(event)[1].problems]
    assert "repeat" in codes and "avoidable repeats" in codes


def test_a_side_or_color_had_too_often_is_found_where_it_was_avoidable():
    rounds = [
        (1, [("A", "C", (1, 0, 0), "a"), ("B", "D", (1, 0, 0), "b")]),
        (1, [("A", "B", (1, 0, 0), "a"), ("C", "D", (1, 0, 0), "a")]),
        (1, [("A", "D", (1, 0, 0), "a"), ("B", "C", (1, 0, 0), "a")]),
    ]
    event = event_with([Entry(a, a, seed_rank=k) for k, a in enumerate("ABCD")], rounds, ruleset="twixt")
    assert kinds(event) == [[], [], ["avoidable not_same_side_all_rounds"]]
    event.rounds[2].matches[0] = event.rounds[2].matches[0].replace(first="b")
    assert kinds(event) == [[], [], []]
    won, lost = (1, 0, 0), (0, 1, 0)
    rounds = [
        (1, [("A", "C", won, "a"), ("B", "D", won, "a")]),
        (1, [("A", "B", won, "a"), ("D", "C", won, "a")]),
        (1, [("A", "D", lost, "a"), ("B", "C", won, "b")]),
    ]
    event = event_with("ABCD", rounds, ruleset="fide", rounds_planned=5)
    assert kinds(event) == [[], [], ["avoidable side_limits"]]
    (finding,) = (finding for finding in verify_event(event) if finding.errors)
    assert (finding.cost["side_limits"], finding.optimum["side_limits"]) == (1, 0)
    words = [problem_words(problem, {}) for problem in finding.problems]
    assert "A is on one side too often: 3 times running, 3 times more than on the other" in words
    assert "players on one side too often: 1, where 0 was possible" in words


@pytest.mark.slow
def test_recorded_rounds_never_beat_the_proven_optimum(shared_data):
    """28 real events, paired by others: none of their rounds may be better than what is called best."""
    levels = ("repeats", "second_bye", "bye_group", "score_difference")
    rounds = 0
    for path in sorted((shared_data / "events").glob("*.json")):
        event = parse_event(json.loads(path.read_text(encoding="utf-8"))["archive"])
        for finding in verify_event(event):
            rounds += 1
            cost, best = ([side[name] for name in levels] for side in (finding.cost, finding.optimum))
            assert cost >= best, (path.name, finding.round)
    assert rounds > 150


def test_who_had_a_full_point_without_play_gets_no_bye_where_the_ruleset_says_so():
    rounds = [
        (1, [("A", None, "full_bye"), ("B", None, "half_bye"), ("C", None, "zero_bye"), ("D", None, "bye")]),
        (1, [("A", "B", WON), ("C", "D", "forfeit")]),
    ]
    for ruleset, expected in (("mtr", [0, 0, 0, 1]), ("fide", [1, 0, 1, 1])):
        event = event_with("ABCD", rounds, ruleset=ruleset)
        event.rounds[1].matches[1].winner = "a"
        assert [h.byes for _code, h in sorted(build_histories(event, event.stages[0], 3).items())] == expected
