"""`manage.py pair FILE`: pair the next round of an archive. No database."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from pairings.audit import pairing_report as report
from pairings.engine.types import NoPairing
from pairings.request.entrants import NoRound
from pairings.words.reasons import no_round_words
from tournament.archive import read_file
from tournament.management.base import PlainCommand, table


class Command(PlainCommand):
    help = "Pair the next Swiss round of an archive file, or re-run the pairing of one of its rounds."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a swiss-archive file")
        parser.add_argument("--seed", metavar="HEX", help="in place of the file's own seed")
        only_one = parser.add_mutually_exclusive_group()
        only_one.add_argument(
            "--house", metavar="CODE", help="the house opponent of this code plays instead of the bye"
        )
        only_one.add_argument(
            "--round",
            metavar="N",
            type=int,
            help="re-run the pairing of this round and compare; exit code 1 if the digest or the engine differs",
        )

    def run(self, **options: Any) -> int | None:
        if options["seed"] == "":
            text = _("--seed is empty: enter hexadecimal digits, or omit it to use the file's own seed")
            raise ValueError(text)
        event = read_file(options["file"])
        number, seed = options["round"], options["seed"]
        try:
            if number is None:
                paired = report.pair_next(event, seed, options["house"])
            else:
                paired = report.pair_again(event, number, seed)
        except NoRound as error:
            raise ValueError(no_round_words(error)) from error
        except NoPairing as error:
            raise ValueError(report.no_pairing_advice(event, error)) from error
        tables = [report.pairing_table(paired), report.reasons_table(paired)]
        lines = [
            _("Round %(number)s") % {"number": paired.number},
            *(line for rows in tables if rows for line in (table(rows), "")),
            *report.certificate_lines(paired),
            *report.comparison_lines(paired),
        ]
        self.emit(report.pairing_document(paired), "\n".join(lines))
        return 1 if paired.differs else None
