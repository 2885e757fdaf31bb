"""A published round mended in the browser: what changed, three ways on, and what to announce in the hall."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.rounds import MendForm
from pairings.repair.page import refused_repair_page, repair_page
from pairings.repair.services import apply_repair
from pairings.words.repair import table_changes_of
from tournament.access.fetch import DESK
from tournament.errors import NotFound, Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.rounds import round_of
from tournament.text.display_names import names_of
from tournament.web.staff_pages import first_error, read_number, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def repair(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """GET: who is in and out, and the ways on. POST: do the one that was chosen."""
    names = names_of(tournament)
    if request.method != "POST":
        chosen = "chosen" in request.GET  # otherwise the facts decide who is added and who is gone
        return _page(request, tournament, number, MendForm(names, request.GET) if chosen else None)
    form = MendForm(names, request.POST)
    if not form.is_valid():
        return _page(request, tournament, number, form)
    data = form.cleaned_data
    try:
        action = apply_repair(
            tournament,
            number,
            plan=data["plan"],
            added=data["into"],
            removed=data["out"],
            seen=data["seen"] or 0,
            reason=data["reason"],
            actor=request.user,
            key=data["key"],
        )
    except Refused as error:
        tournament.refresh_from_db()
        return _page(request, tournament, number, form, str(error), error.status)
    messages.success(request, _("Round %(number)s is re-paired. Announce these tables.") % {"number": number})
    done = action.number if action else tournament.revision
    return see_other(f"{reverse('repaired', args=[tournament.slug, number])}?action={done}")


def _page(
    request: HttpRequest,
    tournament: Tournament,
    number: int,
    form: MendForm | None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    round_ = round_of(tournament, number)
    context: dict[str, Any] = {"tournament": tournament, "round": round_, "progress": progress_of(tournament)}
    if form is not None and not form.is_valid():
        message, status = first_error(form), 422
    data = form.cleaned_data if form else {}
    into, out = data.get("into", ()), data.get("out", ())
    missing = [data["missing"]] if data.get("missing") else []
    try:
        if form is None:
            page = repair_page(tournament, number)
        elif form.errors:
            page = refused_repair_page(tournament, number, into, out)
        else:
            page = repair_page(tournament, number, into, {*out, *missing})
    except Refused as error:
        if form is None:
            raise  # nothing to mend here at all
        message, status = message or str(error), max(status, error.status)
        page = refused_repair_page(tournament, number, into, out)
    away, gone = dict.fromkeys([*page.absent, *page.added]), dict.fromkeys([*page.dropped, *page.removed])
    context |= {
        "page": page,
        "message": message,
        "reason": data.get("reason", ""),
        "missing": form.data.get("missing", "") if form and not page.options else "",
        "away": [(code, page.names[code], code in page.added) for code in away],
        "gone": [(code, page.names[code], code in page.removed) for code in gone],
        "corrected": [(page.names[points.code], points.then, points.now) for points in page.corrected],
    }
    return render(request, "pairings/repair.html", context, status=status)


@staff_view("GET")
def repaired(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The tables a repair changed, for announcing in the hall."""
    action = tournament.actions.filter(kind="re-pair", number=read_number(request, "action")).first()
    if action is None:
        raise NotFound(_("There is no such repair in this event."))
    context = {
        "tournament": tournament,
        "round": round_of(tournament, number),
        "progress": progress_of(tournament),
        "action": action,
        "moved": table_changes_of(action.changes, number, names_of(tournament)),
    }
    return render(request, "pairings/repaired.html", context)
