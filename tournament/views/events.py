"""Setting events up: a new one, one like an earlier one, templates, all settings, the end of a test."""

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

from tournament.access.fetch import OWNER, LoginNeeded, own_template
from tournament.actionlog.facts import TOURNAMENT
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.event_fields import wall_clock
from tournament.forms.event_settings import SettingsForm
from tournament.forms.events import AgainForm, DeleteForm, NewEventForm, TemplateForm
from tournament.history.field_words import field_label, field_value_words
from tournament.models import EventTemplate, Ruleset, Staff, Tournament
from tournament.progress.facts import ProgressFacts
from tournament.progress.next_step import progress_of
from tournament.progress.schedule import schedule_of
from tournament.rulesets import rounds_and_cut
from tournament.services.event_deletion import delete_event
from tournament.services.event_settings import change_settings
from tournament.services.event_templates import (
    create_event_from,
    delete_template,
    helpers_of,
    next_start,
    save_template,
    settings_of,
)
from tournament.services.events import create_tournament
from tournament.views.event_search import own_events
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, see_other, staff_view

MOST_OFFERED = 5  # events to copy


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def new(request: StaffRequest) -> HttpResponse:
    """Create an event: name and game are enough."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    chosen = {"ruleset": request.GET["ruleset"]} if "ruleset" in request.GET else None
    form = NewEventForm(form_data(request), initial=chosen)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        fields = {name: value for name, value in form.fields_for_service().items() if value != ""}
        try:
            return _made(
                request, create_tournament(owner=request.user, key=form.cleaned_data["key"], **fields)
            )
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    context = {
        "form": form,
        "templates": EventTemplate.objects.filter(owner=request.user).only("name"),
        "earlier": _earlier(request.user),
    }
    return render(request, "tournament/events/new.html", context, status=status)


def _earlier(user: Any) -> list[Tournament]:
    """One's own events to copy, the newest of each name."""
    mine = own_events(user).filter(mine__role=Staff.Role.OWNER).order_by("-starts_at", "-pk")
    newest: dict[str, Tournament] = {}
    for event in mine[: 10 * MOST_OFFERED]:
        newest.setdefault(event.name, event)
    return list(newest.values())[:MOST_OFFERED]


def _made(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """On to what comes next: the players."""
    said = {"name": tournament.name, "ruleset": profile_of(tournament)["name"]}
    messages.success(request, _("%(name)s is set up with the %(ruleset)s rules. Add your players.") % said)
    return see_other(reverse("entries", args=[tournament.slug]))


@staff_view("GET", "POST", roles=OWNER)
def copy(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Another event like this one: settings and rules, its staff where wanted, no players."""
    staff = helpers_of(tournament, request.user)
    start = tournament.starts_at and tournament.starts_at.astimezone(zoneinfo.ZoneInfo(tournament.time_zone))
    again = next_start(start, timezone.now())
    initial = {"name": tournament.name, "starts_at": wall_clock(again, tournament.time_zone)}
    form = AgainForm(form_data(request), zone=tournament.time_zone, staff=staff, initial=initial)
    return _again(request, form, settings_of(tournament), tournament.name, staff)


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def template(request: StaffRequest, pk: int) -> HttpResponse:
    """A new event from a template."""
    kept = own_template(request, pk)
    zone = kept.settings.get("time_zone", "UTC")
    form = AgainForm(form_data(request), zone=zone, initial={"name": kept.name})
    return _again(request, form, kept.settings, kept.name, [], kept)


def _again(
    request: StaffRequest,
    form: AgainForm,
    settings: dict[str, Any],
    source: str,
    staff: list[Staff],
    kept: EventTemplate | None = None,
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    if form.is_valid():
        fields = form.fields_for_service()
        helpers = staff if fields.pop("with_staff", False) else []
        fields["starts_at"] = fields["starts_at"] or None
        key = form.cleaned_data["key"]
        try:
            made = create_event_from(settings, owner=request.user, staff=helpers, key=key, **fields)
            return _made(request, made)
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    ruleset = Ruleset.objects.filter(key=settings["ruleset"]).order_by("-version").first()
    context = {
        "form": form,
        "source": source,
        "kept": kept,
        "ruleset": ruleset,
        "changed": bool(settings.get("overrides")),
        "lines": _told(settings),
    }
    return render(request, "tournament/event_templates/new_event.html", context, status=status)


# What of an earlier event is told before it is taken along, where it is not as usual.
TOLD = (
    "game venue time_zone rounds_planned cut best_of team round_minutes skip_tables capacity name_privacy listed"
).split()
USUAL = {"name_privacy": "full", "listed": True, "team": False}


def _told(settings: dict[str, Any]) -> list[tuple[Any, str]]:
    """(setting, value) in words of what is not as usual."""
    said = {name: settings.get(name) for name in TOLD}
    unusual = {name: value for name, value in said.items() if value not in (USUAL.get(name), None, "", [])}
    return [(field_label(TOURNAMENT, name), _in_words(name, value)) for name, value in unusual.items()]


def _in_words(name: str, value: Any) -> str:
    if name == "cut":
        return _("top %(size)s") % {"size": value} if value else _("none")
    return field_value_words(TOURNAMENT, name, value)


@require_POST
@cache_control(private=True, no_cache=True)
def forget_template(request: StaffRequest, pk: int) -> HttpResponse:
    """A template is no longer needed."""
    kept = own_template(request, pk)
    delete_template(kept)
    messages.success(request, _("The template “%(name)s” is gone.") % {"name": kept.name})
    return see_other(reverse("new-event"))


@staff_view("POST", roles=OWNER)
def keep(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Keep how this event is run as a template of one's own."""
    form = TemplateForm(request.POST)
    if not form.is_valid():
        return _settings_page(request, tournament, template_form=form, status=422)
    kept = save_template(request.user, form.cleaned_data["name"], settings_of(tournament))
    messages.success(
        request,
        _("Saved as “%(name)s”. You can start from it under “Create an event”.") % {"name": kept.name},
    )
    return see_other(reverse("event-settings", args=[tournament.slug]))


@staff_view("GET", "POST", roles=OWNER)
def settings(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """How the event is run."""
    if request.method != "POST":
        return _settings_page(request, tournament)
    form = _form(tournament, progress_of(tournament).facts, request.POST)
    if not form.is_valid():
        return _settings_page(request, tournament, form, status=422)
    try:
        about = {"actor": request.user, "key": form.cleaned_data["key"]}
        change_settings(tournament, form.cleaned_data["seen"], **form.changes(), **about)
    except Conflict as error:
        tournament.refresh_from_db()
        return _settings_page(request, tournament, form.over(tournament), error)
    except Refused as error:
        form.add_error(None, str(error))
        return _settings_page(request, tournament, form, status=error.status)
    messages.success(request, _("Saved."))
    return see_other(reverse("event-settings", args=[tournament.slug]))


def _form(tournament: Tournament, facts: ProgressFacts, data: Any = None) -> SettingsForm:
    suggested = rounds_and_cut(profile_of(tournament), facts.players)
    return SettingsForm(data, tournament=tournament, suggested=suggested, players=facts.players)


def _settings_page(
    request: StaffRequest,
    tournament: Tournament,
    form: SettingsForm | None = None,
    conflict: Conflict | None = None,
    *,
    template_form: TemplateForm | None = None,
    status: int = 200,
) -> HttpResponse:
    progress = progress_of(tournament)
    context = {
        "tournament": tournament,
        "progress": progress,
        "profile": profile_of(tournament),
        "form": form or _form(tournament, progress.facts),
        "schedule": schedule_of(tournament, progress.facts),
        "template_form": template_form or TemplateForm(initial={"name": tournament.name}),
        "conflict": conflict,
        "rows": _conflict_rows(tournament, conflict) if conflict else [],
    }
    return render(
        request, "tournament/events/settings.html", context, status=conflict.status if conflict else status
    )


def _conflict_rows(tournament: Tournament, conflict: Conflict) -> list[tuple[str, str, str]]:
    """(setting, what is saved now, what was sent) in words."""
    zone = zoneinfo.ZoneInfo(tournament.time_zone)

    def words(name: str, value: Any) -> str:
        return field_value_words(TOURNAMENT, name, value, zone)

    return [
        (field_label(TOURNAMENT, name), words(name, row["theirs"]), words(name, row["yours"]))
        for row in conflict.rows()
        if (name := row["what"])
    ]


@staff_view("GET", "POST", roles=OWNER)
def delete(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: what would be lost. POST: take the event away, its name typed."""
    form = DeleteForm(form_data(request))
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            delete_event(tournament, form.cleaned_data["name"], actor=request.user)
            messages.success(request, _("%(name)s is deleted.") % {"name": tournament.name})
            return see_other(reverse("home"))
        except Refused as error:
            form.add_error("name", str(error))
            status = error.status
    progress = progress_of(tournament)
    posted_rounds = [
        round_ for round_ in progress.facts.swiss + progress.facts.bracket if round_.state != "draft"
    ]
    context = {"tournament": tournament, "progress": progress, "form": form, "rounds": len(posted_rounds)}
    return render(request, "tournament/events/delete.html", context, status=status)
