"""`manage.py backup FILE`: write the database as one file, while the server runs."""

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import connection

from tournament.backups import NAMES, write_backup
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = "Write the whole database to a file while the server runs."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def run(self, **options: Any) -> None:
        path, since = options["file"], time.monotonic()
        size = write_backup(path)
        seconds = round(time.monotonic() - since, 2)
        facts = {"file": str(path), "bytes": size, "database": connection.vendor, "seconds": seconds}
        self.emit(facts, f"{path}: {size} bytes of {NAMES[connection.vendor]}")
