"""How long exact standings take, by ruleset and by size of the event.

    python -m tests.benchmarks.standings

Processor time of the best of some runs, without Python's garbage collector (as `timeit` does it).
"""

import gc
import random
import time
from collections.abc import Callable
from typing import Any

from standings.engine.ranking import rank
from standings.engine.records import Record, Result, tally
from tournament.rulesets import resolve

RULESETS = "cardeio mtr dci1999 pokemon nsg fide uscf fab twixt".split()
LARGE, SMALL = (10_000, 15), (1_000, 10)
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
    names = [f"P{n:05}" for n in range(1, entries + 1)]
    return {entry: Record(entry, left=entry in dropped) for entry in names}


def best(function: Callable[[], Any], times: int = 5) -> float:
    gc.collect()
    gc.disable()
    try:
        return min(_once(function) for _ in range(times))
    finally:
        gc.enable()


def _once(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def records_of(players: int, rounds: int) -> tuple[dict[str, Record], float]:
    """Records of an event, and the seconds the fold from results to them took."""
    played, dropped = results(players, rounds)
    blanks = [blank_records(players, dropped) for _ in range(3)]
    seconds = best(lambda: tally(played, blanks.pop()), 3)
    return tally(played, blank_records(players, dropped)), seconds


def by_ruleset(players: int, rounds: int) -> None:
    """Print a line per ruleset: ranked, and with every value of every row."""
    records, folded = records_of(players, rounds)
    lines = sum(len(record.rounds) for record in records.values())
    print(f"\n{players} players × {rounds} rounds, {lines} records of a round")
    print(f"  results to records  {folded * 1000:7.1f} ms")
    print("  records to              rows   rows with every value")
    for key in RULESETS:
        profile = resolve(key)
        ranked = best(lambda profile=profile: rank(records, profile))
        whole = best(lambda profile=profile: [tuple(row.values) for row in rank(records, profile)])
        print(f"  {key:16} {ranked * 1000:7.1f} ms {whole * 1000:12.1f} ms")


def linearity() -> None:
    print("\ngrowth, cardeio: matches, ms, µs a match")
    for players in (200, 2_000, 20_000):
        records, _ = records_of(players, 10)
        matches = sum(len(record.rounds) for record in records.values()) / 2
        seconds = best(lambda records=records: rank(records, resolve("cardeio")), 3)
        print(f"  {matches:9.0f} {seconds * 1000:8.1f} {seconds / matches * 1e6:6.2f}")


if __name__ == "__main__":
    by_ruleset(*LARGE)
    by_ruleset(*SMALL)
    linearity()
