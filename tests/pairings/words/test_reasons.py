from dataclasses import replace

import pytest

from pairings.engine.compare import Change
from pairings.engine.pair import pair
from pairings.engine.types import Criterion, Entrant, NoPairing, Policy, Problem, Proof, Reason
from pairings.engine.verify import verify
from pairings.request.pairing_request import (
    build_criterion_line,
    proof_from_json,
    proof_text,
    reasons_from_json,
    reasons_to_json,
)
from pairings.words.certificate import proof_words
from pairings.words.reasons import (
    forfeits_words,
    meetings_words,
    new_pair_downs_words,
    no_pairing_words,
    problem_words,
    reasons_words,
    solved_words,
)


def down(**numbers):
    return (Reason("paired_down", {"left": 1, "down": 1, "above": 0, "before": 0, "forced": 1} | numbers),)


@pytest.mark.parametrize(
    ("reasons", "text"),
    [
        (
            down(above=1, before=1),
            "Paired down: no one else is left in this score group. 1 other was paired up. "
            "Paired down 1 time before.",
        ),
        (down(left=3), "Paired down: 3 players are left in this score group, an odd number."),
        (
            down(left=5, down=3),
            "Paired down: 3 of the 5 players left in this score group are paired down; "
            "smaller score differences would cost more on a higher-priority criterion.",
        ),
        (
            down(left=5, down=3, forced=0),
            "Paired down: 3 of the 5 players left in this score group are paired down.",
        ),
        (
            (Reason("rematch"), Reason("paired_up", {"before": 1})),
            "Rematch: no pairing of this round has fewer rematches. "
            "Paired up: plays someone who was paired down. Paired up 1 time before.",
        ),
        (
            (Reason("same_label", {"labels": ("Oslo", "Team A"), "proven": 0}),),
            "Same label (Oslo, Team A): no swap was found that keeps more such players apart.",
        ),
        (
            (Reason("bye_above", {"prohibited": 1, "later": 1}),),
            "Bye: the number of players is odd, and no lower score group can take it without a second bye, "
            "a do-not-pair conflict, a rematch or making a later planned round impossible.",
        ),
        ("Paired down for the 2nd time: as an older version said it.",) * 2,
        ((Reason("unheard_of", {"count": 3}),), "unheard_of"),
    ],
)
def test_reasons_are_said_in_whole_sentences(reasons, text):
    assert reasons_words(reasons) == text


def test_every_reason_of_the_engine_has_a_sentence():
    entrants = [Entrant(i, i % 3, frozenset({i ^ 1}), byes=i % 2, down=1, up=1) for i in range(12)]
    entrants += [Entrant(12, 5), Entrant(13, 0, house=True), Entrant(14, 0, labels=frozenset({"Oslo"}))]
    policy = Policy(labels_apart_until_round=1)
    for locked in ([], [(1, 2)]):
        for reasons in pair(entrants, policy, seed=1, locked=locked).reasons.values():
            assert reasons_words(reasons).endswith(".")


def test_kept_reasons_are_read_back_and_an_unknown_proof_is_shown_as_kept():
    labels = Reason("same_label", {"labels": ("Oslo",), "proven": 1})
    for reasons in (down(left=3, above=1), (Reason("rematch"), labels), ()):
        assert reasons_from_json(reasons_to_json(reasons)) == reasons
    assert reasons_from_json("Set by the organizer.") == "Set by the organizer."
    assert reasons_from_json(None) == reasons_from_json([{"left": 1}, 7]) == ()
    assert proof_words(proof_from_json("proved by hand")) == "proved by hand"


@pytest.mark.parametrize(
    ("proof", "text", "words"),
    [
        (Proof("bound"), "bound reached", "meets the lower bound"),
        (Proof("none"), "not proved", "best found, not proven"),
        (Proof("kernel", 12), "exact matching on a kernel of 12", "exact matching on a kernel of 12 players"),
        (Proof("branches"), "exact search that keeps later rounds possible", None),
    ],
)
def test_proofs_of_older_rounds_are_read_as_codes(proof, text, words):
    data = build_criterion_line(Criterion("repeats", 0, 0, True, proof)).to_json()
    assert proof_from_json(data["proof"], data.get("size", 0)) == proof
    assert proof_text(proof) == text and proof_from_json(text) == proof
    assert proof_words(proof) == (words or text)


def test_costs_pair_downs_and_meetings_are_told_apart():
    changes = (Change("repeats", 0, 1), Change("score_difference", 9, 4))
    assert solved_words("worse", "Ada", "Bo", changes, 1) == (
        "Ada vs. Bo would cost: 1 rematch. It would save: 5 points of squared score difference."
    )
    assert solved_words("better", "Ada", "", (Change("second_bye", 1, 0),), 1) == (
        "A bye for Ada would be better. It would save: 1 second bye."
    )
    assert solved_words("equal", "Ada", "Bo", (), 1) == (
        "Ada vs. Bo would be equally good. The choice was random."
    )
    pairs = [("2.5", "2")] * 5
    assert new_pair_downs_words(pairs[:1]) == "New pair-downs: 2.5 vs. 2."
    assert new_pair_downs_words(pairs).endswith("2.5 vs. 2 and 1 more.") and new_pair_downs_words([]) == ""
    assert meetings_words([1, 3], bye=False) == "They played each other in round 1 and 3."
    assert meetings_words([], bye=True) == "No earlier bye."


def test_of_forfeits_it_says_whether_they_are_meetings():
    no_meeting = {"pairing": {"forfeits_are_meetings": False}}
    assert forfeits_words([3], no_meeting) == (
        "They were paired in round 3, but a forfeit does not count as a meeting under this ruleset."
    )
    assert forfeits_words([1, 3], {}) == (
        "They were paired in rounds 1 and 3, but all were forfeits, which are meetings under this ruleset."
    )
    assert forfeits_words([], no_meeting) == ""


NAMES = {1: "Ann", 2: "Bo"}


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("doubled", (1,), {"count": 2}), "Ann is seated 2 times"),
        (Problem("repeat", (1, 3), {"waived": 1}, "notice"), "Ann and 3 have already played (waived)"),
        (Problem("first", (), {"untracked": 1}), "this ruleset does not track who moves first"),
        (
            Problem("avoidable score_difference", (), {"value": (9, 0), "best": (4, 0)}),
            "sum of squared score differences: [9, 0], where [4, 0] was possible",
        ),
    ],
)
def test_problems_are_said_by_name(problem, text):
    assert problem_words(problem, NAMES) == text


def test_every_problem_of_the_engine_has_words():
    entrants = [Entrant(0, 3, byes=1), Entrant(1, 0, frozenset({2})), Entrant(2, 0, frozenset({1}))]
    houses = [Entrant(1, 0, house=True), Entrant(2, 0, house=True), Entrant(0, 0)]
    good = pair(entrants, Policy(), seed=1)
    for field in (entrants, houses, [*entrants, entrants[0]], entrants[1:]):
        for pairs in (((1, 2),), ((1, 1),), ((0, 1, 2),), ((9, 1),), ()):
            for bye in (None, 0, 1):
                for first in ((), ("a",)):
                    round_ = replace(good, pairs=pairs, bye=bye, first=first)
                    for policy in (Policy(), Policy(sides=True)):
                        for problem in verify(field, round_, policy, forbidden=[(1, 2)]):
                            assert problem_words(problem, {}).strip()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            NoPairing("no_opponent", (1, 2), rematches=False),
            "Without rematches or do-not-pair conflicts, no opponent is left for: Ann, Bo.",
        ),
        (
            NoPairing("left_over", range(2, 12)),
            "With the do-not-pair list, at least 1 player is left without an opponent, "
            "for example: Bo, 3, 4, 5, 6, 7, 8, 9 and 2 more.",
        ),
        (
            NoPairing("too_many_groups"),
            "There are too many score groups to find the smallest score differences from the top down. "
            "In the ruleset, choose the smallest sum of them instead.",
        ),
        (NoPairing("left_over"), "With the do-not-pair list, at least 1 player is left without an opponent."),
    ],
)
def test_why_there_is_no_round_is_said_by_name(error, text):
    assert no_pairing_words(error, NAMES) == text
