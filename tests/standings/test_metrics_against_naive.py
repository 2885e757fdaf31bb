"""Every further metric against the naive second reading, on random small events."""

from fractions import Fraction as F
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.field import Field
from standings.engine.metrics import meetings
from standings.engine.metrics.meetings import MODES, head_to_head
from standings.engine.scoring import Scoring
from standings.event import records_of
from tests.standings import naive, naive_metrics
from tests.standings.builders import event, match
from tests.standings.test_against_naive import small_events
from tournament.rulesets import resolve

MEAN = naive_metrics.over_opponents
COUNTS = ("wins_fide", "won_otb", "rounds_elected", "kashdan", "loss_round_squares")
PAIRS = [
    ("points_per_round", {}, naive_metrics.per_round),
    ("strength_of_schedule", {}, MEAN(naive_metrics.per_round)),
    ("ext_strength_of_schedule", {}, MEAN(MEAN(naive_metrics.per_round))),
    ("opp_avg_points", {}, MEAN(naive.points)),
    ("opp_opp_match_win_pct", {}, naive_metrics.opponents_opponents),
    ("match_loss_pct", {}, naive_metrics.losses),
    ("opp_match_loss_pct", {}, MEAN(naive_metrics.losses)),
    ("recency_cumulative", {}, naive_metrics.recency),
    ("opp_recency_cumulative", {"decay": "1/4"}, MEAN(naive_metrics.recency)),
    ("adjusted_score", {}, naive_metrics.adjusted),
    ("buchholz", {}, naive_metrics.buchholz),
    ("buchholz", {"cut_low": 1}, lambda e, me: naive_metrics.buchholz(e, me, 1)),
    ("buchholz", {"cut_low": 2, "version": 2026}, lambda e, me: naive_metrics.buchholz(e, me, 2, 2026)),
    ("buchholz", {"rule": "raw", "own_unplayed": "exclude"},
     lambda e, me: sum((naive.points(e, other) for other in naive.opponents(e, me)), F(0))),
    ("sonneborn_berger", {}, naive_metrics.sonneborn),
    ("sonneborn_berger", {"cut_low": 1, "version": 2026}, lambda e, me: naive_metrics.sonneborn(e, me, 1, 2026)),
    ("avg_opp_buchholz", {}, naive_metrics.average_buchholz),
    ("koya", {}, naive_metrics.koya),
    ("solkoff", {}, lambda e, me: sum(naive_metrics.solkoff_terms(e, me), F(0))),
    ("modified_median", {}, naive_metrics.modified_median),
    ("mms", {}, naive_metrics.mcmahon),
    ("sos", {"unpaired": "start"}, naive_metrics.sos),
    ("sosos", {"unpaired": "start"}, naive_metrics.sosos),
    ("sodos", {}, naive_metrics.sodos),
    *[(key, {}, lambda e, me, i=i: naive_metrics.counts(e, me)[i]) for i, key in enumerate(COUNTS)],
]  # fmt: skip


@st.composite
def other_events(draw):
    """Small events under the points of chess, of cards, and of single games; some have start scores."""
    made = draw(small_events())
    made.profile = resolve(draw(st.sampled_from(["fide", "cardeio", "fab", "pokemon"])))
    if not any(match for round_ in made.rounds for match in round_.matches):
        made.rounds = []
    # Rounds after the last match are none: nobody has a record of them.
    while made.rounds and not made.rounds[-1].matches:
        made.rounds.pop()
    for entry in made.entries.values():
        entry.start = draw(st.sampled_from([None, "1", "5/2"]))
    return made


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


def field_of(event) -> Field:
    return Field(records_of(event, [1]), Scoring(event.profile))


def differences(event, pairs=PAIRS) -> list[tuple[str, str]]:
    """(metric, entry) wherever the two readings differ."""
    field = field_of(event)
    return [
        (key, me)
        for key, params, naively in pairs
        for me in event.entries
        if field.value(key, me, params) != naively(event, me)
    ]


@settings(max_examples=50, deadline=None)
@given(other_events())
def test_every_metric_agrees(event):
    assert differences(event) == []


@settings(max_examples=60, deadline=None)
@given(st.one_of(leagues(), other_events()), st.sampled_from(sorted(MODES)), st.data())
def test_every_semantics_of_head_to_head_agrees(event, mode, data):
    names = sorted(event.entries)
    group = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
    ours = head_to_head(field_of(event), group, mode=mode)
    assert [sorted(part) for part in ours] == naive_metrics.head_to_head(event, group, mode)


@settings(max_examples=40, deadline=None)
@given(st.one_of(leagues(), other_events()), st.sampled_from(sorted(MODES)), st.permutations("ABCDEFGHI"))
def test_names_and_their_order_change_nothing_in_head_to_head(event, mode, letters):
    names = sorted(event.entries)
    renamed = dict(zip(names, letters, strict=False))
    before = head_to_head(field_of(event), names, mode=mode)
    for round_ in event.rounds:
        for seated in round_.matches:
            seated.a, seated.b = renamed[seated.a], renamed.get(seated.b)
    event.entries = {renamed[name]: entry for name, entry in event.entries.items()}
    after = head_to_head(field_of(event), list(event.entries), mode=mode)
    assert [sorted(renamed[name] for name in part) for part in before] == [sorted(part) for part in after]


def found_by_chance(pairs) -> bool:
    """Whether the readings differ on any of some events of every kind."""
    found = []

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(other_events())
    def look(event):
        found.extend(differences(event, pairs))

    look()
    return bool(found)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("buchholz", {"own_unplayed": "zero"}),
        ("sonneborn_berger", {"forfeits_as_played": True}),
        ("koya", {"limit": "1"}),
        ("recency_cumulative", {"decay": "1/3"}),
        ("strength_of_schedule", {"bye": "zero"}),
        ("match_loss_pct", {"empty": "1"}),
    ],
)
def test_a_planted_misreading_is_found(key, wrong):
    right = [(k, wrong, naively) for k, params, naively in PAIRS if k == key and not params]
    assert right and found_by_chance(right)


def test_a_head_to_head_that_is_not_restarted_is_found(monkeypatch):
    whole = meetings._ordered
    monkeypatch.setattr(
        meetings, "_ordered", lambda f, group, split, on, restart: whole(f, group, split, on, restart=False)
    )
    found = []

    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    @given(leagues())
    def look(event):
        names = sorted(event.entries)
        found.extend(
            mode
            for mode in ("minileague", "beat_all", "fide")
            if head_to_head(field_of(event), names, mode=mode)
            != naive_metrics.head_to_head(event, names, mode)
        )

    look()
    assert {"minileague", "beat_all", "fide"} <= set(found)
