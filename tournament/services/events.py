"""A new event, and how an event is run."""

from __future__ import annotations

import secrets
import zoneinfo
from collections.abc import Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.change import Log, digest_of, open_action
from tournament.actionlog.facts import TOURNAMENT, read_row
from tournament.actionlog.service import service
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event.profile import profile_of
from tournament.event.slugs import slug_of
from tournament.event.table_numbers import MOST_FIRST
from tournament.models import Action, Ruleset, Staff, Stage, Tournament
from tournament.rulebooks.field_words import label_of
from tournament.rulesets import closed_paths, validate
from tournament.services.capacity import MOST_PLAYERS, OWN_SETTINGS, check_capacity, fill_spots
from tournament.text.clean import clean_name

LAST_TABLE = 9999  # the highest number an address takes
MOST_SKIPPED = 500
# May change after the end: what the event is called and what of it everybody sees.
ALWAYS = {"hold_standings", "listed", "name", "game", "venue", "name_privacy"}
LIMITS = {
    "rounds_planned": (1, 99, gettext_lazy("Swiss rounds")),
    "cut": (0, 64, gettext_lazy("Cut to top")),
    "round_minutes": (1, 600, gettext_lazy("Minutes per round")),
    "first_table": (1, MOST_FIRST, gettext_lazy("First table")),
    "capacity": (1, MOST_PLAYERS, gettext_lazy("Player limit")),
}
LENGTHS = {
    "name": (120, gettext_lazy("Name")),
    "game": (80, gettext_lazy("Game")),
    "venue": (200, gettext_lazy("Venue")),
}
SETTABLE = (
    "game venue starts_at time_zone rounds_planned cut best_of team round_minutes first_table skip_tables "
    "capacity self_registration check_in_from check_in_until listed name_privacy hold_standings"
).split()
RULES = {"best_of", "team"}  # part of the rules: fixed once round 1 is published


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

    `ruleset` is the key of a ruleset (its newest version is taken); `fields` are the settings of a
    tournament in the log's words, `overrides` among them. `staff`: (user, role) of who helps; `minutes` of a
    round of the first stage where they are not the event's. The same form (`key`) of an owner makes one
    event, which is the answer each time. Raises Refused, Conflict where the form came with other values.
    """
    fields = _cleaned({"name": name, **{name: value for name, value in fields.items() if value is not None}})
    _check_known(fields, {*SETTABLE, "name", "overrides"})
    check_settings(fields)
    chosen = Ruleset.objects.filter(key=ruleset).order_by("-version").first()
    if chosen is None:
        raise NotFound(_("There is no ruleset “%(key)s”.") % {"key": ruleset})
    body = [ruleset, fields]
    with transaction.atomic():
        if made := _made_before(owner, key, body):
            return made
        name = fields["name"]
        tournament = Tournament.objects.create(
            name=name,
            slug=Tournament.free_slug(slug or slug_of(name)),
            owner=owner,
            demo=demo,
            ruleset=chosen,
            seed=secrets.token_hex(16),
            starts_at=timezone.now().replace(second=0, microsecond=0),
        )
        helpers: list[tuple[Any, str]] = [(owner, Staff.Role.OWNER)] if owner else []
        helpers += [(user, role) for user, role in staff if user != owner]
        Staff.objects.bulk_create(
            Staff(tournament=tournament, user=user, role=role) for user, role in helpers
        )
        with open_action(tournament, "create", actor=owner, key=key, body=body) as log:
            log.set(log.tournament, **fields)
            check_rules(log.tournament)
            log.add_event()
            log.add(Stage, "stages/1", {"kind": "swiss", "sources": [], "carries": False, "minutes": minutes})
    tournament.refresh_from_db()
    return tournament


def _made_before(owner: Any, key: str, body: Any) -> Tournament | None:
    """The event this form of its owner's made when it was first sent; their other forms wait meanwhile."""
    if owner is None or not key:
        return None
    get_user_model().objects.select_for_update().get(pk=owner.pk)
    action = Action.objects.filter(tournament__owner=owner, kind="create", key=key).first()
    if action is None:
        return None
    if action.body != digest_of(body):
        raise Conflict(_("This form was already sent with different values. Reload the page."))
    return action.tournament


@service("settings", computed=("seen",), after_end=True)
def change_settings(log: Log, seen: dict[str, Any] | None = None, **fields: Any) -> None:
    """Change how the event is run, in the log's words. Rules are changed by `services.event_rules.change_rules`, when
    players register and check in themselves by `services.capacity.change_registration`.

    `seen` is what the person saw of these fields. Raises Refused; WrongState for what is fixed by now; and
    Conflict, with both values, where somebody else changed one of them meanwhile.
    """
    tournament = log.tournament
    _check_known(fields, {*SETTABLE, "name"} - {*OWN_SETTINGS} | {"capacity"})
    fields = _cleaned(fields)
    now = read_row(TOURNAMENT, tournament, fields)
    changed = {name: value for name, value in fields.items() if value != now[name]}
    if clash := [name for name in changed if seen and name in seen and seen[name] != now[name]]:
        raise Conflict(
            _("Someone else changed the same settings while you were working. Nothing was saved."),
            theirs={name: now[name] for name in clash},
            yours={name: changed[name] for name in clash},
        )
    if tournament.state == Tournament.State.FINISHED and set(changed) - ALWAYS:
        raise WrongState(_("The event is finished. Reopen it first."))
    if RULES & set(changed) and tournament.profile is not None:
        raise WrongState(_("The rules were fixed when round 1 was published."))
    check_settings(fields)
    if "capacity" in changed:
        check_capacity(tournament, changed["capacity"])
    log.set(tournament, **changed)
    if "capacity" in changed:
        fill_spots(log)
    if RULES & set(changed):
        check_rules(tournament)


def _check_known(fields: dict[str, Any], known: set[str]) -> None:
    if unknown := set(fields) - known:
        raise Refused(_("Unknown setting: %(name)s.") % {"name": ", ".join(sorted(unknown))})


def _cleaned(fields: dict[str, Any]) -> dict[str, Any]:
    """Texts without characters nobody sees, tables to skip in order and each once."""
    cleaned = {name: clean_name(value) if name in LENGTHS else value for name, value in fields.items()}
    if isinstance(cleaned.get("skip_tables"), list) and all(_is_table(n) for n in cleaned["skip_tables"]):
        cleaned["skip_tables"] = sorted(set(cleaned["skip_tables"]))
    return cleaned


def _is_table(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= LAST_TABLE


def time_zones() -> set[str]:
    """The zones that mean the same everywhere: not the machine's own (`localtime`), nor none (`Factory`)."""
    return zoneinfo.available_timezones() - {"localtime", "Factory"}


def check_settings(fields: dict[str, Any]) -> None:
    """Refuse a setting no event can have; None means: as the ruleset says, or no limit."""
    for name, (least, most, words) in LIMITS.items():
        value = fields.get(name)
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            raise Refused(
                _("%(what)s must be a whole number from %(least)s to %(most)s.")
                % {"what": words, "least": least, "most": most}
            )
    for name, (longest, words) in LENGTHS.items():
        if len(fields.get(name, "")) > longest:
            raise Refused(
                _("%(what)s can have at most %(longest)s characters.") % {"what": words, "longest": longest}
            )
    if fields.get("name") == "":
        raise Refused(_("Enter an event name of up to 120 characters."))
    if fields.get("best_of") not in (None, 1, 3, 5):
        raise Refused(_("A match must be best of 1, 3 or 5."))
    if fields.get("name_privacy", "full") not in Tournament.Names.values:
        raise Refused(_("Names must be shown in full, as first name and initial, or by alias."))
    if fields.get("time_zone") is not None and fields["time_zone"] not in time_zones():
        raise Refused(_("“%(zone)s” is not a known time zone.") % {"zone": fields["time_zone"]})
    skipped = fields.get("skip_tables", [])
    if len(skipped) > MOST_SKIPPED or not all(_is_table(number) for number in skipped):
        raise Refused(
            _("Tables to skip: at most %(most)s numbers from 1 to %(last)s.")
            % {"most": MOST_SKIPPED, "last": LAST_TABLE}
        )


def check_rules(tournament: Tournament) -> None:
    """Refuse an event that changes what its publisher leaves to nobody, or makes its ruleset unsound."""
    ruleset = tournament.ruleset
    closed = closed_paths(ruleset.profile, tournament.overrides) if ruleset else []
    if ruleset and closed:
        raise Refused(
            _("The publisher of “%(name)s” does not allow changes to: %(fields)s.")
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
