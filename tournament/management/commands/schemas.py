from pathlib import Path
from typing import Any

from django.conf import settings

from tournament.errors import Refused
from tournament.exports import published_schemas
from tournament.management.base import PlainCommand


class Command(PlainCommand):
    help = "Write the JSON Schemas of archives and rulesets to docs/schemas/."

    def run(self, **options: Any) -> None:
        if settings.IS_INSTALLED:
            raise Refused("The documentation is in the source: run python3 manage.py schemas there.")
        folder = Path(settings.BASE_DIR, "docs", "schemas")
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in published_schemas().items():
            (folder / name).write_text(text, encoding="utf-8")
        paths = [f"docs/schemas/{name}" for name in published_schemas()]
        self.emit(paths, "\n".join(paths))
