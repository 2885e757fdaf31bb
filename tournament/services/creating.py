"""A new event, and the end of one that was only for show."""

from __future__ import annotations

import secrets
import zoneinfo
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament import facts, kinds
from tournament.archive.read import slug_of
from tournament.errors import NotFound, Refused, WrongState
from tournament.models import (
    Action,
    Entry,
    Extension,
    Flag,
    Invite,
    Match,
    Penalty,
    Report,
    Round,
    Ruleset,
    Seat,
    Staff,
    Stage,
    StageEntry,
    Tournament,
)
from tournament.reading import profile_of
from tournament.rulefields import label_of
from tournament.rulesets import closed_paths, validate
from tournament.services.doing import service

ALWAYS = {"hold_standings", "listed", "name"}  # may change after the end
LIMITS = {
    "rounds_planned": (1, 99, gettext_lazy("Swiss rounds")),
    "cut": (0, 64, gettext_lazy("Cut to the top")),
    "round_minutes": (1, 600, gettext_lazy("Minutes a round")),
}
SETTABLE = (
    "rounds_planned",
    "cut",
    "best_of",
    "team",
    "round_minutes",
    "starts_at",
    "time_zone",
    "overrides",
)


def create_tournament(
    name: str, ruleset: str, *, owner: Any = None, slug: str = "", demo: bool = False, **fields: Any
) -> Tournament:
    """A new event open for registration, with its secret seed and one Swiss stage.

    `ruleset` is the key of a ruleset (its newest version is taken); `fields` are the settings of a
    tournament in the log's words. Raises Refused.
    """
    name = name.strip()
    check_settings({"name": name, **{key: value for key, value in fields.items() if value is not None}})
    chosen = Ruleset.objects.filter(key=ruleset).order_by("-version").first()
    if chosen is None:
        raise NotFound(_("There is no ruleset “%(key)s”.") % {"key": ruleset})
    with transaction.atomic():
        tournament = Tournament.objects.create(
            name=name,
            slug=free_slug(slug or slug_of(name)),
            owner=owner,
            demo=demo,
            ruleset=chosen,
            seed=secrets.token_hex(16),
            starts_at=timezone.now().replace(second=0, microsecond=0),
        )
        if owner:
            Staff.objects.create(tournament=tournament, user=owner, role=Staff.Role.OWNER)
        with facts.change(tournament, "create", actor=owner) as log:
            log.set(log.tournament, **{key: fields[key] for key in SETTABLE if fields.get(key) is not None})
            check_rules(log.tournament)
            log.changes.clear()
            log.changes.append(
                {
                    "fact": "tournament",
                    "before": None,
                    "after": kinds.read_row(kinds.TOURNAMENT, log.tournament),
                }
            )
            log.add(Stage, "stages/1", {"kind": "swiss", "sources": [], "carries": False})
    tournament.refresh_from_db()
    return tournament


def free_slug(wanted: str) -> str:
    """The address, or the next free one with a number."""
    taken = set(Tournament.objects.filter(slug__startswith=wanted).values_list("slug", flat=True))
    number = 1
    slug = wanted
    while slug in taken or slug in ("new",):
        number += 1
        slug = f"{wanted}-{number}"
    return slug


@service("settings", after_end=True)
def change_settings(log: facts.Log, **fields: Any) -> None:
    """Change how the event is run. The ruleset's copy is fixed once round 1 is published."""
    unknown = set(fields) - set(SETTABLE) - {"name", "hold_standings", "listed", "ruleset"}
    if unknown:
        raise Refused(_("Unknown setting: %(name)s.") % {"name": ", ".join(sorted(unknown))})
    if log.tournament.state == Tournament.State.FINISHED and set(fields) - ALWAYS:
        raise WrongState(_("The event is finished. Reopen it first."))
    fixed = {"ruleset", "overrides", "best_of", "team"} & set(fields)
    changed = fixed and any(
        value != kinds.read_row(kinds.TOURNAMENT, log.tournament, fixed)[name]
        for name, value in fields.items()
        if name in fixed
    )
    if changed and log.tournament.profile is not None:
        raise WrongState(_("The rules are fixed since round 1 was published."))
    check_settings(fields)
    log.set(log.tournament, **fields)
    if changed:
        check_rules(log.tournament)


def check_settings(fields: dict[str, Any]) -> None:
    """Refuse a setting no event can have; None means: as the ruleset says."""
    for name, (least, most, words) in LIMITS.items():
        value = fields.get(name)
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            raise Refused(
                _("%(what)s: a whole number from %(least)s to %(most)s.")
                % {"what": words, "least": least, "most": most}
            )
    if fields.get("best_of") not in (None, 1, 3, 5):
        raise Refused(_("A match is best of 1, 3 or 5."))
    if "name" in fields and not 1 <= len(fields["name"].strip()) <= 120:
        raise Refused(_("An event needs a name of up to 120 characters."))
    if fields.get("time_zone") is not None and fields["time_zone"] not in zoneinfo.available_timezones():
        raise Refused(_("“%(zone)s” is no known time zone.") % {"zone": fields["time_zone"]})
    if (
        "ruleset" in fields
        and not Ruleset.objects.filter(key=fields["ruleset"][0], version=fields["ruleset"][1]).exists()
    ):
        raise NotFound(_("There is no ruleset “%(key)s”.") % {"key": fields["ruleset"][0]})


def check_rules(tournament: Tournament) -> None:
    """Refuse an event that changes what its publisher leaves to nobody, or makes its ruleset unsound."""
    ruleset = tournament.ruleset
    closed = closed_paths(ruleset.profile, tournament.overrides) if ruleset else []
    if ruleset and closed:
        raise Refused(
            _("The publisher of “%(name)s” does not leave this open: %(fields)s.")
            % {"name": ruleset.name, "fields": ", ".join(label_of(path) for path in closed)}
        )
    try:
        faults = validate(profile_of(tournament))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        faults = [("ruleset", str(error))]
    if faults:
        raise Refused(
            _("This ruleset cannot be used. %(path)s: %(fault)s.")
            % dict(zip(("path", "fault"), faults[0], strict=True))
        )


def remove_demo_events() -> int:
    """Take every demo event away, with its log. Answers how many."""
    count = 0
    for tournament in Tournament.objects.filter(demo=True):
        with transaction.atomic():
            _delete(Tournament.objects.select_for_update().get(pk=tournament.pk))
        count += 1
    return count


def _delete(tournament: Tournament) -> None:
    """Everything of one event. Its row goes before its log: the guards keep a log while its event exists."""
    of_match: dict[str, Any] = {"match__round__tournament": tournament}
    Report.objects.filter(**of_match).delete()
    Flag.objects.filter(tournament=tournament).delete()
    Invite.objects.filter(tournament=tournament).delete()
    Extension.objects.filter(**of_match).delete()
    Penalty.objects.filter(tournament=tournament).delete()
    for round_ in Round.objects.filter(tournament=tournament).order_by("-number"):
        with facts.repairing(round_):  # one open round a stage: so the open one first
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
