"""Players from a file of another program: previewed first, then imported as a whole."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.access.fetch import DESK
from tournament.actionlog.facts import ENTRY
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.forms.imports import ImportForm, RosterForm, error_words, sign_people, unsign_people
from tournament.history.field_words import field_label, value_words
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.results.wording import late_entry_words
from tournament.roster import Roster
from tournament.services.imports import ImportPlan, import_entries, plan_import
from tournament.services.waitlist import free_spots
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, see_other, staff_view

MOST_SHOWN = 200
COLUMNS = {  # of a file, that are not fields of a player
    "first": gettext_lazy("first name"),
    "last": gettext_lazy("last name"),
    "club": gettext_lazy("club"),
    "family": gettext_lazy("family"),
}


@staff_view("GET", "POST", roles=DESK)
def import_players(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: choose a file. POST with a file: preview it. POST of the preview: import it."""
    if request.method == "POST" and "roster" in request.POST:
        return _import(request, tournament)
    form = RosterForm(request.POST, request.FILES) if request.method == "POST" else RosterForm()
    if not form.is_bound:
        return _page(request, tournament, form)
    if not form.is_valid():
        return _page(request, tournament, form, status=422)
    roster: Roster = form.cleaned_data["file"]
    people = [line.fields for line in roster.lines]
    return _page(request, tournament, RosterForm(), roster=roster, people=people)


def _import(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = ImportForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    data = form.cleaned_data
    people = unsign_people(tournament, data["roster"])
    about = {"actor": request.user, "key": data["key"], "reason": data["reason"], "stage": data["session"]}
    try:
        import_entries(tournament, people, data["seen"], **about)
    except Refused as error:  # the plan as it is now, with why it was not carried out
        status = error.status
        return _page(request, tournament, RosterForm(), people=people, message=str(error), status=status)
    messages.success(request, _("The list is imported."))
    return see_other(reverse("entries", args=[tournament.slug]))


def _page(
    request: StaffRequest,
    tournament: Tournament,
    form: RosterForm,
    *,
    people: list[dict[str, Any]] | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    progress = progress_of(tournament)
    missed_as = late_entry_words(profile_of(tournament))
    late = 0 if progress.facts.flights else progress.facts.missed_rounds
    context = {
        "tournament": tournament,
        "progress": progress,
        "form": form,
        "late": late,
        "missed_as": missed_as,
        **more,
    }
    if people is not None:
        form.look = "btn-outline-secondary"
        plan = plan_import(tournament, people)
        free = free_spots(tournament)
        roster, back = sign_people(tournament, people), reverse("import", args=[tournament.slug])
        context |= {
            "confirm": ImportForm.shown(roster, plan, progress.facts, missed_as, back),
            "over": 0 if free is None else max(len(plan.added) - max(free, 0), 0),
            **_plan_context(plan),
        }
    if file := more.get("roster"):
        context |= {
            "refused": [error_words(error) for error in file.refused[:MOST_SHOWN]],
            "columns": [
                (COLUMNS.get(field) or field_label(ENTRY, field), header)
                for field, header in file.columns.items()
            ],
        }
    return render(request, "tournament/imports/import.html", context, status=status)


def _plan_context(plan: ImportPlan) -> dict[str, Any]:
    """The plan as the page shows it: the first entries of each kind, and the number of those left out."""
    changed = [
        (
            row.code,
            row.name,
            [
                (field_label(ENTRY, name), value_words(old), value_words(new))
                for name, (old, new) in row.fields.items()
            ],
        )
        for row in plan.changed[:MOST_SHOWN]
    ]
    return {
        "plan": plan,
        "added": plan.added[:MOST_SHOWN],
        "changed": changed,
        "more_added": max(len(plan.added) - MOST_SHOWN, 0),
        "more_changed": max(len(plan.changed) - MOST_SHOWN, 0),
    }
