"""Questions a profile answers: the games a result stands for, how many wins, how many rounds, what cut."""

from __future__ import annotations

from typing import NamedTuple

# Metrics that look at the points made inside matches, and the one that asks who won which game.
SCORE_METRICS = frozenset("spread score_quotient mov_share victory_points battle_points".split())
ORDER_METRICS = frozenset({"second_game_wins"})
NO_GAMES = ("half_bye", "zero_bye", "missed", "double_loss")


def wins_needed(best_of: int | str) -> int:
    """Games that win a match of that length: 1 of 1, 2 of 3, 3 of 5; both where exactly two are played."""
    return match_length(best_of) // 2 + 1


def match_length(best_of: int | str) -> int:
    """The length as one number: 1, 3 or 5 at most, or 2 where exactly two games are played."""
    return int(str(best_of).removeprefix("exactly_"))


def draws_in_bracket(profile: dict) -> bool:
    """Whether an elimination match may be drawn, to be played again or decided (`elimination.draw_rule`)."""
    return (profile["elimination"].get("draw_rule") or "not_allowed") != "not_allowed"


def default_games(
    profile: dict, result: str | None, winner: str | None = None, best_of: int | str | None = None
) -> tuple[int, int, int] | None:
    """The games (a's wins, b's wins, drawn) of a result that gives none; None where they must be given.

    `winner` is "a", "b" or None and matters for a forfeit; `best_of` is the match's own length, else the
    profile's Swiss one. Source: archive format, `matches[].games`. Raises ValueError for an unknown result.
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


def rounds_and_cut(profile: dict, players: int) -> tuple[int, int]:
    """Swiss rounds and bracket size for that many players; cut 0: no bracket.

    A `single_elimination` row is a suggestion only: such a Swiss event has ceil(log2 n) rounds and no cut.
    The same holds for numbers the table does not reach.
    """
    enough = max(players - 1, 0).bit_length()  # ceil(log2 n), the rounds that leave one unbeaten
    table = profile["rounds_table"]
    for row in table if isinstance(table, list) else ():
        if row["min"] <= players and (row["max"] is None or players <= row["max"]):
            if row.get("stage") == "single_elimination":
                return enough, 0
            return row["rounds"], row.get("cut") or 0
    return enough, 0


class ScoreRules(NamedTuple):
    """What the points made inside a match look like. `decides`: they say who won, games are not asked for."""

    decides: bool = True
    below_zero: bool = False
    decimals: bool = False


def needs_scores(step: dict) -> bool:
    """Whether a step of the order looks at the points made inside matches."""
    return step["metric"] in SCORE_METRICS or (step.get("params") or {}).get("on") == "victory_points"


def records_scores(profile: dict) -> bool:
    """Whether the points made inside matches are asked for: as `records_scores` says, else if needed."""
    said = profile.get("records_scores")
    if isinstance(said, bool):
        return said
    return any(needs_scores(step) for step in profile["tiebreaks"])


def score_rules(profile: dict, best_of: int) -> ScoreRules | None:
    """The scores a slip of such a match asks for; None where the ruleset records none.

    Where a match is one game, or victory points are the points ranked by, the score says who won. Only
    spreads come from games that may end below zero, only victory points from scales with decimals.
    """
    if not records_scores(profile):
        return None
    used = [step["metric"] for step in profile["tiebreaks"]]
    return ScoreRules(
        decides=best_of == 1 or used[0] == "victory_points",
        below_zero="spread" in used,
        decimals="victory_points" in used,
    )


def asks_game_order(profile: dict) -> bool:
    """Whether it matters who won which game of a match."""
    return any(step["metric"] in ORDER_METRICS for step in profile["tiebreaks"])
