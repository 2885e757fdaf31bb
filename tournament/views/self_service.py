"""A player's own pages, opened by the player's link: register, check in, drop, tell staff.

They belong to one device: private, and never cached. The player's page with table and matches is in `standings`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from tournament.access.fetch import UnknownPlayer, own_entries, own_entry, public_tournament
from tournament.access.found_players import forget_found, found_players
from tournament.access.player_link import entry_of_key, forget_key, hash_of, keep_key, keys_in, link_of
from tournament.access.throttle import REGISTRATIONS
from tournament.errors import NotFound, Refused
from tournament.event.table_plan import table_name
from tournament.exports.qr import qr_of
from tournament.forms.requested_byes import RequestByeForm
from tournament.forms.self_service import JudgeCallForm, MessageForm, SelfRegistrationForm
from tournament.models import Entry, Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.services.judge_calls import call_judge, open_call_at
from tournament.services.penalties import current_match_of
from tournament.services.player_messages import send_message
from tournament.services.push import unsubscribe_phone
from tournament.services.self_service import (
    check_in_self,
    drop_self,
    is_undefeated,
    register_self,
    request_own_bye,
    takes_registrations,
    undo_own_drop,
)
from tournament.services.waitlist import ON_WAITLIST, free_spots, has_begun, waitlist_position
from tournament.text.kept_names import kept_names_of, kept_public_names_of
from tournament.web.keyed_forms import KeyedForm, SureForm
from tournament.web.staff_pages import (
    View,
    allow_methods,
    cleaned_fields,
    first_error,
    form_data,
    read_number,
    report_success,
    see_other,
)


def player_view(*methods: str) -> Callable[[View], View]:
    """Make a view a page of one device: not cached, not found by search engines."""

    def decorate(view: View) -> View:
        @allow_methods(*methods)
        @cache_control(private=True, no_store=True)
        @wraps(view)
        def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                response = view(request, *args, **kwargs)
            except UnknownPlayer as unknown:
                response = device_page(request, unknown.tournament, unknown.mine, asked=True)
            response["X-Robots-Tag"] = "noindex"
            return response

        return run

    return decorate


@player_view("GET", "POST")
def register(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the form, or why there is none. POST: register, keep the key on this device, show the link."""
    tournament = public_tournament(slug)
    if request.method == "POST" and (done := _registered_as(request, tournament)):
        return done
    if not takes_registrations(tournament):
        return _register_page(request, tournament, None, 409 if request.method == "POST" else 200)
    form = SelfRegistrationForm(tournament, form_data(request))
    if form.is_valid() and not REGISTRATIONS.allows(request):
        response = render(request, "tournament/self_service/too_many_registrations.html", status=429)
        response["Retry-After"] = str(int(REGISTRATIONS.seconds))
        return response
    if form.submit(register_self, tournament):
        return _registered_as(request, tournament) or see_other("me", slug)
    return _register_page(request, tournament, form, form.status)


def _register_page(
    request: HttpRequest, tournament: Tournament, form: SelfRegistrationForm | None, status: int
) -> HttpResponse:
    free = free_spots(tournament)
    full = free is not None and free < 1
    if form is not None:
        form.waits = full
    context = {
        "tournament": tournament,
        "nav": nav_of(tournament),
        "form": form,
        "free": free,
        "next_wait": tournament.entries.filter(ON_WAITLIST).count() + 1 if full else None,
        "here": own_entries(request, tournament),
    }
    return render(request, "tournament/self_service/register.html", context, status=status)


def _registered_as(request: HttpRequest, tournament: Tournament) -> HttpResponse | None:
    """Where a registration that is already done leads, however often its form is sent: to the player's link."""
    key = request.POST.get("player_key", "")
    entry = entry_of_key(tournament, key)
    if entry is None:
        return None
    response = see_other(reverse("me-link", args=[tournament.slug, entry.code]) + "?new=1")
    keep_key(request, response, key)
    return response


@player_view("GET")
def open_key(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """A player's link: this device keeps its key, and goes on to an address without it."""
    tournament = public_tournament(slug)
    entry = entry_of_key(tournament, key)
    if entry is None:
        raise NotFound(
            _(
                "This link does not work: it is incomplete, or a newer one replaced it. Ask at the "
                "event desk for a new link."
            )
        )
    response = see_other("me-entry", slug, entry.code)
    keep_key(request, response, key)
    return response


@player_view("GET")
def link(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """The player's own link, to keep or to open on another device."""
    tournament, entry = own_entry(request, slug, code)
    key = next(key for key in keys_in(request) if hash_of(key) == entry.key_hash)
    address = link_of(tournament, key)
    context = {
        **player_context(tournament, entry),
        "address": address,
        "qr": qr_of(address),
        "new": "new" in request.GET,
    }
    return render(request, "tournament/self_service/link.html", context)


@player_view("POST")
def check_in(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Check in."""
    tournament, entry = own_entry(request, slug, code)
    return _do(request, tournament, entry, check_in_self, _("You are checked in."))


@player_view("GET", "POST")
def drop(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: what dropping means. POST: drop; an undefeated player is asked once more."""
    tournament, entry = own_entry(request, slug, code)
    begun = has_begun(tournament)
    sent = SureForm(request.POST)
    asked = (
        request.method == "POST"
        and is_undefeated(entry)
        and not (sent.is_valid() and sent.cleaned_data["sure"])
    )
    if request.method == "POST" and not asked:
        dropped = _("You have dropped. You can undo it here until the next round is paired.")
        withdrawn = _("You have withdrawn. Staff can reinstate you.")
        drops = begun and entry.status != Entry.Status.WAITLISTED
        return _do(request, tournament, entry, drop_self, dropped if drops else withdrawn)
    open_match = entry.seats.filter(match__result=None, round__state="published").exists()
    context = {
        **player_context(tournament, entry),
        "begun": begun,
        "owed": open_match,
        "asked": asked,
        "follows": tournament.entries.filter(ON_WAITLIST).exists(),
    }
    return render(request, "tournament/self_service/drop.html", context)


@player_view("POST")
def undo_drop(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Play on after a drop."""
    tournament, entry = own_entry(request, slug, code)
    return _do(
        request, tournament, entry, undo_own_drop, _("You play on. You will be paired for the next round.")
    )


def _do(
    request: HttpRequest, tournament: Tournament, entry: Entry, service: Callable[..., Any], done: str
) -> HttpResponse:
    service(tournament, entry.code, key=cleaned_fields(KeyedForm(request.POST))["key"])
    return report_success(request, done, "me-entry", tournament.slug, entry.code)


@player_view("GET", "POST")
def byes(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: the rounds the player sits out, and the form to request a bye. POST: request it, or withdraw it."""
    tournament, entry = own_entry(request, slug, code)
    form = RequestByeForm(form_data(request))
    if form.submit(request_own_bye, tournament, code):
        return report_success(request, _("Saved."), "me-byes", slug, code)
    form.offer(entry, by_player=True)
    message = first_error(form) if form.errors else ""
    context = {**player_context(tournament, entry), "form": form, "message": message}
    return render(request, "tournament/self_service/byes.html", context, status=form.status)


@player_view("GET", "POST")
def message(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: the form to tell staff that something is wrong. POST: put the message on the desk."""
    tournament, entry = own_entry(request, slug, code)
    form = MessageForm(form_data(request), initial={"round": read_number(request, "round") or None})
    if form.submit(send_message, tournament, code):
        words = _("Your message was sent. Staff see it at the desk.")
        return report_success(request, words, "me-entry", slug, code)
    context = {**player_context(tournament, entry), "form": form, "number": form["round"].value()}
    return render(request, "tournament/self_service/message.html", context, status=form.status)


@player_view("GET", "POST")
def call(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """GET: the polled state of the call from the player's table. POST: call a judge to it."""
    tournament, entry = own_entry(request, slug, code)
    if request.method != "POST":
        context = {"tournament": tournament, "entry": entry, **call_context(tournament, entry)}
        if request.GET.get("v") == context["call_mark"]:
            return HttpResponse(status=204)
        return render(request, "tournament/self_service/_judge_call.html", context)
    form = JudgeCallForm(request.POST)
    if not form.submit(call_judge, tournament, code):
        raise form.refusal or Refused(first_error(form))
    words = _("A judge is called to your table. Stay there.")
    return report_success(request, words, "me-entry", tournament.slug, code)


@player_view("POST")
def forget_device(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Let this device no longer open the player's page, and end its push subscription.

    A device that does not say which subscription is its own ends all of the player's: none may go on unseen.
    """
    tournament = public_tournament(slug)
    found = [entry for entry in found_players(request, tournament) if entry.code == code]
    entry = found[0] if found else own_entry(request, slug, code)[1]
    response = report_success(request, _("This device has forgotten the player."), "me", slug)
    forget_found(request, response, entry)
    if not found:
        unsubscribe_phone(entry, request.POST.get("endpoint", ""))
    forget_key(request, response, entry.key_hash)
    return response


def device_page(
    request: HttpRequest, tournament: Tournament, mine: list[Entry], *, asked: bool = False
) -> HttpResponse:
    """The players whose links this device holds, or what to do without one; 404 where another was `asked` for."""
    names = kept_names_of(tournament) if mine else {}
    found = [entry for entry in found_players(request, tournament) if entry not in mine]
    public = kept_public_names_of(tournament) if found else {}
    context = {
        "tournament": tournament,
        "nav": nav_of(tournament),
        "mine": [(entry, names[entry.code]) for entry in mine],
        "found": [(entry, public[entry.code]) for entry in found],
        "open": takes_registrations(tournament),
        "asked": asked,
    }
    return render(request, "tournament/self_service/device.html", context, status=404 if asked else 200)


def call_context(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """The player's current match, the open call from its table, and what a page that shows them depends on."""
    match = current_match_of(entry)
    call = open_call_at(match) if match else None
    mark = f"{match and match.pk}.{call and call.number}.{call.judge if call else ''}"
    form = (
        JudgeCallForm(table=table_name(tournament, match.table))
        if match and match.table and not call
        else None
    )
    return {"match": match, "call": call, "call_mark": mark, "call_form": form}


def player_context(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """What all own pages of one player show."""
    return {
        "tournament": tournament,
        "nav": nav_of(tournament),
        "entry": entry,
        "name": kept_names_of(tournament)[entry.code],
        "waits": waitlist_position(entry),
    }
