"""The do-not-pair list, and what labels that players share do."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.prohibited_pairs import ProhibitedPairForm
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.text.display_names import names_of, sort_by_name
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, form_data, see_other, staff_view

MOST_LISTED = 400  # names offered while typing


@staff_view("GET", "POST", roles=DESK)
def prohibited_pairs(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: the list. POST: add a pair or, with `lift`, remove it."""
    names = names_of(tournament)
    listed = len(names) <= MOST_LISTED
    form = ProhibitedPairForm(names, form_data(request), listed=listed, auto_id="pair-%s")
    message, status = "", 200
    if form.is_bound and not form.is_valid():
        message, status = first_error(form), 422
    elif form.is_bound:
        data = form.cleaned_data
        try:
            prohibit_pair(
                tournament, data["a"], data["b"], lift=data["lift"], actor=request.user, key=data["key"]
            )
        except Refused as error:
            message, status = str(error), error.status
        else:
            text = (
                _("%(a)s and %(b)s can be paired again.")
                if data["lift"]
                else _("%(a)s and %(b)s will not be paired.")
            )
            messages.success(request, text % {"a": names[data["a"]], "b": names[data["b"]]})
            return see_other(reverse("prohibited-pairs", args=[tournament.slug]))
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "form": form,
        "message": message,
        "players": [(code, names[code]) for code in sort_by_name(names)] if listed else [],
        "pairs": [(a, names.get(a, a), b, names.get(b, b)) for a, b in tournament.forbidden],
        "labels_until": int(profile_of(tournament)["pairing"].get("labels_apart_until_round") or 0),
    }
    return render(request, "pairings/prohibited_pairs.html", context, status=status)
