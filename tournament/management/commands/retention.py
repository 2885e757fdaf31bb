"""`manage.py retention`: remove contacts from events that ended long enough ago. For a daily timer."""

from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import CommandParser
from django.utils import timezone

from tournament.errors import Refused
from tournament.management.base import PlainCommand
from tournament.services.anonymity import due_events, remove_contacts


class Command(PlainCommand):
    help = "Remove contacts from events that ended DAYS ago or earlier, and expired sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--older-than", type=int, metavar="DAYS", help="else RETENTION_DAYS")
        parser.add_argument("--dry-run", action="store_true", help="only list the events")

    def run(self, **options: Any) -> None:
        days = settings.RETENTION_DAYS if options["older_than"] is None else options["older_than"]
        if days is None:
            raise Refused("After how many days? Say --older-than DAYS, or set RETENTION_DAYS.")
        if days < 1:
            raise Refused("Events of today are still needed: use 1 day or more.")
        due = [event.slug for event in due_events(days)]
        if not options["dry_run"]:
            for event in due_events(days):
                remove_contacts(event, reason=f"{days} days after the end")
            Session.objects.filter(expire_date__lt=timezone.now()).delete()
        self.emit({"days": days, "events": due}, "\n".join(due) or "No event is due.")
