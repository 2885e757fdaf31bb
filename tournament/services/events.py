import datetime as dt
import logging
import secrets
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament import models
from tournament.actionlog.change import Log, open_action, repeated_action
from tournament.actionlog.facts import SETTINGS, TOURNAMENT, read_row
from tournament.actionlog.match_facts import unlocked_seats
from tournament.actionlog.service import service
from tournament.archive.snapshots import addresses_with_files, delete_snapshots
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.event.games import usual_ruleset
from tournament.event.profile import local_start, profile_with_overrides
from tournament.models import Staff, Stage, Tournament
from tournament.models.slugs import insert_at_free_slug
from tournament.monitoring.log_lines import account_words
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.diff import DESCRIPTIVE
from tournament.rulesets.schema import set_value
from tournament.services.event_settings import check_known, check_settings, clean_settings
from tournament.services.rounds import complete_open_rounds
from tournament.services.rulesets import check_rules
from tournament.services.staff import end_invites
from tournament.text import make_slug

MOMENTS = ("check_in_from", "check_in_until", "decklists_until")
COPIED_SETTINGS = [name for name in SETTINGS if name not in ("name", "starts_at", *MOMENTS)]
logger = logging.getLogger("tournament.log")


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
    """Create an event that is open for registration, with its secret seed and one Swiss stage.

    `minutes`: of a round of the first stage; `fields`: settings as the log writes them, and `overrides`. If the owner
    sends the same form (`key`) again, the first event is returned; Conflict if other values came with it.
    """
    fields = clean_settings({"name": name, **{n: value for n, value in fields.items() if value is not None}})
    check_known(fields, {*SETTINGS, "overrides"})
    check_settings(fields)
    versions = models.RulesetVersion.objects.filter(key=ruleset).order_by("-version")
    chosen = get_or_refuse(versions, _("There is no ruleset “%(key)s”."), key=ruleset)
    body = [ruleset, fields]
    with transaction.atomic():
        if earlier := created_before(owner, key, body):
            return earlier
        tournament = Tournament(
            name=fields["name"],
            owner=owner,
            demo=demo,
            ruleset=chosen,
            seed=secrets.token_hex(16),
            starts_at=timezone.now().replace(second=0, microsecond=0),
        )
        insert_at_free_slug(tournament, slug or make_slug(fields["name"]), addresses_with_files())
        roles = dict(staff) | ({owner: Staff.Role.OWNER} if owner else {})
        members = (Staff(tournament=tournament, user=user, role=role) for user, role in roles.items())
        Staff.objects.bulk_create(members)
        with open_action(tournament, "create", actor=owner, key=key, body=body) as log:
            log.set(log.tournament, **fields)
            check_rules(log.tournament)
            log.add_event()
            log.add(Stage, "stages/1", {"kind": "swiss", "sources": [], "carries": False, "minutes": minutes})
    tournament.refresh_from_db()
    return tournament


def copy_event(
    tournament: Tournament,
    name: str,
    *,
    owner: Any,
    starts_at: str | None = None,
    staff: Sequence[Staff] = (),
    key: str = "",
) -> Tournament:
    """Create an event with the settings and rules of an earlier one, without players. Times move with its start."""
    fields = read_row(TOURNAMENT, tournament, COPIED_SETTINGS)
    for field in MOMENTS:
        moment, start = getattr(tournament, field), tournament.starts_at
        if moment and start and starts_at:
            fields[field] = (dt.datetime.fromisoformat(starts_at) - (start - moment)).isoformat()
    ruleset, overrides = rules_to_copy(tournament)
    stage = tournament.stages.order_by("number").first()
    return create_tournament(
        name,
        ruleset,
        owner=owner,
        staff=[(member.user, member.role) for member in staff],
        minutes=stage.minutes if stage else None,
        key=key,
        starts_at=starts_at,
        overrides=overrides,
        **fields,
    )


def rules_to_copy(tournament: Tournament) -> tuple[str, dict[str, Any]]:
    """Return (ruleset key, all of the event's changes); the game's usual ruleset if the event's is missing here."""
    ruleset, profile = tournament.ruleset, tournament.profile
    if ruleset is None:
        key = (profile or {}).get("key") or ""
        is_here = models.RulesetVersion.objects.filter(key=key).exists()
        return key if is_here else usual_ruleset(tournament.game), {}
    if profile is None or not profile.get("rule_changes"):
        return ruleset.key, tournament.overrides
    overrides: dict[str, Any] = {}
    published = profile_with_overrides(ruleset, {}, tournament.best_of, local_start(tournament))
    for change in differences(stated_rules(published), stated_rules(profile)):
        if change["path"].partition(".")[0] not in DESCRIPTIVE:
            set_value(overrides, change["path"], change["after"])
    return ruleset.key, overrides


def created_before(owner: Any, key: str, body: Any) -> Tournament | None:
    """Return the event this form already created, if any. Locks the owner. Raises Conflict as `repeated_action`."""
    if owner is None or not key:
        return None
    get_user_model().objects.select_for_update().get(pk=owner.pk)
    action = models.Action.objects.sent_as(key).filter(tournament__owner=owner, kind="create").first()
    if action is None:
        return None
    repeated_action(action.tournament, "create", key, body)
    return action.tournament


@service("finish", owner=True)
def finish_tournament(log: Log) -> None:
    """Finish a running event: complete every published round and reveal the random seed."""
    tournament = log.tournament
    if tournament.state != Tournament.State.RUNNING:
        raise WrongState(_("Only a running event can be finished."))
    for stage in tournament.stages.all():
        complete_open_rounds(log, stage)
    log.set(tournament, state="finished")
    end_invites(tournament.invites.all())


@service("archive", after_end=True, owner=True)
def archive_event(log: Log, archived: bool = True) -> None:
    log.set(log.tournament, archived=archived, **({"self_registration": False} if archived else {}))


@service("reopen", after_end=True, owner=True)
def reopen_tournament(log: Log) -> None:
    if log.tournament.state != Tournament.State.FINISHED:
        raise WrongState(_("The event is not finished."))
    log.set(log.tournament, state="running")


def delete_event(tournament: Tournament, name: str, *, actor: Any = "") -> None:
    """Delete an event with its players, rounds, log and snapshots. `name`: the event's name as the owner typed it."""
    with transaction.atomic():
        rows = Tournament.objects.select_for_update().filter(pk=tournament.pk)
        locked = get_or_refuse(rows, _("This event has been deleted."))
        if name.split() != locked.name.split():
            text = _("Nothing was deleted. Type the event's name, “%(name)s”, to delete it.")
            raise Refused(text, name=locked.name, status=422)
        _delete(locked)
    logger.info("%s deleted by %s", tournament.slug, account_words(actor))


def list_demo_events(user: Any) -> QuerySet[Tournament]:
    """Return the demo events this user may remove: their own, or all for an administrator."""
    demos = Tournament.objects.filter(demo=True)
    if user.is_superuser:
        return demos
    owned = Staff.objects.filter(user_id=user.pk, role=Staff.Role.OWNER)
    return demos.filter(pk__in=owned.values("tournament"))


def remove_demo_events(user: Any) -> int:
    count = 0
    for tournament in list(list_demo_events(user)):
        with transaction.atomic():
            locked = Tournament.objects.select_for_update().filter(pk=tournament.pk).first()
            if locked:  # else a form sent at the same time has deleted it
                _delete(locked)
                count += 1
    return count


def _delete(tournament: Tournament) -> None:
    """Delete an event and everything in it, its row before its log: triggers protect an existing event's log."""
    for name in ("flags", "invites", "penalties", "deck_checks", "decklists", "staff", "removals"):
        getattr(tournament, name).all().delete()
    models.Baseline.objects.filter(tournament=tournament).delete()
    for of_match in (models.Extension, models.Report):
        of_match._default_manager.filter(match__round__tournament=tournament).delete()
    for round_ in tournament.rounds.order_by("-number"):
        with unlocked_seats(round_):  # one open round a stage: so the open one first
            round_.seats.all().delete()
            round_.matches.all().delete()
            round_.delete()
    models.StageEntry.objects.filter(stage__tournament=tournament).delete()
    tournament.stages.all().delete()
    tournament.entries.update(same_person_as=None)
    tournament.entries.all().delete()
    with connection.cursor() as cursor:  # Django would delete the log first
        cursor.execute("DELETE FROM tournament_tournament WHERE id = %s", [tournament.pk])
        cursor.execute("DELETE FROM tournament_action WHERE tournament_id = %s", [tournament.pk])
    transaction.on_commit(lambda: delete_snapshots(tournament), robust=True)
