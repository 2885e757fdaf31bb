"""`manage.py restore FILE`: replace the database by a backup, then check every event."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from tournament.actionlog import integrity
from tournament.backups import restore_backup
from tournament.errors import Refused
from tournament.event.read import differences_from_log
from tournament.management.base import PlainCommand
from tournament.models import Tournament


class Command(PlainCommand):
    help = (
        "Put a backup in the place of the database, bring it to this version, and check every event: fsck, and its "
        "tables against its log; exit code 1 where something is wrong. Stop the server first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--replace", action="store_true", help="replace a database that holds events or accounts"
        )

    def run(self, **options: Any) -> int:
        restore_backup(options["file"], replace=options["replace"])
        events = [check_event(tournament) for tournament in Tournament.objects.order_by("slug")]
        rows: list[list[Any]] = [["event", "players", "rounds", "actions", "check"]]
        for event in events:
            found = [*event["problems"], *(f"differs: {key}" for key in event["different"])]
            rows.append([*list(event.values())[:4], "; ".join(found) or "clean"])
        self.emit({"events": events}, rows if events else "Restored; there is no event in it.")
        return 1 if any(event["problems"] or event["different"] for event in events) else 0


def check_event(tournament: Tournament) -> dict[str, Any]:
    problems, different = integrity.check(tournament), []
    try:
        different = differences_from_log(tournament)
    except Refused as error:  # the others are checked all the same
        problems.append(str(error))
    return {
        "slug": tournament.slug,
        "players": tournament.entries.count(),
        "rounds": tournament.rounds.count(),
        "actions": tournament.revision,
        "problems": problems,
        "different": different,
    }
