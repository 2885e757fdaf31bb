import random
from dataclasses import replace

import pytest

from pairings.engine.pair import pair
from pairings.engine.types import Entrant, Pairing, Policy
from pairings.engine.verify import round_cost, verify
from tests.pairings.engine.oracles import played_field


def kinds(entrants, pairing, policy=None, forbidden=()):
    return {problem.code for problem in verify(entrants, pairing, policy or Policy(), forbidden=forbidden)}


def test_a_clean_round_has_no_problems():
    entrants = [Entrant(i, 0) for i in range(9)]
    assert verify(entrants, pair(entrants, Policy(), seed=1), Policy()) == []


@pytest.mark.parametrize("seed", range(20))
def test_each_planted_corruption_is_found(seed):
    dice = random.Random(seed)
    entrants = played_field(seed, 40, 3)[:19]
    good = pair(entrants, Policy(), seed=seed)
    assert [p for p in verify(entrants, good, Policy()) if p.severity == "error"] == []
    pairs = list(good.pairs)
    k = dice.randrange(len(pairs))
    (a, b), other = pairs[k], pairs[k - 1]
    rest = pairs[:k] + pairs[k + 1 :]
    assert "missing" in kinds(entrants, replace(good, pairs=tuple(rest)))
    assert "doubled" in kinds(entrants, replace(good, pairs=(*rest, (a, other[0]))))
    assert "unknown" in kinds(entrants, replace(good, pairs=(*rest, (a, 999))))
    assert "self" in kinds(entrants, replace(good, pairs=(*rest, (a, a))))
    assert "table" in kinds(entrants, replace(good, pairs=(*rest, (a, b, good.bye))))
    assert "listed twice" in kinds([*entrants, entrants[k]], good)
    assert "no bye" in kinds(entrants, replace(good, bye=None))
    assert "bye" in kinds([e for e in entrants if e.id != a], good)
    assert "forbidden" in kinds(entrants, good, forbidden=[(b, a)])
    assert "first" in kinds(entrants, replace(good, first=("a",)))
    assert "first" in kinds(entrants, good, Policy(sides=True))
    assert "first" in kinds(entrants, replace(good, first=("x",) * len(pairs)), Policy(sides=True))


def test_rematches_byes_and_house_entrants_are_judged():
    entrants = [Entrant(0, 0, frozenset({1})), Entrant(1, 0, frozenset({0}))]
    pairing = pair([Entrant(0, 0), Entrant(1, 0)], Policy(), seed=1)
    (notice,) = verify(entrants, pairing, Policy())
    assert (notice.code, notice.severity, set(notice.entrants)) == ("repeat", "notice", {0, 1})
    (error,) = verify(entrants, pairing, Policy(repeats="never"))
    assert error.severity == "error"
    entrants = [Entrant(0, 3, byes=1), Entrant(1, 0), Entrant(2, 0)]
    pairing = replace(pair(entrants, Policy(), seed=1), pairs=((1, 2),), bye=0)
    assert kinds(entrants, pairing) == {"second bye", "bye group"}
    houses = [Entrant(1, 0, house=True), Entrant(2, 0, house=True), Entrant(0, 0)]
    assert kinds(houses, pairing) == {"house pair"}
    assert "house bye" in kinds(houses, replace(pairing, bye=1))


def test_the_cost_of_a_round_is_counted():
    entrants = [
        Entrant(0, 6, frozenset({1})),
        Entrant(1, 3, frozenset({0})),
        Entrant(2, 3, byes=2),
        Entrant(3, 1),
        Entrant(4, 0),
    ]
    pairing = replace(pair(entrants, Policy(), seed=1), pairs=((0, 1), (3, 4)), bye=2)
    assert round_cost(entrants, pairing, Policy()) == {
        "repeats": 1,
        "second_bye": 2,
        "bye_group": 3,
        "score_difference": 10,
    }
    assert round_cost(entrants, pairing, Policy(objective="protect_top"))["score_difference"] == (9, 0, 1, 0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"entrants": None}, "the entrants must be a list"),
        ({"entrants": [None]}, "expected an Entrant, not None"),
        ({"pairing": None}, "expected a round with pairs, bye and first, not None"),
        ({"pairing": Pairing(None)}, "the pairs of the round"),
        ({"pairing": Pairing((7,))}, "the two at a table"),
        ({"pairing": Pairing(((1, [2]),))}, "a table must hold ids"),
        ({"pairing": Pairing((), bye=[1])}, "the bye must be an id or None"),
        ({"policy": None}, "expected a Policy, not None"),
        ({"forbidden": (1,)}, "a prohibited pair must have 2"),
    ],
)
def test_what_is_no_field_or_no_round_is_refused_in_words(wrong, says):
    with pytest.raises(ValueError, match=says):
        verify(**{"entrants": [Entrant(1, 0)], "pairing": Pairing((), bye=1), "policy": Policy()} | wrong)
