"""An event's settings, prizes and announcement, and when players can register and check themselves in."""

import datetime as dt
import zoneinfo
from collections.abc import Collection
from typing import Any

import msgspec
from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog import facts
from tournament.actionlog.facts import SETTINGS, TOURNAMENT
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.settings import LEAST_SECONDS, MOST_PRIZES, MOST_SECONDS, Prize
from tournament.event.table_plan import PlanError, parse_plan
from tournament.models import Tournament
from tournament.services.clock import read_time_of_day
from tournament.services.entries import MOST_PLAYERS, check_capacity, fill_spots
from tournament.services.results import remove_void_reports
from tournament.services.rounds import keeping_table_names
from tournament.services.rulesets import check_rules
from tournament.text import clean_name

MOST_CARDS = 999
LONGEST_ANNOUNCEMENT = 200  # characters
USUAL_LENGTH = dt.timedelta(hours=1)  # of an announcement where no end was given
LIMITS = {
    "rounds_planned": (1, 99),
    "cut": (0, 64),
    "round_minutes": (1, 600),
    "capacity": (1, MOST_PLAYERS),
    "screen_seconds": (LEAST_SECONDS, MOST_SECONDS),
    "deck_least": (1, MOST_CARDS),
    "deck_most": (1, MOST_CARDS),
    "sideboard_most": (0, MOST_CARDS),
}
PLAN_ERRORS = {
    "part": gettext_lazy(
        "Table plan: “%(part)s” is not a block of tables. Enter blocks such as A 1-16, 101-164 or Feature 1."
    ),
    "last": gettext_lazy("Table plan, %(part)s: table numbers go from 1 to %(last)s."),
    "number": gettext_lazy(
        "Table plan: two tables have the number %(number)s. Give a block other numbers, such as B 1-16: 201."
    ),
    "name": gettext_lazy("Table plan: two tables have the name %(name)s. Rename one."),
}
# Settings of the settings page; registration has its own page, which shares the player limit.
_OWN_PAGE = frozenset(facts.REGISTRATION_SETTINGS) - {"capacity"}


@service("settings", computed=("seen",), after_end=True, owner=True)
def change_settings(log: Log, seen: dict[str, Any] | None = None, **fields: Any) -> None:
    """Change settings, in log format. Raises Conflict if one is not as `seen`, the values that the page showed."""
    tournament = log.tournament
    check_known(fields, set(SETTINGS) - _OWN_PAGE)
    fields = clean_settings(fields)
    now = facts.read_row(TOURNAMENT, tournament, fields)
    changed = {name: value for name, value in fields.items() if value != now[name]}
    if clash := [name for name in changed if seen and name in seen and seen[name] != now[name]]:
        text = _("Someone else changed the same settings while you were working. Nothing was saved.")
        theirs, yours = ({name: values[name] for name in clash} for values in (now, changed))
        raise Conflict(text, theirs=theirs, yours=yours)
    if tournament.state == Tournament.State.FINISHED and set(changed) - facts.SETTINGS_AFTER_END:
        raise WrongState(_("The event is finished. Reopen it first."))
    if facts.RULE_SETTINGS & set(changed) and tournament.profile is not None:
        raise WrongState(_("The rules were fixed when round 1 was published."))
    check_settings(fields)
    least, most = (changed.get(name, getattr(tournament, name)) for name in ("deck_least", "deck_most"))
    if least and most and least > most:
        raise Refused(_("The smallest main deck is larger than the largest. Change one of them."))
    if "capacity" in changed:
        check_capacity(tournament, changed["capacity"])
    with keeping_table_names(log):
        log.set(tournament, **changed)
    if changed.get("reporting") == Tournament.Reporting.OFF:
        remove_void_reports(log)
    if "capacity" in changed:
        fill_spots(log)
    if facts.RULE_SETTINGS & set(changed):
        check_rules(tournament)


@service("registration")
def change_registration(log: Log, **fields: Any) -> None:
    """Change self-registration, player limit and check-in times (ISO text). New spots go to the waitlist."""
    check_known(fields, facts.REGISTRATION_SETTINGS)
    check_settings(fields)
    check_capacity(log.tournament, fields.get("capacity"))
    start, end = (parse_datetime(fields.get(name) or "") for name in ("check_in_from", "check_in_until"))
    if start and end and start >= end:
        raise Refused(_("Check-in by phone closes before it opens. Enter a later closing time."))
    log.set(log.tournament, **fields)
    fill_spots(log)


def check_known(fields: Collection[str], known: Collection[str]) -> None:
    if unknown := set(fields) - set(known):
        raise Refused(_("Unknown setting: %(name)s."), name=", ".join(sorted(unknown)))


def clean_settings(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: clean_name(value) if name in TEXTS else value for name, value in fields.items()}


def _is_text(name: str) -> bool:
    column = TOURNAMENT.column(name)
    return isinstance(column, models.CharField) and not column.choices and name != "time_zone"


TEXTS = tuple(name for name in SETTINGS if _is_text(name))


def time_zones() -> set[str]:
    """Return the names of time zones, without `localtime` and `Factory`, whose meaning depends on the machine."""
    return zoneinfo.available_timezones() - {"localtime", "Factory"}


def check_settings(fields: dict[str, Any]) -> None:
    """Raise Refused for an impossible setting. None means the ruleset's default or no limit."""
    for name, (least, most) in LIMITS.items():
        value = fields.get(name)
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            text = _("%(what)s must be a whole number from %(least)s to %(most)s.")
            raise Refused(text, what=TOURNAMENT.label_of(name), least=least, most=most)
    TOURNAMENT.check_lengths(fields)
    if fields.get("name") == "":
        raise Refused(_("Enter an event name of up to 120 characters."))
    if fields.get("best_of") not in (None, 1, 3, 5):
        raise Refused(_("A match must be best of 1, 3 or 5."))
    for name, value in fields.items():
        choices = dict(TOURNAMENT.column(name).flatchoices) if name in SETTINGS else {}
        if choices and value not in choices:
            what, known = TOURNAMENT.label_of(name), ", ".join(choices)
            raise Refused(_("%(what)s must be one of: %(known)s."), what=what, known=known)
    if fields.get("time_zone") is not None and fields["time_zone"] not in time_zones():
        raise Refused(_("“%(zone)s” is not a known time zone."), zone=fields["time_zone"])
    if not set(fields.get("screens", [])) <= set(Tournament.Screen.values):
        raise Refused(_("A venue screen cannot show that. Choose from the list."))
    check_prizes(fields)
    try:
        parse_plan(fields.get("table_plan", ""))
    except PlanError as error:
        raise Refused(str(PLAN_ERRORS[error.code]), **error.values) from None


def check_prizes(fields: dict[str, Any]) -> None:
    try:
        prizes = msgspec.convert(fields.get("prizes", []), list[Prize])
    except msgspec.ValidationError:
        raise Refused(_("These are not prizes. Check each line.")) from None
    if len(prizes) > MOST_PRIZES:
        raise Refused(_("An event can have at most %(most)s lines of prizes."), most=MOST_PRIZES)
    for prize in prizes:
        if not (prize.amount.strip("0.") or prize.what):
            raise Refused(_("Enter what the prize is: an amount, or a few words."))
        if prize.last < prize.first:
            text = _("Enter the lower place first, such as 2 to 5: not %(first)s to %(last)s.")
            raise Refused(text, first=prize.first, last=prize.last)
        if prize.by == "points" and prize.points is None:
            raise Refused(_("Enter how many points win the prize."))
        if prize.by == "label" and not prize.label:
            raise Refused(_("Enter the label whose players win the prize."))


@service("announce", after_end=True, owner=True)
def change_announcement(log: Log, text: str, ends: str = "") -> None:
    """Show a line on every page; "" removes it. `ends`: "14:30", the next time clocks show that; "": in an hour."""
    line = clean_name(text)
    if len(line) > LONGEST_ANNOUNCEMENT:
        raise Refused(_("An announcement can have at most %(most)s characters."), most=LONGEST_ANNOUNCEMENT)
    until = announcement_end(ends, log.tournament.time_zone).isoformat() if line else None
    log.set(log.tournament, announcement=line, announcement_until=until)


def announcement_end(ends: str, zone: str) -> dt.datetime:
    now = timezone.now()
    if not ends:
        return (now + USUAL_LENGTH).replace(second=0, microsecond=0).astimezone(dt.UTC)
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    end = dt.datetime.combine(local.date(), read_time_of_day(ends), local.tzinfo)
    if end <= local:
        end += dt.timedelta(days=1)  # by the clocks, even if daylight saving time changes
    return end.astimezone(dt.UTC)
