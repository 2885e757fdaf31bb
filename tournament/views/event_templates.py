"""An event like an earlier one: a copy, or from a template of one's own."""

import zoneinfo
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER, own_template
from tournament.actionlog.facts import TOURNAMENT
from tournament.forms.event_fields import wall_clock
from tournament.forms.events import EventCopyForm, TemplateForm
from tournament.history.field_words import field_label, field_value_words
from tournament.models import EventTemplate, Ruleset, Tournament
from tournament.services.event_templates import (
    create_event_from,
    delete_template,
    helpers_of,
    next_start,
    save_template,
    settings_of,
)
from tournament.views.event_settings import settings_page
from tournament.views.events import event_created
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, private_view, report_success, staff_view


@staff_view("GET", "POST", roles=OWNER)
def copy(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Another event like this one: settings, rules and, where wanted, its staff; no players."""
    staff = helpers_of(tournament, request.user)
    start = tournament.starts_at and tournament.starts_at.astimezone(zoneinfo.ZoneInfo(tournament.time_zone))
    following = next_start(start, timezone.now())
    initial = {"name": tournament.name, "starts_at": wall_clock(following, tournament.time_zone)}
    form = EventCopyForm(form_data(request), zone=tournament.time_zone, staff=staff, initial=initial)
    return _new_event(request, form, settings_of(tournament), tournament.name)


@private_view("GET", "POST")
def template(request: StaffRequest, pk: int) -> HttpResponse:
    """A new event from a template."""
    saved = own_template(request, pk)
    zone = saved.settings.get("time_zone", "UTC")
    form = EventCopyForm(form_data(request), zone=zone, initial={"name": saved.name})
    return _new_event(request, form, saved.settings, saved.name, saved)


def _new_event(
    request: StaffRequest,
    form: EventCopyForm,
    settings: dict[str, Any],
    source: str,
    saved: EventTemplate | None = None,
) -> HttpResponse:
    if form.submit(create_event_from, settings, owner=request.user):
        return event_created(request, form.result)
    context = {
        "form": form,
        "source": source,
        "template": saved,
        "ruleset": Ruleset.objects.filter(key=settings["ruleset"]).order_by("-version").first(),
        "changed": bool(settings.get("overrides")),
        "lines": _lines_of(settings),
    }
    return render(request, "tournament/event_templates/new_event.html", context, status=form.status)


# The settings of an earlier event that are shown before they are copied, where they differ from the default.
SHOWN = (
    "game venue time_zone rounds_planned cut best_of team round_minutes table_plan feature_rule vary_tables skip_tables"
    " capacity reporting decklist_rule"
    " name_privacy listed"
).split()
DEFAULTS = {
    "name_privacy": "full",
    "feature_rule": "hand",
    "reporting": "off",
    "decklist_rule": "off",
    "vary_tables": True,
    "listed": True,
    "team": False,
}


def _lines_of(settings: dict[str, Any]) -> list[tuple[Any, str]]:
    """(setting, value) in words, of the settings that differ from their defaults."""
    values = {name: settings.get(name) for name in SHOWN}
    unusual = {
        name: value for name, value in values.items() if value not in (DEFAULTS.get(name), None, "", [])
    }
    return [(field_label(TOURNAMENT, name), _in_words(name, value)) for name, value in unusual.items()]


def _in_words(name: str, value: Any) -> str:
    if name == "cut":
        return _("top %(size)s") % {"size": value} if value else _("none")
    return field_value_words(TOURNAMENT, name, value)


@private_view("POST")
def remove_template(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a template."""
    saved = own_template(request, pk)
    delete_template(saved)
    message = _("The template “%(name)s” is deleted.") % {"name": saved.name}
    return report_success(request, message, "new-event")


@staff_view("POST", roles=OWNER)
def save(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Save the settings of this event as a template of one's own."""
    form = TemplateForm(request.POST)
    if not form.is_valid():
        return settings_page(request, tournament, template_form=form)
    saved = save_template(request.user, form.cleaned_data["name"], settings_of(tournament))
    message = _("Saved as “%(name)s”. You can start from it under “Create an event”.")
    return report_success(request, message % {"name": saved.name}, "event-settings", tournament.slug)
