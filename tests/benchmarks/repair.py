"""How many tables change when a result is corrected while a later round is being played.

    python -m tests.benchmarks.repair [EVENTS [PLAYERS [ROUNDS [RULESET]]]]

Each event is simulated from its number, so that the same arguments print the same figures. In its last round no
table has finished when a match of an earlier round, drawn at random, gets another winner, or a draw. Side by side:
leave the round as it is, change as few tables as possible, pair all of them anew. `worse` counts the rounds that are
not the best anymore.
"""

import random
import statistics
import sys
from collections import Counter
from dataclasses import replace

from pairings.engine import Option
from pairings.question.request import request_of, round_seed
from pairings.question.seats import is_paired
from pairings.simulation.simulate import simulate
from tournament.event.types import Event, Match
from tournament.rulesets import resolve

GAMES = [(2, 1, 0), (1, 1, 0), (1, 2, 0)]


def lead(games: tuple[int, int, int]) -> int:
    """1 where a has won, -1 where b has, 0 for a draw."""
    return (games[0] > games[1]) - (games[0] < games[1])


def corrected(event: Event, dice: random.Random) -> Event:
    """The event with one result of a round before the last made another one."""
    number = dice.randrange(len(event.rounds) - 1)
    round_ = event.rounds[number]
    match: Match = dice.choice([match for match in round_.matches if match.result == "played"])
    other = match.replace(games=dice.choice([games for games in GAMES if lead(games) != lead(match.games)]))
    matches = [other if one is match else one for one in round_.matches]
    rounds = [*event.rounds[:number], round_.replace(matches=matches), *event.rounds[number + 1 :]]
    return event.replace(rounds=rounds)


def options_after_correction(
    seed: int, players: int, rounds: int, ruleset: str
) -> tuple[Option, Option, Option]:
    """Leave, keep and anew for the last round of that event, nothing of which has been played."""
    event = simulate(players, rounds, resolve(ruleset), f"repair {seed}")
    *before, last = event.rounds
    playing = last.replace(
        status="published", matches=[m.replace(result=None) if m.b else m for m in last.matches]
    )
    event = corrected(event.replace(rounds=[*before, playing], state="running"), random.Random(seed))
    request = replace(request_of(event, playing), seed=round_seed(event.seed, playing.number, attempt=2))
    return request.repair_options([(m.a, m.b) for m in playing.matches if is_paired(m)])


def main(events: int = 200, players: int = 64, rounds: int = 6, ruleset: str = "mtr") -> None:
    found = [options_after_correction(seed, players, rounds, ruleset) for seed in range(events)]
    by_name = {options[0].name: options for options in zip(*found, strict=True)}
    best = [options[2].cost for options in found]
    print(
        f"{events} events of {players} players, {ruleset}, round {rounds} is played; one result is corrected"
    )
    print("tables changed " + "".join(f"{name:>8}" for name in by_name))
    counts = {name: Counter(option.changed for option in options) for name, options in by_name.items()}
    for changed in sorted(set().union(*counts.values())):
        print(f"{changed:14} " + "".join(f"{count[changed] or '':>8}" for count in counts.values()))
    for title, of in (("median", statistics.median), ("mean", statistics.mean), ("most", max)):
        values = (of(option.changed for option in options) for options in by_name.values())
        print(f"{title:14} " + "".join(f"{value:8.4g}" for value in values))
    worse = (
        sum(option.cost != low for option, low in zip(options, best, strict=True))
        for options in by_name.values()
    )
    print(f"{'worse':14} " + "".join(f"{value:8}" for value in worse))
    unproven = sum(not option.proven for option in by_name["keep"])
    print(f"keep is proven to change the fewest in {events - unproven} of {events}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:5])
