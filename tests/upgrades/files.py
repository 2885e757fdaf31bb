"""Databases as earlier versions left them, with an event in its third Swiss round and one in its bracket.

    python -m tests.upgrades.files tests/upgrades/0.1.0.json.gz

makes one with the version at hand, at each release. A file holds the database as SQL, and what that version said of its
events.
"""

import gzip
import io
import json
import os
import random
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SEATS = """
    SELECT r.number, coalesce(m."table", 0), s.side, e.code, s.games, m.result, m.winner
    FROM tournament_seat s JOIN tournament_match m ON m.id = s.match_id JOIN tournament_round r ON r.id = s.round_id
    JOIN tournament_entry e ON e.id = s.entry_id WHERE s.tournament_id = %s ORDER BY 1, 2, 3, 4
"""


def said_of(tournament: Any, folder: Path) -> dict[str, Any]:
    """What this version says of an event: revision, standings with every value, who sat where with which result."""
    from django.core.management import call_command
    from django.db import connection

    def output(*command: str) -> str:
        call_command(*command, stdout=(text := io.StringIO()))
        return text.getvalue()

    file = folder / f"{tournament.slug}.json"
    file.write_text(output("dump", tournament.slug, "--with-seed"), encoding="utf-8")
    rows = json.loads(output("standings", str(file), "--json"))["rows"]
    with connection.cursor() as cursor:
        cursor.execute(SEATS, [tournament.pk])
        seats = [list(row) for row in cursor.fetchall()]
    standings = [[row["rank"], row["entry"], row["values"]] for row in rows]
    return {"revision": tournament.revision, "standings": standings, "seats": seats}


def make_events() -> None:
    """One in its third Swiss round, with a late entry, a drop and two results; one in its bracket."""
    from standings.bracket.results import record_bracket_result
    from tests import factories
    from tournament.models import Match
    from tournament.services.drops import drop_entry
    from tournament.services.results import record_result

    chance = random.Random(7)
    running = factories.TournamentFactory(entries=9, rounds=1, name="Running", slug="running")
    factories.EntryFactory(tournament=running, name="Late Lou", contact="lou@mail.example")
    drop_entry(running, "P0004")
    factories.RoundFactory(tournament=running, results=chance)
    factories.RoundFactory(tournament=running)
    for table in (1, 2):
        record_result(running, 3, table, factories.TWO_NIL)
    cup = factories.TournamentFactory(entries=8, rounds=3, results=3, with_cut=4, name="Cup", slug="cup")
    open_ = Match.objects.filter(round__tournament=cup, round__number=4, result=None).order_by("table")
    record_bracket_result(cup, 4, open_[0].table, factories.TWO_NIL)


def write_file(path: Path) -> None:
    """Make the events with this version, in a database of their own, and keep it."""
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {"VAR_DIR": name, "DATABASE_URL": ""}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from tournament.models import Tournament

        call_command("migrate", verbosity=0)
        make_events()
        said = {each.slug: said_of(each, Path(name)) for each in Tournament.objects.order_by("slug")}
        connection.close()
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            sql = "\n".join(database.iterdump())
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(json.dumps({"expected": said, "sql": sql}).encode())


def read_file(path: Path) -> dict[str, Any]:
    """{"expected": …, "sql": …} of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        kept: dict[str, Any] = json.load(file)
    return kept


if __name__ == "__main__":
    write_file(Path(sys.argv[1]))
