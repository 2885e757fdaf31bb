"""An order tried on the events of this installation: which ones somebody may see, so many at a time, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standings.engine import UnknownMetric, UnknownScoring
from standings.engine.ranking.chain import RankingStep
from standings.rulesets.trial.orders import (
    Comparison,
    Deciding,
    Move,
    compared,
    cut_size,
    missing_for,
    under,
    unit_of,
)
from standings.words.formats import format_value
from standings.words.metrics import title_of_step
from tournament.event.read import event_of
from tournament.models import Round, Tournament
from tournament.text.display_names import public_names_in

MOST_PLAYERS = 1500  # ranked twice for one request; one event of any size at the least
MOST_EVENTS = 12
MISSING = {
    "score": gettext_lazy("the points scored in matches"),
    "game_order": gettext_lazy("the order of the games"),
    "first": gettext_lazy("who moved first"),
    "rating": gettext_lazy("ratings"),
    "outside": gettext_lazy("values measured outside the matches"),
}


@dataclass(slots=True)
class Change:
    """One player replaced by another in the cut, in words; either side may be empty."""

    into: str
    out: str
    why: str
    before: str


@dataclass(slots=True)
class Tried:
    """One event under a ruleset. `trouble`: why it cannot be ranked so, and then nothing else is said."""

    tournament: Tournament
    size: int = 0
    players: int = 0
    moved: int = 0
    changes: list[Change] = field(default_factory=list)
    moves: list[tuple[str, str, str]] = field(default_factory=list)
    trouble: str = ""

    @property
    def differs(self) -> bool:
        return bool(self.changes)


@dataclass(slots=True)
class Totals:
    """What was found so far."""

    differ: int = 0
    compared: int = 0
    unable: int = 0

    def add(self, tried: Tried) -> None:
        """Count one event."""
        self.differ += tried.differs
        self.compared += not tried.trouble
        self.unable += bool(tried.trouble)


def events_for(user: Any) -> QuerySet[Tournament]:
    """Events with a complete Swiss round whose standings this person may see, the newest first.

    `size`: how many entries. Everybody sees listed events that do not hold their standings back.
    """
    complete = Round.objects.filter(tournament=OuterRef("pk"), swiss=True, state=Round.State.COMPLETE)
    me = FilteredRelation("staff", condition=Q(staff__user=user))
    everybody = Q(listed=True, hold_standings=False) & ~Q(state=Tournament.State.DRAFT)
    may = Q() if user.is_superuser else everybody | Q(me__isnull=False)
    found = Tournament.objects.filter(Exists(complete)).annotate(me=me).filter(may)
    return found.annotate(size=Count("entries")).defer("baseline").order_by("-pk")


def batch_of(user: Any, before: int | None) -> tuple[list[Tournament], int | None, int]:
    """(some events, where to go on or None, how many there are in all). `before`: the last one's pk already seen."""
    events = events_for(user)
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


def tried_on(tournament: Tournament, profile: dict[str, Any], *, moves: bool = False) -> Tried:
    """One event under its own rules and under the profile; with `moves` everybody whose rank changes."""
    event = event_of(tournament)
    try:
        if missing := missing_for(event, profile):
            return Tried(tournament, trouble=missing_in_words(missing))
        found = compared(event, under(event, profile), cut_size(event))
    except (UnknownMetric, UnknownScoring, ValueError) as error:
        return Tried(tournament, trouble=str(error))
    names = public_names_in(event)
    return Tried(
        tournament,
        found.size,
        found.players,
        len(found.moves),
        changes_in_words(found, names, profile.get("display") or {}),
        moves_in_words(found, names) if moves else [],
    )


def missing_in_words(missing: list[tuple[RankingStep, str]]) -> str:
    """Why an order cannot be used on an event."""
    step, what = missing[0]
    said = {"title": title_of_step(step), "what": str(MISSING[what])}
    return _("%(title)s needs %(what)s, which this event does not record.") % said


def changes_in_words(found: Comparison, names: Mapping[str, str], display: Mapping[str, Any]) -> list[Change]:
    """Each change in the cut: who enters, who leaves, what decides it now and what decided it before."""
    return [
        Change(
            into=_(
                "%(name)s is in (rank %(after)s, was %(before)s)"
            ) % _ranks(swap.into, names) if swap.into else "",
            out=_(
                "%(name)s is out (rank %(after)s, was %(before)s)"
            ) % _ranks(swap.out, names) if swap.out else "",
            why=reason_in_words(swap.now, display),
            before=reason_in_words(swap.then, display),
        )
        for swap in found.swaps
    ]  # fmt: skip


def moves_in_words(found: Comparison, names: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(name, rank before, rank after) of everybody whose rank changes; – without a row."""
    return [
        (ranks["name"], ranks["before"], ranks["after"])
        for ranks in (_ranks(move, names) for move in found.moves)
    ]


def _ranks(move: Move, names: Mapping[str, str]) -> dict[str, str]:
    ranks = {"before": move.before, "after": move.after}
    return {"name": names[move.entry]} | {
        key: "–" if rank is None else str(rank) for key, rank in ranks.items()
    }


def reason_in_words(reason: Deciding | None, display: Mapping[str, Any]) -> str:
    """By opponents' match-win %: 58.33% against 58.12% (7/12 against 279/480)."""
    if reason is None:
        return ""
    if reason.step is None:
        return {
            "stage": _("because of the later stage"),
            "tied": _("they share the rank"),
            "rule": _("by another cut rule"),
        }[reason.how]
    unit = unit_of(reason.step)
    percent = "%" if unit == "share" else ""
    a, b = (format_value(value, unit, display) + percent for value in (reason.above, reason.below))
    said = _("on %(title)s: %(a)s vs. %(b)s") % {"title": title_of_step(reason.step), "a": a, "b": b}
    if unit == "order":
        return _("on %(title)s") % {"title": title_of_step(reason.step)}
    exact = f" ({reason.above} : {reason.below})"
    return said + (exact if unit == "share" else "")
