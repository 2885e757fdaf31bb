"""`manage.py pair FILE`: the next round of an archive. No database."""

from typing import Any

from django.core.management.base import CommandParser

from pairings import report
from tournament.archive import read_file
from tournament.archive.types import Event
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = "Pair the next Swiss round of an archive file, or draw one of its rounds again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a swiss-archive file")
        parser.add_argument("--seed", metavar="HEX", help="in place of the file's own seed")
        parser.add_argument(
            "--round",
            metavar="N",
            type=int,
            help="draw this round of the file again, and compare it; exit code 1 on another digest or engine",
        )

    def run(self, **options: Any) -> int | None:
        event = read_file(options["file"])
        if options["round"] is not None:
            return self.draw_again(event, options["round"], options["seed"])
        document = report.next_round_document(event, seed_hex=options["seed"])
        shown = [
            f"Round {document['round']}",
            table(report.pairing_table(event, document)),
            *report.certificate_lines(document),
        ]
        self.emit(document, "\n".join(shown))
        return None

    def draw_again(self, event: Event, number: int, seed_hex: str | None) -> int | None:
        """A round of the file as the engine draws it now, beside what the file says of it."""
        document = report.drawn_again_document(event, number, seed_hex)
        shown = [
            f"Round {number}",
            table(report.pairing_table(event, document)),
            *report.certificate_lines(document),
            *report.comparison_lines(document),
        ]
        self.emit(document, "\n".join(shown))
        return 1 if document["recorded_digest"] and not document["asked_the_same"] else None
