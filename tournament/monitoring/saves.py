"""What is said of each action once it is saved: a log line and the metrics."""

import logging
import time
from typing import Any

from tournament.models import Action
from tournament.monitoring.log_lines import account_words
from tournament.monitoring.metrics import QUEUE_SECONDS, SAVE_SECONDS, SAVES

logger = logging.getLogger("tournament.log")

_note_wait = QUEUE_SECONDS.labels("save").observe


class SaveWatch:
    """Times one action, from when it stands in line."""

    def __enter__(self) -> "SaveWatch":
        self.since = time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        """What failed was not saved, and is not counted."""

    def note_turn(self) -> None:
        """It is its turn."""
        _note_wait(time.perf_counter() - self.since)

    def note_save(self, action: Action, actor: Any) -> None:
        """It is saved. `actor`: the user who did it, if any."""
        SAVES.labels(action.kind).inc()
        SAVE_SECONDS.observe(time.perf_counter() - self.since)
        by = action.actor if action.actor.startswith("player:") else account_words(actor)
        about = {"event": action.tournament.slug, "action": action.number, "kind": action.kind, "by": by}
        logger.info("%s #%s %s by %s", *about.values(), extra=about)
