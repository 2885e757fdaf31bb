from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.permissions import DESK
from tournament.event.display_names import load_names
from tournament.exports import draw_qr_code
from tournament.forms.self_service import RegistrationForm
from tournament.models import Tournament
from tournament.services.entries import ON_WAITLIST, free_spots, has_begun, taken_spots
from tournament.services.event_settings import change_registration
from tournament.services.self_service import takes_registrations
from tournament.web.staff_pages import StaffRequest, form_data, name_promoted, report_success, staff_view

PAGE = 200


@staff_view("GET", "POST", roles=DESK)
def registration(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    form = RegistrationForm(tournament, form_data(request))
    if form.submit(change_registration, tournament, actor=request.user):
        name_promoted(request, tournament, form.result)
        return report_success(request, _("Saved."), "registration", tournament.slug, undo=form.result)
    context = registration_context(tournament, form, request.GET.get("page"))
    return render(request, "tournament/registration/registration.html", context, status=form.status)


def registration_context(
    tournament: Tournament, form: RegistrationForm, number: str | None
) -> dict[str, Any]:
    names = load_names(tournament)
    page = Paginator(tournament.entries.filter(ON_WAITLIST).order_by("waits"), PAGE).get_page(number)
    free = free_spots(tournament)
    return {
        "form": form,
        "open": takes_registrations(tournament),
        "begun": has_begun(tournament),
        "taken": taken_spots(tournament),
        "over": -free if free is not None and free < 0 else 0,
        "page": page,
        "waiting": [
            (place, row, names[row.code]) for place, row in enumerate(page.object_list, page.start_index())
        ],
        **_address(tournament),
    }


def _address(tournament: Tournament) -> dict[str, str]:
    address = settings.SITE_URL + reverse("register", args=[tournament.slug])
    return {"address": address, "qr": draw_qr_code(address)}


@staff_view("GET", roles=DESK)
def poster(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    context = {"open": takes_registrations(tournament), **_address(tournament)}
    return render(request, "tournament/registration/poster.html", context)
