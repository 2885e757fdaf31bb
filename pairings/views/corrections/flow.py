"""The steps of every correction: enter the corrected facts, see the effect, then save with a reason."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairings.corrections.effect import (
    CorrectionEffect,
    CorrectionWords,
    effect_of_correction,
    is_open,
    rounds_after,
)
from pairings.engine.gc_pause import pause_gc
from pairings.forms.corrections import CorrectionForm
from tournament.actionlog.change import hash_body
from tournament.errors import Refused
from tournament.event.read import load_event_values
from tournament.models import Action, Round, Tournament
from tournament.web.keyed_forms import fresh_key
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import report_success

Service = Callable[..., Action | None]
PREVIEW_REASON = "–"  # a preview needs none
PART = "other_tables"  # what the page of an effect fetches by itself; without JavaScript by a button


class CorrectionPage(NamedTuple):
    title: str  # of the page
    what: str  # the heading over the form, such as "The result"
    saved: str  # the saved value; "" if the form shows it
    back: str  # URL of the page the user came from and returns to
    links: list[tuple[str, str]] = []  # (URL, text) of related corrections
    version: int | None = None  # of the saved value being corrected
    refusal: str = ""  # why there is nothing to correct here; the links say where
    note: str = ""  # what does not change, below the form
    seats: bool = False  # whether it may change who plays in a round, which then may need a repair


def about_player(name: str) -> str:
    return _("%(name)s: drop, late entry, other rounds, name") % {"name": name}


@pause_gc()
def correct(
    request: StaffRequest,
    tournament: Tournament,
    page: CorrectionPage,
    form: CorrectionForm,
    service: Service,
    *about: Any,
) -> HttpResponse:
    """Show the effect of `service(tournament, *about, …)`, then save exactly that; 409 if the effect has changed."""
    effect, message = None, page.refusal
    if form.is_understood() and not page.refusal:
        fields = {**form.fields_for_service(), "actor": request.user}

        def preview() -> Action | None:
            reason = form.whole_reason or PREVIEW_REASON
            return service(tournament, *about, **fields, reason=reason, preview=True)

        save, ruling = "save" in request.POST, {"actor": request.user, "reason": form.whole_reason}
        keyed = tournament.actions.sent_as(form.cleaned_data["key"])
        if save and not form.errors and keyed.exists():
            if form.submit(service, tournament, *about, **ruling):
                return _saved(request, tournament, page, form.result)
            form.show_again(key=fresh_key())
            return _page(request, tournament, page, form, effect, message)
        at_once = save and form.whole_reason and not form.errors
        if at_once and (action := _save_what_was_shown(form, service, tournament, *about, **ruling)):
            return _saved(request, tournament, page, action)
        try:
            effect = effect_of_correction(tournament, preview, newcomer=form.newcomer)
        except Refused as error:
            form.refuse(error)
        if effect is None and not form.refusal:
            message = _("That is saved already. Nothing would change.")
        elif effect and save and not form.errors:
            expects = hash_body(effect.action.changes)
            if not form.whole_reason:
                form.add_error("reason", _("Say why it is corrected."))
            elif form.cleaned_data["digest"] != effect.digest:
                message = _(
                    "This is not what you were shown before. Review what would change now, then save."
                )
            elif form.submit(service, tournament, *about, **ruling, expects=expects) and form.result:
                return _saved(request, tournament, page, form.result)
    return _page(request, tournament, page, form, effect, message)


def _save_what_was_shown(form: CorrectionForm, service: Service, *about: Any, **ruling: Any) -> Action | None:
    """Save if nothing was written since the effect was shown, else return None because the effect may differ."""
    number, _colon, expects = form.cleaned_data["shown"].partition(":")
    if not (number.isdecimal() and expects):
        return None
    exactly = {"key": form.cleaned_data["key"], "expects": expects, "expects_number": int(number)}
    try:
        return service(*about, **form.fields_for_service(), **ruling, **exactly)
    except Refused:
        return None


def _shown(effect: CorrectionEffect | None) -> dict[str, str]:
    if effect is None:
        return {"digest": "", "shown": ""}
    return {"digest": effect.digest, "shown": f"{effect.action.number}:{hash_body(effect.action.changes)}"}


def _page(
    request: StaffRequest,
    tournament: Tournament,
    page: CorrectionPage,
    form: CorrectionForm,
    effect: CorrectionEffect | None,
    message: str,
) -> HttpResponse:
    context: dict[str, Any] = {"tournament": tournament, "page": page, "form": form, "message": message}
    context["draft"] = tournament.rounds.filter(state=Round.State.DRAFT).first()
    if form.is_bound:
        form.show_again(version=page.version, **_shown(effect))
    if effect is not None:
        form.focus_on_reason()
        context |= {
            "effect": effect,
            "words": CorrectionWords(tournament, effect),
            "compared": PART in request.POST,
        }
    if request.htmx:
        return render(request, "pairings/corrections/_other_tables.html", context)
    refused = page.refusal or (effect is not None and message)
    status = form.status if form.errors else 409 if refused else 200
    return render(request, "pairings/corrections/correct.html", context, status=status)


def _saved(
    request: StaffRequest, tournament: Tournament, page: CorrectionPage, action: Action
) -> HttpResponse:
    message = _("Corrected. An organizer or scorekeeper can undo it in the log.")
    rounds = rounds_after(load_event_values(tournament), action.changes, own=page.seats)
    playing = next((round_.number for round_ in rounds if is_open(round_)), None)
    if playing is None:
        return report_success(request, message, page.back)
    return report_success(request, message, "repair", tournament.slug, playing)
