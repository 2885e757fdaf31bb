"""View, edit, publish, re-pair or discard a draft."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.draft import edits
from pairings.draft.page import DraftPage, draft_page
from pairings.draft.services import draft_next_round
from pairings.forms.drafts import (
    CoinTossForm,
    DraftActionForm,
    DraftPairForm,
    FirstMoveForm,
    LockForm,
    MoveMatchForm,
    PairAgainForm,
    ProhibitedPairForm,
    RowsShownForm,
    SwapForm,
    SwapPreviewForm,
)
from pairings.proof.page import row_anchor
from pairings.words.edits import draft_action_words, lock_words
from tournament.access.permissions import DESK
from tournament.errors import Conflict, Refused
from tournament.event.display_names import load_names
from tournament.event.pairing_record import PairingRecord
from tournament.event.rounds import find_round, find_swiss_round
from tournament.event.table_plan import round_table_plan, table_name
from tournament.models import Round, Tournament
from tournament.progress.flights import flight_round_words
from tournament.progress.next_step import build_progress
from tournament.services.entries import prohibit_pair
from tournament.services.rounds import check_seen, discard_draft, publish_round
from tournament.services.undo import find_last_undoable
from tournament.views.check_in import report_no_shows
from tournament.web.keyed_forms import KeyedForm
from tournament.web.staff_pages import (
    StaffRequest,
    first_error,
    report_success,
    see_other,
    service_fields,
    staff_view,
)

ROWS = 250  # tables on one page
EDIT_KINDS = ("edit draft", "forbid")  # actions that the draft's own page undoes


@staff_view("GET")
def draft(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    round_ = find_round(tournament, number)
    if round_.state != Round.State.DRAFT:
        return redirect("desk-round", tournament.slug, number)
    return draft_response(request, tournament, round_)


def draft_response(
    request: StaffRequest, tournament: Tournament, round_: Round, message: str = "", status: int = 200
) -> HttpResponse:
    page = draft_page(tournament, round_.number, round_.revision)
    shown = RowsShownForm(request.GET)
    rows = [row for row in page.rows if row.is_notable] if shown.only_notable else page.rows
    last, _undone = find_last_undoable(tournament, tournament.role)
    last = last if last and last.kind in EDIT_KINDS else None
    progress = build_progress(tournament, round_.stage_id)
    context = {
        "tournament": tournament,
        "round": round_,
        "page": page,
        "editable": tournament.role in DESK,
        "shown": shown,
        "rows": Paginator(rows, ROWS).get_page(shown.cleaned_data.get("page")),
        "message": message,
        "last": last,
        "last_words": draft_action_words(last.changes, load_names(tournament), round_table_plan(tournament))
        if last
        else "",
        "progress": progress,
        "session": flight_round_words(progress.facts.flights, round_),
        **_tool_forms(tournament, page),
    }
    return render(request, "pairings/draft.html", context, status=status)


def _tool_forms(tournament: Tournament, page: DraftPage) -> dict[str, Any]:
    tool: dict[str, Any] = {"names": {}, "offered": page.players}
    edit = tool | {"initial": {"seen": page.revision}}
    plan = round_table_plan(tournament)
    return {
        "swap_form": SwapPreviewForm(**tool, auto_id="swap-%s"),
        "first_move_form": FirstMoveForm(**edit, auto_id="first-%s"),
        "move_form": MoveMatchForm(**edit, auto_id="move-%s", plan=plan),
        "lock_form": LockForm(**edit, auto_id="lock-%s"),
        "pair_form": DraftPairForm(**tool, auto_id="pair-%s"),
    }


def row_address(request: StaffRequest, tournament: Tournament, number: int, player: str = "") -> str:
    """Return the draft's URL with the same filter, at this player's row."""
    address = reverse("draft", args=[tournament.slug, number])
    shown = RowsShownForm(request.GET)
    matches = find_swiss_round(tournament, number).matches
    match = matches.filter(seats__entry__code=player).first() if player else None
    if match is None:
        return address + shown.query
    query = shown.query
    if not shown.only_notable:
        tables = match.round.matches.filter(table__isnull=False)
        above = tables.filter(table__lt=match.table) if match.table else tables
        page = above.count() // ROWS + 1
        query = f"?page={page}" if page > 1 else ""
    return f"{address}{query}#{row_anchor(match.table, match.seats.get(side='a').entry.code)}"


@staff_view("POST", roles=DESK)
def publish(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    success = _("Round %(number)s is published.") % {"number": number}
    return _run(request, tournament, number, publish_round, success, "desk-round", number)


@staff_view("POST", roles=DESK)
def again(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Draft the round again with the next attempt's seed, without the listed no-shows. Attempts are shown publicly."""
    round_ = find_swiss_round(tournament, number)

    def pair_again(tournament: Tournament, number: int, reason: str, codes: list[str], **sent: Any) -> None:
        if codes and not tournament.actions.sent_as(sent["key"]).exists():
            check_seen(round_.revision, sent["seen"])
            report_no_shows(request, tournament, codes, round_.stage.number)
        draft_next_round(tournament, again=number, **sent)

    success = _("The round was paired again.")
    return _run(request, tournament, number, pair_again, success, "draft", number, form=PairAgainForm)


@staff_view("POST", roles=DESK)
def discard(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    success = _("The draft pairings for round %(number)s were discarded.") % {"number": number}
    return _run(request, tournament, number, discard_draft, success, "desk")


def _run(
    request: StaffRequest,
    tournament: Tournament,
    number: int,
    service: Callable[..., Any],
    success: str,
    page: str,
    *args: int,
    form: type[DraftActionForm] = DraftActionForm,
) -> HttpResponse:
    try:
        service(tournament, number, **service_fields(request, form(request.POST)))
    except Conflict as error:
        tournament.refresh_from_db()
        round_ = find_swiss_round(tournament, number)
        return draft_response(request, tournament, round_, str(error), error.status)
    return report_success(request, success, page, tournament.slug, *args)


SWAP_IDS = "swap-%s"


@staff_view("GET", "POST", roles=DESK)
def swap(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    names = load_names(tournament)
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
    preview = SwapPreviewForm.from_address(request.GET, load_names(tournament))
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
    round_ = find_swiss_round(tournament, number)
    plan, initial = None, {}
    if preview.is_bound and preview.is_valid():
        try:
            plan = edits.plan_swap(edits.open_draft(tournament, number), **preview.cleaned_data)
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
    find_swiss_round(tournament, number)  # or NotFound, before anything is done
    if form.submit(edit, tournament, number, actor=request.user):
        return see_other(row_address(request, tournament, number, form.cleaned_data.get("player", "")))
    tournament.refresh_from_db()
    round_ = find_swiss_round(tournament, number)
    return draft_response(request, tournament, round_, first_error(form), form.status)


@staff_view("POST", roles=DESK)
def lock(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    form = LockForm(load_names(tournament), request.POST)
    answer = _edit_response(request, tournament, number, form, edits.lock_table)
    if not form.errors:
        round_, player = find_swiss_round(tournament, number), form.cleaned_data["player"]
        table = round_.seats.values_list("match__table", flat=True).get(entry__code=player)
        locked = any(player in lock for lock in PairingRecord.from_json(round_.pairing).locks)
        messages.success(request, lock_words(table_name(tournament, table), locked=locked))
    return answer


@staff_view("POST", roles=DESK)
def coin_toss(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    return _edit_response(request, tournament, number, CoinTossForm(request.POST), edits.enter_coin_toss)


@staff_view("POST", roles=DESK)
def first_move(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    form = FirstMoveForm(load_names(tournament), request.POST)
    return _edit_response(request, tournament, number, form, edits.set_first_move)


@staff_view("POST", roles=DESK)
def move_match(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    form = MoveMatchForm(load_names(tournament), request.POST, plan=round_table_plan(tournament))
    return _edit_response(request, tournament, number, form, edits.move_match)


@staff_view("POST", roles=DESK)
def prohibit(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    form = ProhibitedPairForm(load_names(tournament, merged=False), request.POST)

    def edit(tournament: Tournament, number: int, a: str, b: str, **data: Any) -> None:
        prohibit_pair(tournament, a, b, **data)

    return _edit_response(request, tournament, number, form, edit)
