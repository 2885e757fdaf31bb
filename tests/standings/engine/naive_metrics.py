"""The naive second reading of the metrics beyond the percentages: straight from the matches, no engine code.

Each takes (event, me). Whatever is asked twice is computed twice; slow and plain on purpose.
"""

from fractions import Fraction as F
from itertools import permutations

from tests.standings.engine.naive import match_win, mean, my_games, my_points, opponents, points

BYES = ("bye", "awarded_bye", "half_bye", "zero_bye", "full_bye")


def rounds(event, me):
    """(number, my side, match) of every round I am in."""
    return [
        (round_.number, "a" if match.a == me else "b", match)
        for round_ in event.rounds
        for match in round_.matches
        if me in (match.a, match.b)
    ]


def worth(event, name):
    return F(event.profile["match_points"][name])


def rival(side, match):
    return match.b if side == "a" else match.a


def was_played(match):
    return match.b is not None and match.result in ("played", "intentional_draw")


def sat_opposite(match):
    """A result made at the table: played, drawn by agreement, or lost by both."""
    return match.b is not None and match.result != "forfeit"


def own_choice(side, match):
    if match.result == "forfeit":
        return match.winner != side
    return match.result in ("half_bye", "zero_bye", "full_bye", "missed")


def result(event, side, match):
    if match.result == "double_loss":
        return "L"
    if match.result == "forfeit":
        return "W" if match.winner == side else "L"
    won, lost, _ = my_games(event, side, match)
    return "W" if won > lost else "L" if won < lost else "D"


def losses(event, me):
    met = [(s, m) for _, s, m in rounds(event, me) if m.b is not None]
    return F(sum(result(event, *seat) == "L" for seat in met), len(met)) if met else F(0)


def per_round(event, me):
    here = [(s, m) for _, s, m in rounds(event, me) if m.result != "missed"]
    return sum((my_points(event, *seat) for seat in here), F(0)) / len(here) if here else F(0)


def over_opponents(function):
    return lambda event, me: mean([function(event, other) for other in opponents(event, me)], F(0))


def recency(event, me, decay=F(1, 4)):
    running = value = F(0)
    for round_ in event.rounds:
        running += sum((my_points(event, s, m) for n, s, m in rounds(event, me) if n == round_.number), F(0))
        value = value * decay + running
    return value


def adjusted(event, me, version=2023, vega=False):
    """The score others see by FIDE's rules; `vega`: requested byes before a forfeit loss are not at the end."""
    seats = rounds(event, me)
    if version < 2023:
        seen = [my_points(event, side, match) for _, side, match in seats if sat_opposite(match)]
        return sum(seen, F(0)) + worth(event, "draw") * (len(event.rounds) - len(seen))
    total, in_tail = F(0), True
    for _, side, match in reversed(seats):
        in_tail = in_tail and own_choice(side, match) and not (vega and match.result == "forfeit")
        drawn = in_tail and match.result in ("half_bye", "zero_bye", "full_bye")
        total += worth(event, "draw") if drawn else my_points(event, side, match)
    return total


def virtual(event, me):
    """[(opponent's or virtual opponent's score, my points; of a virtual one a draw's)] by FIDE's rules of 2009."""
    here, scored, shares = {n: (s, m) for n, s, m in rounds(event, me)}, F(0), []
    for number in range(1, len(event.rounds) + 1):
        mine = my_points(event, *here[number]) if number in here else F(0)
        if number in here and sat_opposite(here[number][1]):
            shares.append((adjusted(event, rival(*here[number]), 2009), mine))
        else:
            later = worth(event, "draw") * (len(event.rounds) - number)
            shares.append((scored + (worth(event, "win") - mine) + later, worth(event, "draw")))
        scored += mine
    return shares


def against(event, me, version=2023, vega=False):
    """[(own choice?, opponent's or dummy's score, my points)] round by round."""
    if version < 2023:
        return [(False, *share) for share in virtual(event, me)]
    shares = []
    for _, side, match in rounds(event, me):
        if sat_opposite(match):
            score = adjusted(event, rival(side, match), vega=vega)
        else:
            score = points(event, me)
            if version >= 2026 and match.b is not None:
                score = min(score, adjusted(event, rival(side, match)))
            elif version >= 2026:
                score = min(score, worth(event, "win") * len(event.rounds) / 2)
        shares.append(
            (not sat_opposite(match) and own_choice(side, match), score, my_points(event, side, match))
        )
    return shares


def buchholz(event, me, cut=0, version=2023, vega=False):
    left = against(event, me, version, vega)
    for _ in range(min(cut, len(left))):
        counted = [line for line in left if line[0]]
        left.remove(min(counted or left, key=lambda line: line[1]))
    return sum((score for _, score, _ in left), F(0))


def sonneborn(event, me, cut=0, version=2023):
    left = [(v, s, s * p / worth(event, "win")) for v, s, p in against(event, me, version)]
    for _ in range(min(cut, len(left))):
        lowest = min(left, key=lambda line: (line[1], line[2]))
        instead = [line for line in left if line[0] and line[2] >= lowest[2]]
        left.remove(min(instead, key=lambda line: line[2]) if instead else lowest)
    return sum((given for _, _, given in left), F(0))


def average_buchholz(event, me, version=2023):
    met = [rival(s, m) for _, s, m in rounds(event, me) if sat_opposite(m)]
    return mean([buchholz(event, other, 0, version) for other in met], F(0))


def koya(event, me):
    half = worth(event, "win") * len(event.rounds) / 2
    return sum(
        (my_points(event, s, m) for _, s, m in rounds(event, me)
         if m.b is not None and points(event, rival(s, m)) >= half), F(0),
    )  # fmt: skip


def seen_by_uscf(event, me):
    return sum(
        (
            my_points(event, s, m) if sat_opposite(m) else worth(event, "draw")
            for _, s, m in rounds(event, me)
        ),
        F(0),
    )


def solkoff_terms(event, me):
    return sorted(
        seen_by_uscf(event, rival(s, m)) if sat_opposite(m) else F(0) for _, s, m in rounds(event, me)
    )


def modified_median(event, me, long=9):
    terms, mine = solkoff_terms(event, me), points(event, me)
    half = worth(event, "win") * len(event.rounds) / 2
    for _ in range(2 if len(event.rounds) >= long else 1):
        if mine > half:
            terms = terms[1:]
        elif mine < half:
            terms = terms[:-1]
        else:
            terms = terms[1:-1]
    return sum(terms, F(0))


def counts(event, me):
    seats = rounds(event, me)
    at_table = [result(event, s, m) for _, s, m in seats if sat_opposite(m)]
    return (
        sum(my_points(event, s, m) >= worth(event, "win") for _, s, m in seats),
        sum(was_played(m) and result(event, s, m) == "W" for _, s, m in seats),
        sum(not own_choice(s, m) for _, s, m in seats),
        sum({"W": 4, "D": 2, "L": 1}[outcome] for outcome in at_table),
        sum(
            n * n for n, s, m in seats
            if m.result == "missed" or (m.b is not None and result(event, s, m) == "L")
        ),
    )  # fmt: skip


def mcmahon(event, me):
    return F(event.entries[me].start or 0) + points(event, me)


def sos(event, me):
    own = F(event.entries[me].start or 0)
    return sum((mcmahon(event, rival(s, m)) if m.b else own for _, s, m in rounds(event, me)), F(0))


def sosos(event, me):
    return sum((sos(event, other) for other in opponents(event, me)), F(0))


def sodos(event, me):
    part = {"W": F(1), "D": F(1, 2), "L": F(0)}
    return sum(
        (part[result(event, s, m)] * mcmahon(event, rival(s, m)) for _, s, m in rounds(event, me) if m.b),
        F(0),
    )


def opponents_opponents(event, me):
    return over_opponents(over_opponents(lambda e, other: match_win(e, other, True, None)))(event, me)


def meetings(event, group):
    """{(me, other): (points, W count, L count)} of all pairs that met at a table."""
    shares = {}
    for me, other in permutations(group, 2):
        lines = [(s, m) for _, s, m in rounds(event, me) if sat_opposite(m) and rival(s, m) == other]
        if lines:
            outcomes = [result(event, *line) for line in lines]
            mine = sum((my_points(event, *line) for line in lines), F(0))
            shares[me, other] = (mine, outcomes.count("W"), outcomes.count("L"))
    return shares


def head_to_head(event, group, mode):
    """The group as a list of groups, best first, by recursion straight from the words of the rule."""
    group, met = sorted(group), meetings(event, group)
    score = {me: sum((v[0] for (a, _), v in met.items() if a == me), F(0)) for me in group}
    everybody = all((a, b) in met for a, b in permutations(group, 2))
    parts = [group]
    if mode == "plus_minus":
        score = {me: sum(v[1] - v[2] for (a, _), v in met.items() if a == me) for me in group}
        return [[me for me in group if score[me] == s] for s in sorted(set(score.values()), reverse=True)]
    if mode == "beat_all":
        for me in group:
            unmet = (0, 0, 0)
            lines = [(met.get((me, o), unmet)[1], met.get((o, me), unmet)[1]) for o in group if o != me]
            if lines and all(beaten and not lost for beaten, lost in lines):
                parts = [[me], [other for other in group if other != me]]
    elif everybody and (mode != "two_only" or len(group) == 2):
        parts = [[me for me in group if score[me] == s] for s in sorted(set(score.values()), reverse=True)]
    elif mode == "fide":
        for me in group:
            open_games = {o: sum((o, x) not in met for x in group if x != o) for o in group if o != me}
            if (
                all(score[me] > score[o] + worth(event, "win") * n for o, n in open_games.items())
                and open_games
            ):
                parts = [[me], [other for other in group if other != me]]
    if len(parts) == 1:
        return parts
    return [smaller for part in parts for smaller in head_to_head(event, part, mode)]
