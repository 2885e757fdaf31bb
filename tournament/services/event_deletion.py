"""Deleting an event that was a test or a demo: nothing of it is left, not even its log or its snapshots."""

import logging
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.match_rows import unlocked_seats
from tournament.archive.snapshots import delete_snapshots
from tournament.errors import Refused, get_or_refuse
from tournament.models import Baseline, Extension, Report, Staff, StageEntry, Tournament
from tournament.monitoring.log_lines import account_words

logger = logging.getLogger("tournament.log")


def delete_event(tournament: Tournament, name: str, *, actor: Any = "") -> None:
    """Delete an event with its players, rounds, log and snapshots; this cannot be undone.

    `name` is the event's name as the owner typed it, spaces aside. Raises Refused where it is another.
    """
    with transaction.atomic():
        rows = Tournament.objects.select_for_update().filter(pk=tournament.pk)
        locked = get_or_refuse(rows, _("This event has been deleted."))
        if name.split() != locked.name.split():
            raise Refused(
                _("Nothing was deleted. Type the event's name, “%(name)s”, to delete it."),
                name=locked.name,
                status=422,
            )
        _delete(locked)
    logger.info("%s deleted by %s", tournament.slug, account_words(actor))


def demo_events_of(user: Any) -> QuerySet[Tournament]:
    """The demo events and rehearsals that this user may remove: their own, or every one for an administrator."""
    demos = Tournament.objects.filter(demo=True)
    if user.is_superuser:
        return demos
    owned = Staff.objects.filter(user_id=user.pk, role=Staff.Role.OWNER)
    return demos.filter(pk__in=owned.values("tournament"))


def remove_demo_events(user: Any) -> int:
    """Delete the user's demo events and rehearsals with their logs. Returns how many there were."""
    count = 0
    for tournament in list(demo_events_of(user)):
        with transaction.atomic():
            locked = Tournament.objects.select_for_update().filter(pk=tournament.pk).first()
            if locked:  # else a form sent at the same time has deleted it
                _delete(locked)
                count += 1
    return count


def _delete(tournament: Tournament) -> None:
    """Delete everything of one event, its row before its log: triggers keep a log while its event exists."""
    tournament.flags.all().delete()
    tournament.invites.all().delete()
    Extension.objects.filter(match__round__tournament=tournament).delete()
    Report.objects.filter(match__round__tournament=tournament).delete()
    tournament.penalties.all().delete()
    tournament.deck_checks.all().delete()
    tournament.decklists.all().delete()
    for round_ in tournament.rounds.order_by("-number"):
        with unlocked_seats(round_):  # one open round a stage: so the open one first
            round_.seats.all().delete()
            round_.matches.all().delete()
            round_.delete()
    StageEntry.objects.filter(stage__tournament=tournament).delete()
    tournament.stages.all().delete()
    tournament.entries.update(same_person_as=None)
    tournament.entries.all().delete()
    tournament.staff.all().delete()
    Baseline.objects.filter(tournament=tournament).delete()
    for rows in (Tournament.objects.filter(pk=tournament.pk), tournament.actions.all()):
        rows._raw_delete(rows.db)
    transaction.on_commit(lambda: delete_snapshots(tournament), robust=True)
