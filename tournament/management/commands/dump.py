from typing import Any

from django.core.management.base import CommandParser

from tournament.archive.load import dump_event
from tournament.management.base import EventCommand


class Command(EventCommand):
    help = "Print an event as an archive in canonical form."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--with-seed", action="store_true", help="include the seed even if the event is still running"
        )

    def run(self, **options: Any) -> None:
        self.stdout.write(dump_event(self.tournament, with_seed=options["with_seed"]), ending="")
