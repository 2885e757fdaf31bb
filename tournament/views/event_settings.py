"""The settings of an event."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER
from tournament.actionlog.facts import TOURNAMENT
from tournament.errors import Conflict, Refused
from tournament.event.profile import profile_of
from tournament.forms.event_settings import SettingsForm
from tournament.forms.events import TemplateForm
from tournament.history.field_words import field_label, field_value_words
from tournament.models import Tournament
from tournament.progress.facts import ProgressFacts
from tournament.progress.next_step import progress_of
from tournament.progress.schedule import schedule_of
from tournament.rulesets import rounds_and_cut
from tournament.services.event_settings import change_settings
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import see_other, staff_view


@staff_view("GET", "POST", roles=OWNER)
def settings(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: all settings of the event. POST: save those that were changed."""
    if request.method != "POST":
        return settings_page(request, tournament)
    form = _form(tournament, progress_of(tournament).facts, request.POST)
    if not form.is_valid():
        return settings_page(request, tournament, form, status=422)
    try:
        about = {"actor": request.user, "key": form.cleaned_data["key"]}
        change_settings(tournament, form.cleaned_data["seen"], **form.changes(), **about)
    except Conflict as error:
        tournament.refresh_from_db()
        return settings_page(request, tournament, form.over(tournament), error)
    except Refused as error:
        form.add_error(None, str(error))
        return settings_page(request, tournament, form, status=error.status)
    messages.success(request, _("Saved."))
    return see_other(reverse("event-settings", args=[tournament.slug]))


def _form(tournament: Tournament, facts: ProgressFacts, data: Any = None) -> SettingsForm:
    suggested = rounds_and_cut(profile_of(tournament), facts.players)
    return SettingsForm(data, tournament=tournament, suggested=suggested, players=facts.players)


def settings_page(
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
