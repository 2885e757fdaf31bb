"""Who never meets: pairs the organizer keeps apart, and what common labels do."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.rounds import ForbidForm
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.reseating import prohibit_pair
from tournament.text.display_names import names_of, sort_by_name
from tournament.web.staff_pages import first_error, form_data, see_other, staff_view

MOST_LISTED = 400  # names offered while typing


@staff_view("GET", "POST", roles=DESK)
def apart(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: the pairs that never meet. POST: one more, or one less (`lift`)."""
    names = names_of(tournament)
    form = ForbidForm(names, form_data(request))
    message, status = "", 200
    if form.is_bound:
        message, status = "", 422
        if form.is_valid():
            try:
                return _forbid(request, tournament, names, form)
            except Refused as error:
                message, status = str(error), error.status
        else:
            message = first_error(form)
    until = int(profile_of(tournament)["pairing"].get("labels_apart_until_round") or 0)
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "form": form,
        "message": message,
        "players": [(code, names[code]) for code in sort_by_name(names)] if len(names) <= MOST_LISTED else [],
        "pairs": [(a, names.get(a, a), b, names.get(b, b)) for a, b in tournament.forbidden],
        "labels_until": until,
    }
    return render(request, "pairings/apart.html", context, status=status)


def _forbid(
    request: HttpRequest, tournament: Tournament, names: dict[str, str], form: ForbidForm
) -> HttpResponse:
    data = form.cleaned_data
    prohibit_pair(tournament, data["a"], data["b"], lift=data["lift"], actor=request.user, key=data["key"])
    said = {"a": names[data["a"]], "b": names[data["b"]]}
    text = (
        _("%(a)s and %(b)s can be paired again.")
        if data["lift"]
        else _("%(a)s and %(b)s will not be paired.")
    )
    messages.success(request, text % said)
    return see_other(reverse("apart", args=[tournament.slug]))
