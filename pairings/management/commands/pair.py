"""`manage.py pair FILE`: the next round of an archive. No database."""

from typing import Any

from django.core.management.base import CommandParser

from pairings.audit import report
from pairings.engine import NoPairing
from pairings.question.next_round import next_round_of
from tournament.archive import read_file
from tournament.event.types import Event, Stage
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = "Pair the next Swiss round of an archive file, or re-run the pairing of one of its rounds."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a swiss-archive file")
        parser.add_argument("--seed", metavar="HEX", help="in place of the file's own seed")
        parser.add_argument(
            "--round",
            metavar="N",
            type=int,
            help="re-run the pairing of this round and compare; exit code 1 if the digest or the engine differs",
        )

    def run(self, **options: Any) -> int | None:
        if options["seed"] == "":
            raise ValueError(
                "--seed is empty: enter hexadecimal digits, or omit it to use the file's own seed"
            )
        event = read_file(options["file"])
        try:
            if options["round"] is not None:
                return self.draw_again(event, options["round"], options["seed"])
            return self.draw_next(event, options["seed"])
        except NoPairing as error:
            raise ValueError(report.impossible_words(event, error)) from error

    def draw_next(self, event: Event, seed_hex: str | None) -> int | None:
        """The round that follows in the file."""
        document = report.next_round_document(event, seed_hex=seed_hex)
        self.emit(document, "\n".join(round_in_text(event, next_round_of(event)[0], document)))
        return None

    def draw_again(self, event: Event, number: int, seed_hex: str | None) -> int | None:
        """A round of the file as the engine draws it now, beside what the file says of it."""
        document = report.drawn_again_document(event, number, seed_hex)
        stage = event.stage(next(round_.stage for round_ in event.rounds if round_.number == number))
        shown = [*round_in_text(event, stage, document), *report.comparison_lines(document)]
        self.emit(document, "\n".join(shown))
        return 1 if document["recorded_digest"] and not document["asked_the_same"] else None


def round_in_text(event: Event, stage: Stage, document: dict[str, Any]) -> list[str]:
    """Tables, reasons and certificate, a blank line between them."""
    parts = [
        table(report.pairing_table(event, stage, document)),
        table(report.reasons_table(event, document)),
    ]
    blocks = [line for part in parts if part for line in (part, "")]
    return [f"Round {document['round']}", *blocks, *report.certificate_lines(document)]
