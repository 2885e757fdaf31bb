"""`manage.py retention --older-than DAYS`: what is personal leaves events that ended so long ago. For a daily timer."""

import datetime as dt
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import CommandParser
from django.utils import timezone

from tournament.errors import Refused
from tournament.management.base import PlainCommand
from tournament.services.retention import anonymize_event, due_events, remove_contacts

ATTEMPTS_KEPT = dt.timedelta(days=1)  # of wrong passwords: they lock an account for minutes


class Command(PlainCommand):
    help = (
        "Remove contacts (or, by RETENTION=names, anonymize players) of events that ended DAYS ago or earlier; "
        "and sessions and wrong passwords that have expired. Results stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--older-than", type=int, metavar="DAYS", default=None, help="else RETENTION_DAYS"
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")

    def run(self, **options: Any) -> None:
        days = settings.RETENTION_DAYS if options["older_than"] is None else options["older_than"]
        if days is None:
            raise Refused("After how many days? Say --older-than DAYS, or set RETENTION_DAYS.")
        if days < 1:
            raise Refused("Events of today are still needed: use 1 day or more.")
        names, dry = settings.RETENTION == "names", options["dry_run"]
        remove = anonymize_event if names else remove_contacts
        events = []
        for due in due_events(days, names=names):
            action = None if dry else remove(due.tournament, reason=f"{days} days after the end")
            events.append(
                {
                    "slug": due.tournament.slug,
                    "ended": due.ended.date().isoformat(),
                    "players": due.players,
                    "action": action and action.number,
                }
            )
        now = timezone.now()
        expired = {
            "sessions": Session.objects.filter(expire_date__lt=now),
            "sign_in_attempts": AccessAttempt.objects.filter(attempt_time__lt=now - ATTEMPTS_KEPT),
        }
        counts = {name: rows.count() for name, rows in expired.items()}
        if not dry:
            for rows in expired.values():
                rows.delete()
        document = {
            "days": days,
            "removes": settings.RETENTION,
            "dry_run": dry,
            "events": events,
            **counts,
        }
        lines = [list(event.values()) for event in events]
        self.emit(
            document, [["event", "ended", "players", "action"], *lines] if events else "Nothing to remove."
        )
