"""The do-not-pair list: pairs of players who must not meet."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairings.forms.drafts import ProhibitedPairForm
from pairings.forms.players import MOST_LISTED
from tournament.access.permissions import DESK
from tournament.event.display_names import listed_name, load_names, sort_by_name
from tournament.event.profile import ruleset_in_force
from tournament.models import Tournament
from tournament.services.entries import prohibit_pair
from tournament.web.staff_pages import StaffRequest, first_error, form_data, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def prohibited_pairs(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    names = load_names(tournament, merged=False)
    listed = len(names) <= MOST_LISTED
    form = ProhibitedPairForm(names, form_data(request), listed=listed, auto_id="pair-%s")
    if form.submit(prohibit_pair, tournament, actor=request.user):
        data = form.cleaned_data
        text = (
            _("%(a)s and %(b)s can be paired again.")
            if data["lift"]
            else _("%(a)s and %(b)s will not be paired.")
        )
        success = text % {"a": names[data["a"]], "b": names[data["b"]]}
        return report_success(request, success, "prohibited-pairs", tournament.slug, undo=form.result)
    context = {
        "tournament": tournament,
        "form": form,
        "message": first_error(form) if form.errors else "",
        "players": [(code, listed_name(names[code])) for code in sort_by_name(names)] if listed else [],
        "pairs": [(a, names.get(a, a), b, names.get(b, b)) for a, b in tournament.forbidden],
        "labels_until": int(ruleset_in_force(tournament)["pairing"].get("labels_apart_until_round") or 0),
    }
    return render(request, "pairings/prohibited_pairs.html", context, status=form.status)
