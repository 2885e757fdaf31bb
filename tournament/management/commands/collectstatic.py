"""Copy the static files to where the server reads them, only once if several processes start together."""

import hashlib
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic

from tournament.config.bootstrap import one_at_a_time


class Command(collectstatic.Command):
    def handle(self, **options: Any) -> str | None:
        root = Path(settings.STATIC_ROOT)
        root.parent.mkdir(parents=True, exist_ok=True)
        stamp, now = root / ".collected", static_digest()
        with one_at_a_time(root.with_name(f"{root.name}.lock")):
            if stamp.is_file() and stamp.read_text(encoding="ascii") == now and not options["clear"]:
                return None
            said = super().handle(**options)
            if not options["dry_run"]:
                stamp.write_text(now, encoding="ascii")
        return said


def static_digest() -> str:
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            facts = os.stat(storage.path(path))
            digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()
