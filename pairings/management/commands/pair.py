"""`manage.py pair FILE`: the next round of an archive. No database."""

from typing import Any

from django.core.management.base import CommandParser

from pairings import report
from tournament.archive import read_file
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = "Pair the next Swiss round of an archive file."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a swiss-archive file")
        parser.add_argument("--seed", metavar="HEX", help="in place of the file's own seed")

    def run(self, **options: Any) -> int | None:
        event = read_file(options["file"])
        document = report.next_round_document(event, seed_hex=options["seed"])
        shown = [
            f"Round {document['round']}",
            table(report.pairing_table(event, document)),
            *report.certificate_lines(document),
        ]
        self.emit(document, "\n".join(shown))
        return None
