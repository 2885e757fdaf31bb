"""Pairing in the browser: ask what has to be asked, look at the draft, publish it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.draft.compute import no_round_reason
from pairings.draft.house import add_house_opponent, needs_house_choice
from pairings.draft.page import draft_page
from pairings.draft.services import draft_again, draft_next_round
from pairings.forms.rounds import BYE, NEW, DraftForm, PairForm
from pairings.proof.rows import anchor_of
from pairings.words.edits import draft_action_words
from tournament.access.fetch import DESK
from tournament.errors import Conflict, Refused
from tournament.models import Round, Tournament
from tournament.progress.flights import Flight, flight_round_words
from tournament.progress.next_step import Progress, pairing_step_of_flight, progress_of
from tournament.services.rounds import discard_draft, publish_round, round_of
from tournament.services.undo import last_undoable_action
from tournament.text.display_names import names_of
from tournament.web.staff_pages import first_error, form_data, read_number, see_other, staff_view

ROWS = 250  # tables on one page
MOST_LISTED = 400  # names offered while typing
PLACE = ("show", "page")  # which rows of the list are looked at
EDITS = ("edit draft", "forbid")  # what the draft's own page undoes


@staff_view("GET", "POST", roles=DESK)
def pair(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: what pairing does now, and what it asks. POST: complete the open round and draft the next."""
    houses = list(tournament.entries.filter(house=True).order_by("code").values_list("code", "name"))
    form = PairForm(
        form_data(request), houses=houses, initial={"session": read_number(request, "session") or None}
    )
    status = 200
    if request.method == "POST":
        if not form.is_valid():
            return _pair_page(request, tournament, form, first_error(form), 422)
        try:
            session = form.cleaned_data["session"]
            if not form.cleaned_data["house"] and needs_house_choice(tournament, session):
                asked = f"?session={session}" if session else ""
                return see_other(reverse("pair", args=[tournament.slug]) + asked)
            return _draft(request, tournament, form.cleaned_data)
        except Refused as error:
            return _pair_page(request, tournament, form, str(error), error.status)
    return _pair_page(request, tournament, form, "", status)


def _pair_page(
    request: HttpRequest, tournament: Tournament, form: PairForm, message: str, status: int
) -> HttpResponse:
    over = no_round_reason(tournament.state, tournament.stages.values_list("kind", flat=True))
    progress = progress_of(tournament)
    session = _session_of(progress, form)
    asks = not over and needs_house_choice(tournament, session.number if session else None)
    form.fields["house"].widget.attrs["required"] = asks
    context = {
        "tournament": tournament,
        "progress": progress,
        "session": session,
        "next": pairing_step_of_flight(progress.facts, session) if session else progress.next,
        "form": form,
        "message": message or over,
        "over": over,
        "asks": asks,
    }
    return render(request, "pairings/pair.html", context, status=status)


def _session_of(progress: Progress, form: PairForm) -> Flight | None:
    """Of sessions side by side the one asked for, or the next to be paired; None where there is one."""
    text = str(form["session"].value() or progress.next.flight or "")
    sessions = progress.facts.flights
    return next((one for one in sessions if str(one.number) == text), sessions[0] if sessions else None)


def _draft(request: HttpRequest, tournament: Tournament, data: dict[str, Any]) -> HttpResponse:
    about = {"actor": request.user, "key": data["key"]}
    house = data["house"] if data["house"] not in (BYE, NEW) else None
    if data["house"] == NEW:
        house = _new_house(request, tournament, data)
    draft_next_round(tournament, house=house or None, session=data["session"], **about)
    drafted = tournament.rounds.order_by("-number").first()
    if data["session"]:
        drafted = tournament.rounds.filter(stage__number=data["session"]).order_by("-number").first()
    return see_other(reverse("draft", args=[tournament.slug, drafted.number if drafted else 1]))


def _new_house(request: HttpRequest, tournament: Tournament, data: dict[str, Any]) -> str | None:
    """The code of the house opponent of that name, made where the form comes for the first time."""
    key = f"{data['key'][:58]}-house" if data["key"] else ""
    add_house_opponent(tournament, data["name"], data["session"], actor=request.user, key=key)
    newest = tournament.entries.filter(house=True).order_by("-code").first()
    return newest.code if newest else None


@staff_view("GET")
def draft(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The draft: pairings, reasons, certificate, and the list to check before publishing."""
    round_ = round_of(tournament, number)
    if round_.state != Round.State.DRAFT:
        return redirect("desk-round", tournament.slug, number)
    return draft_answer(request, tournament, round_)


def draft_answer(
    request: HttpRequest, tournament: Tournament, round_: Round, message: str = "", status: int = 200
) -> HttpResponse:
    """The page of a draft, with what was refused where something was."""
    page = draft_page(tournament, round_.number, round_.revision)
    noted = request.GET.get("show") == "noted"
    rows = [row for row in page.rows if row.is_notable] if noted else page.rows
    last = last_undoable_action(tournament)
    last = last if last and last.kind in EDITS else None
    context = {
        "tournament": tournament,
        "round": round_,
        "page": page,
        "editable": tournament.role in DESK,
        "rows": Paginator(rows, ROWS).get_page(request.GET.get("page")),
        "noted": noted,
        "few": page.players if len(page.players) <= MOST_LISTED else [],
        "message": message,
        **place_of(request),
        "last": last,
        "last_words": draft_action_words(last.changes, names_of(tournament)) if last else "",
    }
    progress = progress_of(tournament, round_.stage_id)
    context |= {"progress": progress, "session": flight_round_words(progress.facts.flights, round_)}
    return render(request, "pairings/draft.html", context, status=status)


def place_of(request: HttpRequest) -> dict[str, Any]:
    """Which rows of the list are looked at: `place` by field, `where` as an address ends with it."""
    place = {name: request.GET[name] for name in PLACE if request.GET.get(name)}
    return {"place": place, "where": f"?{urlencode(place)}" if place else ""}


def back_to(request: HttpRequest, tournament: Tournament, number: int, player: str = "") -> str:
    """The address of the draft with the rows that were looked at, and among them the row of this player."""
    address = reverse("draft", args=[tournament.slug, number])
    place = place_of(request)["place"]
    round_ = round_of(tournament, number)
    seat = round_.seats.filter(entry__code=player).select_related("match").first() if player else None
    if seat is None:
        return address + place_of(request)["where"]
    if "show" not in place:
        tables = round_.matches.filter(table__isnull=False)
        above = tables.filter(table__lt=seat.match.table) if seat.match.table else tables
        place = {"page": page} if (page := above.count() // ROWS + 1) > 1 else {}
    code = round_.seats.get(match=seat.match, side="a").entry.code
    return f"{address}{'?' + urlencode(place) if place else ''}#{anchor_of(seat.match.table, code)}"


def _sent(request: HttpRequest) -> dict[str, Any]:
    """`actor`, `key`, `reason` and `seen` of a button for the whole draft. Raises Refused."""
    form = DraftForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    return {"actor": request.user, **form.cleaned_data}


def _as_it_is_now(request: HttpRequest, tournament: Tournament, number: int, error: Conflict) -> HttpResponse:
    """The draft that somebody else made of it meanwhile, and that nothing was done to it."""
    tournament.refresh_from_db()
    return draft_answer(request, tournament, round_of(tournament, number), str(error), error.status)


@staff_view("POST", roles=DESK)
def publish(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """From now on these pairings are facts."""
    try:
        publish_round(tournament, number, **_sent(request))
    except Conflict as error:
        return _as_it_is_now(request, tournament, number, error)
    messages.success(request, _("Round %(number)s is published.") % {"number": number})
    return see_other(reverse("desk-round", args=[tournament.slug, number]))


@staff_view("POST", roles=DESK)
def again(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Another draft, with the next attempt's seed; the attempt is logged and public."""
    about = _sent(request)
    about.pop("reason")
    seat = round_of(tournament, number).seats.filter(entry__house=True).select_related("entry").first()
    try:
        draft_again(tournament, number, house=seat.entry.code if seat else None, **about)
    except Conflict as error:
        return _as_it_is_now(request, tournament, number, error)
    messages.success(request, _("The round was paired again."))
    return see_other(reverse("draft", args=[tournament.slug, number]))


@staff_view("POST", roles=DESK)
def discard(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Throw the draft away; the round before stays complete."""
    try:
        discard_draft(tournament, number, **_sent(request))
    except Conflict as error:
        return _as_it_is_now(request, tournament, number, error)
    messages.success(
        request, _("The draft pairings for round %(number)s were discarded.") % {"number": number}
    )
    return see_other(reverse("desk", args=[tournament.slug]))
