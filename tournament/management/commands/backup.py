"""`manage.py backup FILE`: write the database as one file, while the server runs."""

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import connection

from tournament.backups.files import NAMES, write_backup
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = "Write the whole database to a file while the server runs; encrypted if BACKUP_KEY is set."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def run(self, **options: Any) -> None:
        path, since = options["file"], time.monotonic()
        size = write_backup(path, settings.BACKUP_KEY)
        facts = {
            "file": str(path),
            "bytes": size,
            "database": connection.vendor,
            "encrypted": bool(settings.BACKUP_KEY),
            "seconds": round(time.monotonic() - since, 2),
        }
        how = "encrypted" if settings.BACKUP_KEY else "not encrypted"
        self.emit(facts, f"{path}: {size} bytes of {NAMES[connection.vendor]}, {how}")
