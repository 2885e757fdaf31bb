"""What holds for every bracket: 2 to 64 entrants, every ruleset, whatever happens in it."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.bracket.final_places import SHARED, places_in_bracket
from standings.engine.bracket.slots import lines_of, slots_of
from standings.engine.bracket.tree import bracket_of, matches_to_open
from standings.engine.bracket.types import Bracket, Meeting
from tests.conftest import THOROUGH
from tournament.rulesets import presets

RULES = {key: profile["elimination"] for key, profile in presets().items()}
KINDS = sorted(
    {(rules["placement"], bool(rules["third_place_match"])) for rules in RULES.values()} | {(SHARED, True)}
)
sizes = pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])


def seeds(n: int) -> list[str]:
    return [f"s{i:02}" for i in range(1, n + 1)]


def played(n: int, third_place: bool, chance: Random, nobody: float = 0.0) -> Bracket:
    """A bracket of n played to its end, each round in any order, each match by chance."""
    meetings: list[Meeting] = []
    while waiting := matches_to_open(bracket_of(seeds(n), meetings, third_place=third_place)):
        for match in chance.sample(waiting, len(waiting)):
            a, b = (match.a, match.b) if match.a else (match.b, None)
            winner = None if b and chance.random() < nobody else chance.choice([a, b] if b else [a])
            points = (Fraction(chance.randint(0, 2), 2), Fraction(chance.randint(0, 2), 2))
            meetings.append(Meeting(a, b, winner, True, match.slot, points))
    return bracket_of(seeds(n), meetings, third_place=third_place)


@sizes
def test_each_winner_has_exactly_one_next_match_and_each_line_one_first(size):
    tree = slots_of(size, third_place=True)
    sources = Counter((source.kind, source.of) for slot in tree for source in (slot.a, slot.b))
    main = [slot.name for slot in tree if slot.name != "P3.1"]
    assert len(main) == size - 1
    assert {of: n for (kind, of), n in sources.items() if kind == "winner"} == dict.fromkeys(main[:-1], 1)
    assert {of: n for (kind, of), n in sources.items() if kind == "line"} == dict.fromkeys(range(size), 1)
    losers = {of for kind, of in sources if kind == "loser"}
    assert losers == ({slot.name for slot in tree if slot.round == tree[-1].round - 1} if size > 2 else set())


@sizes
def test_the_top_seeds_can_meet_only_as_late_as_there_is_room(size):
    """Seeds 1 and 2 in the final only, the best four not before the semifinals, and so on."""
    tree = slots_of(size)
    line = {entry: place for place, entry in enumerate(lines_of(seeds(size)))}

    def path(entry: str) -> list[str]:
        """The slots that entrant would win its way through."""
        at, way = ("line", line[entry]), []
        while slot := next((s for s in tree if at in ((s.a.kind, s.a.of), (s.b.kind, s.b.of))), None):
            way.append(slot.name)
            at = ("winner", slot.name)
        return way

    assert set(path("s01")) & set(path("s02")) == {"F.1"}
    rounds = {slot.name: slot.round for slot in tree}
    for k in range(1, size.bit_length()):
        best = seeds(size)[: 1 << k]
        shared = [set(path(a)) & set(path(b)) for a in best for b in best if a < b]
        assert min(rounds[slot] for common in shared for slot in common) == size.bit_length() - k


def check(bracket: Bracket, placement: str) -> None:
    """Everybody has one place, the champion the first; a shared place skips as many as share it."""
    rows = places_in_bracket(bracket, placement)
    n = len(bracket.seeds)
    assert sorted(row.entry for row in rows) == seeds(n)
    if placement == SHARED:
        assert all(row.place == 1 + sum(other.place < row.place for other in rows) for row in rows)
    else:
        assert [row.place for row in rows] == list(range(1, n + 1))
    if bracket.champion is not None:
        assert rows[0] == (1, bracket.champion)


@pytest.mark.parametrize("n", range(2, 65))
def test_places_are_a_permutation_for_every_number_of_entrants(n):
    for placement, third_place in KINDS:
        bracket = played(n, third_place, Random(n))
        assert bracket.champion is not None
        check(bracket, placement)


@settings(max_examples=60 if THOROUGH else 15)
@given(st.sampled_from(sorted(RULES)), st.integers(2, 64), st.randoms(use_true_random=False))
def test_places_are_a_permutation_under_every_ruleset_even_where_nobody_wins(key, n, random):
    rules = RULES[key]
    bracket = played(n, bool(rules["third_place_match"]), random, nobody=0.1)
    check(bracket, rules["placement"])
    met = [m.meeting for m in bracket.matches.values() if m.meeting and m.meeting.b]
    pairs = Counter(frozenset((meeting.a, meeting.b)) for meeting in met)
    assert set(pairs.values()) <= {1}


@pytest.mark.parametrize("n", range(2, 65))
def test_who_is_beaten_plays_no_more_but_for_third_place(n):
    bracket = played(n, True, Random(n))
    lost = Counter(match.loser for match in bracket.matches.values() if match.loser and match.slot != "P3.1")
    assert lost == Counter(entry for entry in seeds(n) if entry != bracket.champion)


def test_seeds_one_and_two_meet_in_the_final_or_never():
    for n in range(2, 65):
        for chance in range(3):
            for match in played(n, False, Random(chance)).matches.values():
                assert {match.a, match.b} != {"s01", "s02"} or match.slot == "F.1"


@pytest.mark.parametrize("n", [4, 5, 8, 12, 33, 64])
def test_the_match_for_place_3_settles_third_and_fourth(n):
    for chance in range(8):
        bracket = played(n, True, Random(chance))
        third = bracket.matches["P3.1"]
        for placement in {placement for placement, _third in KINDS}:
            rows = places_in_bracket(bracket, placement)
            assert rows[2:4] == [(3, third.winner), (4, third.loser)]
