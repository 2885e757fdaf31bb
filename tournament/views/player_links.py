"""Player links at the desk: one player's, to scan or to send; those of everyone as CSV."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.exports.player_links import player_link_of, player_links_csv
from tournament.exports.qr import qr_of
from tournament.models import Tournament
from tournament.services.entries import unmerged_entry_of
from tournament.services.player_links import make_links, renew_link
from tournament.services.self_service import change_player_link
from tournament.text.display_names import names_of
from tournament.views.exports import is_owner, saved_as
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import read_action, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def player_link(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """GET: a player's link, to scan or to send. POST: a new one; the one before no longer opens anything."""
    entry = unmerged_entry_of(tournament, code)
    name = names_of(tournament)[code]
    if request.method == "POST":
        renew_link(tournament, code, **read_action(request))
        words = _("%(name)s has a new link. An earlier one no longer works.") % {"name": name}
        return report_success(request, words, "entry-link", tournament.slug, code)
    link = player_link_of(tournament, entry, name)
    context = {
        "tournament": tournament,
        "entry": entry,
        "shown": name,
        "link": link,
        "qr": qr_of(link.address) if link.address else "",
    }
    return render(request, "tournament/entries/player_link.html", context)


@staff_view("POST", roles=DESK)
def revoke(request: StaffRequest, tournament: Tournament, code: str) -> HttpResponse:
    """Let a player's link open nothing anymore."""
    change_player_link(tournament, code, key_hash="", **read_action(request))
    return report_success(request, _("The link no longer works."), "entry-link", tournament.slug, code)


@staff_view("POST", roles=DESK)
def make_all(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Make the links of those who have none."""
    make_links(tournament, **read_action(request))
    return report_success(request, _("Every player has a link."), "print-links", tournament.slug)


@staff_view("GET", roles=DESK)
def as_csv(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The links of everyone, to send them; contact for organizers only."""
    text = player_links_csv(tournament, in_confidence=is_owner(tournament))
    return saved_as(f"{tournament.slug}-links.csv", text, "text/csv")
