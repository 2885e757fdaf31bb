"""How a phone comes to know its player: found by name, or, for the own page, by the code on the match slip."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import public_tournament
from tournament.access.found_players import keep_found
from tournament.access.player_link import keep_key, known_key
from tournament.access.throttle import WRONG_CODES, WRONG_CODES_OF_ALL, client_address, network_of
from tournament.errors import Refused, WrongState
from tournament.forms.phone_code import PhoneCodeForm
from tournament.models import Entry, Match, Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.results.slip_code import is_phone_code, phone_code
from tournament.services.entries import unmerged_entry_of
from tournament.services.penalties import current_match_of
from tournament.services.player_links import renew_link
from tournament.services.self_service import PLAYER_ACTOR
from tournament.text.display_names import public_names_of
from tournament.views.self_service import player_view
from tournament.web.staff_pages import first_error, form_data, report_success, see_other


@player_view("GET")
def found(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The only player found by name: remembered on this device, and on to the public page."""
    entry = unmerged_entry_of(public_tournament(slug), code)
    response = see_other("player", slug, code)
    keep_found(request, response, entry)
    return response


@player_view("GET", "POST")
def this_is_me(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: how this phone can open the player's own page. POST: the code from the slip, which does it at once."""
    tournament = public_tournament(slug)
    entry = unmerged_entry_of(tournament, code)
    match = _match_with_code(tournament, entry)
    form = PhoneCodeForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        try:
            return _known_as(request, tournament, entry, match, form)
        except Refused as refusal:
            form.refuse(refusal)
    context = {
        "tournament": tournament,
        "nav": nav_of(tournament),
        "entry": entry,
        "name": public_names_of(tournament)[code],
        "form": form if match else None,
        "refused": first_error(form) if form.errors and not match else "",
    }
    return render(request, "tournament/self_service/this_is_me.html", context, status=form.status)


def _match_with_code(tournament: Tournament, entry: Entry) -> Match | None:
    """The player's current match where its slip has phone codes."""
    if tournament.reporting == Tournament.Reporting.OFF:
        return None
    match = current_match_of(entry)
    return match if match and match.table and match.round.swiss else None


def _known_as(
    request: HttpRequest, tournament: Tournament, entry: Entry, match: Match | None, form: PhoneCodeForm
) -> HttpResponse:
    """Let this phone hold the player's key. Raises Refused for a wrong code, WrongState where there is none."""
    if match is None:
        raise WrongState(_("You are not in a match with a phone code now. Ask at the event desk."))
    _check_code(request, tournament, entry, match, form.cleaned_data["code"])
    if not entry.key_hash:
        renew_link(tournament, entry.code, actor=f"{PLAYER_ACTOR}{entry.code}", key=form.cleaned_data["key"])
        entry.refresh_from_db()
    key = known_key(tournament, entry)
    if not key:
        raise WrongState(
            _(
                "You already have a link, which only you know. Open it, or ask at the event desk for a new one."
            )
        )
    response = report_success(
        request, _("This phone now opens your page."), "me-entry", tournament.slug, entry.code
    )
    keep_key(request, response, key)
    return response


def _check_code(request: HttpRequest, tournament: Tournament, entry: Entry, match: Match, typed: str) -> None:
    """Raises Refused for another code, and after too many of them.

    Anyone may guess here, so a network spends its own guesses at a table and not those of the players there; all
    networks together have so many that a code of 4 characters is not found.
    """
    number, table = match.round.number, match.table or 0
    place = f"{tournament.pk}/{number}/{table}"
    here = f"{place}/{network_of(client_address(request))}"
    if WRONG_CODES.is_spent(here) or WRONG_CODES_OF_ALL.is_spent(place):
        raise Refused(_("Too many wrong codes. Wait 10 minutes, or ask at the event desk."), status=429)
    if not is_phone_code(typed, phone_code(tournament.pk, number, table, entry.code)):
        WRONG_CODES.count(here)
        WRONG_CODES_OF_ALL.count(place)
        raise Refused(_("This is not your phone code. Compare it with your slip of this round."), status=422)
