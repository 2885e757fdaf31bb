from collections.abc import Callable
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from pairings.draft.page import DraftPage, draft_page
from pairings.draft.services import draft_next_round
from pairings.forms.drafts import (
    DraftActionForm,
    FirstMoveForm,
    MoveMatchForm,
    PairAgainForm,
    ProhibitedPairForm,
    RowsShownForm,
    SwapPreviewForm,
)
from pairings.forms.players import MOST_LISTED
from pairings.proof.page import anchor_of
from pairings.words.edits import draft_action_words
from tournament.access.fetch import DESK
from tournament.errors import Conflict
from tournament.event.table_plan import plan_of
from tournament.models import Round, Tournament
from tournament.progress.flights import flight_round_words
from tournament.progress.next_step import progress_of
from tournament.services.rounds import check_seen, discard_draft, publish_round, round_of, swiss_round_of
from tournament.services.undo import last_undoable_action
from tournament.text.display_names import names_of
from tournament.views.check_in import report_no_shows
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import report_success, service_fields, staff_view

ROWS = 250  # tables on one page
EDIT_KINDS = ("edit draft", "forbid")  # actions that the draft's own page undoes


@staff_view("GET")
def draft(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    round_ = round_of(tournament, number)
    if round_.state != Round.State.DRAFT:
        return redirect("desk-round", tournament.slug, number)
    return draft_response(request, tournament, round_)


def draft_response(
    request: StaffRequest, tournament: Tournament, round_: Round, message: str = "", status: int = 200
) -> HttpResponse:
    page = draft_page(tournament, round_.number, round_.revision)
    shown = RowsShownForm(request.GET)
    rows = [row for row in page.rows if row.is_notable] if shown.only_notable else page.rows
    last = last_undoable_action(tournament, tournament.role)
    last = last if last and last.kind in EDIT_KINDS else None
    progress = progress_of(tournament, round_.stage_id)
    context = {
        "tournament": tournament,
        "round": round_,
        "page": page,
        "editable": tournament.role in DESK,
        "shown": shown,
        "rows": Paginator(rows, ROWS).get_page(shown.cleaned_data.get("page")),
        "message": message,
        "last": last,
        "last_words": draft_action_words(last.changes, names_of(tournament), plan_of(tournament))
        if last
        else "",
        "progress": progress,
        "session": flight_round_words(progress.facts.flights, round_),
        **_tool_forms(tournament, page),
    }
    return render(request, "pairings/draft.html", context, status=status)


def _tool_forms(tournament: Tournament, page: DraftPage) -> dict[str, Any]:
    listed = len(page.players) <= MOST_LISTED
    return {
        "listed_players": page.players if listed else [],
        "swap_form": SwapPreviewForm({}, listed=listed, auto_id="swap-%s"),
        "first_move_form": FirstMoveForm(
            {}, listed=listed, auto_id="first-%s", initial={"seen": page.revision}
        ),
        "move_form": MoveMatchForm(
            {}, listed=listed, auto_id="move-%s", initial={"seen": page.revision}, plan=plan_of(tournament)
        ),
        "pair_form": ProhibitedPairForm({}, listed=listed, auto_id="pair-%s"),
    }


def row_address(request: StaffRequest, tournament: Tournament, number: int, player: str = "") -> str:
    """Return the draft's URL with the same filter, at this player's row."""
    address = reverse("draft", args=[tournament.slug, number])
    shown = RowsShownForm(request.GET)
    match = (
        swiss_round_of(tournament, number).matches.filter(seats__entry__code=player).first()
        if player
        else None
    )
    if match is None:
        return address + shown.query
    query = shown.query
    if not shown.only_notable:
        tables = match.round.matches.filter(table__isnull=False)
        above = tables.filter(table__lt=match.table) if match.table else tables
        page = above.count() // ROWS + 1
        query = f"?page={page}" if page > 1 else ""
    return f"{address}{query}#{anchor_of(match.table, match.seats.get(side='a').entry.code)}"


@staff_view("POST", roles=DESK)
def publish(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    success = _("Round %(number)s is published.") % {"number": number}
    return _run(request, tournament, number, publish_round, success, "desk-round", number)


@staff_view("POST", roles=DESK)
def again(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Draft the round again with the next attempt's seed, without the listed no-shows. Attempts are public."""
    round_ = swiss_round_of(tournament, number)

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
    """Run the service of a draft button; if someone else changed the draft meanwhile, show it instead."""
    try:
        service(tournament, number, **service_fields(request, form(request.POST)))
    except Conflict as error:
        tournament.refresh_from_db()
        return draft_response(
            request, tournament, swiss_round_of(tournament, number), str(error), error.status
        )
    return report_success(request, success, page, tournament.slug, *args)
