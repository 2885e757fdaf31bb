"""Two entries of one person: the other one is merged into the entry whose page this is."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.corrections import MergeForm
from pairings.views.corrections.flow import CorrectionPage, correct
from tournament.access.fetch import DESK
from tournament.models import Tournament
from tournament.services.entries import unmerged_entry_of
from tournament.services.merges import merge_entries
from tournament.text.display_names import listed_name, names_of, sort_by_name
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, staff_view


@staff_view("GET", "POST", roles=DESK)
def merge(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """Which other entry is the same player's; the rounds that it played go to this one."""
    unmerged_entry_of(tournament, code)
    names = names_of(tournament, merged=False)
    houses = tournament.entries.filter(house=True).values_list("code", flat=True)
    page = CorrectionPage(
        _("Merge another entry into %(name)s (%(code)s)") % {"name": names[code], "code": code},
        _("Registered twice"),
        "",
        reverse("entry", args=[tournament.slug, code]),
        note=_(
            "This entry stays and gets the rounds that the other one played. Contact, alias and notes are filled in "
            "where this one has none. Membership number and player link are not taken over."
        ),
    )
    others = {
        other: listed_name(names[other]) for other in sort_by_name(names) if other not in {code, *houses}
    }
    return correct(request, tournament, page, MergeForm(others, form_data(request)), merge_entries, code)
