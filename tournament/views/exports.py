from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from tournament.archive.load import dump_event
from tournament.errors import Forbidden
from tournament.event.rounds import find_round
from tournament.exports import pairings_csv, players_csv, published_schemas
from tournament.models import Staff, Tournament
from tournament.web.staff_pages import StaffRequest, staff_view


@staff_view("GET")
def entries(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    text = players_csv(tournament, in_confidence=is_owner(tournament))
    return saved_as(f"{tournament.slug}-players.csv", text, "text/csv")


@staff_view("GET")
def pairings(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    text = pairings_csv(tournament, find_round(tournament, number))
    return saved_as(f"{tournament.slug}-round-{number}.csv", text, "text/csv")


@staff_view("GET")
def archive(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Download the event as one file. Only an organizer who asks for it gets a running event's secret seed."""
    seed = request.GET.get("seed") == "1"
    if seed and not is_owner(tournament):
        raise Forbidden(_("Only an organizer can export the seed before the event is finished."))
    text = dump_event(tournament, with_seed=seed)
    return saved_as(f"{tournament.slug}.json", text, "application/json")


def is_owner(tournament: Tournament) -> bool:
    return bool(tournament.role == Staff.Role.OWNER)


def saved_as(name: str, content: str | bytes, kind: str) -> HttpResponse:
    text = "; charset=utf-8" if isinstance(content, str) else ""
    response = HttpResponse(content, content_type=f"{kind}{text}")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@conditional_page
@cache_control(public=True, no_cache=True)
def schema(request: HttpRequest, name: str) -> HttpResponse:
    if name not in published_schemas():
        raise Http404
    return HttpResponse(published_schemas()[name], content_type="application/schema+json")
