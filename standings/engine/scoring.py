"""What a round and a game are worth, read from a profile once. Exact: int where whole, else Fraction."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.records import Record, RoundRecord

Number = int | Fraction

# Which field of `match_points` a round takes: by kind, and by outcome where it was played.
FIELD_OF_KIND = {
    "bye": "bye",
    "awarded": "awarded_bye",
    "half": "requested_half",
    "zero": "requested_zero",
    "full": "requested_full",
    "missed": "missed_round",
    "forfeit_win": "forfeit_win",
    "forfeit_loss": "forfeit_loss",
    "no_show": "forfeit_loss",
    "double_loss": "double_loss",
}
# Where a field is absent it follows another (rules, "Merging and derived values").
FOLLOWS = {
    "bye": "win",
    "awarded_bye": "bye",
    "requested_full": "bye",
    "requested_half": "loss",
    "requested_zero": "loss",
    "forfeit_win": "win",
    "forfeit_loss": "loss",
    "double_loss": "loss",
    "missed_round": "loss",
}
NOT_YET = ("mode", "draw_ahead", "draw_behind", "sweep_bonus")


class UnknownScoring(ValueError):
    """Points a ruleset gives in a way that is not known here; the message names the field."""


def exact(value) -> Number:
    """The exact number of "1/2", "0.33", 3: an int where it is whole. Floats are refused: TypeError."""
    if isinstance(value, float):
        raise TypeError(f"{value!r} is not exact; write it as a string.")
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else number


class Scoring:
    """The points tables of a profile.

    `win`: match points of a win, the most one round of play gives; `game_win` the same for a game.
    `house_contribution`: what a house opponent's own score adds to the tiebreaks of those it played.
    Raises UnknownScoring for a way of giving points that is not known.
    """

    def __init__(self, profile: dict):
        points = dict(profile["match_points"])
        for name in NOT_YET:
            if points.get(name) not in (None, "per_match"):
                raise UnknownScoring(f"match_points.{name} is not known here.")
        for name, other in FOLLOWS.items():
            if points.get(name) is None:
                points[name] = points[other]
        self.win = exact(points["win"])
        self.half_win = exact(Fraction(self.win) / 2)
        self._played = {"W": self.win, "D": exact(points["draw"]), "L": exact(points["loss"])}
        self._kinds = {kind: exact(points[name]) for kind, name in FIELD_OF_KIND.items()}
        games = profile["game_points"]
        self.game_win, self.game_draw, self.game_loss = (exact(games[k]) for k in ("win", "draw", "loss"))
        self.house_contribution = (profile.get("bye") or {}).get("house_contribution", "zero")

    def match_points(self, line: RoundRecord) -> Number:
        """Match points of one round."""
        if line.kind == "played":
            return self._played[line.outcome]
        return self._kinds[line.kind]

    def game_points(self, line: RoundRecord) -> Number:
        """Game points of one round: over its games won, lost and drawn; an unplayed game gives nothing."""
        won, lost, drawn = line.games
        return won * self.game_win + drawn * self.game_draw + lost * self.game_loss

    def points(self, record: Record) -> Number:
        """Match points over all rounds of a record."""
        return sum(map(self.match_points, record.rounds))
