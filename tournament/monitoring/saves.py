"""What is said of each action once it is saved: a log line and the metrics."""

import logging
import time
from typing import Any

from tournament.models import Action
from tournament.monitoring.log_lines import account_words
from tournament.monitoring.metrics import SAVE_SECONDS, SAVES

logger = logging.getLogger("tournament.log")


def note_save(action: Action, actor: Any, since: float) -> None:
    """The action is saved. `actor`: the user who did it, if any; `since`: when it was begun (`perf_counter`)."""
    SAVES.labels(action.kind).inc()
    SAVE_SECONDS.observe(time.perf_counter() - since)
    by = action.actor if action.actor.startswith("player:") else account_words(actor)
    about = {"event": action.tournament.slug, "action": action.number, "kind": action.kind, "by": by}
    logger.info("%s #%s %s by %s", *about.values(), extra=about)
