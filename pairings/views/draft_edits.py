"""A draft edited by hand: swap two players, lock a table, set first moves, prohibit a pair."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairings.draft import edits
from pairings.draft.swaps import preview_swap
from pairings.forms.draft_edits import (
    CoinTossForm,
    FirstMoveForm,
    LockForm,
    MoveMatchForm,
    SwapForm,
    SwapPreviewForm,
)
from pairings.forms.drafts import RowsShownForm
from pairings.forms.prohibited_pairs import ProhibitedPairForm
from pairings.views.drafts import draft_response, row_address
from pairings.words.edits import lock_words
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.pairing_record import PairingRecord
from tournament.event.table_plan import table_name
from tournament.models import Round, Tournament
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.rounds import round_of
from tournament.text.display_names import names_of
from tournament.web.keyed_forms import KeyedForm
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, report_success, see_other, staff_view

SWAP_IDS = "swap-%s"


@staff_view("GET", "POST", roles=DESK)
def swap(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """GET: what swapping ?a= and ?b= would do. POST: do it."""
    names = names_of(tournament)
    if request.method != "POST":
        preview = SwapPreviewForm.from_address(request.GET, names, auto_id=SWAP_IDS)
        return _swap_response(request, tournament, number, preview)
    form = SwapForm(names, request.POST)
    if form.submit(edits.swap_players, tournament, number, actor=request.user):
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        success = _("%(a)s and %(b)s swapped places.") % {"a": names[a], "b": names[b]}
        return report_success(request, success, row_address(request, tournament, number, a))
    preview = SwapPreviewForm(names, request.POST, auto_id=SWAP_IDS)
    return _swap_response(request, tournament, number, preview, first_error(form), form.status)


@staff_view("GET", roles=DESK)
def swap_part(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The preview alone, for the draft's page. Raises NotFound where there is no such round."""
    preview = SwapPreviewForm.from_address(request.GET, names_of(tournament))
    return _swap_response(request, tournament, number, preview, part=True)


def _swap_response(
    request: StaffRequest,
    tournament: Tournament,
    number: int,
    preview: SwapPreviewForm,
    message: str = "",
    status: int = 422,
    *,
    part: bool = False,
) -> HttpResponse:
    """The form for two players, and what swapping them would do; `message`: what was refused; or a `part` alone."""
    round_ = round_of(tournament, number)
    plan, initial = None, {}
    if preview.is_bound and preview.is_valid():
        try:
            plan = preview_swap(tournament, number, **preview.cleaned_data)
            initial = {"seen": plan.seen, "reason": request.POST.get("reason", ""), **preview.cleaned_data}
        except Refused as error:
            message = message or str(error)
    elif preview.is_bound:
        message = message or first_error(preview)
    context = {
        "tournament": tournament,
        "round": round_,
        "preview": preview,
        "swap": plan,
        "form": SwapForm({}, initial=initial, auto_id=SWAP_IDS),
        "shown": RowsShownForm(request.GET),
        "message": message,
    }
    template = "pairings/_swap.html" if part else "pairings/swap.html"
    return render(request, template, context, status=status if message else 200)


def _edit_response(
    request: StaffRequest, tournament: Tournament, number: int, form: KeyedForm, edit: Callable[..., Any]
) -> HttpResponse:
    """A form of the draft's page: done, or refused on that page."""
    round_of(tournament, number)  # or NotFound, before anything is done
    if form.submit(edit, tournament, number, actor=request.user):
        return see_other(row_address(request, tournament, number, form.cleaned_data.get("player", "")))
    tournament.refresh_from_db()
    return draft_response(request, tournament, round_of(tournament, number), first_error(form), form.status)


@staff_view("POST", roles=DESK)
def lock(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Lock a table of the draft, or unlock it."""

    form = LockForm(request.POST)
    answer = _edit_response(request, tournament, number, form, edits.lock_table)
    if not form.errors:
        messages.success(request, _lock_words(round_of(tournament, number), form.cleaned_data["player"]))
    return answer


def _lock_words(round_: Round, player: str) -> str:
    """Whether the table of this player is locked now."""
    table = round_.seats.values_list("match__table", flat=True).get(entry__code=player)
    locks = PairingRecord.from_json(round_.pairing).locks
    return lock_words(table_name(round_.tournament, table), locked=any(player in lock for lock in locks))


@staff_view("POST", roles=DESK)
def coin_toss(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The organizer's coin toss for the first table."""
    return _edit_response(request, tournament, number, CoinTossForm(request.POST), edits.enter_coin_toss)


@staff_view("POST", roles=DESK)
def first_move(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Who moves first at one table."""
    form = FirstMoveForm(names_of(tournament), request.POST)
    return _edit_response(request, tournament, number, form, edits.set_first_move)


@staff_view("POST", roles=DESK)
def move_match(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Move a match to another table, such as a feature table."""
    form = MoveMatchForm(names_of(tournament), request.POST, venue=tournament)
    return _edit_response(request, tournament, number, form, edits.move_match)


@staff_view("POST", roles=DESK)
def prohibit(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Put two players on the do-not-pair list or, with `lift`, take them off it."""
    form = ProhibitedPairForm(names_of(tournament, merged=False), request.POST)

    def edit(tournament: Tournament, number: int, a: str, b: str, **data: Any) -> None:
        prohibit_pair(tournament, a, b, **data)

    return _edit_response(request, tournament, number, form, edit)
