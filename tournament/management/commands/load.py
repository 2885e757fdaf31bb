"""An archive into the database."""

from typing import Any

from django.core.management.base import CommandParser

from tournament.archive import read_file
from tournament.archive.load import load_event
from tournament.management.base import PlainCommand
from tournament.rulebooks.rule_fields import fide_warning


class Command(PlainCommand):
    help = "Load an archive (or the one inside a published event) into the database: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file")
        parser.add_argument("--slug", default="", help="the event's address, where the file's own is taken")

    def run(self, **options: Any) -> None:
        event = read_file(options["file"])
        tournament = load_event(event, slug=options["slug"])
        if warning := fide_warning(event.profile, event.starts_at):
            self.stderr.write(warning)
        self.emit(
            {
                "slug": tournament.slug,
                "entries": tournament.entries.count(),
                "rounds": tournament.rounds.count(),
            },
            f"Loaded as /t/{tournament.slug}/",
        )
