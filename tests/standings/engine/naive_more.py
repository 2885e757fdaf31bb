"""The naive second reading of scores, sides, attributes, caps and sums: straight from the matches, no engine code."""

from copy import deepcopy
from fractions import Fraction as F

from tests.standings.engine.naive import lots, mean, my_games, my_points, opponents, points
from tests.standings.engine.naive_metrics import (
    buchholz,
    over_opponents,
    result,
    rival,
    rounds,
    was_played,
    worth,
)

WON_ALONE = ("bye", "awarded_bye", "full_bye")
BYES = (*WON_ALONE, "half_bye", "zero_bye")


def outcome(event, side, match):
    if match.b is None:
        return "W" if match.result in WON_ALONE else "D" if match.result == "half_bye" else "L"
    return result(event, side, match)


def wins(event, me):
    return sum(outcome(event, side, match) == "W" for _, side, match in rounds(event, me))


def games(event, me):
    mine = [my_games(event, side, match) for _, side, match in rounds(event, me)]
    return tuple(sum(game[i] for game in mine) for i in range(3))


def game_points(event, me):
    rule = {key: F(value) for key, value in event.profile["game_points"].items()}
    won, lost, drawn = games(event, me)
    return won * rule["win"] + lost * rule["loss"] + drawn * rule["draw"]


def second_games(event, me):
    total = 0
    for _, side, match in rounds(event, me):
        if match.game_order:
            total += len(match.game_order) > 1 and match.game_order[1] == side
        elif match.result in BYES:
            total += my_games(event, side, match)[0] >= 2
    return total


def with_black(event, me):
    return [
        result(event, side, match) for _, side, match in rounds(event, me)
        if was_played(match) and match.first and match.first != side
    ]  # fmt: skip


def scored(event, me, played=True):
    """(made, conceded) of each round with a score."""
    return [
        tuple(map(F, match.score if side == "a" else match.score[::-1]))
        for _, side, match in rounds(event, me)
        if match.score and (was_played(match) or not played)
    ]


def spread(event, me, cap=None, bye=F(0), forfeit_win=None, forfeit_loss=F(0)):
    total = F(0)
    for number, side, match in rounds(event, me):
        if match.score and was_played(match):
            a, b = map(F, match.score if side == "a" else match.score[::-1])
            caps = cap if isinstance(cap, list) else [cap]
            most = caps[number - 1] if number <= len(caps) else caps[-1]
            total += a - b if most is None else min(max(a - b, -most), most)
        if match.result in WON_ALONE:
            total += bye
        elif match.result == "missed" or (match.result == "forfeit" and match.winner != side):
            total += forfeit_loss
        elif match.result == "forfeit":
            total += bye if forfeit_win is None else forfeit_win
    return total


def margin_of_victory(event, me, even=F(200), bye=F(300), **forfeits):
    """Every match that was played adds an even one to its margin; one without points only if it was drawn."""
    played = [(side, match) for _, side, match in rounds(event, me) if was_played(match)]
    measured = sum(bool(match.score) or result(event, side, match) == "D" for side, match in played)
    return spread(event, me, bye=bye, **forfeits) + even * measured


def quotient(event, me):
    points = sum((a for a, _ in scored(event, me)), F(0))
    return points / (sum((b for _, b in scored(event, me)), F(0)) or 1)


def margin_share(event, me, bye=None, forfeit_win=F(1), forfeit_loss=F(0)):
    """`bye` None: the average of the others, which is to leave it out."""
    shares = [a / (a + b) if a + b else F(1, 2) for a, b in scored(event, me)]
    for _, side, match in rounds(event, me):
        if match.result == "forfeit":
            shares.append(forfeit_win if match.winner == side else forfeit_loss)
        elif match.result == "missed":
            shares.append(forfeit_loss)
        elif match.result in WON_ALONE and bye is not None:
            shares.append(bye)
    return mean(shares, F(0))


def points_made(event, me):
    return sum((a for a, _ in scored(event, me, played=False)), F(0))


def pooled(event, me):
    met = opponents(event, me)
    possible = worth(event, "win") * sum(len(rounds(event, other)) for other in met)
    return sum((points(event, other) for other in met), F(0)) / len(met) / possible if possible else F(0)


def win_share(event, me):
    return mean([F(outcome(event, side, match) == "W") for _, side, match in rounds(event, me)], F(0))


def kts(event, me):
    digits = f"{int(points(event, me))}"
    for share in (over_opponents(win_share)(event, me), over_opponents(over_opponents(win_share))(event, me)):
        digits += f"{min(999, int(share * 1000)):03}"
    return int(digits)


def fore(event, me, cut=0, version=2023):
    drawn = deepcopy(event)
    for match in drawn.rounds[-1].matches if drawn.rounds else ():
        if match.b is not None:
            match.result, match.games, match.winner = "played", (0, 0, 1), None
    return buchholz(drawn, me, cut, version)


def match_share(event, me, floor=None, cap=None, cap_dropped=None, byes=True, drawn=None, no_shows=True):
    """`drawn`: what a draw is worth where wins are counted instead of points."""
    mine = [(s, m) for _, s, m in rounds(event, me) if byes or m.result not in BYES]
    mine = [(s, m) for s, m in mine if no_shows or m.result != "forfeit" or m.winner]
    if not mine:
        return F(floor or 0)
    if drawn is None:
        share = sum((my_points(event, s, m) for s, m in mine), F(0)) / worth(event, "win") / len(mine)
    else:
        share = mean([{"W": F(1), "D": F(drawn), "L": F(0)}[outcome(event, s, m)] for s, m in mine], F(0))
    share = share if floor is None else max(share, F(floor))
    share = share if cap is None else min(share, F(cap))
    return min(share, F(cap_dropped)) if cap_dropped and left_early(event, me) else share


def left_early(event, me):
    """Whether a player who dropped has no record of the last round, played or planned."""
    last = max((number for number, _, _ in rounds(event, me)), default=0)
    return event.entries[me].status == "dropped" and last < max(event.rounds_planned or 0, len(event.rounds))


def opponents_shares(event, me, floor, of_bye, count, **rules):
    """Mean over opponents in which a bye is so many opponents with that share."""
    terms = [match_share(event, other, floor, **rules) for other in opponents(event, me)]
    terms += [of_bye] * count * sum(m.result in BYES for _, _, m in rounds(event, me))
    return mean(terms, F(floor or 0))


def at_drop(value):
    """The value as of the last round of who dropped; whoever dropped later was still there."""

    def as_of_then(event, me):
        if event.entries[me].status != "dropped":
            return value(event, me)
        last = max((number for number, _, _ in rounds(event, me)), default=0)
        then = deepcopy(event)
        then.rounds_planned = max(event.rounds_planned or 0, len(event.rounds))
        then.rounds = [round_ for round_ in then.rounds if round_.number <= last]
        for name, entry in then.entries.items():
            if any(number > last for number, _, _ in rounds(event, name)):
                entry.status = "playing"
        return value(then, me)

    return as_of_then


def running(event, me, cut=0, deduct=False, byes=None):
    total = so_far = taken = F(0)
    for n, (_, side, match) in enumerate(rounds(event, me)):
        mine = my_points(event, side, match)
        if byes and match.result in ("bye", "awarded_bye"):
            mine = byes
        so_far += mine
        total += so_far if n >= cut else 0
        won = match.result in WON_ALONE or (match.result == "forfeit" and match.winner == side)
        taken += mine if deduct and won else 0
    return total - taken


def met_running(event, me, byes=None):
    return sum((running(event, other, byes=byes) for other in opponents(event, me)), F(0))


def ratings_met(event, me):
    met = [event.entries[rival(s, m)].rating for _, s, m in rounds(event, me) if was_played(m)]
    return mean([F(rating) for rating in met if rating], F(0))


def after_the_last(read):

    def value(event, me):
        known = [read(entry) for entry in event.entries.values() if read(entry) is not None]
        own = read(event.entries[me])
        return own if own is not None else max(known, default=0) + 1

    return value


def by_hand(event, me):
    """Place entries without a place after the number of entries, or after the last given place."""
    own = event.entries[me].manual
    places = [entry.manual for entry in event.entries.values() if entry.manual is not None]
    return own if own is not None else 1 + max([len(event.entries), *places])


def label(name):
    def read(entry):
        values = [text.split("=")[1] for text in entry.labels if text.startswith(f"{name}=")]
        return F(values[0]) if values else None

    return read


def drawn_lot(event, me):
    return lots(event)[me]
