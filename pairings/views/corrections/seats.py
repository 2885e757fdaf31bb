"""The correction of who sat at a table: of any Swiss round that is published or complete, also in a finished event."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.forms.corrections import SeatsCorrectionForm
from pairings.views.corrections.flow import CorrectionPage, correct
from tournament.access.fetch import DESK
from tournament.actionlog.match_facts import read_match
from tournament.errors import WrongState
from tournament.event.table_plan import table_name
from tournament.models import Tournament
from tournament.results.wording import result_words
from tournament.services.rounds import match_at
from tournament.services.seat_corrections import check_seats_are_facts, correct_seats
from tournament.text.display_names import names_of, sort_by_name
from tournament.views.rounds import round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, staff_view


@staff_view("GET", "POST", roles=DESK)
def seats(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Who really sat at a table; the others take the places that become free."""
    match = match_at(tournament, number, table)
    fact, names, refusal = read_match(match), names_of(tournament, merged=False), ""
    try:
        check_seats_are_facts(match.round)
    except WrongState as error:
        refusal = str(error)
    here = {code: names[code] for code in match.round.seats.values_list("entry__code", flat=True)}
    form = SeatsCorrectionForm(fact, names, sort_by_name(here), form_data(request))
    links = [(reverse("correct", args=[tournament.slug, number, table]), _("The result is wrong"))]
    if form.is_bound and form.is_valid():  # players who were not there are corrected first
        text = _("%(name)s: time in the event, other rounds, the name")
        links += [
            (reverse("correct-player", args=[tournament.slug, code]), text % {"name": names[code]})
            for code in (form.cleaned_data["a"], form.cleaned_data.get("b"))
            if code and code not in here
        ]
    page = CorrectionPage(
        _("Correct round %(round)s, table %(table)s")
        % {"round": number, "table": table_name(tournament, table)},
        _("Who sat here"),
        " ".join(filter(None, (names[fact.a], result_words(fact) or "–", names.get(fact.b or "")))),
        round_address(tournament, number, table),
        links,
        refusal=refusal,
        note=_("The result stays with the table. A player who dropped on the slip stays dropped."),
    )
    return correct(request, tournament, page, form, correct_seats, number, table)
