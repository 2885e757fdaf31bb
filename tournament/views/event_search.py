"""The events people look for on the first page: what is on, what is coming, what is over, and a search."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import F, FilteredRelation, Q, QuerySet

from tournament.models import Tournament
from tournament.text.display_names import fold_name

BRIEF = ("slug", "name", "game", "venue", "state", "starts_at", "time_zone", "demo", "self_registration")
LATE = dt.timedelta(days=2)  # an event that never began is no longer coming


def listed_events() -> QuerySet[Tournament]:
    """The events that stand on the first page."""
    return Tournament.objects.filter(listed=True).exclude(state=Tournament.State.DRAFT).only(*BRIEF)


def running_events() -> QuerySet[Tournament]:
    """What is being played, the newest first."""
    return listed_events().filter(state=Tournament.State.RUNNING)


def upcoming_events(now: dt.datetime) -> QuerySet[Tournament]:
    """What has not begun, the next first; without a start last."""
    ahead = Q(starts_at__gte=now - LATE) | Q(starts_at=None)
    waiting = listed_events().filter(ahead, state=Tournament.State.OPEN)
    return waiting.order_by(F("starts_at").asc(nulls_last=True), "pk")


def past_events(now: dt.datetime) -> QuerySet[Tournament]:
    """What is finished, or was to begin long ago and never did; the newest first."""
    forgotten = Q(state=Tournament.State.OPEN, starts_at__lt=now - LATE)
    return listed_events().filter(Q(state=Tournament.State.FINISHED) | forgotten)


def own_events(user: Any) -> QuerySet[Any]:
    """The events this person is on the staff of, those that are not over first."""
    mine = Tournament.objects.annotate(mine=FilteredRelation("staff", condition=Q(staff__user=user)))
    ended = Q(state=Tournament.State.FINISHED)
    found = mine.filter(mine__isnull=False).annotate(ended=ended)
    return found.order_by("ended", "-starts_at", "-pk").only(*BRIEF)


def find_events(events: QuerySet[Any], words: str) -> list[int]:
    """Keys of the events in whose name, game and venue all these words occur, in the order of `events`.

    Case and accents do not count. Read whole and compared here: databases fold letters each their own way.
    """
    wanted = fold_name(words).split()
    rows = events.values_list("pk", "name", "game", "venue")
    return [pk for pk, *texts in rows if all(word in fold_name(" ".join(texts)) for word in wanted)]
