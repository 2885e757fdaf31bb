"""How long a correction takes in a large event: its consequences, and saving it.

    VAR_DIR=var/bench python -m tests.benchmarks.correction [PLAYERS [ROUNDS]]

Loads a simulated event, whose last round is being played, into the database that DATABASE_URL names (else SQLite under
VAR_DIR) and corrects a result of round 1, of the middle and of the round before the last as a browser does: the form,
the consequences, the save. Prints milliseconds of the clock and of the processor, and each as a multiple of the live
standings of the same event, made from nothing. On a busy machine the processor's time and the ratio are to be trusted.
"""

import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from pairings.simulation.simulate import simulate  # noqa: E402
from standings.table.cache import rankings  # noqa: E402
from tournament.archive.load import load_event  # noqa: E402
from tournament.models import Match, Tournament  # noqa: E402
from tournament.public.cache import fragment_cache  # noqa: E402
from tournament.rulesets import resolve  # noqa: E402

TIMES = 5
REASON = {"save": "on", "reason": "The slip was read the wrong way round."}

Times = tuple[float, float]  # milliseconds of the clock and of the processor


def timed(ask: Callable[..., Any], *sent: Any) -> tuple[Times, str]:
    """How long an answer takes that nothing was kept for, and its page."""
    fragment_cache.clear()
    rankings.clear()
    wall, processor = time.perf_counter(), time.process_time()
    answer = ask(*sent)
    spent = (1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor))
    page = answer.content.decode()
    assert answer.status_code in (200, 303), (answer.status_code, page[-2000:])
    return spent, page


def loaded(players: int, rounds: int) -> Tournament:
    """The event in the database, with an owner; nothing of its last round has been played."""
    event = simulate(players, rounds, resolve("mtr"), f"correction {players}", late=0, awarded=0)
    last = event.rounds[-1]
    matches = [match.replace(result=None, games=None) if match.b else match for match in last.matches]
    event.rounds[-1] = last.replace(status="published", matches=matches)
    event.state = "running"
    mark = f"correction-{players}-{int(time.time())}"
    owner = get_user_model().objects.create_user(mark)
    return load_event(event, slug=mark, owner=owner)


def corrections(client: Client, tournament: Tournament, number: int) -> dict[str, list[Times]]:
    """What looking at and saving the correction of some results of a round take."""
    spent: dict[str, list[Times]] = {"form": [], "consequences": [], "save": []}
    decided = Match.objects.filter(round__tournament=tournament, round__number=number, result="played")
    for match in decided.exclude(winner="").order_by("table")[::7][:TIMES]:
        address = f"/t/{tournament.slug}/desk/rounds/{number}/tables/{match.table}/correct/"
        games = {"a": 0, "b": 2} if match.winner == "a" else {"a": 2, "b": 0}
        sent = {"version": match.version, **games}
        spent["form"].append(timed(client.get, address)[0])
        shown, page = timed(client.post, address, sent)
        spent["consequences"].append(shown)
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
        saved = {**sent, **REASON, "digest": hidden["digest"], "shown": hidden["shown"]}
        spent["save"].append(timed(client.post, address, saved)[0])
    return spent


def main(players: int = 1200, rounds: int = 9) -> None:
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    tournament = loaded(players, rounds)
    client = Client(SERVER_NAME="localhost")
    client.force_login(tournament.owner)
    live = f"/t/{tournament.slug}/desk/standings/"
    client.get(live)  # templates and addresses are read once
    yardstick = [timed(client.get, live)[0] for _ in range(TIMES)]
    print(f"{players} players, {rounds} rounds, the last being played, {connection.vendor}")
    print("                          clock, ms   processor, ms   × live standings")
    base = statistics.median(processor for _clock, processor in yardstick)
    show("live standings", yardstick, base)
    for number in dict.fromkeys((1, rounds // 2, rounds - 1)):
        for name, spent in corrections(client, tournament, number).items():
            show(f"round {number}, {name}", spent, base)


def show(name: str, spent: list[Times], base: float) -> None:
    """A line with the medians."""
    clock, processor = (statistics.median(column) for column in zip(*spent, strict=True))
    print(f"{name:24} {clock:10.0f} {processor:15.0f} {processor / base:18.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
