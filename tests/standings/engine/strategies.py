"""Random small events, for the tests that compare two ways to the same numbers, and parameters for metrics."""

from itertools import combinations
from random import Random
from typing import Any

from hypothesis import strategies as st

from standings.engine.metrics import METRICS
from tests.standings.engine.builders import event, match
from tournament.rulesets import presets, resolve

PRESETS = ("dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default")
ALONE = ("bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed")
games = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))


@st.composite
def paired(draw, a, b):
    kind = draw(st.sampled_from(["played"] * 4 + ["intentional_draw", "double_loss", "forfeit"]))
    winner = draw(st.sampled_from(["a", "b", None])) if kind == "forfeit" else None
    return match(a, b, kind, draw(games) if kind == "played" else None, winner=winner)


@st.composite
def small_events(draw):
    """Two to nine entries, one to five rounds; some sit alone, some not at all; repeats happen."""
    names = [f"E{n}" for n in range(draw(st.integers(2, 9)))]
    rounds = []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(names))
        pairs = draw(st.integers(0, len(names) // 2))
        matches = [draw(paired(order[2 * i], order[2 * i + 1])) for i in range(pairs)]
        for name in order[2 * pairs :]:
            result = draw(st.sampled_from([None, *ALONE]))
            matches += [match(name, None, result)] if result else []
        rounds.append(matches)
    seed = draw(st.binary(min_size=1, max_size=16)).hex()
    return event(*rounds, preset=draw(st.sampled_from(PRESETS)), entries=names, seed=seed)


@st.composite
def other_events(draw):
    """Small events under the points of chess, of cards, of single games and per game; some have start scores."""
    example = draw(small_events())
    example.profile = resolve(
        draw(st.sampled_from(["fide", "cardeio", "fab", "pokemon", "nsg_double_sided"]))
    )
    if example.profile["key"] == "nsg_double_sided":
        points = st.sampled_from(["0", "1/2", "1"])
        example.profile["match_points"] |= {"game_draw": draw(points), "game_loss": draw(points)}
    if not any(match for round_ in example.rounds for match in round_.matches):
        example.rounds = []
    # Rounds after the last match are none: nobody has a record of them.
    while example.rounds and not example.rounds[-1].matches:
        example.rounds.pop()
    for entry in example.entries.values():
        entry.start = draw(st.sampled_from([None, "1", "5/2"]))
        entry.status = draw(st.sampled_from(["playing", "playing", "dropped"]))
        entry.rating, entry.seed_rank = draw(st.sampled_from([(None, 3), (1500, None), (1800, 7)]))
        entry.late, entry.manual = draw(st.sampled_from([(False, 2), (True, None)]))
        entry.labels = draw(st.sampled_from([(), ("cm=19.5",), ("team=A", "cm=7")]))
    for seated in (seated for round_ in example.rounds for seated in round_.matches):
        seated.first = draw(st.sampled_from([None, "a", "b"])) if seated.b else None
        seated.score = (
            draw(st.sampled_from([None, ("12", "3"), ("7", "15/2"), ("0", "0")])) if seated.b else None
        )
        seated.game_order = draw(st.sampled_from([None, "ab", "aba", "db", "bb"])) if seated.b else None
    return example


@st.composite
def leagues(draw):
    """Three to six entries, of whom nearly all have met, one match a round."""
    names = "ABCDEF"[: draw(st.integers(3, 6))]
    result = st.sampled_from(["W", "L", "W", "L", "D", "forfeit", None])
    rounds = [
        [match(a, b, "forfeit", winner="a") if played == "forfeit" else match(a, b, games=played)]
        for a, b in combinations(names, 2)
        if (played := draw(result))
    ]
    return event(*rounds, preset=draw(st.sampled_from(["fide", "ffg"])), entries=names)


@st.composite
def full_events(draw):
    """The same under any ruleset, with house players, stored lots and values frozen at the drop."""
    example = draw(other_events())
    example.profile = resolve(draw(st.sampled_from(sorted(presets()))))
    example.profile["frozen_at_drop"] = draw(st.booleans())
    for entry in example.entries.values():
        entry.lot = draw(st.sampled_from([None, 1, 3]))
        entry.house = draw(st.sampled_from([False] * 9 + [True]))
    return example


VALUES = {
    "number": ["0", "1/3", "1/2", "1", "3"],
    "number by round": ["3", ["1", "5/2"]],
    "whole": [0, 1, 2],
    "switch": [True, False],
    "text": ["cm"],
    "worths": [{"bye": "1/2", "zero": "0"}],
    "choice or opponents": [{"value": "1/5", "count": 3}],
}


def params_of(key: str, chance: Random) -> dict[str, Any]:
    """Some of a metric's parameters, each with a value of its kind."""
    params = {}
    for name, param in METRICS[key].params.items():
        values = [2009, 2023, 2026] if name == "version" else [*param.choices, *VALUES.get(param.kind, ())]
        if chance.random() < 0.5:
            params[name] = chance.choice(values)
    return params
