"""An event is created, finished, reopened and archived."""

import secrets
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log, digest_of, open_action
from tournament.actionlog.facts import SETTINGS
from tournament.actionlog.service import service
from tournament.archive.snapshots import addresses_with_files
from tournament.errors import Conflict, WrongState, get_or_refuse
from tournament.event.slugs import slug_of
from tournament.models import Action, Ruleset, Staff, Stage, Tournament
from tournament.services.event_rules import check_rules
from tournament.services.event_settings import check_known, check_settings, clean_settings
from tournament.services.rounds import complete_open_rounds
from tournament.services.staff import end_invites


def create_tournament(
    name: str,
    ruleset: str,
    *,
    owner: Any = None,
    slug: str = "",
    demo: bool = False,
    staff: Sequence[tuple[Any, str]] = (),
    minutes: int | None = None,
    key: str = "",
    **fields: Any,
) -> Tournament:
    """A new event open for registration, with its secret seed and one Swiss stage.

    ruleset  key of a ruleset; its newest version is taken
    staff    (user, role) of everyone who helps
    minutes  of a round of the first stage, where they are not the event's
    key      of the form: sent again by the same owner it makes no second event, and the answer is the first
    fields   settings as the log writes them, `overrides` among them

    Raises Refused, NotFound, and Conflict where the form came with other values before.
    """
    fields = clean_settings({"name": name, **{n: value for n, value in fields.items() if value is not None}})
    check_known(fields, {*SETTINGS, "overrides"})
    check_settings(fields)
    versions = Ruleset.objects.filter(key=ruleset).order_by("-version")
    chosen = get_or_refuse(versions, _("There is no ruleset “%(key)s”."), key=ruleset)
    body = [ruleset, fields]
    with transaction.atomic():
        if earlier := _created_before(owner, key, body):
            return earlier
        tournament = Tournament(
            name=fields["name"],
            owner=owner,
            demo=demo,
            ruleset=chosen,
            seed=secrets.token_hex(16),
            starts_at=timezone.now().replace(second=0, microsecond=0),
        )
        tournament.insert_at_free_slug(slug or slug_of(fields["name"]), addresses_with_files())
        roles = dict(staff) | ({owner: Staff.Role.OWNER} if owner else {})
        Staff.objects.bulk_create(
            Staff(tournament=tournament, user=user, role=role) for user, role in roles.items()
        )
        with open_action(tournament, "create", actor=owner, key=key, body=body) as log:
            log.set(log.tournament, **fields)
            check_rules(log.tournament)
            log.add_event()
            log.add(Stage, "stages/1", {"kind": "swiss", "sources": [], "carries": False, "minutes": minutes})
    tournament.refresh_from_db()
    return tournament


def _created_before(owner: Any, key: str, body: Any) -> Tournament | None:
    """The event this form of its owner's made when it was first sent. Their other forms wait meanwhile."""
    if owner is None or not key:
        return None
    get_user_model().objects.select_for_update().get(pk=owner.pk)
    action = Action.objects.filter(tournament__owner=owner, kind="create", key=key).first()
    if action is None:
        return None
    if action.body != digest_of(body):
        raise Conflict(_("This form was already sent with different values. Reload the page."))
    return action.tournament


@service("finish", owner=True)
def finish_tournament(log: Log) -> None:
    """Finish a running event: every published round is completed, and the random seed is shown from now on.

    Raises WrongState where a table is outstanding.
    """
    tournament = log.tournament
    if tournament.state != Tournament.State.RUNNING:
        raise WrongState(_("Only a running event can be finished."))
    for stage in tournament.stages.all():
        complete_open_rounds(log, stage)
    log.set(tournament, state="finished")
    end_invites(tournament.invites.all())


@service("archive", after_end=True, owner=True)
def archive_event(log: Log, archived: bool = True) -> None:
    """Take an event off the lists of events, or put it back on them. An archived one takes no registrations."""
    log.set(log.tournament, archived=archived, **({"self_registration": False} if archived else {}))


@service("reopen", after_end=True, owner=True)
def reopen_tournament(log: Log) -> None:
    """Let a finished event go on. Raises WrongState for one that is not finished."""
    if log.tournament.state != Tournament.State.FINISHED:
        raise WrongState(_("The event is not finished."))
    log.set(log.tournament, state="running")
