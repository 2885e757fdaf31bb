from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.access.permissions import DESK
from tournament.actionlog.facts import ENTRY
from tournament.errors import Refused
from tournament.event.teams import team_words
from tournament.forms.imports import ImportForm, RosterForm, error_words, sign_file, unsign_file
from tournament.history.context import field_label, value_words
from tournament.models import Tournament
from tournament.progress.next_step import build_progress
from tournament.roster import MOST_BYTES, Roster, RosterError, first_names, read_roster
from tournament.services.imports import ChangedEntry, import_entries, plan_import
from tournament.views.new_entry import late_entry_context, warn_of_members, warn_of_waitlist
from tournament.web.staff_pages import StaffRequest, report_success, service_fields, staff_view

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
    """GET: choose a file. POST with a file: preview it. POST of the preview: import it, or read it differently."""
    if request.method == "POST" and "roster" in request.POST:
        return _import(request, tournament)
    form = RosterForm(tournament, *((request.POST, request.FILES) if request.method == "POST" else ()))
    if form.is_valid():
        return roster_page(request, form.cleaned_data["file"], form=form)
    return render(request, "tournament/imports/import.html", {"form": form}, status=form.status)


def roster_page(
    request: StaffRequest,
    data: bytes,
    encoding: str = "",
    form: RosterForm | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    """Preview a player list, or show at the field of `form` why it cannot be read."""
    tournament, roster = request.tournament, None
    try:
        roster = read_roster(data, teams=tournament.team, encoding=encoding)
        form = RosterForm(tournament)
    except RosterError as error:
        status = 422
        if form:
            form.add_error("file", error_words(error))
        else:
            message = error_words(error)
    form = form or RosterForm(tournament)
    context = _plan_context(tournament, roster, data, encoding)
    if context["confirm"].names or roster:
        form.look = ""
    context |= {"form": form, "message": message}
    return render(request, "tournament/imports/import.html", context, status=status)


def _import(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    fields = service_fields(request, ImportForm(request.POST))
    data, shown = unsign_file(tournament, fields.pop("roster"))
    encoding = fields.pop("encoding") or shown
    if "again" in request.POST or encoding != shown:
        return roster_page(request, data, encoding)
    try:
        roster = read_roster(data, teams=tournament.team, encoding=encoding)
        if roster.refused:
            raise roster.refused[0]
        action = import_entries(tournament, [line.fields for line in roster.lines], **fields)
    except RosterError as error:
        return roster_page(request, data, encoding, message=error_words(error), status=422)
    except Refused as error:  # the current plan, with the error
        return roster_page(request, data, encoding, message=str(error), status=error.status)
    response = report_success(request, _("The list is imported."), "entries", tournament.slug, undo=action)
    if action and any(change.get("before", "") is None for change in action.changes):
        warn_of_waitlist(request, tournament)
    warn_of_members(request, tournament, action)
    return response


def _plan_context(
    tournament: Tournament, roster: Roster | None, data: bytes, encoding: str
) -> dict[str, Any]:
    names = first_names(data, teams=tournament.team) if len(data) <= MOST_BYTES else {}
    encoding = roster.encoding if roster else encoding
    form = ImportForm(names=names)
    if roster or names:
        form.initial["roster"], form.initial["encoding"] = sign_file(tournament, data, encoding), encoding
    if roster is None:
        del form.fields["seen"]
        return {"confirm": form}
    plan = plan_import(tournament, [line.fields for line in roster.lines])
    form.initial["seen"], form.back = plan.digest, reverse("import", args=[tournament.slug])
    if not roster.refused and (plan.added or plan.changed):
        form.plan = plan
    else:
        del form.fields["seen"]
    progress = build_progress(tournament)
    joining = late_entry_context(tournament, progress, form)
    free = joining["free"]
    return {
        "progress": progress,
        **joining,
        "roster": roster,
        "columns": [
            (COLUMNS.get(name) or field_label(ENTRY, name), text) for name, text in roster.columns.items()
        ],
        "refused": [error_words(error) for error in roster.refused[:MOST_SHOWN]],
        "damaged": roster.damaged[:MOST_SHOWN],
        "repeated": roster.repeated[:MOST_SHOWN] if plan.added else [],
        "plan": plan,
        "confirm": form,
        "over": 0 if free is None else max(len(plan.added) - max(free, 0), 0),
        "added": [
            {**person, "team": team_words(person.get("members", ()), person.get("captain"))}
            for person in plan.added[:MOST_SHOWN]
        ],
        "changed": [(row.code, row.name, _change_words(row)) for row in plan.changed[:MOST_SHOWN]],
        "more_added": max(len(plan.added) - MOST_SHOWN, 0),
        "more_changed": max(len(plan.changed) - MOST_SHOWN, 0),
    }


def _change_words(row: ChangedEntry) -> list[tuple[str, str, str]]:
    return [
        (field_label(ENTRY, name), value_words(old), value_words(new))
        for name, (old, new) in row.fields.items()
    ]
