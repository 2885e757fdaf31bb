"""Sums over an entry's own rounds: points, wins, games, losses. Also the KTS number, packed from three metrics."""

from fractions import Fraction

from standings.engine.metrics.registry import round_metric, term_metric
from standings.engine.metrics.terms import NO_ROUND, Term
from standings.engine.scoring import Number

# Rounds an entry could have played and did not (FIDE C.07, "voluntary unplayed rounds").
VOLUNTARY = frozenset({"half", "zero", "full", "missed", "forfeit_loss", "no_show"})
KASHDAN = {"W": 4, "D": 2, "L": 1}
KTS_SHARES = {"mode": "wins"}  # the percentages inside a KTS number: by wins, without a minimum


@round_metric("points", by_sort=True)
def match_points(field, entry, line) -> Number:
    """Sum of match points over all rounds. Source: DCI 1999, "Match Points"."""
    return field.scoring.match_points(line)


@round_metric("count", by_sort=True)
def match_wins(field, entry, line) -> int:
    """Number of rounds won. Source: Star Wars: Unlimited on Melee, where it replaces points."""
    return int(line.outcome == "W")


@round_metric("points", games=True, by_sort=True)
def game_points(field, entry, line) -> Number:
    """Sum of game points over all rounds. Source: DCI 1999, "Game Points"."""
    return field.scoring.game_points(line)


@round_metric("count", games=True, by_sort=True)
def game_wins(field, entry, line) -> int:
    """Number of games won. Source: Melee, "Two-game matches"."""
    return line.games[0]


@round_metric("count", by_sort=True)
def wins_fide(field, entry, line) -> int:
    """Number of rounds worth a win. Source: FIDE C.07, "WIN"."""
    return int(field.scoring.match_points(line) >= field.scoring.win)


@round_metric("count", by_sort=True)
def won_otb(field, entry, line) -> int:
    """Number of rounds won by playing. Source: FIDE C.07, "WON"."""
    return int(line.kind == "played" and line.outcome == "W")


@round_metric("count")
def black_games(field, entry, line) -> int:
    """Number of rounds played with the second move. Source: FIDE C.07, "BPG"."""
    return int(line.kind == "played" and line.side == "second")


@round_metric("count")
def black_wins(field, entry, line) -> int:
    """Number of rounds won by playing with the second move. Source: FIDE C.07, "BWG"."""
    return int(line.kind == "played" and line.side == "second" and line.outcome == "W")


@round_metric("count", by_sort=True)
def rounds_elected(field, entry, line) -> int:
    """Number of rounds that were not voluntarily left unplayed. Source: FIDE C.07, "REP"."""
    return int(line.kind not in VOLUNTARY)


@round_metric("score", by_sort=True)
def kashdan(field, entry, line) -> int:
    """Ranks a win and a loss above two draws. Source: USCF rule 34E7."""
    return KASHDAN[line.outcome] if line.kind in ("played", "double_loss") else 0


@round_metric("score")
def loss_round_squares(field, entry, line) -> int:
    """Sum of the squared numbers of lost rounds: the later, the higher. Missed rounds are losses, byes are not.

    Source: Konami (Japan), from memory.
    """
    return line.number**2 if line.outcome == "L" and not line.is_bye else 0


@round_metric("count", games=True)
def second_game_wins(field, entry, line) -> int:
    """Number of second games won, if the order of games is recorded; a bye of two games counts as one.

    Source: Melee, "Two-game matches".
    """
    return int(line.order[1:2] == "W" if line.order else line.is_bye and line.games[0] > 1)


@round_metric("count", inner="match_wins")
def opp_match_wins_sum(field, entry, line) -> int | None:
    """Sum, over the matches, of the opponents' rounds won. Source: Games Workshop, organised play."""
    return None if line.opponent is None else field.value("match_wins", line.opponent)


@term_metric("score")
def kts_number(field, entry, *, mode="truncate") -> list[Term]:
    """XXYYYZZZ: points, OMW and OOMW from wins without a minimum, each per mille and at most 999.

    33 points, .726 and .677 give 33726677. `mode`: truncate or half_up. Source: yugioh.wikia, "Tie-Breakers".
    """
    half = Fraction(1, 2) if mode == "half_up" else 0
    points = field.value("match_points", entry)
    terms = [Term(NO_ROUND, int(points) * 1_000_000, before=points, label="match_points")]
    for key, place in (("opp_match_win_pct", 1000), ("opp_opp_match_win_pct", 1)):
        share = field.value(key, entry, KTS_SHARES)
        thousandths = min(int(share * 1000 + half), 999)
        terms.append(Term(NO_ROUND, thousandths * place, "thousandths", before=share, label=key))
    return terms
