from fractions import Fraction
from typing import NamedTuple

# Metrics that use the points scored in matches, and the one that asks who won which game.
SCORE_METRICS = frozenset(
    "spread margin_of_victory score_quotient mov_share victory_points battle_points".split()
)
ORDER_METRICS = frozenset({"second_game_wins"})
REQUESTED = ("zero", "half", "full")  # kinds of byes that players request, by what they are worth
NO_GAMES = ("half_bye", "zero_bye", "missed", "double_loss")


def wins_needed(best_of: int | str) -> int:
    """Return the number of games that win a match: 1 in a best of 1, 2 of 3, 3 of 5, and 2 if exactly 2 are played."""
    return match_length(best_of) // 2 + 1


def match_length(best_of: int | str) -> int:
    """Return the most games a match can have: 1, 3 or 5, and 2 if exactly 2 are played."""
    return int(str(best_of).removeprefix("exactly_"))


def draws_in_bracket(profile: dict) -> bool:
    """Whether a bracket match may be drawn, to be repeated or decided (`elimination.draw_rule`)."""
    return (profile["elimination"].get("draw_rule") or "not_allowed") != "not_allowed"


def is_meeting(profile: dict, result: str | None) -> bool:
    """Whether a match with this result counts as a meeting; by default a forfeit does (FIDE Dutch rules, F.2)."""
    return result != "forfeit" or (profile.get("pairing") or {}).get("forfeits_are_meetings") is not False


def default_games(
    profile: dict, result: str | None, winner: str | None = None, best_of: int | str | None = None
) -> tuple[int, int, int] | None:
    """Return (a's wins, b's wins, drawn games) for a result recorded without games; None if games are required.

    `winner`, "a", "b" or None, matters for a forfeit; `best_of` is by default the profile's. Source: `matches[].games`
    in docs/archive.md. Raises ValueError for an unknown result.
    """
    if result is None or result == "played":
        return None
    if result in NO_GAMES:
        return (0, 0, 0)
    if result in ("bye", "awarded_bye", "full_bye"):
        return tuple(profile["bye_games"])
    if result == "intentional_draw":
        return (0, 0, 1) if (best_of or profile["best_of_swiss"]) == 1 else (0, 0, 3)
    if result == "forfeit":
        won, lost, drawn = profile["forfeit_games"]
        return {"a": (won, lost, drawn), "b": (lost, won, drawn)}.get(winner or "", (0, 0, 0))
    raise ValueError(f"Unknown result {result!r}.")


def requestable_byes(profile: dict) -> list[str]:
    """Return the byes that players may request. By default half-point byes, if they are worth more than a loss."""
    points, refused = profile["match_points"], profile.get("byes_refused") or ()
    counts = Fraction(points["requested_half"]) > Fraction(points["loss"])
    most = profile["bye"].get("requested") or ("half" if counts else "zero")
    allowed = REQUESTED[: REQUESTED.index(most) + 1] if most in REQUESTED else ()
    return [kind for kind in allowed if kind not in refused]


def rounds_and_cut(profile: dict, players: int) -> tuple[int, int]:
    """Return (Swiss rounds, bracket size) for a number of players. Outside the table: ceil(log2 n) rounds, no cut."""
    enough = max(players - 1, 0).bit_length()  # ceil(log2 n), the rounds that leave one player undefeated
    table = profile["rounds_table"]
    for row in table if isinstance(table, list) else ():
        if row["min"] <= players and (row["max"] is None or players <= row["max"]):
            if row.get("stage") == "single_elimination":
                return enough, 0
            return row["rounds"], row.get("cut") or 0
    return enough, 0


def uses_alternates(profile: dict) -> bool:
    return bool(profile["cut"].get("alternates") or profile["drop"].get("after_cut_replacement"))


class ScoreRules(NamedTuple):
    """The points scored in a match. `decides`: whether they decide the winner, so that games are not entered."""

    decides: bool = True
    below_zero: bool = False
    decimals: bool = False


def needs_scores(step: dict) -> bool:
    return step["metric"] in SCORE_METRICS or (step.get("params") or {}).get("on") == "victory_points"


def records_scores(profile: dict) -> bool:
    """Whether slips have points scored in matches: by `records_scores`, else if a step needs them."""
    given = profile.get("records_scores")
    if isinstance(given, bool):
        return given
    return any(needs_scores(step) for step in profile["tiebreaks"])


def score_rules(profile: dict, best_of: int) -> ScoreRules | None:
    """Return the scores on the slip of a match; None if the ruleset records none.

    The score decides the winner if a match is one game and victory points come first in the standings order. Only games
    with spreads can end below zero, and only victory points have decimals.
    """
    if not records_scores(profile):
        return None
    used = [step["metric"] for step in profile["tiebreaks"]]
    decides = best_of == 1 or used[0] == "victory_points"
    return ScoreRules(decides, below_zero="spread" in used, decimals="victory_points" in used)


def asks_game_order(profile: dict) -> bool:
    """Whether it matters who won which game of a match."""
    return any(step["metric"] in ORDER_METRICS for step in profile["tiebreaks"])
