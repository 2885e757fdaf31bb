"""Drops, reinstatements and disqualifications. They take effect at the next pairing."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Penalty, Round
from tournament.services.capacity import (
    admit_to_session,
    fill_spots,
    has_played,
    sessions_to_join,
    withdraw_before_start,
)
from tournament.services.entries import entry_of


def last_round_of(entry: Entry) -> int:
    """The last published round the entry belongs to: what it played, or sits in now.

    Rounds of sessions it is not in are none of its own. In a bracket only what it has played: who leaves an
    open match gives its place up (`drop.walkover`).
    """
    published = Round.objects.filter(stage__stage_entries__entry=entry).exclude(state=Round.State.DRAFT)
    latest = published.order_by("-number").first()
    if latest is None or latest.swiss:
        return latest.number if latest else 0
    mine = published.filter(Q(swiss=True) | Q(seats__entry=entry, seats__match__result__isnull=False))
    return mine.order_by("-number").values_list("number", flat=True).first() or 0


_followers: list[Callable[[Log, Entry], None]] = []


def add_drop_listener(act: Callable[[Log, Entry], None]) -> None:
    """Let `act` change what a leaving or a return changes elsewhere (a bracket), inside the same action."""
    if act not in _followers:
        _followers.append(act)


def tell_listeners(log: Log, entry: Entry) -> None:
    for act in _followers:
        act(log, entry)


def apply_drop(log: Log, entry: Entry) -> None:
    """The drop itself, for services that do more: the entry keeps its results up to now.

    Before its session has begun it leaves the session; before round 1 its place goes to whoever waits longest.
    """
    if entry.status == Entry.Status.DISQUALIFIED:
        raise WrongState(_("%(name)s is disqualified.") % {"name": entry.name})
    if entry.status == Entry.Status.WAITLISTED or not has_played(entry):
        withdraw_before_start(log, entry)
        return
    log.set(entry, status="dropped", dropped_after=last_round_of(entry))


@service("drop")
def drop_entry(log: Log, code: str) -> None:
    """The entry plays no further round; a match already paired is still owed."""
    entry = entry_of(log.tournament, code)
    if entry.status != Entry.Status.DROPPED:
        apply_drop(log, entry)
        tell_listeners(log, entry)


@service("reinstate")
def reinstate_entry(log: Log, code: str, stage: int | None = None) -> None:
    """A dropped entry plays again from the next round on; rounds it was away for are lost.

    Who left before the session began comes into `stage`, else back into it.
    Raises WrongState for an entry that did not drop.
    """
    entry = entry_of(log.tournament, code)
    if entry.status not in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED):
        raise WrongState(_("%(name)s has not dropped.") % {"name": entry.name})
    if not entry.stage_entries.exists():  # it left, or waited, before it ever played
        admit_to_session(log, entry, stage or former_session(entry))
        return
    seated = set(entry.seats.values_list("round_id", flat=True))
    stages = [place.stage_id for place in entry.stage_entries.all()]
    away = log.tournament.rounds.filter(stage_id__in=stages, swiss=True).exclude(state=Round.State.DRAFT)
    for round_ in away.order_by("number"):
        if round_.pk not in seated and round_.number > (entry.dropped_after or 0):
            log.seat(round_, [MatchFact(entry.code, result="missed")])
    log.set(entry, status="playing", dropped_after=None)
    tell_listeners(log, entry)


def former_session(entry: Entry) -> int | None:
    """The number of the session an entry left before it began, by the log, while that takes entries; else None."""
    takes = [stage.number for stage in sessions_to_join(entry.tournament)]
    if len(takes) < 2:
        return None
    facts_left = {f"stages/{number}/entries/{entry.code}": number for number in takes}
    for changes in (
        entry.tournament.actions.order_by("-number").values_list("changes", flat=True).iterator(50)
    ):
        for item in changes:
            if item["fact"] in facts_left and item["after"] is None:
                return facts_left[item["fact"]]
    return None


@service("disqualify")
def disqualify_entry(log: Log, code: str, why: str) -> None:
    """The entry leaves the ranking; its results go on counting for its opponents (IPG 1.1)."""
    if not why.strip():
        raise Refused(_("Enter a reason for the disqualification."))
    entry = entry_of(log.tournament, code)
    if entry.status == Entry.Status.DISQUALIFIED:
        raise WrongState(_("%(name)s is already disqualified.") % {"name": entry.name})
    left = entry.dropped_after if entry.status == Entry.Status.DROPPED else last_round_of(entry)
    number = (log.tournament.penalties.order_by("-number").values_list("number", flat=True).first() or 0) + 1
    latest = log.tournament.rounds.exclude(state=Round.State.DRAFT).order_by("-number").first()
    log.set(entry, status="disqualified", dropped_after=left, waits=None)
    log.add(
        Penalty,
        f"penalties/{number}",
        {
            "round": latest.number if latest else None,
            "entry": code,
            "kind": "disqualification",
            "reason": why.strip(),
        },
    )
    tell_listeners(log, entry)
    fill_spots(log)
