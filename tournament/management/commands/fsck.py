"""Check every invariant of an event, independent of the services."""

from typing import Any

from django.core.management.base import CommandParser

from tournament.actionlog import integrity
from tournament.management.base import PlainCommand
from tournament.management.commands.dump import tournament_at


class Command(PlainCommand):
    help = "Check an event's tables against every invariant; exit code 1 where one is broken."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")

    def run(self, **options: Any) -> int:
        problems = integrity.check(tournament_at(options["slug"]))
        self.emit({"slug": options["slug"], "problems": problems}, "\n".join(problems) or "clean")
        return 1 if problems else 0
