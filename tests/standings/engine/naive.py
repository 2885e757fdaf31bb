"""A second, naive reading of the rules: every number straight from the matches, in plain fractions.

Written apart from the engine and sharing nothing with it, so that the two can disagree.
"""

import hashlib
from fractions import Fraction as F

ALONE_POINTS = {
    "bye": "bye", "awarded_bye": "awarded_bye", "half_bye": "requested_half", "zero_bye": "requested_zero",
    "full_bye": "requested_full", "missed": "missed_round",
}  # fmt: skip


def seats(event, me):
    return [
        ("a" if match.a == me else "b", match)
        for round_ in event.rounds
        for match in round_.matches
        if me in (match.a, match.b)
    ]


def my_points(event, side, match):
    rules = dict(event.profile["match_points"])
    per_game = rules.pop("mode", "") == "per_game"
    worth = {key: F(value) for key, value in rules.items()}
    if match.b is None:
        return worth[ALONE_POINTS[match.result]]
    if match.result == "double_loss":
        return worth["double_loss"]
    if match.result == "forfeit":
        return worth["forfeit_win"] if match.winner == side else worth["forfeit_loss"]
    a, b, drawn = my_games(event, side, match)
    if per_game:
        swept = worth.get("sweep_bonus", F(0)) if a >= 2 and b + drawn == 0 else F(0)
        return (
            a * worth.get("game_win", F(3)) + drawn * worth.get("game_draw", F(1))
            + b * worth.get("game_loss", F(0)) + swept
        )  # fmt: skip
    return worth["win"] if a > b else worth["draw"] if a == b else worth["loss"]


def my_games(event, side, match):
    if match.games is not None:
        won, lost, drawn = match.games
        return (won, lost, drawn) if side == "a" else (lost, won, drawn)
    if match.result in ("bye", "awarded_bye", "full_bye"):
        return tuple(event.profile["bye_games"])
    if match.result == "intentional_draw":
        return (0, 0, 1) if event.profile["best_of_swiss"] == 1 else (0, 0, 3)
    if match.result == "forfeit" and match.winner is not None:
        won, lost, drawn = event.profile["forfeit_games"]
        return (won, lost, drawn) if match.winner == side else (lost, won, drawn)
    return (0, 0, 0)


def points(event, me):
    return sum((my_points(event, side, match) for side, match in seats(event, me)), F(0))


def match_win(event, me, byes, floor, missed=True):
    mine = [(s, m) for s, m in seats(event, me) if byes or m.b is not None or m.result == "missed"]
    mine = [(s, m) for s, m in mine if missed or m.result not in ("missed", "zero_bye")]
    if not mine:
        return floor or F(0)
    share = sum((my_points(event, *seat) for seat in mine), F(0))
    share /= F(event.profile["match_points"]["win"]) * len(mine)
    return max(share, floor) if floor else share


def game_win(event, me, byes, floor):
    mine = [(s, m) for s, m in seats(event, me) if byes or m.b is not None or m.result == "missed"]
    games = [my_games(event, *seat) for seat in mine]
    count = sum(sum(game) for game in games)
    if not count:
        return floor or F(0)
    worth = {key: F(value) for key, value in event.profile["game_points"].items()}
    got = sum((w * worth["win"] + d * worth["draw"] + x * worth["loss"] for w, x, d in games), F(0))
    share = got / (worth["win"] * count)
    return max(share, floor) if floor else share


def opponents(event, me):
    return [match.b if side == "a" else match.a for side, match in seats(event, me) if match.b is not None]


def mean(values, nobody):
    return sum(values, F(0)) / len(values) if values else nobody


def cumulative(event, me, seen_by_others=False):
    total = running = F(0)
    for side, match in seats(event, me):
        worth = my_points(event, side, match)
        if seen_by_others and match.result in ("bye", "awarded_bye"):
            worth = F(1, 2)
        running += worth
        total += running
    return total


def score_seen_by_others(event, me):
    """ClineCON: an involuntary bye is half a win to others, a voluntary one nothing."""
    seen = {"bye": F(1, 2), "awarded_bye": F(1, 2), "half_bye": F(0), "zero_bye": F(0), "full_bye": F(0)}
    return sum((seen.get(m.result) if m.result in seen else my_points(event, s, m)
                for s, m in seats(event, me)), F(0))  # fmt: skip


def lots(event):
    drawn = {
        e: hashlib.sha256(bytes.fromhex(event.seed) + b"lot" + e.encode()).digest() for e in event.entries
    }
    return {entry: place for place, entry in enumerate(sorted(drawn, key=drawn.get), start=1)}


def values(event, me):
    if event.profile["key"] == "twixt":
        met = opponents(event, me)
        return (
            points(event, me),
            cumulative(event, me),
            sum((score_seen_by_others(event, o) for o in met), F(0)),
            sum((cumulative(event, o, seen_by_others=True) for o in met), F(0)),
            F(lots(event)[me]),
        )
    shares = event.profile["percentages"]
    match_floor, game_floor = F(shares["match_floor"]), F(shares["game_floor"])
    byes, theirs = shares["own_include_byes"], shares["opp_include_byes"]
    missed = shares["count_missed_rounds"]
    own_floor = game_floor if shares["floor_own_gw"] else None
    met = opponents(event, me)
    return (
        points(event, me),
        mean([match_win(event, o, theirs, match_floor, missed) for o in met], match_floor),
        game_win(event, me, byes, own_floor),
        mean([game_win(event, o, theirs, game_floor) for o in met], game_floor),
        F(lots(event)[me]),
    )
