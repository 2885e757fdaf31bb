"""An event like an earlier one: a copy, or from a template of one's own."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST

from tournament.access.fetch import OWNER, own_template
from tournament.actionlog.facts import TOURNAMENT
from tournament.errors import Refused
from tournament.forms.event_fields import wall_clock
from tournament.forms.events import EventCopyForm, TemplateForm
from tournament.history.field_words import field_label, field_value_words
from tournament.models import EventTemplate, Ruleset, Staff, Tournament
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
from tournament.web.staff_pages import form_data, see_other, staff_view


@staff_view("GET", "POST", roles=OWNER)
def copy(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Another event like this one: settings, rules and, where wanted, its staff; no players."""
    staff = helpers_of(tournament, request.user)
    start = tournament.starts_at and tournament.starts_at.astimezone(zoneinfo.ZoneInfo(tournament.time_zone))
    following = next_start(start, timezone.now())
    initial = {"name": tournament.name, "starts_at": wall_clock(following, tournament.time_zone)}
    form = EventCopyForm(form_data(request), zone=tournament.time_zone, staff=staff, initial=initial)
    return _new_event(request, form, settings_of(tournament), tournament.name, staff)


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def template(request: StaffRequest, pk: int) -> HttpResponse:
    """A new event from a template."""
    saved = own_template(request, pk)
    zone = saved.settings.get("time_zone", "UTC")
    form = EventCopyForm(form_data(request), zone=zone, initial={"name": saved.name})
    return _new_event(request, form, saved.settings, saved.name, [], saved)


def _new_event(
    request: StaffRequest,
    form: EventCopyForm,
    settings: dict[str, Any],
    source: str,
    staff: list[Staff],
    saved: EventTemplate | None = None,
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    if form.is_valid():
        fields = form.fields_for_service()
        helpers = staff if fields.pop("with_staff", False) else []
        fields["starts_at"] = fields["starts_at"] or None
        key = form.cleaned_data["key"]
        try:
            made = create_event_from(settings, owner=request.user, staff=helpers, key=key, **fields)
            return event_created(request, made)
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    ruleset = Ruleset.objects.filter(key=settings["ruleset"]).order_by("-version").first()
    context = {
        "form": form,
        "source": source,
        "template": saved,
        "ruleset": ruleset,
        "changed": bool(settings.get("overrides")),
        "lines": _lines_of(settings),
    }
    return render(request, "tournament/event_templates/new_event.html", context, status=status)


# The settings of an earlier event that are shown before they are copied, where they differ from the default.
SHOWN = (
    "game venue time_zone rounds_planned cut best_of team round_minutes skip_tables capacity name_privacy listed"
).split()
DEFAULTS = {"name_privacy": "full", "listed": True, "team": False}


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


@require_POST
@cache_control(private=True, no_cache=True)
def remove_template(request: StaffRequest, pk: int) -> HttpResponse:
    """Delete a template."""
    saved = own_template(request, pk)
    delete_template(saved)
    messages.success(request, _("The template “%(name)s” is deleted.") % {"name": saved.name})
    return see_other(reverse("new-event"))


@staff_view("POST", roles=OWNER)
def save(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Save the settings of this event as a template of one's own."""
    form = TemplateForm(request.POST)
    if not form.is_valid():
        return settings_page(request, tournament, template_form=form, status=422)
    saved = save_template(request.user, form.cleaned_data["name"], settings_of(tournament))
    messages.success(
        request,
        _("Saved as “%(name)s”. You can start from it under “Create an event”.") % {"name": saved.name},
    )
    return see_other(reverse("event-settings", args=[tournament.slug]))
