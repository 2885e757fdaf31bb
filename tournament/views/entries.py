"""The players of an event: the list, and adding a pasted list."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.access.fetch import STAFF
from tournament.errors import Forbidden
from tournament.forms.pasted_names import NamesForm
from tournament.forms.search import EntrySearchForm
from tournament.models import Staff, Tournament
from tournament.progress.facts import ProgressFacts, flights_by_entry
from tournament.progress.flights import stage_name
from tournament.progress.next_step import progress_of
from tournament.services.entries import add_entries
from tournament.text.display_names import find_names, listed_name, names_of, sort_by_name
from tournament.text.teams import members_of
from tournament.views.imports import roster_page
from tournament.views.late_entries import late_entry_context, to_session, warn_of_waitlist
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, read_number, report_success, staff_view

PAGE, FOUND = 200, 25  # lines on a page; of a search, which more letters narrow and which answers at once


@staff_view("GET", "POST", roles=STAFF)
def entries(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: all players by name, or those searched for. POST: register the pasted names, once none is in doubt."""
    if request.method == "POST":
        _check_may_add(tournament)
    form = NamesForm(tournament, form_data(request))
    form.back = reverse("entries", args=[tournament.slug])
    if form.is_valid() and form.roster:
        return roster_page(request, tournament, form.roster)
    if form.submit(add_entries, tournament, actor=request.user):
        count = len(form.fields_for_service()["names"])
        message = ngettext("%(count)s player added.", "%(count)s players added.", count)
        response = report_success(request, message % {"count": count}, to_session(form.back, form))
        warn_of_waitlist(request, tournament)
        return response
    context = entries_context(request, tournament, form)
    template = "pasted_names.html" if form.questions else "entries.html"
    return render(request, f"tournament/entries/{template}", context, status=form.status)


def _check_may_add(tournament: Tournament) -> None:
    if tournament.role == Staff.Role.JUDGE:
        raise Forbidden(
            _(
                "Judges can drop players and issue penalties. Only a scorekeeper or an organizer can register players."
            )
        )


def entries_context(request: StaffRequest, tournament: Tournament, form: NamesForm) -> dict[str, Any]:
    """The list, as it was searched for, and the form to add players."""
    progress = progress_of(tournament)
    facts = progress.facts
    chosen = read_number(request, "session") if facts.flights else 0
    joining = late_entry_context(tournament, progress, form, chosen)
    if facts.players < 2:
        form.look = "btn-primary"
    stage, free = facts.stage, joining["free"]
    return {
        "tournament": tournament,
        "progress": progress,
        "form": form,
        **joining,
        **_list_context(request, tournament, facts, chosen, joining["waitlisted"]),
        "over": -free if free is not None and free < 0 else 0,
        "total": facts.players,
        "chosen": chosen,
        "session": stage.number if stage and stage.is_swiss and stage.number > 1 else 0,
        "can_add": _can_add(tournament, facts),
    }


def _can_add(tournament: Tournament, facts: ProgressFacts) -> bool:
    """Whether players can be added: not to a bracket, and not to a day that carries points over."""
    carries = facts.stage is not None and facts.stage.carries
    finished = facts.state == Tournament.State.FINISHED
    return not (facts.seeds or carries or finished or tournament.role == Staff.Role.JUDGE)


def _list_context(
    request: StaffRequest, tournament: Tournament, facts: ProgressFacts, chosen: int, waitlisted: int
) -> dict[str, Any]:
    """One page of the players found, with their sessions, and the waitlist of that many in its order."""
    names = names_of(tournament, merged=False)
    waitlist = tournament.entries.filter(waits__isnull=False).order_by("waits")
    waiting = list(waitlist.values_list("code", flat=True)) if waitlisted else []
    numbers = {code: numbers[-1] for code, numbers in flights_by_entry(facts).items()}
    listed = {
        code: name
        for code, name in names.items()
        if code not in set(waiting) and (not chosen or numbers.get(code) == chosen)
    }
    search = EntrySearchForm(request.GET, action=reverse("entries", args=[tournament.slug]))
    codes = find_names(listed, search.words, members_of(tournament)) if search.words else sort_by_name(listed)
    page = Paginator(codes, FOUND if search.words else PAGE).get_page(request.GET.get("page"))
    shown = {entry.code: entry for entry in tournament.entries.filter(code__in=list(page.object_list))}
    return {
        "search": search,
        "page": page,
        "rows": [
            (shown[code], listed_name(names[code]), stage_name(numbers[code]) if code in numbers else "")
            for code in page.object_list
            if code in shown
        ],
        "waiting": [(code, names[code]) for code in waiting],
    }
