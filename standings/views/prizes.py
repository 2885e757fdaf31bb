from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.forms.prizes import PrizesForm
from standings.table.prizes import build_prize_list
from standings.table.sheet import load_public_event, load_staff_event
from standings.table.swiss import count_open_rounds
from tournament.access.fetch import public_tournament
from tournament.access.permissions import OWNER
from tournament.event.prizes import prize_words
from tournament.event.settings import Prize
from tournament.models import Tournament
from tournament.public import responses
from tournament.public.response_cache import cached_response
from tournament.public.responses import Context
from tournament.services.event_settings import change_settings
from tournament.web.staff_pages import StaffRequest, form_data, report_success, staff_view


@require_safe
@cached_response()
def prizes(request: HttpRequest, slug: str) -> HttpResponse:
    """List the prizes and, once the event is finished, their winners; hidden with the standings."""
    tournament = public_tournament(slug)
    shown = tournament.state == Tournament.State.FINISHED and not tournament.hold_standings

    def context() -> Context:
        words = [prize_words(Prize(**prize), tournament.prize_currency) for prize in tournament.prizes]
        context = {"tournament": tournament, "structure": words}
        return context | ({"list": build_prize_list(*load_public_event(tournament))} if shown else {})

    version = tournament.standings_version
    return responses.page(request, tournament, version, "standings/prizes/prizes.html", context)


@staff_view("GET", "POST", roles=OWNER)
def desk(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Show the prize structure and the current winners; POST saves the structure."""
    form = PrizesForm(tournament, form_data(request))
    if form.submit(change_settings, tournament, actor=request.user):
        return report_success(request, _("Saved."), "desk-prizes", tournament.slug, undo=form.result)
    tournament.refresh_from_db()
    context = {"tournament": tournament, "form": form}
    if tournament.prizes and tournament.profile:
        event, names = load_staff_event(tournament)
        context["list"] = build_prize_list(count_open_rounds(event), names)
    return render(request, "standings/prizes/desk.html", context, status=form.status)
