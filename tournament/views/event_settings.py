"""The settings of an event."""

import zoneinfo
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER
from tournament.actionlog.facts import TOURNAMENT
from tournament.errors import Conflict
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
from tournament.web.staff_pages import name_promoted, report_success, staff_view


@staff_view("GET", "POST", roles=OWNER)
def settings(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: all settings of the event. POST: save those that were changed."""
    if request.method != "POST":
        return settings_page(request, tournament)
    form = _form(tournament, progress_of(tournament).facts, request.POST)
    if form.submit(change_settings, tournament, actor=request.user):
        name_promoted(request, tournament, form.result)
        return report_success(request, _("Saved."), "event-settings", tournament.slug)
    if isinstance(form.refusal, Conflict):
        tournament.refresh_from_db()
        return settings_page(request, tournament, form.over(tournament), form.refusal)
    return settings_page(request, tournament, form)


def _form(tournament: Tournament, facts: ProgressFacts, data: Any = None) -> SettingsForm:
    suggested = rounds_and_cut(profile_of(tournament), facts.players)
    return SettingsForm(data, tournament=tournament, suggested=suggested, players=facts.players)


def settings_page(
    request: StaffRequest,
    tournament: Tournament,
    form: SettingsForm | None = None,
    conflict: Conflict | None = None,
    template_form: TemplateForm | None = None,
) -> HttpResponse:
    """The settings, and below them the form that saves them as a template; a refused form in its place."""
    progress = progress_of(tournament)
    form = form or _form(tournament, progress.facts)
    template_form = template_form or TemplateForm(initial={"name": tournament.name})
    context = {
        "tournament": tournament,
        "progress": progress,
        "profile": profile_of(tournament),
        "form": form,
        "schedule": schedule_of(tournament, progress.facts),
        "template_form": template_form,
        "conflict": conflict,
        "rows": _conflict_rows(tournament, conflict) if conflict else [],
    }
    status = conflict.status if conflict else max(form.status, template_form.status)
    return render(request, "tournament/events/settings.html", context, status=status)


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
