"""Counts over an entry's own rounds: wins and games by kind, rounds lost, and numbers packed from others."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import UnknownMetric, metric

# Rounds an entry was free to play and did not (FIDE C.07, "voluntary unplayed rounds").
VOLUNTARY = frozenset({"half", "zero", "full", "missed", "forfeit_loss", "no_show"})
KASHDAN = {"W": 4, "D": 2, "L": 1}


@metric("wins_fide", "Wins", "rounds that gave as many points as a win, played or not", "count")
def wins_fide(field, entry) -> int:
    """Number of rounds worth a win. Source: FIDE C.07, "WIN"."""
    points, win = field.scoring.match_points, field.scoring.win
    return sum(points(line) >= win for line in field.records[entry].rounds)


@metric("won_otb", "Wins over the board", "games played and won", "count")
def won_otb(field, entry) -> int:
    """Number of rounds won by playing. Source: FIDE C.07, "WON"."""
    return sum(line.kind == "played" and line.outcome == "W" for line in field.records[entry].rounds)


@metric("black_games", "Games with Black", "rounds played as second mover", "count")
def black_games(field, entry) -> int:
    """Number of rounds played with the second move. Source: FIDE C.07, "BPG"."""
    return sum(line.kind == "played" and line.side == "second" for line in field.records[entry].rounds)


@metric("black_wins", "Wins with Black", "rounds played and won as second mover", "count")
def black_wins(field, entry) -> int:
    """Number of rounds won by playing with the second move. Source: FIDE C.07, "BWG"."""
    return sum(
        line.kind == "played" and line.side == "second" and line.outcome == "W"
        for line in field.records[entry].rounds
    )


@metric(
    "rounds_elected", "Rounds one elected to play", "rounds without requested byes and own forfeits", "count"
)
def rounds_elected(field, entry) -> int:
    """Number of rounds that were not voluntarily left unplayed. Source: FIDE C.07, "REP"."""
    return sum(line.kind not in VOLUNTARY for line in field.records[entry].rounds)


@metric("kashdan", "Kashdan", "4 for a win, 2 for a draw, 1 for a loss, 0 for an unplayed round", "score")
def kashdan(field, entry) -> int:
    """Sum that favours who wins and loses over who draws. Source: USCF rule 34E7."""
    rounds = field.records[entry].rounds
    return sum(KASHDAN[line.outcome] for line in rounds if line.kind in ("played", "double_loss"))


@metric("loss_round_squares", "Squares of rounds lost", "sum of (number of each round lost)²", "score")
def loss_round_squares(field, entry) -> int:
    """Greater for who lost later; byes are no losses, missed rounds are. Source: Konami (Japan), from memory."""
    rounds = field.records[entry].rounds
    return sum(line.number**2 for line in rounds if line.outcome == "L" and not line.is_bye)


@metric("second_game_wins", "Wins of game 2", "matches whose second game was won", "count", games=True)
def second_game_wins(field, entry) -> int:
    """Number of second games won, where the order of games is recorded; a bye of two games has one.

    Source: Melee, "Two-game matches".
    """
    rounds = field.records[entry].rounds
    return sum(line.order[1:2] == "W" if line.order else line.is_bye and line.games[0] > 1 for line in rounds)


@metric("opp_match_wins_sum", "Opponents' match wins", "sum of the opponents' match wins", "count")
def opp_match_wins_sum(field, entry) -> int:
    """Sum over the matches of the opponent's rounds won. Source: Games Workshop, organised play."""
    column = field.column("match_wins")
    return sum(column[line.opponent] for line in field.records[entry].rounds if line.opponent is not None)


@metric(
    "kts_number",
    "KTS number",
    "points, then three digits each of opponents' and opponents' opponents' win %",
    "score",
)
def kts_number(field, entry, *, mode="truncate") -> int:
    """XXYYYZZZ: points, OMW and OOMW by wins without a minimum, per mille, at most 999 each.

    `mode`: truncate or half_up. Source: yugioh.wikia, "Tie-Breakers".
    """
    if mode not in ("truncate", "half_up"):
        raise UnknownMetric(f"Unknown mode {mode!r} of the KTS number.")
    half = Fraction(1, 2) if mode == "half_up" else 0
    number = int(field.value("match_points", entry))
    for key in ("opp_match_win_pct", "opp_opp_match_win_pct"):
        digits = int(field.value(key, entry, {"mode": "wins"}) * 1000 + half)
        number = number * 1000 + min(digits, 999)
    return number
