"""150 events of 9 to 64 players and 250 tight ones of 5 to 14: every round against the exact optimum.

    python -m tests.benchmarks.suite [EVENTS [TIGHT]]

Prints one row per kind. Ends with status 1 where a column is not 0. Takes some minutes: the oracle is slow.
"""

import sys

from tests.pairings.engine.generator import Tally, event, tight_event


def main(events: int = 150, tight: int = 250) -> int:
    failed = 0
    for title, play, count in (("9-64 players", event, events), ("5-14 players, tight", tight_event, tight)):
        tally = Tally()
        for seed in range(count):
            tally.add(play(seed))
        columns = "  ".join(f"{name.replace('_', ' ')} {value}" for name, value in tally.failures.items())
        print(f"{title}: {count} events, {tally.rounds} rounds  {columns}", flush=True)
        failed += sum(tally.failures.values())
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
