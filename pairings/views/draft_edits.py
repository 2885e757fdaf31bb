"""A draft changed by hand in the browser: look at an exchange, do it; locks, first moves, pairs that never meet."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairings.draft import edits
from pairings.draft.swaps import Swap, preview_swap
from pairings.forms.rounds import CoinForm, FirstForm, ForbidForm, LockForm, SwapForm, TwoForm
from pairings.views.drafts import back_to, draft_answer, place_of
from pairings.words.lists import capitalize, tables_words
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.pairing_record import PairingRecord
from tournament.models import Round, Tournament
from tournament.progress.next_step import progress_of
from tournament.services.reseating import prohibit_pair
from tournament.services.rounds import round_of
from tournament.text.display_names import names_of
from tournament.web.staff_pages import first_error, see_other, staff_view


def asked_two(request: HttpRequest, names: dict[str, str], form: type[TwoForm] = TwoForm) -> TwoForm:
    """The two players of an address: ?a= and ?b=, or ?pick= of one of them; unbound while one is missing."""
    a = request.GET.get("pick") or request.GET.get("a", "")
    b = request.GET.get("b", "")
    if a and b:
        return form(names, {"a": a, "b": b})
    return form(names, initial={"a": a, "b": b})


@staff_view("GET", "POST", roles=DESK)
def swap_players(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """GET: what an exchange of ?a= and ?b= would do. POST: do it."""
    names = names_of(tournament)
    if request.method != "POST":
        return swap_answer(request, tournament, number, asked_two(request, names))
    form = SwapForm(names, request.POST)
    if not form.is_valid():
        return swap_answer(request, tournament, number, form, first_error(form), 422)
    data = form.cleaned_data
    try:
        edits.swap_players(tournament, number, **{**data, "actor": request.user})
    except Refused as error:
        return swap_answer(request, tournament, number, form, str(error), error.status)
    said = {"a": names[data["a"]], "b": names[data["b"]]}
    messages.success(request, _("%(a)s and %(b)s swapped places.") % said)
    return see_other(back_to(request, tournament, number, data["a"]))


def swap_answer(
    request: HttpRequest,
    tournament: Tournament,
    number: int,
    form: TwoForm,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page of an exchange: the form, and what it would do where two players are named."""
    context = _weighed(tournament, number, form, message) | place_of(request)
    context |= {"progress": progress_of(tournament), "round": round_of(tournament, number)}
    if context["message"] and status == 200:
        status = 422
    return render(request, "pairings/swap.html", context, status=status)


@staff_view("GET", roles=DESK)
def swap_part(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The same answer for the draft's page. Raises NotFound where there is no such round."""
    round_of(tournament, number)
    form = asked_two(request, names_of(tournament))
    context = _weighed(tournament, number, form, "") | place_of(request)
    return render(request, "pairings/_swap.html", context, status=422 if context["message"] else 200)


def _weighed(tournament: Tournament, number: int, form: TwoForm, message: str) -> dict[str, Any]:
    planned: Swap | None = None
    if form.is_bound and form.is_valid():
        try:
            planned = preview_swap(tournament, number, form.cleaned_data["a"], form.cleaned_data["b"])
        except Refused as error:
            message = message or str(error)
    elif form.is_bound:
        message = message or first_error(form)
    return {
        "tournament": tournament,
        "number": number,
        "form": form,
        "swap": planned,
        "message": message,
        "reason": form.data.get("reason", ""),
    }


def _edit(
    request: HttpRequest, tournament: Tournament, number: int, form: forms.Form, do: Any
) -> HttpResponse:
    """A form of the draft's page: done, or refused on that page."""
    round_ = round_of(tournament, number)
    if not form.is_valid():
        return draft_answer(request, tournament, round_, first_error(form), 422)
    try:
        do(tournament, number, **{**form.cleaned_data, "actor": request.user})
    except Refused as error:
        tournament.refresh_from_db()
        return draft_answer(request, tournament, round_of(tournament, number), str(error), error.status)
    return see_other(back_to(request, tournament, number, form.cleaned_data.get("player", "")))


@staff_view("POST", roles=DESK)
def lock(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Lock a table of the draft, or unlock it."""

    def do(tournament: Tournament, number: int, **data: Any) -> None:
        edits.lock_table(tournament, number, **data)
        messages.success(request, _locked_words(round_of(tournament, number), data["player"]))

    return _edit(request, tournament, number, LockForm(request.POST), do)


def _locked_words(round_: Round, player: str) -> str:
    """Whether the table of this player is locked now."""
    table = round_.seats.values_list("match__table", flat=True).get(entry__code=player)
    held = {code for pair in PairingRecord.from_json(round_.pairing).locks for code in pair}
    said = _("%(table)s is locked.") if player in held else _("%(table)s is no longer locked.")
    return said % {"table": capitalize(tables_words([table]))}


@staff_view("POST", roles=DESK)
def coin(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The director's coin."""
    return _edit(request, tournament, number, CoinForm(request.POST), edits.enter_coin_toss)


@staff_view("POST", roles=DESK)
def first(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Who moves first at one table."""
    form = FirstForm(names_of(tournament), request.POST)
    return _edit(request, tournament, number, form, edits.set_first_move)


@staff_view("POST", roles=DESK)
def forbid(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Two who never meet from now on, or may again."""
    form = ForbidForm(names_of(tournament), request.POST)

    def do(tournament: Tournament, number: int, **data: Any) -> None:
        prohibit_pair(tournament, data.pop("a"), data.pop("b"), lift=data.pop("lift"), **data)

    return _edit(request, tournament, number, form, do)
