"""How an event is run: its settings, and when players register and check in themselves."""

import zoneinfo
from collections.abc import Collection
from typing import Any

from django.db import models
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.facts import (
    REGISTRATION_SETTINGS,
    RULE_SETTINGS,
    SETTINGS,
    SETTINGS_AFTER_END,
    TOURNAMENT,
    read_row,
)
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.settings import LEAST_SECONDS, MOST_SECONDS
from tournament.event.table_numbers import MOST_FIRST
from tournament.event.table_plan import LAST_TABLE, PlanError, parse_plan, plan_of
from tournament.models import Match, Round, Tournament
from tournament.services.event_rules import check_rules
from tournament.services.prizes import check_prizes, check_winners
from tournament.services.seats import remove_void_reports
from tournament.services.waitlist import MOST_PLAYERS, check_capacity, fill_spots
from tournament.text.clean import clean_name

MOST_SKIPPED = 500
MOST_CARDS = 999
TABLE_LISTS = ("skip_tables", "double_entry")
LIMITS = {
    "rounds_planned": (1, 99),
    "cut": (0, 64),
    "round_minutes": (1, 600),
    "first_table": (1, MOST_FIRST),
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
# Settings of the settings page; how players register has a page of its own, which shares the player limit.
_OWN_PAGE = frozenset(REGISTRATION_SETTINGS) - {"capacity"}


@service("settings", computed=("seen",), after_end=True, owner=True)
def change_settings(log: Log, seen: dict[str, Any] | None = None, **fields: Any) -> None:
    """Change settings, given as the log writes them. Rules are changed by `event_rules.change_rules`.

    `seen` is what the person saw of these fields. Raises Refused; WrongState for what is fixed by now; and
    Conflict, with both values, where someone else changed one of them meanwhile.
    """
    tournament = log.tournament
    check_known(fields, set(SETTINGS) - _OWN_PAGE)
    fields = clean_settings(fields)
    now = read_row(TOURNAMENT, tournament, fields)
    changed = {name: value for name, value in fields.items() if value != now[name]}
    if clash := [name for name in changed if seen and name in seen and seen[name] != now[name]]:
        raise Conflict(
            _("Someone else changed the same settings while you were working. Nothing was saved."),
            theirs={name: now[name] for name in clash},
            yours={name: changed[name] for name in clash},
        )
    if tournament.state == Tournament.State.FINISHED and set(changed) - SETTINGS_AFTER_END:
        raise WrongState(_("The event is finished. Reopen it first."))
    if RULE_SETTINGS & set(changed) and tournament.profile is not None:
        raise WrongState(_("The rules were fixed when round 1 was published."))
    check_settings(fields)
    least, most = (changed.get(name, getattr(tournament, name)) for name in ("deck_least", "deck_most"))
    if least and most and least > most:
        raise Refused(_("The smallest main deck is larger than the largest. Change one of them."))
    if "prizes" in changed:
        check_winners(tournament, changed["prizes"])
    if "capacity" in changed:
        check_capacity(tournament, changed["capacity"])
    if "table_plan" in changed:
        _check_names_in_use(tournament, changed["table_plan"])
    log.set(tournament, **changed)
    if changed.get("reporting") == Tournament.Reporting.OFF:
        remove_void_reports(log)
    if "capacity" in changed:
        fill_spots(log)
    if RULE_SETTINGS & set(changed):
        check_rules(tournament)


@service("registration")
def change_registration(log: Log, **fields: Any) -> None:
    """Open or close self-registration, set the player limit, and when players check themselves in.

    `fields` are of REGISTRATION_SETTINGS, times as ISO text. Before round 1, spots that are added go to those
    on the waitlist. Raises Refused, WrongState.
    """
    check_known(fields, REGISTRATION_SETTINGS)
    check_settings(fields)
    check_capacity(log.tournament, fields.get("capacity"))
    start, end = (parse_datetime(fields.get(name) or "") for name in ("check_in_from", "check_in_until"))
    if start and end and start >= end:
        raise Refused(_("Check-in by phone closes before it opens. Enter a later closing time."))
    log.set(log.tournament, **fields)
    fill_spots(log)


def check_known(fields: Collection[str], known: Collection[str]) -> None:
    """Raises Refused naming the fields that are not known."""
    if unknown := set(fields) - set(known):
        raise Refused(_("Unknown setting: %(name)s."), name=", ".join(sorted(unknown)))


def clean_settings(fields: dict[str, Any]) -> dict[str, Any]:
    """Texts without invisible characters, lists of tables in order and each once."""
    cleaned = {name: clean_name(value) if name in TEXTS else value for name, value in fields.items()}
    for name in TABLE_LISTS:
        if isinstance(cleaned.get(name), list) and all(_is_table(n) for n in cleaned[name]):
            cleaned[name] = sorted(set(cleaned[name]))
    return cleaned


def _is_text(name: str) -> bool:
    column = TOURNAMENT.column(name)
    return isinstance(column, models.CharField) and not column.choices and name != "time_zone"


TEXTS = tuple(name for name in SETTINGS if _is_text(name))


def _is_table(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= LAST_TABLE


def time_zones() -> set[str]:
    """The zones that mean the same everywhere: not the machine's own (`localtime`), nor none (`Factory`)."""
    return zoneinfo.available_timezones() - {"localtime", "Factory"}


def check_settings(fields: dict[str, Any]) -> None:
    """Raises Refused for a setting no event can have. None means the ruleset's default, or no limit."""
    for name, (least, most) in LIMITS.items():
        value = fields.get(name)
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            raise Refused(
                _("%(what)s must be a whole number from %(least)s to %(most)s."),
                what=TOURNAMENT.label_of(name),
                least=least,
                most=most,
            )
    TOURNAMENT.check_lengths(fields)
    if fields.get("name") == "":
        raise Refused(_("Enter an event name of up to 120 characters."))
    if fields.get("best_of") not in (None, 1, 3, 5):
        raise Refused(_("A match must be best of 1, 3 or 5."))
    if fields.get("name_privacy", "full") not in Tournament.Names.values:
        raise Refused(_("Names must be shown in full, as first name and initial, or by alias."))
    if fields.get("feature_rule", "hand") not in Tournament.Features.values:
        raise Refused(_("Feature matches must be chosen by hand, the top ones, or rotated."))
    if fields.get("reporting", "off") not in Tournament.Reporting.values:
        raise Refused(_("Reports by phone must be off, accepted by staff, or on."))
    if fields.get("decklist_rule", "off") not in Tournament.DecklistRule.values:
        raise Refused(_("Decklists must be off, or taken until the deadline, or late ones too."))
    if fields.get("time_zone") is not None and fields["time_zone"] not in time_zones():
        raise Refused(_("“%(zone)s” is not a known time zone."), zone=fields["time_zone"])
    if not set(fields.get("screens", [])) <= set(Tournament.Screen.values):
        raise Refused(_("A venue screen cannot show that. Choose from the list."))
    check_prizes(fields)
    for name in TABLE_LISTS:
        tables = fields.get(name, [])
        if len(tables) > MOST_SKIPPED or not all(_is_table(number) for number in tables):
            text = _("%(what)s: at most %(most)s numbers from 1 to %(last)s.")
            raise Refused(text, what=TOURNAMENT.label_of(name), most=MOST_SKIPPED, last=LAST_TABLE)
    try:
        parse_plan(fields.get("table_plan", ""))
    except PlanError as error:
        raise Refused(str(PLAN_ERRORS[error.code]), **error.values) from None


def _check_names_in_use(tournament: Tournament, plan: str) -> None:
    """Raises WrongState where a plan would rename a table whose slip is outstanding, in the hall."""
    old, new = plan_of(tournament), parse_plan(plan)
    played = Match.objects.filter(
        round__tournament=tournament, round__state=Round.State.PUBLISHED, result=None
    )
    for number in played.exclude(table=None).order_by("table").values_list("table", flat=True):
        if number and old.name(number) != new.name(number):
            text = _("Table %(table)s is in use. Rename it once its result is entered.")
            raise WrongState(text, table=old.name(number))
