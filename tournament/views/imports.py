"""Players from a file of another program: previewed first, then imported as a whole."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.access.fetch import DESK
from tournament.actionlog.facts import ENTRY
from tournament.errors import Refused
from tournament.forms.imports import ImportForm, RosterForm, error_words, sign_people, unsign_people
from tournament.history.field_words import field_label, value_words
from tournament.models import Tournament
from tournament.progress.next_step import Progress, progress_of
from tournament.roster import Roster
from tournament.services.imports import import_entries, plan_import
from tournament.text.teams import team_words
from tournament.views.late_entries import late_entry_context, warn_of_members, warn_of_waitlist
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import report_success, service_fields, staff_view

MOST_SHOWN = 200
COLUMNS = {  # of a file, that are not fields of a player
    "first": gettext_lazy("first name"),
    "last": gettext_lazy("last name"),
    "club": gettext_lazy("club"),
    "family": gettext_lazy("family"),
    **{f"member{n}": gettext_lazy("team members") for n in range(1, 13)},
}


@staff_view("GET", "POST", roles=DESK)
def import_players(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: choose a file. POST with a file: preview it. POST of the preview: import it."""
    if request.method == "POST" and "roster" in request.POST:
        return _import(request, tournament)
    form = RosterForm(tournament, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if not form.is_bound:
        return _page(request, tournament, form)
    if not form.is_valid():
        return _page(request, tournament, form, status=422)
    roster: Roster = form.cleaned_data["file"]
    return roster_page(request, tournament, roster)


def roster_page(request: StaffRequest, tournament: Tournament, roster: Roster) -> HttpResponse:
    """The preview of a roster."""
    people = [line.fields for line in roster.lines]
    return _page(request, tournament, RosterForm(tournament), people, roster=roster)


def _import(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    fields = service_fields(request, ImportForm(request.POST))
    people = unsign_people(tournament, fields.pop("roster"))
    try:
        action = import_entries(tournament, people, **fields)
    except Refused as error:  # the plan as it is now, with why it was not carried out
        return _page(
            request, tournament, RosterForm(tournament), people, message=str(error), status=error.status
        )
    response = report_success(request, _("The list is imported."), "entries", tournament.slug)
    if action and any(change.get("before", "") is None for change in action.changes):
        warn_of_waitlist(request, tournament)
    warn_of_members(request, tournament, action)
    return response


def _page(
    request: StaffRequest,
    tournament: Tournament,
    form: RosterForm,
    people: list[dict[str, Any]] | None = None,
    *,
    roster: Roster | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page, with the plan for `people` that were read; `roster`: how, right after it was read."""
    progress = progress_of(tournament)
    context = {"tournament": tournament, "progress": progress, "form": form, "message": message}
    if people is not None:
        form.look = "btn-outline-secondary"
        context |= _plan_context(tournament, progress, people)
    if roster is not None:
        columns = [
            (COLUMNS.get(name) or field_label(ENTRY, name), text) for name, text in roster.columns.items()
        ]
        refused = [error_words(error) for error in roster.refused[:MOST_SHOWN]]
        context |= {"roster": roster, "refused": refused, "columns": columns}
    return render(request, "tournament/imports/import.html", context, status=status)


def _plan_context(tournament: Tournament, progress: Progress, people: list[dict[str, Any]]) -> dict[str, Any]:
    """The plan, and the form to confirm it: the first entries of each kind, and the number of those left out."""
    plan = plan_import(tournament, people)
    form = ImportForm(initial={"roster": sign_people(tournament, people), "seen": plan.digest})
    form.plan, form.back = plan, reverse("import", args=[tournament.slug])
    joining = late_entry_context(tournament, progress, form)
    free = joining["free"]
    return {
        **joining,
        "plan": plan,
        "confirm": form,
        "over": 0 if free is None else max(len(plan.added) - max(free, 0), 0),
        "added": [
            {**person, "team": team_words(person.get("members", ()), person.get("captain"))}
            for person in plan.added[:MOST_SHOWN]
        ],
        "changed": [
            (
                row.code,
                row.name,
                [
                    (field_label(ENTRY, name), value_words(old), value_words(new))
                    for name, (old, new) in row.fields.items()
                ],
            )
            for row in plan.changed[:MOST_SHOWN]
        ],
        "more_added": max(len(plan.added) - MOST_SHOWN, 0),
        "more_changed": max(len(plan.changed) - MOST_SHOWN, 0),
    }
