"""A ruleset tried on the events of this installation: which ones a user may see, a batch at a time, in words."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, QuerySet

from standings.engine import UnknownMetric, UnknownScoring
from standings.rulesets.trial.comparison import Comparison, compare_rankings, event_under, missing_data_of
from standings.rulesets.trial.comparison_words import (
    CutChange,
    RankChangeWords,
    cut_changes_in_words,
    missing_in_words,
    rank_changes_in_words,
)
from tournament.event.read import event_of
from tournament.models import Round, Tournament
from tournament.text.display_names import public_names_in

MOST_PLAYERS = 1500  # ranked twice in one request; but at least one event of any size
MOST_EVENTS = 12


class EventTrial(NamedTuple):
    """One event under a ruleset. `trouble`: why it cannot be ranked that way; then the rest is empty.

    `changes` of the cut and `moves` of ranks are the comparison's, in words.
    """

    tournament: Tournament
    trouble: str = ""
    comparison: Comparison | None = None
    changes: Sequence[CutChange] = ()
    moves: Sequence[RankChangeWords] = ()


def events_visible_to(user: Any) -> QuerySet[Tournament]:
    """Events with a complete Swiss round whose standings the user may see, newest first.

    `size`: how many entries. Everyone sees listed events that do not hide their standings.
    """
    complete = Round.objects.filter(tournament=OuterRef("pk"), swiss=True, state=Round.State.COMPLETE)
    me = FilteredRelation("staff", condition=Q(staff__user=user))
    everyone = Q(listed=True, archived=False, hold_standings=False) & ~Q(state=Tournament.State.DRAFT)
    visible = Q() if user.is_superuser else everyone | Q(me__isnull=False)
    events = Tournament.objects.filter(Exists(complete)).annotate(me=me).filter(visible)
    return events.annotate(size=Count("entries")).order_by("-pk")


def next_batch(user: Any, before: int | None) -> tuple[list[Tournament], int | None, int]:
    """(some events, where to continue or None, how many there are in all). `before`: the last pk already seen."""
    events = events_visible_to(user)
    count = events.count()
    rest = list((events if before is None else events.filter(pk__lt=before))[: MOST_EVENTS + 1])
    newest = rest[:MOST_EVENTS]
    players = accumulate(event.size for event in newest)  # type: ignore[attr-defined]
    batch = [event for event, so_far in zip(newest, players, strict=True) if so_far <= MOST_PLAYERS]
    batch = batch or newest[:1]
    return batch, batch[-1].pk if len(batch) < len(rest) else None, count


def try_on_event(tournament: Tournament, profile: dict[str, Any]) -> EventTrial:
    """One event under its own rules and under the profile."""
    event = event_of(tournament)
    try:
        if missing := missing_data_of(event, profile):
            return EventTrial(tournament, missing_in_words(missing))
        comparison = compare_rankings(event, event_under(event, profile))
    except (UnknownMetric, UnknownScoring, ValueError) as error:
        return EventTrial(tournament, str(error))
    names = public_names_in(event)
    changes = cut_changes_in_words(comparison, names, profile.get("display") or {})
    return EventTrial(tournament, "", comparison, changes, rank_changes_in_words(comparison, names))
