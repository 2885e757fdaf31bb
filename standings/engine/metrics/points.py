"""Sums over an entry's own rounds: points, wins, games."""

from __future__ import annotations

from standings.engine.metrics.percentages import mean_metric
from standings.engine.metrics.registry import round_metric
from standings.engine.scoring import Number


@round_metric("match_points", "Match points", "the points of every round, byes included", "points")
def match_points(field, entry, line) -> Number:
    """Sum of match points over all rounds. Source: DCI 1999, "Match Points"."""
    return field.scoring.match_points(line)


@round_metric("match_wins", "Match wins", "rounds won, byes and forfeits included", "count")
def match_wins(field, entry, line) -> int:
    """Number of rounds won. Source: Star Wars: Unlimited on Melee, where it replaces points."""
    return int(line.outcome == "W")


@round_metric(
    "game_points",
    "Game points",
    "points from all games; a bye counts as the games it stands for",
    "points",
    games=True,
)
def game_points(field, entry, line) -> Number:
    """Sum of game points over all rounds. Source: DCI 1999, "Game Points"."""
    return field.scoring.game_points(line)


@round_metric(
    "game_wins", "Game wins", "games won; a bye counts as the games it stands for", "count", games=True
)
def game_wins(field, entry, line) -> int:
    """Number of games won. Source: Melee, "Two-game matches"."""
    return line.games[0]


mean_metric(
    "opp_avg_points", "match_points", "Opponents' average points", "mean of the opponents' match points",
    "Magic multiplayer addendum (community)", unit="points",
)  # fmt: skip
