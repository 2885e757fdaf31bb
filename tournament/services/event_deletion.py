"""Deleting an event that was a test or a demo: nothing of it is left, not even its log."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from tournament.actionlog.change import unlocked_seats
from tournament.errors import NotFound, Refused
from tournament.models import (
    Action,
    Entry,
    Extension,
    Flag,
    Invite,
    Match,
    Penalty,
    Round,
    Seat,
    Staff,
    Stage,
    StageEntry,
    Tournament,
)

logger = logging.getLogger("tournament.log")


def delete_event(tournament: Tournament, typed: str, *, actor: Any = "") -> None:
    """Delete an event with its players, rounds and log; this cannot be undone.

    `typed` is the event's name as the owner typed it, spaces aside. Raises Refused where it is another.
    """
    with transaction.atomic():
        locked = Tournament.objects.select_for_update().defer("baseline").filter(pk=tournament.pk).first()
        if locked is None:
            raise NotFound(_("This event has been deleted."))
        if typed.split() != locked.name.split():
            raise Refused(
                _("Nothing was deleted. Type the event's name, “%(name)s”, to delete it.")
                % {"name": locked.name},
                status=422,
            )
        _delete(locked)
    logger.info("%s deleted by %s", tournament.slug, actor or "-")


def remove_demo_events() -> int:
    """Delete every demo event with its log. Returns how many there were."""
    count = 0
    for tournament in Tournament.objects.filter(demo=True):
        with transaction.atomic():
            _delete(Tournament.objects.select_for_update().get(pk=tournament.pk))
        count += 1
    return count


def _delete(tournament: Tournament) -> None:
    """Delete everything of one event, its row before its log: triggers keep a log while its event exists."""
    of_match: dict[str, Any] = {"match__round__tournament": tournament}
    Flag.objects.filter(tournament=tournament).delete()
    Invite.objects.filter(tournament=tournament).delete()
    Extension.objects.filter(**of_match).delete()
    Penalty.objects.filter(tournament=tournament).delete()
    for round_ in Round.objects.filter(tournament=tournament).order_by("-number"):
        with unlocked_seats(round_):  # one open round a stage: so the open one first
            Seat.objects.filter(round=round_).delete()
            Match.objects.filter(round=round_).delete()
            round_.delete()
    StageEntry.objects.filter(stage__tournament=tournament).delete()
    Stage.objects.filter(tournament=tournament).delete()
    Entry.objects.filter(tournament=tournament).update(same_person_as=None)
    Entry.objects.filter(tournament=tournament).delete()
    Staff.objects.filter(tournament=tournament).delete()
    actions = Action.objects.filter(tournament=tournament)
    pk = tournament.pk
    using = actions.db
    Tournament.objects.filter(pk=pk)._raw_delete(using)
    Action.objects.filter(tournament_id=pk)._raw_delete(using)
