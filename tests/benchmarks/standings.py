"""Exact standings: how long they take, and against what.

    python -m tests.benchmarks.standings [--peers]

Processor time of the best of some runs, without Python's collector of garbage (as `timeit` does it). The same sums
in NumPy's floats need `pip install -e '.[bench]'`; `--peers` installs two programs from npm into a temporary
folder and needs node. What is not there is skipped with a line that says so.
"""

import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from standings.engine import Record, rank, tally
from tests.benchmarks import peers
from tests.benchmarks.events import blank_records, results
from tests.benchmarks.floats import sums_in_floats
from tournament.rulesets import resolve

RULESETS = "cardeio mtr dci1999 pokemon nsg fide uscf fab twixt".split()
LARGE, SMALL = (10_000, 15), (1_000, 10)
BIGGEST = "1193-"  # of the real events


def best(function: Callable[[], Any], times: int = 5) -> float:
    """Processor seconds of the quickest of some runs."""
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


def by_ruleset(players: int, rounds: int) -> dict[str, float]:
    """A line per ruleset: ranked, and with every value of every row. Seconds ranked."""
    records, folded = records_of(players, rounds)
    lines = sum(len(record.rounds) for record in records.values())
    print(f"\n{players} players × {rounds} rounds, {lines} records of a round")
    print(f"  results to records  {folded * 1000:7.1f} ms")
    print("  records to              rows   rows with every value")
    ranked = {}
    for key in RULESETS:
        profile = resolve(key)
        ranked[key] = best(lambda profile=profile: rank(records, profile))
        whole = best(lambda profile=profile: [tuple(row.values) for row in rank(records, profile)])
        print(f"  {key:16} {ranked[key] * 1000:7.1f} ms {whole * 1000:12.1f} ms")
    return ranked


def against_floats(exact: float) -> None:
    """The four columns of Carde.io's rules, sorted, in NumPy, from the same records."""
    records, _ = records_of(*LARGE)
    try:
        seconds = best(lambda: sums_in_floats(records))
    except ImportError:
        print("\nNumPy is not installed: no comparison with floats")
        return
    print(f"\ncardeio in NumPy's floats, lists to arrays included: {seconds * 1000:.1f} ms")
    print(f"  exact ÷ floats: {exact / seconds:.2f}")
    print(f"  greatest difference of a value: {peers.greatest_difference(records):.1e}")
    wrong, tied = peers.pairs_floats_confuse(records)
    print(f"  of {tied} entries exactly tied after two columns floats tell apart {wrong}")


def linearity() -> None:
    """The same rules at 1,000, 10,000 and 100,000 matches."""
    print("\ngrowth, cardeio: matches, ms, µs a match")
    for players in (200, 2_000, 20_000):
        records, _ = records_of(players, 10)
        matches = sum(len(record.rounds) for record in records.values()) / 2
        seconds = best(lambda records=records: rank(records, resolve("cardeio")), 3)
        print(f"  {matches:9.0f} {seconds * 1000:8.1f} {seconds / matches * 1e6:6.2f}")


def from_the_database() -> None:
    """The biggest real event: from rows to a ranking."""
    folder = Path(os.environ.get("SHARED_DATA") or Path(__file__).parents[3] / "shared" / "data") / "events"
    files = sorted(folder.glob(f"{BIGGEST}*.json"))
    if not files:
        print(f"\nno real event {BIGGEST}* in {folder}: the way from the database is skipped")
        return
    from tests.benchmarks.database import timed

    timed(files[0], best)


def main(*words: str) -> int:
    ranked = by_ruleset(*LARGE)
    by_ruleset(*SMALL)
    against_floats(ranked["cardeio"])
    linearity()
    from_the_database()
    if "--peers" in words:
        peers.compare()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
