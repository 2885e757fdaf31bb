from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.conformance.library import list_documents
from standings.engine.explanation import explain
from standings.engine.field import Field
from standings.engine.metrics.registry import Note
from standings.preview.examples import worked_examples
from standings.table.swiss import compute_standings
from tests.conftest import THOROUGH
from tests.standings.engine import naive, naive_metrics
from tests.standings.engine import naive_more as more
from tests.standings.engine.builders import event, match
from tests.standings.engine.metrics.test_against_naive import MEAN, differences
from tests.standings.engine.strategies import other_events
from tournament.rulesets import presets, resolve

SHARES = {"mode": "wins_half_draws", "floor": "1/4", "cap_dropped": "3/4", "include_byes": False}
WINS = {"cap_dropped": F(3, 4), "byes": False, "drawn": F(1, 2)}
OMW = more.at_drop(lambda e, me: more.opponents_shares(e, me, F(1, 4), F(0), 0, **WINS))
OOMW = more.at_drop(lambda e, me: MEAN(OMW)(e, me) if naive.opponents(e, me) else F(1, 4))
PAIRS = [
    ("opp_match_win_pct", SHARES, OMW),
    ("opp_opp_match_win_pct", SHARES, OOMW),
    ("recency_cumulative", {}, more.at_drop(naive_metrics.recency)),
    ("buchholz", {}, more.at_drop(naive_metrics.buchholz)),
]


@st.composite
def frozen_events(draw):
    example = draw(other_events())
    example.profile["frozen_at_drop"] = True
    example.rounds_planned = len(example.rounds) + 1  # nobody has completed them
    return example


@pytest.mark.long
@settings(max_examples=250 if THOROUGH else 40, deadline=None)
@given(frozen_events())
def test_frozen_values_agree_with_a_second_reading(played):
    assert differences(played, PAIRS) == []


def weekend(**overrides):
    """C beats D and A, and drops; A and B go on to win, D to lose."""
    return event(
        [match("A", "B", games="W"), match("C", "D", games="W")],
        [match("A", "C", games="L"), match("B", "D", games="D")],
        [match("A", "D", games="W"), match("B", "E", games="W")],
        preset="pokemon", overrides=overrides, C={"status": "dropped", "dropped_after": 2},
    )  # fmt: skip


def test_a_dropped_player_and_the_averages_of_opponents_keep_the_figures_of_the_drop():
    usual, frozen = compute_standings(weekend()), compute_standings(weekend(frozen_at_drop=True))
    omw, oomw = usual.columns.index("opp_match_win_pct"), usual.columns.index("opp_opp_match_win_pct")
    assert usual.row("C").values[omw] == F(11, 24)  # A 2/3, D ¼
    assert frozen.row("C").values[omw] == F(3, 8)  # A ½, D ¼
    assert usual.row("A").values[oomw] == F(107, 216)
    assert frozen.row("A").values[oomw] == F(101, 216)
    assert [row.values[0] for row in frozen] == [row.values[0] for row in usual]


def test_each_round_of_drops_needs_one_field(monkeypatch):
    sizes, init = [], Field.__init__

    def count(field, records, *more):
        sizes.append(len(records))
        init(field, records, *more)

    monkeypatch.setattr(Field, "__init__", count)
    rounds = [[match("A", "B", games="W"), match(f"D{n}", None, "bye")] for n in range(1, 9)]
    drops = {f"D{n}": {"status": "dropped", "dropped_after": n} for n in range(1, 9)}
    frozen = compute_standings(event(*rounds, preset="pokemon", overrides={"frozen_at_drop": True}, **drops))
    assert [tuple(row.values) for row in frozen]
    assert len([size for size in sizes if size > 1]) == 8  # the others compute the value of one sort of round


def test_what_is_frozen_is_explained_as_it_was_then():
    ranking = compute_standings(weekend(frozen_at_drop=True))
    told = explain(ranking, "C", "opp_match_win_pct")
    assert [line.value for line in told.lines] == [F(1, 4), F(1, 2)]
    assert told.notes == [Note("frozen_at_drop", {"round": 2})]
    assert not explain(ranking, "C", 0).notes and not explain(ranking, "A", "opp_match_win_pct").notes


def test_no_shipped_ruleset_freezes_and_the_worked_example_says_what_it_would_change():
    assert not [key for key, profile in presets().items() if profile.get("frozen_at_drop")]
    numbers = worked_examples(resolve("pokemon"), list_documents("pokemon"))
    assert [value for number in numbers for _words, value in number.variants] == [F(3, 8), F(101, 216)]
