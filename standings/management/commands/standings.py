"""The ranking of an archive, without a database."""

from typing import Any

from django.core.management.base import CommandParser

from standings.event.swiss import standings_json
from tournament.archive import read_file
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = "Rank an archive's entries after all complete rounds, or after its first N; exact fractions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--after", type=int, default=None, metavar="N", help="count the first N rounds")

    def run(self, **options: Any) -> None:
        event = read_file(options["file"])
        document = standings_json(event, options["after"])
        head = ["rank", "entry", "name", *document["columns"], "decided by"]
        rows = [
            [row["rank"], row["entry"], event.entries[row["entry"]].name, *row["values"], row["decided_by"]]
            for row in document["rows"]
        ]
        self.emit(document, [head, *rows])
