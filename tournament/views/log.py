"""The log in words, and undo."""

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.forms.box import UndoForm
from tournament.history.describe import describe_actions
from tournament.models import Round, Tournament
from tournament.services import undo
from tournament.services.undo import last_undoable_action, may_undo, undone_numbers
from tournament.views.rounds import action_words, changed_parts, round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import cleaned_fields, report_success, staff_view

PAGE = 50


@staff_view("GET")
def log(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Every action, the newest first."""
    return _log_page(request, tournament)


def _log_page(request: StaffRequest, tournament: Tournament, refusal: Refused | None = None) -> HttpResponse:
    """A page of the log; `refusal`: why an undo was refused."""
    page = Paginator(tournament.actions.order_by("-number"), PAGE).get_page(request.GET.get("page"))
    context = {
        "tournament": tournament,
        "page": page,
        "actions": describe_actions(tournament, page.object_list),
        "undone": undone_numbers(tournament),
        "undoable": {action.number for action in page.object_list if may_undo(action, tournament.role)},
        "last": last_undoable_action(tournament, tournament.role),
        "baseline": tournament.baseline_number,
        "message": refusal,
    }
    return render(request, "tournament/log/log.html", context, status=refusal.status if refusal else 200)


@staff_view("POST", roles=DESK)
def undo_action(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Undo one action, and update the row or page it was asked from."""
    data = cleaned_fields(UndoForm(request.POST))
    done = tournament.actions.filter(number=data["number"]).first()
    number = undo.published_round_of(done) if done and not data["sure"] else None
    if number and undo.can_unpublish(tournament, number):
        context = {"tournament": tournament, "number": number, "action": done, "round": data["round"]}
        template = "_unpublish.html" if request.htmx else "unpublish.html"
        return render(request, f"tournament/log/{template}", context)
    try:
        undo.check_may_undo(tournament, data["number"], tournament.role)
        action = undo.undo_action(tournament, data["number"], actor=request.user, key=data["key"])
    except Refused as error:
        if not request.htmx:
            return _log_page(request, tournament, error)
        tournament.refresh_from_db()
        if not (round_ := _open_round(tournament, data["round"])):
            raise
        context = changed_parts(tournament, round_, seen=data["seen"] or 0) | {"message": error}
        return render(request, "tournament/results/_line_refused.html", context, status=error.status)
    tournament.refresh_from_db()
    sentence = action_words(tournament, action) or _("Already undone.")
    round_ = _open_round(tournament, data["round"])
    if round_ is None:
        return report_success(request, sentence, "desk", tournament.slug)
    if not request.htmx:
        return report_success(request, sentence, round_address(tournament, round_.number))
    context = changed_parts(tournament, round_, seen=data["seen"] or 0)
    return render(request, "tournament/results/_line_saved.html", {**context, "sentence": sentence})


def _open_round(tournament: Tournament, number: int | None) -> Round | None:
    """The round of that number while it is not complete: whose desk asked for an undo."""
    return tournament.rounds.exclude(state=Round.State.COMPLETE).filter(number=number or 0).first()
