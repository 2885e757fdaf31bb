from typing import Any

from django.core.management.base import CommandParser

from tournament import archive
from tournament.actionlog.fold import load_baseline, state_at
from tournament.actionlog.turns import at_one_moment
from tournament.errors import NotFound
from tournament.event import read
from tournament.event.read import build_event, differences_from_log
from tournament.management.base import EventCommand


class Command(EventCommand):
    help = (
        "Rebuild an event from its log and compare with its tables (exit code 1 where they differ); "
        "with --to N print it as it stood after action N, as an archive."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--to", type=int, default=None, help="number of the last action to replay")

    def run(self, **options: Any) -> int:
        with at_one_moment():
            self.tournament.refresh_from_db()
            return self._compare(options["to"])

    def _compare(self, to: int | None) -> int:
        tournament = self.tournament
        # A loaded event has a baseline; others begin with their first action.
        first, last = tournament.baseline_number if load_baseline(tournament) else 1, tournament.revision
        if to is not None and not first <= to <= last:
            raise NotFound(f"/t/{tournament.slug}/ can be replayed to action {first} up to {last}.")
        if to is not None:
            state, (_now, names) = state_at(tournament, to), read.read_state(tournament)
            people = names | read.load_decklist_texts(tournament)
            self.stdout.write(archive.canonical(build_event(tournament, state, people)), ending="")
            return 0
        different = differences_from_log(tournament)
        self.emit(
            {"slug": tournament.slug, "revision": tournament.revision, "different": different},
            "\n".join(f"differs: {key}" for key in different) or f"equal after {tournament.revision} actions",
        )
        return 1 if different else 0
