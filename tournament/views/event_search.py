"""The events on the home page: running, upcoming, past, one's own, and a search."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import F, FilteredRelation, Q, QuerySet

from tournament.models import Tournament
from tournament.text.display_names import fold_name

BRIEF = ("slug", "name", "game", "venue", "state", "starts_at", "time_zone", "demo", "self_registration")
LATE = dt.timedelta(days=2)  # an event that never began is no longer upcoming


def listed_events() -> QuerySet[Tournament]:
    """The events that are listed on the home page."""
    return Tournament.objects.filter(listed=True).exclude(state=Tournament.State.DRAFT).only(*BRIEF)


def running_events() -> QuerySet[Tournament]:
    """Events being played, newest first."""
    return listed_events().filter(state=Tournament.State.RUNNING)


def upcoming_events(now: dt.datetime) -> QuerySet[Tournament]:
    """Events that have not begun, the next first; those without a start last."""
    ahead = Q(starts_at__gte=now - LATE) | Q(starts_at=None)
    waiting = listed_events().filter(ahead, state=Tournament.State.OPEN)
    return waiting.order_by(F("starts_at").asc(nulls_last=True), "pk")


def past_events(now: dt.datetime) -> QuerySet[Tournament]:
    """Events that are finished, or never began; newest first."""
    forgotten = Q(state=Tournament.State.OPEN, starts_at__lt=now - LATE)
    return listed_events().filter(Q(state=Tournament.State.FINISHED) | forgotten)


def own_events(user: Any) -> QuerySet[Any]:
    """Events whose staff this user is on, those that are not finished first."""
    mine = Tournament.objects.annotate(mine=FilteredRelation("staff", condition=Q(staff__user=user)))
    ended = Q(state=Tournament.State.FINISHED)
    found = mine.filter(mine__isnull=False).annotate(ended=ended)
    return found.order_by("ended", "-starts_at", "-pk").only(*BRIEF)


def find_events(events: QuerySet[Any], words: str) -> list[int]:
    """Primary keys of the events in whose name, game and venue all these words occur, in the order of `events`.

    Case and accents do not matter. Compared here, as each database folds letters in its own way.
    """
    wanted = fold_name(words).split()
    rows = events.values_list("pk", "name", "game", "venue")
    return [pk for pk, *texts in rows if all(word in fold_name(" ".join(texts)) for word in wanted)]
