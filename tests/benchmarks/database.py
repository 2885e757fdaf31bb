"""From the rows of the biggest real event to its ranking: time and queries, in a database of its own."""

import json
from collections.abc import Callable
from pathlib import Path


def timed(path: Path, best: Callable) -> None:
    """Load the published event into a database in memory and print what reading and ranking it take."""
    import os

    os.environ["DATABASE_URL"] = ""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
    import django

    django.setup()
    from django.db import connection
    from django.test.utils import CaptureQueriesContext, setup_databases, teardown_databases

    from standings.event.swiss import standings_of
    from tournament.archive.load import load_event
    from tournament.archive.read import event_of as read
    from tournament.event.read import event_of

    before = setup_databases(verbosity=0, interactive=False)
    try:
        tournament = load_event(read(json.loads(path.read_text(encoding="utf-8"))["archive"]), slug="biggest")
        with CaptureQueriesContext(connection) as queries:
            ranking = standings_of(event_of(tournament, paired=False))
        reading = best(lambda: event_of(tournament, paired=False))
        whole = best(lambda: standings_of(event_of(tournament, paired=False)))
        print(
            f"\nfrom the database: {len(ranking)} rows, {len(queries)} queries, {tournament.seats.count()} seats"
        )
        print(f"  rows to values {reading * 1000:.1f} ms, rows to ranking {whole * 1000:.1f} ms")
    finally:
        teardown_databases(before, verbosity=0)
