from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.field import Field
from standings.engine.metrics import METRICS
from standings.engine.metrics.head_to_head import head_to_head
from standings.engine.scoring import Scoring
from standings.table.swiss import tally_records
from tests.conftest import THOROUGH
from tests.standings.engine import naive, naive_metrics
from tests.standings.engine import naive_more as more
from tests.standings.engine.strategies import leagues, other_events
from tournament.event.lots import compute_lots

MODES = sorted(METRICS["head_to_head"].params["mode"].choices)
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
    ("adjusted_score", {"version": 2009}, lambda e, me: naive_metrics.adjusted(e, me, 2009)),
    ("adjusted_score", {"forfeit_ends_byes": True}, lambda e, me: naive_metrics.adjusted(e, me, vega=True)),
    ("buchholz", {}, naive_metrics.buchholz),
    ("buchholz", {"cut_low": 1}, lambda e, me: naive_metrics.buchholz(e, me, 1)),
    ("buchholz", {"cut_low": 2, "version": 2026}, lambda e, me: naive_metrics.buchholz(e, me, 2, 2026)),
    ("buchholz", {"version": 2009}, lambda e, me: naive_metrics.buchholz(e, me, 0, 2009)),
    ("buchholz", {"cut_low": 1, "version": 2022}, lambda e, me: naive_metrics.buchholz(e, me, 1, 2009)),
    ("buchholz", {"cut_low": 1, "forfeit_ends_byes": True}, lambda e, me: naive_metrics.buchholz(e, me, 1, vega=True)),
    ("buchholz", {"rule": "raw", "own_unplayed": "exclude"},
     lambda e, me: sum((naive.points(e, other) for other in naive.opponents(e, me)), F(0))),
    ("sonneborn_berger", {}, naive_metrics.sonneborn),
    ("sonneborn_berger", {"cut_low": 1, "version": 2026}, lambda e, me: naive_metrics.sonneborn(e, me, 1, 2026)),
    ("sonneborn_berger", {"version": 2009}, lambda e, me: naive_metrics.sonneborn(e, me, 0, 2009)),
    ("sonneborn_berger", {"cut_low": 1, "version": 2009}, lambda e, me: naive_metrics.sonneborn(e, me, 1, 2009)),
    ("avg_opp_buchholz", {}, naive_metrics.average_buchholz),
    ("avg_opp_buchholz", {"version": 2009}, lambda e, me: naive_metrics.average_buchholz(e, me, 2009)),
    ("koya", {}, naive_metrics.koya),
    ("solkoff", {}, lambda e, me: sum(naive_metrics.solkoff_terms(e, me), F(0))),
    ("modified_median", {}, naive_metrics.modified_median),
    ("modified_median", {"double_from": 3}, lambda e, me: naive_metrics.modified_median(e, me, 3)),
    ("mms", {}, naive_metrics.mcmahon),
    ("sos", {"unpaired": "start"}, naive_metrics.sos),
    ("sosos", {"unpaired": "start"}, naive_metrics.sosos),
    ("sodos", {}, naive_metrics.sodos),
    *[(key, {}, lambda e, me, i=i: naive_metrics.counts(e, me)[i]) for i, key in enumerate(COUNTS)],
    ("match_points", {}, naive.points),
    ("match_wins", {}, more.wins),
    ("game_points", {}, more.game_points),
    ("game_wins", {}, lambda e, me: more.games(e, me)[0]),
    ("second_game_wins", {}, more.second_games),
    ("opp_match_wins_sum", {}, lambda e, me: sum(more.wins(e, other) for other in naive.opponents(e, me))),
    ("match_win_pct", {"floor": "1/4", "cap": "3/4", "cap_dropped": "1/2", "include_byes": False},
     lambda e, me: more.match_share(e, me, "1/4", "3/4", "1/2", byes=False)),
    ("match_win_pct", {"count_missed_rounds": False}, lambda e, me: naive.match_win(e, me, True, None, False)),
    ("opp_match_win_pct", {"count_missed_rounds": False, "include_byes": False},
     MEAN(lambda e, me: naive.match_win(e, me, False, None, False))),
    ("match_win_pct", {"count_no_show_tables": False}, lambda e, me: more.match_share(e, me, no_shows=False)),
    ("match_win_pct", {"mode": "wins"}, lambda e, me: more.match_share(e, me, drawn=0)),
    ("match_win_pct", {"mode": "wins_half_draws"}, lambda e, me: more.match_share(e, me, drawn="1/2")),
    ("opp_match_win_pct", {"floor": "33/100", "bye": {"value": "1/5", "count": 3}},
     lambda e, me: more.opponents_shares(e, me, "33/100", F(1, 5), 3)),
    ("opp_match_win_pct", {"floor": "1/3", "bye": "zero", "mode": "wins", "include_byes": False},
     lambda e, me: more.opponents_shares(e, me, "1/3", F(0), 1, drawn=0, byes=False)),
    ("game_win_pct", {"floor": "33/100"}, lambda e, me: naive.game_win(e, me, True, F(33, 100))),
    ("opp_game_win_pct", {"floor": "33/100", "include_byes": False},
     lambda e, me: naive.mean([naive.game_win(e, o, False, F(33, 100)) for o in naive.opponents(e, me)],
                              F(33, 100))),
    ("kts_number", {}, more.kts),
    ("black_games", {}, lambda e, me: len(more.with_black(e, me))),
    ("black_wins", {}, lambda e, me: more.with_black(e, me).count("W")),
    ("fore_buchholz", {}, more.fore),
    ("fore_buchholz", {"version": 2009}, lambda e, me: more.fore(e, me, 0, 2009)),
    ("fore_buchholz", {"cut_low": 1, "version": 2026}, lambda e, me: more.fore(e, me, 1, 2026)),
    ("cumulative", {}, more.running),
    ("cumulative", {"cut": 1, "deduct_unplayed_wins": True}, lambda e, me: more.running(e, me, 1, True)),
    ("cumulative_opposition", {}, more.met_running),
    ("cumulative_opposition", {"bye_as": {"bye": "1/2"}}, lambda e, me: more.met_running(e, me, F(1, 2))),
    ("spread", {}, more.spread),
    ("spread", {"cap": "5", "bye": "50", "forfeit_loss": "-50"},
     lambda e, me: more.spread(e, me, F(5), F(50), None, F(-50))),
    ("spread", {"bye": "50", "forfeit_win": "30"}, lambda e, me: more.spread(e, me, None, F(50), F(30))),
    ("spread", {"cap": ["8", "1/4", "3"]}, lambda e, me: more.spread(e, me, [F(8), F(1, 4), F(3)])),
    ("margin_of_victory", {}, more.margin_of_victory),
    ("margin_of_victory", {"even": "100", "bye": "150", "forfeit_win": "200", "forfeit_loss": "1"},
     lambda e, me: more.margin_of_victory(e, me, F(100), F(150), forfeit_win=F(200), forfeit_loss=F(1))),
    ("score_quotient", {}, more.quotient),
    ("mov_share", {}, more.margin_share),
    ("mov_share", {"bye": "2/3", "forfeit_win": "3/4", "forfeit_loss": "1/4"},
     lambda e, me: more.margin_share(e, me, F(2, 3), F(3, 4), F(1, 4))),
    ("pooled_opp_points_pct", {}, more.pooled),
    ("victory_points", {}, more.points_made),
    ("battle_points", {}, more.points_made),
    ("avg_rating_opponents", {}, more.ratings_met),
    ("rating", {}, lambda e, me: e.entries[me].rating or 0),
    ("late_flag", {}, lambda e, me: int(e.entries[me].late)),
    ("seed", {}, more.after_the_last(lambda entry: entry.seed_rank)),
    ("manual", {}, more.by_hand),
    ("external_value", {"name": "cm"}, more.after_the_last(more.label("cm"))),
    ("random", {}, more.drawn_lot),
]  # fmt: skip


def field_of(event) -> Field:
    lots = compute_lots(event.seed, dict.fromkeys(event.entries))
    return Field(tally_records(event, [1]), Scoring(event.profile), lots)


def differences(event, pairs=PAIRS) -> list[tuple]:
    """(metric, entry, our value, the second reading's) wherever the two differ."""
    field = field_of(event)
    return [
        (key, me, field.value(key, me, params), naively(event, me))
        for key, params, naively in pairs
        for me in event.entries
        if field.value(key, me, params) != naively(event, me)
    ]


@pytest.mark.long
@settings(max_examples=150 if THOROUGH else 12, deadline=None)
@given(other_events())
def test_every_metric_agrees(event):
    assert differences(event) == []


def test_every_metric_has_a_second_reading():
    """Head-to-head orders groups and has its own, below."""
    assert {key for key, _, _ in PAIRS} | {"head_to_head"} == set(METRICS)


@settings(max_examples=400 if THOROUGH else 25, deadline=None)
@given(st.one_of(leagues(), other_events()), st.sampled_from(MODES), st.data())
def test_every_semantics_of_head_to_head_agrees(event, mode, data):
    names = sorted(event.entries)
    group = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
    ours = head_to_head(field_of(event), group, mode=mode)
    assert [sorted(part) for part in ours] == naive_metrics.head_to_head(event, group, mode)


@settings(max_examples=200 if THOROUGH else 20, deadline=None)
@given(st.one_of(leagues(), other_events()), st.sampled_from(MODES), st.permutations("ABCDEFGHI"))
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
