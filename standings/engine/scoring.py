"""Points of a round and of a game, read from a profile once. Exact: int if whole, else Fraction."""

from fractions import Fraction

from standings.engine.records import NOT_IN_ROUND, Record, RoundRecord
from tournament.rulesets import wins_needed
from tournament.schemas.kinds import exact_number

Number = int | Fraction

# {kind of unplayed round: field of `match_points` with its points}.
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
# {field: the field whose value it has if it is not given}.
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
    "draw_ahead": "draw",
    "draw_behind": "draw",
}
# Points of one game in the mode `per_game`, and the bonus, each with its default.
PER_GAME = {"game_win": "3", "game_draw": "1", "game_loss": "0", "sweep_bonus": "0"}
MODES = ("per_match", "per_game")


class UnknownScoring(ValueError):
    pass


def exact(value) -> Number:
    """Return "1/2", "0.33" or 3 as an exact number, an int if whole. Raises TypeError for floats, ValueError."""
    if isinstance(value, float):
        raise TypeError(f"{value!r} is not exact; write it as a string")
    number = exact_number(value) if isinstance(value, str) else Fraction(value)
    if number is None:
        raise ValueError(f"{value!r} is not an exact number")
    return number.numerator if number.denominator == 1 else number


class Scoring:
    """The points tables of a profile. Raises UnknownScoring for an unknown way of giving points.

    `win`: match points of a win; `game_win`: the same for a game. The mode `per_game` gives points for each game and a
    bonus for winning them all (Melee's two-game matches). `draw_ahead` and `draw_behind` are for matches drawn on time
    (Gundam Cross War). `games_to_win`: see `records.tally`. `house_contribution`: what a house opponent's score adds.
    """

    def __init__(self, profile: dict):
        points = dict(profile["match_points"])
        mode = points.get("mode", MODES[0])
        if mode not in MODES:
            raise UnknownScoring(f"match_points.mode must be per_match or per_game, not {mode!r}.")
        self._needed = wins_needed(profile.get("best_of_swiss", 3))
        drawn_on_time = any(points.get(name) is not None for name in ("draw_ahead", "draw_behind"))
        self.games_to_win = self._needed if drawn_on_time else None
        for name, other in FOLLOWS.items():
            if points.get(name) is None:
                points[name] = points[other]
        self.win, self.draw = exact(points["win"]), exact(points["draw"])
        self.per_game = mode == "per_game"
        if self.per_game:
            self._per_game = tuple(exact(points.get(name, worth)) for name, worth in PER_GAME.items())
            self.win = self._needed * self._per_game[0] + self._per_game[3]
        self.half_win = exact(Fraction(self.win) / 2)
        self._played = {"W": self.win, "L": exact(points["loss"])}
        # Points of a drawn match with more, as many, or fewer games won.
        self._drawn = {1: exact(points["draw_ahead"]), 0: self.draw, -1: exact(points["draw_behind"])}
        self._kinds = {kind: exact(points[name]) for kind, name in FIELD_OF_KIND.items()} | {NOT_IN_ROUND: 0}
        games = profile["game_points"]
        self.game_win, self.game_draw, self.game_loss = (exact(games[k]) for k in ("win", "draw", "loss"))
        self.house_contribution = (profile.get("bye") or {}).get("house_contribution", "zero")
        self.frozen_at_drop = bool(profile.get("frozen_at_drop"))

    def match_points(self, line: RoundRecord) -> Number:
        if line.kind != "played":
            return self._kinds[line.kind]
        won, lost, drawn = line.games
        if self.per_game:
            game_win, game_draw, game_loss, sweep = self._per_game
            bonus = sweep if won >= self._needed and not lost and not drawn else 0
            return won * game_win + drawn * game_draw + lost * game_loss + bonus
        if line.outcome == "D":
            return self._drawn[(won > lost) - (won < lost)]
        return self._played[line.outcome]

    def game_points(self, line: RoundRecord) -> Number:
        won, lost, drawn = line.games
        return won * self.game_win + drawn * self.game_draw + lost * self.game_loss

    def points(self, record: Record) -> Number:
        return sum(map(self.match_points, record.rounds))
