"""Large events as plain results, for the benchmarks: realistic proportions, the same for the same numbers."""

import random

from standings.engine import Record, Result

GAMES = ((2, 0, 0), (2, 1, 0), (1, 0, 0))
# Of a hundred who sit alone by choice: what they do.
ALONE = ("half_bye", "zero_bye", "full_bye", "missed")
DRAWN, FORFEITS, ALONE_BY_CHOICE, DROPS = 0.04, 0.005, 0.005, 0.01  # of matches; of players a round


def results(players: int, rounds: int, seed: int = 1) -> tuple[list[tuple[int, list[Result]]], set[str]]:
    """(numbered rounds of results, who dropped): equals meet, repeats may happen (no tiebreak minds)."""
    chance = random.Random(f"{players} {rounds} {seed}")
    points = dict.fromkeys((f"P{n:05}" for n in range(1, players + 1)), 0)
    there, played = list(points), []
    for number in range(1, rounds + 1):
        chance.shuffle(there)
        there.sort(key=points.__getitem__, reverse=True)
        there = [entry for entry in there if chance.random() >= DROPS] if number > 1 else there
        alone = {entry for entry in there if chance.random() < ALONE_BY_CHOICE}
        lines = [Result(entry, None, chance.choice(ALONE), (0, 0, 0)) for entry in sorted(alone)]
        seated = [entry for entry in there if entry not in alone]
        if len(seated) % 2:
            points[seated[-1]] += 3
            lines.append(Result(seated.pop(), None, "bye", (2, 0, 0)))
        lines += [_match(a, b, chance, points) for a, b in zip(seated[::2], seated[1::2], strict=True)]
        played.append((number, lines))
    return played, set(points) - set(there)


def _match(a: str, b: str, chance: random.Random, points: dict[str, int]) -> Result:
    first = chance.choice("ab")
    if chance.random() < DRAWN:
        points[a], points[b] = points[a] + 1, points[b] + 1
        return Result(a, b, "played", (1, 1, 1), None, first)
    winner = chance.choice("ab")
    points[a if winner == "a" else b] += 3
    if chance.random() < FORFEITS:
        games = (2, 0, 0) if winner == "a" else (0, 2, 0)
        return Result(a, b, "forfeit", games, winner, first)
    won, lost, drawn = chance.choices(GAMES, (50, 40, 10))[0]
    return Result(a, b, "played", (won, lost, drawn) if winner == "a" else (lost, won, drawn), None, first)


def blank_records(entries: int, dropped: set[str]) -> dict[str, Record]:
    """Records without rounds, to be filled by `tally`."""
    names = [f"P{n:05}" for n in range(1, entries + 1)]
    return {entry: Record(entry, left=entry in dropped) for entry in names}
