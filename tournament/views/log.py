from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import NeedsConfirmation, Refused, WrongState
from tournament.forms.results import UndoForm
from tournament.history.corrections import correction_addresses
from tournament.history.describe import describe_undo
from tournament.models import Action, Round, Tournament
from tournament.services import undo
from tournament.services.corrections import CORRECTION
from tournament.services.undo import last_undoable_action
from tournament.services.undo_obstacles import can_unpublish, published_round_of, undone_numbers
from tournament.views.rounds import action_words, changed_parts, round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import cleaned_fields, confirmation, read_number, report_success, staff_view

PAGE = 50


def log_address(tournament: Tournament, number: int) -> str:
    return f"{reverse('log', args=[tournament.slug])}?action={number}#action-{number}"


@staff_view("GET")
def log(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    return _log_page(request, tournament)


def _log_page(
    request: StaffRequest, tournament: Tournament, refusal: Refused | None = None, correction: str = ""
) -> HttpResponse:
    first = tournament.actions.order_by("number").values_list("number", flat=True).first() or 1
    numbers = range(tournament.revision, first - 1, -1)  # without gaps: nothing needs to be counted
    number = request.GET.get("page")
    if not number and (action := read_number(request, "action")):
        number = str((tournament.revision - action) // PAGE + 1)
    page = Paginator(numbers, PAGE).get_page(number)
    actions = tournament.actions.filter(number__in=page.object_list).order_by("-number")
    context = {
        "tournament": tournament,
        "page": page,
        "actions": describe_undo(tournament, actions),
        "last": last_undoable_action(tournament, tournament.role),
        "message": refusal,
        "correction": correction,
    }
    return render(request, "tournament/log/log.html", context, status=refusal.status if refusal else 200)


@staff_view("POST", roles=DESK)
def undo_action(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    data = cleaned_fields(UndoForm(request.POST))
    done = tournament.actions.filter(number=data["number"]).first()
    number = published_round_of(done) if done and not data["sure"] else None
    if number and can_unpublish(tournament, number):
        context = {"tournament": tournament, "number": number, "action": done, "round": data["round"]}
        template = "_unpublish.html" if request.htmx else "unpublish.html"
        return render(request, f"tournament/log/{template}", context)
    try:
        undo.check_may_undo(tournament, data["number"], tournament.role)
        sent = {"actor": request.user, "key": data["key"], **confirmation(request)}
        action = undo.undo_action(tournament, data["number"], **sent)
    except NeedsConfirmation:
        raise
    except Refused as error:
        tournament.refresh_from_db()
        correction = _correction_of(tournament, done, error)
        if not request.htmx:
            return _log_page(request, tournament, error, correction)
        if not (round_ := _open_round(tournament, data["round"])):
            raise
        context = changed_parts(tournament, round_, seen=data["seen"] or 0)
        context |= {"message": error, "correction": correction}
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    tournament.refresh_from_db()
    sentence = action_words(tournament, action) or _("Already undone.")
    round_ = _open_round(tournament, data["round"])
    if round_ is None:
        place = ("entries", tournament.slug) if data["players"] else _place_after(tournament, done)
        return report_success(request, sentence, *place)
    if not request.htmx:
        return report_success(request, sentence, round_address(tournament, round_.number))
    context = changed_parts(tournament, round_, seen=data["seen"] or 0)
    return render(request, "tournament/results/_line_saved.html", {**context, "sentence": sentence})


def _correction_of(tournament: Tournament, action: Action | None, refusal: Refused) -> str:
    """Return the page that corrects an action that later ones build on; "" if something else prevents the undo."""
    if action is None or not isinstance(refusal, WrongState):
        return ""
    if action.number in undone_numbers(tournament, action.number):
        return ""
    return correction_addresses(tournament, [action]).get(action.number, "")


def _place_after(tournament: Tournament, done: Action | None) -> tuple[Any, ...]:
    """Return the page after an undo: the bracket, or the repair of a round that was paired from it."""
    keys = [change["fact"].split("/") for change in done.changes] if done else []
    changed = {int(key[1]) for key in keys if key[0] == "rounds" and len(key) == 4}
    if changed and tournament.rounds.filter(number__in=changed, swiss=False).exists():
        return "desk-bracket", tournament.slug
    if not done or done.kind != CORRECTION:
        return "desk", tournament.slug
    stages = tournament.stages.filter(Q(rounds__number__in=changed) | Q(carries=True)) if changed else ()
    rounds = tournament.rounds.filter(swiss=True, state=Round.State.PUBLISHED, stage__in=stages)
    if playing := rounds.filter(number__gte=min(changed, default=0), matches__result=None).first():
        return "repair", tournament.slug, playing.number
    return "desk", tournament.slug


def _open_round(tournament: Tournament, number: int | None) -> Round | None:
    return tournament.rounds.exclude(state=Round.State.COMPLETE).filter(number=number or 0).first()
