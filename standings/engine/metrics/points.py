"""Sums over an entry's own rounds: points, wins, games."""

from __future__ import annotations

from standings.engine.metrics.percentages import mean_metric
from standings.engine.metrics.registry import round_metric
from standings.engine.scoring import Number


@round_metric("points")
def match_points(field, entry, line) -> Number:
    """Sum of match points over all rounds. Source: DCI 1999, "Match Points"."""
    return field.scoring.match_points(line)


@round_metric("count")
def match_wins(field, entry, line) -> int:
    """Number of rounds won. Source: Star Wars: Unlimited on Melee, where it replaces points."""
    return int(line.outcome == "W")


@round_metric("points", games=True)
def game_points(field, entry, line) -> Number:
    """Sum of game points over all rounds. Source: DCI 1999, "Game Points"."""
    return field.scoring.game_points(line)


@round_metric("count", games=True)
def game_wins(field, entry, line) -> int:
    """Number of games won. Source: Melee, "Two-game matches"."""
    return line.games[0]


mean_metric("opp_avg_points", "match_points", "Magic multiplayer addendum (community)", unit="points")
