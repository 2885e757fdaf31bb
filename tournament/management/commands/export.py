"""The public pages of an event as files."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from tournament.errors import Refused
from tournament.exports.static_copy import static_copy_of
from tournament.management.base import EventCommand


class Command(EventCommand):
    help = "Write a copy of an event's public pages into a new folder; open its index.html."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--explained", action="store_true", help="include a page that explains every number"
        )

    def run(self, **options: Any) -> None:
        folder = options["folder"]
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Refused(f"{folder} already exists and is not an empty folder. Name a new one.")
        files = list(static_copy_of(self.tournament, explained=options["explained"]))
        for path, content in files:
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        size = sum(len(content) for _path, content in files)
        facts = {"folder": str(folder), "files": len(files), "bytes": size}
        self.emit(facts, f"{len(files)} files in {folder}; open {folder / 'index.html'}")
