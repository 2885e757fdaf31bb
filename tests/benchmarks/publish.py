"""How long it takes to pair and publish a large round end to end, and what of that holds the event's lock.

    VAR_DIR=var/bench python -m tests.benchmarks.publish [PLAYERS] [ROUNDS]

Plays a simulated event into the database that DATABASE_URL names (else SQLite under VAR_DIR), pairs and publishes
the next round and prints seconds on the clock and of the processor (on a busy machine the second is the one to trust):
read the facts, pair, verify, save the draft (holding the lock), publish (holding it again), and make its page. What
an organizer waits for is "draft" and "publish" together.
"""

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from pairings.draft import compute, page, services  # noqa: E402
from pairings.simulation.simulate import simulate  # noqa: E402
from tournament.actionlog import change  # noqa: E402
from tournament.archive import load  # noqa: E402
from tournament.models import Tournament  # noqa: E402
from tournament.rulesets import resolve_spec  # noqa: E402
from tournament.services.rounds import publish_round  # noqa: E402

spent: dict[str, list[float]] = {}


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its time added up under the name."""

    def run(*args: Any, **kwargs: Any) -> Any:
        wall, processor = time.perf_counter(), time.process_time()
        try:
            return function(*args, **kwargs)
        finally:
            before = spent.get(name, [0.0, 0.0])
            spent[name] = [
                before[0] + time.perf_counter() - wall,
                before[1] + time.process_time() - processor,
            ]

    return run


def main(players: int = 10_000, rounds: int = 9) -> None:
    call_command("migrate", verbosity=0)
    # Everybody plays on: as many are seated in the last round as in the first.
    profile = resolve_spec({"preset": "mtr"}, None)
    event = simulate(players, rounds, profile, f"publish {players}", late=0, awarded=0, drops=False)
    event.state, event.rounds_planned = "running", rounds + 5
    slug = f"publish-{players}-{int(time.time())}"
    load.integrity.check = lambda *_args, **_kwargs: []  # type: ignore[assignment]  # not what is measured
    tournament = load.load_event(event, slug=slug)
    change.integrity.check = lambda *_args, **_kwargs: []  # type: ignore[assignment]
    tournament = Tournament.objects.get(pk=tournament.pk)
    del event  # a server holds no simulated event
    gc.collect()
    compute.event_of = timed("read the facts", compute.event_of)
    compute.PairingRequest.pairing = timed("pair", compute.PairingRequest.pairing)  # type: ignore[method-assign]
    compute.verify = timed("verify", compute.verify)
    services.compute_draft = timed("compute the draft, with these three", services.compute_draft)
    services.save_draft = timed("save the draft, locked", services.save_draft)
    timed("draft: all of the above", services.draft_next_round)(tournament)
    timed("publish, locked", publish_round)(tournament, rounds + 1)
    seated = tournament.rounds.get(number=rounds + 1).seats.count()
    print(f"{seated} of {players} players seated in round {rounds + 1}, {connection.vendor}")
    timed("make the page", page.draft_page)(tournament, rounds + 1, 1)
    for name, (wall, processor) in spent.items():
        print(f"  {name}: {wall:.2f} s on the clock, {processor:.2f} s of the processor")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
