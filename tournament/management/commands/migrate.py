"""Migrate, after waiting for any other process that is migrating."""

from typing import Any

from django.core.management.commands import migrate

from tournament.actionlog.turns import turn_to_prepare


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with turn_to_prepare(options["database"]):
            super().handle(*args, **options)
