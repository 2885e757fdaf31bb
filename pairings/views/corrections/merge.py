"""Two entries of one person: the other one is merged into the entry whose page this is."""

from django.db.models import Q
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.corrections import MergeForm
from pairings.views.corrections.flow import CorrectionPage, correct
from tournament.access.fetch import DESK
from tournament.models import Tournament
from tournament.services.entries import unmerged_entry_of
from tournament.services.merges import merge_entries
from tournament.text.display_names import MERGED, distinct_names, listed_name, sort_by_name
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, staff_view


@staff_view("GET", "POST", roles=DESK)
def merge(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """Which other entry is the same player's; the rounds that it played go to this one."""
    unmerged_entry_of(tournament, code)
    names = _names_before(tournament, KeyedForm(request.POST))
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


def _names_before(tournament: Tournament, form: KeyedForm) -> dict[str, str]:
    """{code: name} of the entries that are not merged; of a form that comes twice, those before its first press."""
    key = form.cleaned_data["key"] if form.is_valid() else ""
    action = tournament.actions.filter(key=key or None).first()
    merged = [
        change["fact"].removeprefix("entries/")
        for change in (action.changes if action else ())
        if (change.get("after") or {}).get("status") == MERGED
    ]
    rows = tournament.entries.filter(~Q(status=MERGED) | Q(code__in=merged))
    return distinct_names(
        (code, name, "", last) for code, name, last in rows.values_list("code", "name", "last_name")
    )
