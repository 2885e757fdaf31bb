import random
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pairings.engine.compare import CostModel, repair_options
from pairings.engine.criteria import Meter
from pairings.engine.field import Field
from pairings.engine.pair import pair
from pairings.engine.types import Entrant, PairingRequest, Policy, Proof, Reason
from pairings.engine.verify import round_cost, verify
from tests.pairings.engine.oracles import (
    all_rounds,
    bye_cost,
    cheapest_sum,
    cost_key,
    meetings,
    new_tables,
    pair_cost,
)

CRITERIA = ("repeats", "score_difference", "not_same_side_all_rounds", "fold", "alternate_sides")


def clinecon(number):
    return Policy(within="fold", criteria=CRITERIA, sides=True, round=number, planned_rounds=3)


def ranked(*points, **facts):
    return [
        Entrant(rank, score, seed_rank=rank, **{name: values[rank - 1] for name, values in facts.items()})
        for rank, score in enumerate(points, start=1)
    ]


def values(pairing):
    return {line.criterion: line.value for line in pairing.certificate}


@pytest.mark.parametrize("size", [2, 8, 30, 500])
def test_the_first_round_pairs_the_halves(size):
    pairing = pair(ranked(*[0] * size), clinecon(1), seed=3)
    assert pairing.pairs == tuple((k, k + size // 2) for k in range(1, size // 2 + 1))
    lines = [line for line in pairing.certificate if not line.criterion.startswith("later")]
    assert all(line.optimal and line.proof == Proof("bound") for line in lines)


def test_first_moves_alternate_by_board_and_the_last_of_an_odd_field_has_bye_or_house():
    firsts = {pair(ranked(*[0] * 8), clinecon(1), seed=seed).first for seed in range(12)}
    assert firsts == {("a", "b", "a", "b"), ("b", "a", "b", "a")}
    pairing = pair(ranked(*[0] * 7), clinecon(1), seed=3)
    assert pairing.pairs == ((1, 4), (2, 5), (3, 6)) and pairing.bye == 7
    house = Entrant(99, 0, house=True)
    pairing = pair([*ranked(*[0] * 7), house], clinecon(1), seed=3)
    assert pairing.pairs == ((1, 4), (2, 5), (3, 6), (7, 99)) and pairing.bye is None


@pytest.mark.parametrize("within", ["fold", "adjacent"])
def test_a_random_bye_goes_to_anyone_of_the_lowest_group_and_the_others_are_paired_as_if_alone(within):
    entrants = ranked(1, 1, *[0] * 7, byes=[0, 0, 0, 1, 0, 0, 0, 0, 0])
    policy = Policy(within=within, bye_rule="random")
    pairings = [pair(entrants, policy, seed=seed) for seed in range(60)]
    assert {pairing.bye for pairing in pairings} == {3, 5, 6, 7, 8, 9}  # player 4 had a bye
    for pairing in pairings:
        others = [entrant for entrant in entrants if entrant.id != pairing.bye]
        assert values(pairing)[within] == 0
        assert pairing.pairs == pair(others, Policy(within=within), seed=1).pairs
        assert pairing.reasons[pairing.bye] == (Reason("bye_random"),)


def test_a_repair_leaves_a_random_bye_where_it_was():
    entrants, policy = ranked(*[0] * 9), Policy(within="fold", bye_rule="random")
    published = pair(entrants, policy, seed=1)
    tables = [*published.pairs, (published.bye, None)]
    for seed in range(2, 12):
        keep = repair_options(PairingRequest(entrants, policy, seed), tables)[1]
        assert keep.pairing.bye == published.bye and new_tables(keep.pairing, tables) == 0


def test_score_groups_are_folded_or_adjacent_and_bent_as_little_as_possible():
    pairing = pair(ranked(2, 2, 2, 2, 2, 1, 1, 1, 0, 0), clinecon(2), seed=3)
    assert pairing.pairs == ((1, 3), (2, 4), (5, 6), (7, 8), (9, 10))
    pairing = pair(ranked(*[0] * 8), Policy(within="adjacent"), seed=3)
    assert pairing.pairs == ((1, 2), (3, 4), (5, 6), (7, 8))
    pairing = pair(ranked(*[0] * 8), clinecon(1), seed=3, forbidden=[(1, 5)])
    assert pairing.pairs == ((1, 6), (2, 5), (3, 7), (4, 8)) and values(pairing)["fold"] == 2


def test_sides_alternate_and_in_the_last_round_nobody_has_one_throughout_while_avoidable():
    entrants = ranked(0, 0, 0, 0, sides=["a", "b", "b", "a"])
    pairing = pair(entrants, clinecon(2), seed=3)
    assert (pairing.pairs, pairing.first) == (((1, 3), (2, 4)), ("b", "a"))
    entrants = ranked(0, 0, 0, 0, sides=["aa", "ab", "aa", "bb"])
    assert values(pair(entrants, clinecon(3), seed=3))["not_same_side_all_rounds"] == 0
    pairing = pair(entrants, clinecon(3), seed=3)
    assert (1, 3) not in pairing.pairs  # the fold would have joined two who were always first
    for (a, b), first in zip(pairing.pairs, pairing.first, strict=True):
        for name, side in ((a, first), (b, "ba"[first == "b"])):
            assert entrants[name - 1].sides + side not in ("aaa", "bbb")


def random_field(seed):
    dice = random.Random(seed)
    size = dice.choice([4, 6, 7, 8])
    met = meetings(size, lambda i, j: dice.random() < 0.3)
    played = dice.choice([1, 2])
    entrants = [
        Entrant(
            i,
            dice.randint(0, 2),
            frozenset(met[i]),
            byes=int(dice.random() < 0.2),
            sides="".join(dice.choice("ab-") for _ in range(played)),
            seed_rank=i + 1,
        )
        for i in range(size)
    ]
    if dice.random() < 0.3 and size % 2:
        entrants.append(Entrant(99, 0, house=True))
    return entrants, clinecon(played + 1)


@pytest.mark.parametrize("seed", range(120))
def test_all_criteria_are_obeyed_in_their_order(seed):
    entrants, policy = random_field(seed)
    pairing = pair(entrants, policy, seed=seed)
    field = Field(PairingRequest(entrants, policy))
    meter = Meter(field)
    best = min(
        meter.total_costs(pairs, dummies) for pairs, dummies in all_rounds(field.players, field.dummies)
    )
    later = ("later_rounds", "later_byes")  # planned rounds are few here: keeping them costs nothing
    assert tuple(line.value for line in pairing.certificate if line.criterion not in later) == best
    assert all(line.optimal for line in pairing.certificate)


def test_large_folded_fields_are_paired_near_the_ideal_and_say_what_is_not_proved():
    opponents = [frozenset({(i + 250 - 1) % 500 + 1}) for i in range(1, 501)]
    pairing = pair(ranked(*[0] * 500, opponents=opponents), clinecon(2), seed=3)
    lines = {line.criterion: line for line in pairing.certificate}
    assert lines["repeats"].value == 0 and lines["repeats"].optimal
    assert not lines["fold"].optimal and lines["fold"].bound == 0 and lines["fold"].value <= 3 * 500


def test_only_the_side_criteria_of_the_ruleset_decide_who_moves_first():
    entrants = [Entrant("Ada", 0, sides="aa"), Entrant("Bo", 0, sides="ba")]
    turns = ("repeats", "bye", "score_difference", "alternate_sides")

    def movers(criteria):
        rounds = [pair(entrants, Policy(sides=True, round=3, criteria=criteria), seed=s) for s in range(12)]
        return {pairing.pairs[0]["ab".index(pairing.first[0])] for pairing in rounds}

    assert movers(turns) == {"Ada", "Bo"}
    assert movers((*turns, "not_same_side_all_rounds")) == {"Bo"}


SIDES = ("repeats", "bye", "score_difference", "side_limits", "pair_downs", "alternate_sides")
FIDE = Policy(sides=True, round=5, criteria=SIDES, max_same_side=2, max_side_difference=2)
LIMITS = [(2, 2), (1, None), (3, 2), (None, 1), (None, None)]


def limited(running, more):
    return replace(FIDE, max_same_side=running, max_side_difference=more)


def sided_field(seed, size, rounds=5):
    """Entrants after some rounds in which chance gave the sides, and sometimes none; a few have met."""
    dice = random.Random(seed)
    met = meetings(size, lambda i, j: dice.random() < 0.15)
    return [
        Entrant(
            i,
            dice.randint(0, 3),
            frozenset(met[i]),
            byes=int(dice.random() < 0.2),
            down=dice.randint(0, 1),
            sides="".join(dice.choice("aab-") for _ in range(rounds)),
        )
        for i in range(size)
    ]


def over_limit(policy, sides):
    """Whether someone with these sides is past a limit: told otherwise than the engine tells it."""
    running, more = (policy.max_same_side, policy.max_side_difference)
    if (running, more) == (None, None):
        running, more = 2, 2
    played = sides.replace("-", "")
    streak = len(played) - len(played.rstrip(played[-1]))
    return (running is not None and streak > running) or (
        more is not None and not -more <= 2 * played.count("a") - len(played) <= more
    )


def past_limits(policy, entrants, pairs, first):
    sides = {entrant.id: entrant.sides for entrant in entrants}
    moves = [(a, b) if side == "a" else (b, a) for (a, b), side in zip(pairs, first, strict=True)]
    return sum(over_limit(policy, sides[a] + "a") + over_limit(policy, sides[b] + "b") for a, b in moves)


def side_cost(policy, one, other):
    """For how many of the two a limit cannot be kept, whoever moves first."""
    return min(past_limits(policy, (one, other), [(one.id, other.id)], [side]) for side in "ab")


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", range(12))
def test_no_round_has_fewer_players_past_a_limit(seed, limits):
    entrants, policy = sided_field(seed, 4 + seed % 4), limited(*limits)
    pairing = pair(entrants, policy, seed=seed)
    names = ("repeats", "second_bye", "bye_group", "score_difference")

    def cost(pairs, bye):
        round_ = SimpleNamespace(pairs=pairs, bye=bye, first=())
        plain = round_cost(entrants, round_, policy)
        return *(plain[name] for name in names), sum(
            side_cost(policy, entrants[a], entrants[b]) for a, b in pairs
        )

    dummies = [None] * (len(entrants) % 2)
    best = min(
        cost(pairs, taken[0][0] if taken else None)
        for pairs, taken in all_rounds(list(range(len(entrants))), dummies)
    )
    lines = {line.criterion: line for line in pairing.certificate}
    assert tuple(lines[name].value for name in (*names, "side_limits")) == best
    assert past_limits(policy, entrants, pairing.pairs, pairing.first) == best[-1]
    assert lines["side_limits"].optimal and lines["side_limits"].bound == best[-1]


@pytest.mark.parametrize("seed", range(24))
def test_no_round_of_a_larger_field_has_fewer(seed):
    entrants, policy = sided_field(seed, 16 + seed), limited(*LIMITS[seed % len(LIMITS)])
    pairing = pair(entrants, policy, seed=seed)
    levels = sorted({entrant.points for entrant in entrants}, reverse=True)
    costs = {}
    for i, a in enumerate(entrants):
        for j in range(i):
            costs[i, j] = (*pair_cost(a, entrants[j], policy, levels), side_cost(policy, a, entrants[j]))
        if len(entrants) % 2:
            costs[i, -1] = (*bye_cost(a, policy, levels), 0)
    best = cheapest_sum(costs, len(entrants))
    mine = past_limits(policy, entrants, pairing.pairs, pairing.first)
    assert (*cost_key(entrants, pairing, policy), mine) == best
    (line,) = (line for line in pairing.certificate if line.criterion == "side_limits")
    assert (line.value, line.bound, line.optimal) == (mine, mine, True)


@pytest.mark.parametrize("seed", range(20))
def test_the_checker_and_the_certificate_count_the_same_players(seed):
    entrants, policy = sided_field(seed, 5 + seed % 7), limited(*LIMITS[seed % len(LIMITS)])
    pairing = pair(entrants, policy, seed=seed)
    for first in (pairing.first, tuple("ba"["ab".index(side)] for side in pairing.first)):
        turned = replace(pairing, first=first)
        notices = [p.entrants[0] for p in verify(entrants, turned, policy) if p.code == "side limits"]
        count = past_limits(policy, entrants, turned.pairs, first)
        assert len(set(notices)) == len(notices) == count
        assert round_cost(entrants, turned, policy)["side_limits"] == count
        assert dict(CostModel(PairingRequest(entrants, policy)).cost(turned))["side_limits"] == count
    assert values(pairing)["side_limits"] == past_limits(policy, entrants, pairing.pairs, pairing.first)
    assert {
        code for code, reasons in pairing.reasons.items() if Reason("side_limit", {"proven": 1}) in reasons
    } == {p.entrants[0] for p in verify(entrants, pairing, policy) if p.code == "side limits"}


def test_a_house_entrant_has_no_limit_and_its_opponent_has():
    house = Entrant("House", 0, sides="aaaa", house=True)
    policy, entrants = limited(2, 2), [house, Entrant("Ada", 0, sides="aa")]
    pairing = pair(entrants, policy, seed=1)
    assert (pairing.pairs, pairing.first) == ((("Ada", "House"),), ("b",))
    assert values(pairing)["side_limits"] == 0
    turned = replace(pairing, pairs=(("House", "Ada"),), first=("b",))
    assert round_cost(entrants, turned, policy)["side_limits"] == 1
    assert dict(CostModel(PairingRequest(entrants, policy)).cost(turned))["side_limits"] == 1


def test_a_repair_keeps_the_limits_too():
    entrants = [Entrant(i, 0, sides=sides) for i, sides in enumerate(("aa", "aa", "bb", "bb", "ab", "ba"))]
    tables = [(0, 1), (2, 3), (4, 5)]
    leave, keep, anew = repair_options(PairingRequest(entrants, FIDE, 1), tables)
    assert dict(leave.cost)["side_limits"] == 2
    assert dict(keep.cost)["side_limits"] == dict(anew.cost)["side_limits"] == 0
    assert new_tables(keep.pairing, tables) == 2


def test_rounds_of_before_are_drawn_again_to_their_digest():
    """Version 5 knew only the limits that a ruleset named among its criteria."""
    entrants = [Entrant(i, i // 4, frozenset({i ^ 1}), sides="ab"[i % 2] + "b") for i in range(16)]
    named = ("repeats", "bye", "score_difference", "side_limits", "alternate_sides")
    plain, sided = Policy(), Policy(sides=True, round=3, criteria=named)
    before = {
        plain: "99929ebba3ddf6efc242f8de20d653ab9d666b8c647667a9d90aa8f84c307a71",
        sided: "f6e16eeaf3624cc36a35fc03a7b5d462a98302576ab4396ec4037ea9c2ac1e05",
    }
    for policy, digest in before.items():
        pairing = pair(entrants, policy, seed=5)
        assert (pairing.engine, pairing.digest) == ("swiss 5", digest)
    of_ruleset = {
        pair(entrants, replace(sided, max_same_side=running, max_side_difference=more), seed=5).digest
        for running, more in LIMITS
    }
    assert len(of_ruleset) == len(LIMITS) and before[sided] in of_ruleset
