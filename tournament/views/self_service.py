"""A player's own pages: register, check in, drop, message staff; known phones and notifications; their data."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.codes import check_personal_code, personal_code
from tournament.access.fetch import UnknownPlayer, own_entries, own_entry, public_tournament
from tournament.access.player_link import (
    entry_of_key,
    forget_found,
    forget_key,
    found_players,
    hash_key,
    keep_found,
    keep_key,
    keys_in,
    phone_key,
    player_address,
)
from tournament.access.throttle import REGISTRATIONS
from tournament.errors import NotFound, Refused
from tournament.event.display_names import load_names, load_public_names
from tournament.event.table_plan import table_name
from tournament.exports import draw_qr_code
from tournament.forms.reports import PersonalCodeForm
from tournament.forms.self_service import (
    JudgeCallForm,
    MessageForm,
    PushForm,
    RequestByeForm,
    SelfRegistrationForm,
)
from tournament.history.own_data import collect_own_data
from tournament.models import Entry, Tournament
from tournament.push import server_key, subscribe_phone, tell_other_phones, unsubscribe_phone
from tournament.services import self_service as services
from tournament.services.entries import (
    ON_WAITLIST,
    find_unmerged_entry,
    free_spots,
    has_begun,
    waitlist_position,
)
from tournament.services.judging import call_judge, find_current_match, open_call_at
from tournament.services.standings_hooks import LOSES, WAITS, standings
from tournament.views.accounts import own_data_response
from tournament.web.error_pages import TOO_MANY_REGISTRATIONS, error_page
from tournament.web.keyed_forms import KeyedForm, SureForm
from tournament.web.staff_pages import (
    View,
    cleaned_fields,
    first_error,
    form_data,
    private_view,
    read_number,
    report_success,
    see_other,
)


def player_view(*methods: str) -> Callable[[View], View]:
    """Decorate a view that depends on the device: it is not cached, and not found by search engines."""

    def decorate(view: View) -> View:
        @private_view(*methods)
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


def own_view(*methods: str) -> Callable[[View], View]:
    """Decorate `view(request, tournament, entry, …)`: it opens only if this device holds the player's key."""

    def decorate(view: View) -> View:
        @player_view(*methods)
        @wraps(view)
        def run(request: HttpRequest, slug: str, code: str, **kwargs: Any) -> HttpResponse:
            return view(request, *own_entry(request, slug, code), **kwargs)

        return run

    return decorate


@player_view("GET", "POST")
def register(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    if request.method == "POST" and (done := _registered_as(request, tournament)):
        return done
    if not services.takes_registrations(tournament):
        return _register_page(request, tournament, None, 409 if request.method == "POST" else 200)
    form = SelfRegistrationForm(tournament, form_data(request))
    if form.is_valid() and not REGISTRATIONS.allows(request):
        response = error_page(request, 429, TOO_MANY_REGISTRATIONS)
        response["Retry-After"] = str(int(REGISTRATIONS.seconds))
        return response
    if form.submit(services.register_self, tournament):
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
        "form": form,
        "free": free,
        "next_wait": tournament.entries.filter(ON_WAITLIST).count() + 1 if full else None,
        "here": own_entries(request, tournament),
    }
    return render(request, "tournament/self_service/register.html", context, status=status)


def _registered_as(request: HttpRequest, tournament: Tournament) -> HttpResponse | None:
    key = request.POST.get("player_key", "")
    entry = entry_of_key(tournament, key)
    if entry is None:
        return None
    response = see_other(reverse("me-link", args=[tournament.slug, entry.code]) + "?new=1")
    keep_key(request, response, key)
    return response


@player_view("GET")
def open_key(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Store a player's key on this device and redirect. Writes no fact, because link previews open links, too."""
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
    if key not in keys_in(request):
        tell_other_phones(tournament, entry.code)
    keep_key(request, response, key)
    return response


@own_view("GET")
def link(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    """Show the player's own link and personal code. A phone that was opened by the code gets no link."""
    key = next((key for key in keys_in(request) if hash_key(key) == entry.key_hash), "")
    address = player_address(tournament, key) if key else ""
    context = {
        **player_context(tournament, entry),
        "address": address,
        "qr": draw_qr_code(address) if key else "",
        "code": personal_code(entry),
        "new": "new" in request.GET,
    }
    return render(request, "tournament/self_service/link.html", context)


@own_view("POST")
def check_in(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    return _do(request, tournament, entry, services.check_in_self, _("You are checked in."))


@own_view("GET", "POST")
def drop(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    """Explain dropping; with `?v=`, poll a request. POST drops; an undefeated player must confirm once more."""
    if "v" in request.GET:
        return _drop_request(request, tournament, entry)
    begun, effect = has_begun(tournament), standings().find_drop_effect(entry)
    sure = SureForm(request.POST)
    asked = (
        request.method == "POST"
        and services.is_undefeated(entry)
        and not (sure.is_valid() and sure.cleaned_data["sure"])
    )
    if request.method == "POST" and not asked:
        if effect == WAITS:
            done = _("Staff are asked to confirm your drop. Until then you are in the event.")
        elif effect == LOSES:
            done = _("You have dropped. Your opponent wins the match.")
        elif begun and entry.status != Entry.Status.WAITLISTED:
            done = _("You have dropped. You can undo it here until the next round is paired.")
        else:
            done = _("You have withdrawn. Staff can reinstate you.")
        shown = request.POST.get("effect")
        sent = {} if shown is None else {"effect": "" if shown == "none" else shown}
        return _do(request, tournament, entry, services.drop_self, done, **sent)
    open_match = entry.seats.filter(match__result=None, round__state="published").exists()
    context = {
        **player_context(tournament, entry),
        "begun": begun,
        "owed": open_match,
        "effect": effect,
        "asked": asked,
        "follows": tournament.entries.filter(ON_WAITLIST).exists(),
    }
    return render(request, "tournament/self_service/drop.html", context)


@own_view("POST")
def undo_drop(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    done = _("You play on. You will be paired for the next round.")
    if entry.status == Entry.Status.PLAYING:
        done = _("You stay in the event.")
    return _do(request, tournament, entry, services.undo_own_drop, done)


def _drop_request(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    state = services.drop_request_state(entry)
    if request.GET["v"] == state:
        return HttpResponse(status=204)
    context = {"tournament": tournament, "entry": entry, "drop_request": state}
    return render(request, "tournament/self_service/_drop_request.html", context)


def _do(
    request: HttpRequest,
    tournament: Tournament,
    entry: Entry,
    service: Callable[..., Any],
    done: str,
    **sent: Any,
) -> HttpResponse:
    service(tournament, entry.code, **sent, key=cleaned_fields(KeyedForm(request.POST))["key"])
    return report_success(request, done, "me-entry", tournament.slug, entry.code)


@own_view("GET", "POST")
def byes(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    form = RequestByeForm(form_data(request))
    if form.submit(services.request_own_bye, tournament, entry.code):
        return report_success(request, _("Saved."), "me-byes", tournament.slug, entry.code)
    form.offer(entry, by_player=True)
    message = first_error(form)
    context = {**player_context(tournament, entry), "form": form, "message": message}
    return render(request, "tournament/self_service/byes.html", context, status=form.status)


@own_view("GET", "POST")
def message(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    form = MessageForm(form_data(request), initial={"round": read_number(request, "round") or None})
    if form.submit(services.send_message, tournament, entry.code):
        words = _("Your message was sent. Staff see it at the desk.")
        return report_success(request, words, "me-entry", tournament.slug, entry.code)
    context = {**player_context(tournament, entry), "form": form, "number": form["round"].value()}
    return render(request, "tournament/self_service/message.html", context, status=form.status)


@own_view("GET", "POST")
def call(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    if request.method != "POST":
        context = {"tournament": tournament, "entry": entry, **call_context(tournament, entry)}
        if request.GET.get("v") == context["call_mark"]:
            return HttpResponse(status=204)
        return render(request, "tournament/self_service/_judge_call.html", context)
    form = JudgeCallForm(request.POST)
    if not form.submit(call_judge, tournament, entry.code):
        raise form.refusal or Refused(first_error(form))
    words = _("A judge was called to your table. Stay there.")
    return report_success(request, words, "me-entry", tournament.slug, entry.code)


@player_view("POST")
def forget_device(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Forget the player on this device, and end the push subscription in the form, or all if it names none."""
    tournament = public_tournament(slug)
    found = [entry for entry in found_players(request, tournament) if entry.code == code]
    entry = found[0] if found else own_entry(request, slug, code)[1]
    response = report_success(request, _("This device has forgotten the player."), "me", slug)
    forget_found(request, response, entry)
    if not found:
        unsubscribe_phone(entry, request.POST.get("endpoint", ""))
    forget_key(request, response, entry)
    return response


def device_page(
    request: HttpRequest, tournament: Tournament, mine: list[Entry], *, asked: bool = False
) -> HttpResponse:
    """List the players whose links this device holds, or explain how to get one; 404 if another was `asked` for."""
    names = load_names(tournament) if mine else {}
    found = [entry for entry in found_players(request, tournament) if entry not in mine]
    public = load_public_names(tournament) if found else {}
    context = {
        "tournament": tournament,
        "mine": [(entry, names[entry.code]) for entry in mine],
        "found": [(entry, public[entry.code]) for entry in found],
        "open": services.takes_registrations(tournament),
        "asked": asked,
    }
    return render(request, "tournament/self_service/device.html", context, status=404 if asked else 200)


def call_context(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """Return the player's match, the open call from its table, and the version of pages that show both."""
    match = find_current_match(entry)
    call = open_call_at(match) if match else None
    mark = f"{match and match.pk}.{call and call.number}.{call.judge if call else ''}"
    table = table_name(tournament, match.table, match.round) if match else ""
    form = JudgeCallForm(table=table) if table and not call else None
    return {"match": match, "call": call, "call_mark": mark, "call_form": form, "call_table": table}


def player_context(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    return {
        "tournament": tournament,
        "entry": entry,
        "name": load_names(tournament)[entry.code],
        "waits": waitlist_position(entry),
    }


@player_view("GET")
def found(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    entry = find_unmerged_entry(public_tournament(slug), code)
    response = see_other("player", slug, code)
    keep_found(request, response, entry)
    return response


@player_view("GET", "POST")
def this_is_me(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    tournament = public_tournament(slug)
    entry = find_unmerged_entry(tournament, code)
    form = PersonalCodeForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        try:
            return _known_as(request, tournament, entry, form)
        except Refused as refusal:
            form.refuse(refusal)
    context = {
        "tournament": tournament,
        "entry": entry,
        "name": load_public_names(tournament)[code],
        "form": form,
    }
    return render(request, "tournament/self_service/this_is_me.html", context, status=form.status)


def _known_as(
    request: HttpRequest, tournament: Tournament, entry: Entry, form: PersonalCodeForm
) -> HttpResponse:
    sent = form.cleaned_data
    wrong = _("This is not your personal code. Compare it with your place card, or ask at the event desk.")
    check_personal_code(request, entry, sent["code"], wrong)
    services.add_phone(tournament, entry.code, key=sent["key"])
    words = _("This phone now opens your page.")
    response = report_success(request, words, "me-entry", tournament.slug, entry.code)
    keep_key(request, response, phone_key(entry))
    return response


@own_view("POST")
def push(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    """Subscribe this phone, or end its subscription. Raises Refused without https."""
    form = PushForm(request.POST)
    if not settings.HTTPS:
        raise Refused(_("Browsers allow notifications only from encrypted (https) sites."), status=409)
    if not form.is_valid():
        raise Refused(first_error(form), status=422)
    sent = form.cleaned_data
    if sent["stop"]:
        unsubscribe_phone(entry, sent["endpoint"])
        words = _("Notifications are off on this phone.")
    else:
        subscribe_phone(entry, sent["endpoint"], p256dh=sent["p256dh"], auth=sent["auth"])
        words = _("Notifications are on: this phone tells you when you are paired.")
    return report_success(request, words, "me-entry", tournament.slug, entry.code)


def push_context(entry: Entry) -> dict[str, Any]:
    if not settings.HTTPS:
        return {}
    phones = entry.push_subscriptions.values_list("endpoint", flat=True)
    return {"push": PushForm(auto_id=False), "push_key": server_key(), "push_phones": " ".join(phones)}


@own_view("GET")
def own_data(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    context = {
        **player_context(tournament, entry),
        "public_name": load_public_names(tournament)[entry.code],
        "messages_sent": entry.flags.count(),
        "penalties": entry.penalties.count(),
        "decklists": entry.decklists.count(),
        "phones": entry.push_subscriptions.count(),
        "days": settings.RETENTION_DAYS,
    }
    return render(request, "tournament/self_service/own_data.html", context)


@own_view("GET")
def own_data_file(request: HttpRequest, tournament: Tournament, entry: Entry) -> HttpResponse:
    return own_data_response(collect_own_data(entry), f"{tournament.slug}-{entry.code}")
