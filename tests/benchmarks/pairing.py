"""The pairing engine's speed and memory, and other engines' on the same rounds, all in one run.

    pip install -c constraints.txt -e '.[dev,bench]'
    python -m tests.benchmarks.pairing [--quick]

Prints tables: the curve over field sizes with peers (ratios of medians, and where a peer's round is not the best),
the closest peer over several events of each size, the large field over 200 seeds, and memory. Times are of the
processor and depend on the machine; trust the ratios, and the shuffles: one `random.shuffle` of 16,384 numbers is the
yardstick. Takes some minutes; `--quick` leaves out the slowest peers and most seeds.
"""

import argparse
import random
import statistics
import time
import tracemalloc
from types import SimpleNamespace

from pairings.engine.pair import pair
from pairings.engine.types import Entrant, Policy
from pairings.engine.verify import round_cost
from tests.benchmarks.swiss import Event, by_networkx, by_rustworkx, by_swisspair

CURVE = ((128, 7), (256, 8), (512, 9), (1024, 10), (2048, 11), (4096, 12), (8192, 12), (16384, 12))
PEERS = {"networkx": by_networkx, "rustworkx": by_rustworkx, "swisspair": by_swisspair}
# The largest field each peer is asked for: normally and quickly.
LARGEST = {"networkx": (512, 256), "rustworkx": (1024, 512), "swisspair": (16384, 16384)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    shuffle = yardstick()
    print(f"one random.shuffle of 16,384: {1000 * shuffle:.1f} ms\n")
    curve(quick)
    closest_peer(3 if quick else 12)
    large(20 if quick else 200, shuffle)
    memory()


def yardstick() -> float:
    """Seconds of one shuffle of 16,384 numbers, the median of 21."""
    numbers = list(range(16384))
    return statistics.median(timed(random.shuffle, numbers)[0] for _ in range(21))


def timed(function, *args, **named):
    """(seconds, what the function answered)."""
    start = time.process_time()
    answer = function(*args, **named)
    return time.process_time() - start, answer


def times(entrants: list[Entrant], policy: Policy, seeds) -> tuple[list[float], list]:
    runs = [timed(pair, entrants, policy, seed=seed) for seed in seeds]
    return [seconds for seconds, _ in runs], [pairing for _, pairing in runs]


def proved(pairings) -> str:
    """Whether repeats, bye and score difference are proved in all of them."""
    lines = [line for pairing in pairings for line in pairing.certificate[:4]]
    return "proved" if all(line.optimal for line in lines) else "NOT PROVED"


def key(entrants: list[Entrant], pairs, bye) -> tuple:
    return tuple(round_cost(entrants, SimpleNamespace(pairs=pairs, bye=bye), Policy()).values())


def curve(quick: bool) -> None:
    print(
        "players rounds     ours, ms  proof      cost   peers: time as a multiple of ours; what they cost above"
    )
    for players, rounds in CURVE:
        entrants = Event(players, rounds).entrants()
        seconds, pairings = times(entrants, Policy(), range(5 if quick else 15))
        median = statistics.median(seconds)
        best = key(entrants, pairings[0].pairs, pairings[0].bye)
        print(
            f"{players:7} {rounds:6} {1000 * median:12.2f}  {proved(pairings):9} {best[-1]:5}  ",
            end="",
            flush=True,
        )
        for name, ask in PEERS.items():
            if players > LARGEST[name][quick]:
                continue
            pairs, bye, peer = ask(entrants)
            print(
                f"  {name} {peer / median:,.{int(peer < 10 * median)}f}×{verdict(key(entrants, pairs, bye), best)}",
                end="",
                flush=True,
            )
        print()
    print()


def verdict(theirs: tuple, best: tuple) -> str:
    """The first criterion on which a peer's round is worse, in words."""
    for name, mine, other in zip(
        ("repeats", "second byes", "bye group", "squares"), best, theirs, strict=True
    ):
        if other != mine:
            return f" ({other - mine:+} {name})"
    return ""


def closest_peer(events: int) -> None:
    """swisspair, the fastest of the others, over several events of each size."""
    print(f"swisspair as a multiple of ours, over {events} events of each size:")
    for players in (256, 257, 300, 400, 512, 700, 1024, 2048):
        ratios = []
        for seed in range(1, events + 1):
            entrants = Event(players, (players - 1).bit_length(), seed).entrants()
            ours = statistics.median(times(entrants, Policy(), range(7))[0])
            ratios.append(statistics.median(by_swisspair(entrants)[2] for _ in range(5)) / ours)
        print(f"{players:7}  least {min(ratios):.2f}×  median {statistics.median(ratios):.2f}×", flush=True)
    print()


def large(seeds: int, shuffle: float) -> None:
    event = Event(10_000, 15)
    entrants = event.entrants()
    seconds, pairings = times(entrants, Policy(), range(seeds))
    median = statistics.median(seconds)
    print(
        f"10,000 players after 15 rounds, {seeds} seeds: median {median:.3f} s ({median / shuffle:.0f} shuffles), "
        f"worst {max(seconds):.3f} s, {proved(pairings)}; "
        f"by the bound alone {sum(p.certificate[0].proof.code == 'bound' for p in pairings)}"
    )
    whole = [timed(lambda seed: pair(event.entrants(), Policy(), seed=seed), seed)[0] for seed in range(9)]
    print(
        f"  with the sets of opponents built from {len(event.matches):,} matches: {statistics.median(whole):.3f} s\n"
    )


def memory() -> None:
    for players, rounds in ((1024, 10), (10_000, 15), (16384, 12)):
        entrants = Event(players, rounds).entrants()
        tracemalloc.start()
        pair(entrants, Policy(), seed=1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"memory peak of pair, {players:,} players after {rounds} rounds: {peak / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
