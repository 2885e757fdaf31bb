"""The paper take-over, to save."""

from django.http import HttpResponse

from pairings.takeover.files import take_over_page
from tournament.access.fetch import DESK
from tournament.models import Tournament
from tournament.views.exports import saved_as
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import staff_view


@staff_view("GET", roles=DESK)
def take_over(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Everything needed to go on by hand, as one file that opens without a server."""
    return saved_as(f"{tournament.slug}-take-over.html", take_over_page(tournament), "text/html")
