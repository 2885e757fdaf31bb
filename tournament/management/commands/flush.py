"""Empty a test database, removing the triggers while it does."""

from typing import Any

from django.core.management.commands import flush

from tournament.actionlog import triggers


class Command(flush.Command):
    def handle(self, **options: Any) -> None:
        with triggers.without_triggers(options["database"]):
            super().handle(**options)
