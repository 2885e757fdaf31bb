"""Events like earlier ones: settings copied from an event, or saved as a template under a name."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from tournament.actionlog.facts import SETTINGS, TOURNAMENT, read_row
from tournament.errors import Refused
from tournament.event.profile import profile_with_overrides, start_of
from tournament.models import EventTemplate, Ruleset, Staff, Tournament
from tournament.rulebooks.games import usual_ruleset
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.diff import DESCRIPTIVE
from tournament.rulesets.schema import set_value
from tournament.services.events import create_tournament
from tournament.text.clean import clean_name

MOMENTS = ("check_in_from", "check_in_until", "decklists_until")  # copied by their distance from the start
COPIED = [name for name in SETTINGS if name not in ("name", "starts_at", *MOMENTS)]
MOST_TEMPLATES = 100
WEEK = dt.timedelta(days=7)
MINUTE = dt.timedelta(minutes=1)


def settings_of(tournament: Tournament) -> dict[str, Any]:
    """What another event like this one starts from, as plain JSON: settings, ruleset, length of rounds.

    An event whose ruleset is not known here (loaded from a file) gives the usual one of its game.
    """
    stage = tournament.stages.order_by("number").first()
    key, overrides = _rules(tournament)
    return {
        **read_row(TOURNAMENT, tournament, COPIED),
        "ruleset": key,
        "overrides": overrides,
        "minutes": stage.minutes if stage else None,
        "check_in": {name: _before_start(tournament, name) for name in MOMENTS},
    }


def _before_start(tournament: Tournament, name: str) -> int | None:
    """Minutes from a moment of the event to its start."""
    moment, start = getattr(tournament, name), tournament.starts_at
    return round((start - moment) / MINUTE) if moment and start else None


def _rules(tournament: Tournament) -> tuple[str, dict[str, Any]]:
    """(key of the ruleset, what the event changes of it, also while it ran)."""
    ruleset, profile = tournament.ruleset, tournament.profile
    if ruleset is None:
        key = (profile or {}).get("key") or ""
        return (key if Ruleset.objects.filter(key=key).exists() else usual_ruleset(tournament.game)), {}
    if profile is None or not profile.get("rule_changes"):
        return ruleset.key, tournament.overrides
    overrides: dict[str, Any] = {}
    published = profile_with_overrides(ruleset, {}, tournament.best_of, start_of(tournament))
    for change in differences(stated_rules(published), stated_rules(profile)):
        if change["path"].partition(".")[0] not in DESCRIPTIVE:
            set_value(overrides, change["path"], change["after"])
    return ruleset.key, overrides


def next_start(start: dt.datetime | None, now: dt.datetime) -> dt.datetime | None:
    """The same weekday and time of day after `now`; in the zone of `start`, so that summer time moves nothing."""
    while start and start <= now:
        start += max((now - start) // WEEK, 1) * WEEK
    return start


def create_event_from(
    settings: dict[str, Any],
    name: str,
    *,
    owner: Any,
    starts_at: str | None = None,
    staff: Sequence[Staff] = (),
    demo: bool = False,
    key: str = "",
) -> Tournament:
    """A new event with the settings of an earlier one or of a template. Raises Refused."""
    fields = {field: settings[field] for field in [*COPIED, "overrides"] if field in settings}
    for field, minutes in settings.get("check_in", {}).items():
        if starts_at and minutes is not None:
            fields[field] = (dt.datetime.fromisoformat(starts_at) - minutes * MINUTE).isoformat()
    return create_tournament(
        name,
        settings["ruleset"],
        owner=owner,
        staff=[(member.user, member.role) for member in staff],
        minutes=settings.get("minutes"),
        demo=demo,
        key=key,
        starts_at=starts_at,
        **fields,
    )


def helpers_of(tournament: Tournament, owner: Any) -> list[Staff]:
    """The staff of an event, to help at the next one; without the owner of that one."""
    others = Staff.objects.filter(tournament=tournament).exclude(user=owner)
    return list(others.select_related("user").order_by("role", "user__username"))


def save_template(owner: Any, name: str, settings: dict[str, Any]) -> EventTemplate:
    """Save settings under a name, replacing a template of that name. Raises Refused."""
    name = clean_name(name)
    if not 1 <= len(name) <= 120:
        raise Refused(_("Enter a template name of up to 120 characters."))
    with transaction.atomic():
        others = EventTemplate.objects.filter(owner=owner).exclude(name=name)
        if others.count() >= MOST_TEMPLATES:
            raise Refused(
                _("You can keep at most %(most)s templates. Delete one first."), most=MOST_TEMPLATES
            )
        template, _new = EventTemplate.objects.update_or_create(
            owner=owner, name=name, defaults={"settings": settings}
        )
    return template


def delete_template(template: EventTemplate) -> None:
    """Delete a template. Events made from it stay as they are."""
    template.delete()
