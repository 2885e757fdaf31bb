"""An event out of the database."""

from typing import Any

from django.core.management.base import CommandParser

from tournament.archive.load import dump_event
from tournament.errors import NotFound
from tournament.management.base import PlainCommand
from tournament.models import Tournament


def tournament_at(slug: str) -> Tournament:
    """The event at an address. Raises NotFound."""
    tournament = Tournament.objects.filter(slug=slug).first()
    if tournament is None:
        raise NotFound(f"There is no event at /t/{slug}/.")
    return tournament


class Command(PlainCommand):
    help = "Print an event as an archive in canonical form."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument(
            "--with-seed", action="store_true", help="include the seed even if the event is still running"
        )

    def run(self, **options: Any) -> None:
        tournament = tournament_at(options["slug"])
        self.stdout.write(dump_event(tournament, with_seed=options["with_seed"]), ending="")
