"""A ruleset tried on the events of this installation: which ones a user may see, a batch at a time, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, QuerySet

from standings.engine import UnknownMetric, UnknownScoring
from standings.rulesets.trial.comparison import compare_rankings, cut_size_of, event_under, missing_data_of
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


@dataclass(frozen=True, slots=True)
class EventTrial:
    """One event under a ruleset. `trouble`: why it cannot be ranked that way; then the rest is empty."""

    tournament: Tournament
    size: int = 0  # of the cut
    players: int = 0
    moved: int = 0
    changes: list[CutChange] = field(default_factory=list)
    moves: list[RankChangeWords] = field(default_factory=list)
    trouble: str = ""

    @property
    def differs(self) -> bool:
        """Whether the cut has other players."""
        return bool(self.changes)


@dataclass(slots=True)
class TrialTotals:
    """How many events were compared so far, how many differ, how many cannot be ranked that way."""

    differ: int = 0
    compared: int = 0
    unable: int = 0

    def add(self, trial: EventTrial) -> None:
        """Count one event."""
        self.differ += trial.differs
        self.compared += not trial.trouble
        self.unable += bool(trial.trouble)


def events_visible_to(user: Any) -> QuerySet[Tournament]:
    """Events with a complete Swiss round whose standings the user may see, newest first.

    `size`: how many entries. Everyone sees listed events that do not hide their standings.
    """
    complete = Round.objects.filter(tournament=OuterRef("pk"), swiss=True, state=Round.State.COMPLETE)
    me = FilteredRelation("staff", condition=Q(staff__user=user))
    everyone = Q(listed=True, hold_standings=False) & ~Q(state=Tournament.State.DRAFT)
    visible = Q() if user.is_superuser else everyone | Q(me__isnull=False)
    events = Tournament.objects.filter(Exists(complete)).annotate(me=me).filter(visible)
    return events.annotate(size=Count("entries")).defer("baseline").order_by("-pk")


def next_batch(user: Any, before: int | None) -> tuple[list[Tournament], int | None, int]:
    """(some events, where to continue or None, how many there are in all). `before`: the last pk already seen."""
    events = events_visible_to(user)
    count = events.count()
    rest = list((events if before is None else events.filter(pk__lt=before))[: MOST_EVENTS + 1])
    chosen: list[Tournament] = []
    players = 0
    for event in rest[:MOST_EVENTS]:
        players += event.size  # type: ignore[attr-defined]
        if chosen and players > MOST_PLAYERS:
            break
        chosen.append(event)
    more = len(chosen) < len(rest)
    return chosen, chosen[-1].pk if chosen and more else None, count


def try_on_event(tournament: Tournament, profile: Mapping[str, Any], *, moves: bool = False) -> EventTrial:
    """One event under its own rules and under the profile; with `moves` also every rank that changes."""
    event, rules = event_of(tournament), dict(profile)
    try:
        if missing := missing_data_of(event, rules):
            return EventTrial(tournament, trouble=missing_in_words(missing))
        comparison = compare_rankings(event, event_under(event, rules), cut_size_of(event))
    except (UnknownMetric, UnknownScoring, ValueError) as error:
        return EventTrial(tournament, trouble=str(error))
    names = public_names_in(event)
    return EventTrial(
        tournament,
        comparison.size,
        comparison.players,
        len(comparison.moves),
        cut_changes_in_words(comparison, names, rules.get("display") or {}),
        rank_changes_in_words(comparison, names) if moves else [],
    )
