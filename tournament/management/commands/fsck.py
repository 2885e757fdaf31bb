from typing import Any

from tournament.actionlog import integrity
from tournament.management.base import EventCommand


class Command(EventCommand):
    help = "Check an event's tables against every invariant; exit code 1 where one is broken."

    def run(self, **options: Any) -> int:
        problems = integrity.check(self.tournament)
        self.emit({"slug": self.tournament.slug, "problems": problems}, "\n".join(problems) or "clean")
        return 1 if problems else 0
