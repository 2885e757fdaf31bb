"""Staff's pages of what the facts mean: standings as they are now, the cut, results of the bracket."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.cutting import preview_of
from standings.event import bracket_of_event
from standings.forms import CutForm, SizeForm
from standings.services import make_cut, record_bracket_result
from standings.show import count_open_rounds, sheet_of
from standings.tree import Tree, tie_title
from standings.views.public import drawn, event_and_names
from tournament.access import DESK
from tournament.desk import Row
from tournament.desk import sheet_of as desk_sheet
from tournament.errors import NotFound, Refused
from tournament.forms.slips import SlipForm
from tournament.models import Match, Round, Tournament
from tournament.reading import profile_of
from tournament.road import facts_of, road_of
from tournament.services.results import rules_of
from tournament.views.staff import first_error, see_other, staff_view

SIZES = (2, 4, 8, 16, 32)  # offered with one click; any other number can be typed


@staff_view("GET")
def standings(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The standings with every result that is in, open rounds included."""
    event, names = event_and_names(tournament)
    out = sum(m.result is None for r in event.rounds if r.status == "published" for m in r.matches)
    sheet = sheet_of(count_open_rounds(event), names)
    context = {"tournament": tournament, "sheet": sheet, "out": out, "road": road_of(tournament)}
    return render(request, "standings/desk_standings.html", context)


@staff_view("GET", "POST", roles=DESK)
def cut(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Who would play on, and the button that draws the bracket."""
    if request.method != "POST":
        return _cut_page(request, tournament)
    form = CutForm(request.POST)
    if not form.is_valid():
        return _cut_page(request, tournament, first_error(form), 422)
    try:
        make_cut(tournament, form.cleaned_data["size"], actor=request.user, key=form.cleaned_data["key"])
    except Refused as error:
        return _cut_page(request, tournament, str(error), error.status)
    messages.success(request, _("The bracket is drawn."))
    return see_other(reverse("desk-bracket", args=[tournament.slug]))


def _cut_page(
    request: HttpRequest, tournament: Tournament, refused: str = "", status: int = 200
) -> HttpResponse:
    facts = facts_of(tournament)
    size = facts.cut or 8
    form = SizeForm(request.GET if "size" in request.GET else None, initial={"size": size})
    if form.is_bound and form.is_valid():
        size = form.cleaned_data["size"]
    event, names = event_and_names(tournament)
    context = {
        "tournament": tournament,
        "road": road_of(tournament),
        "form": form,
        "size": size,
        "sizes": SIZES,
        "cut": CutForm(initial={"size": size}),
        "preview": preview_of(count_open_rounds(event), names, size),
        "begun": bool(facts.swiss),
        "drawn": bool(facts.seeds),
        "planned_left": max(facts.rounds - len(facts.swiss), 0),
        "refused": refused,
    }
    return render(request, "standings/desk_cut.html", context, status=status)


@staff_view("GET")
def bracket(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The open matches with their buttons, the tree, and what is already in."""
    return render(request, "standings/desk_bracket.html", _bracket_context(tournament))


@staff_view("POST", roles=DESK)
def bracket_result(request: HttpRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Enter or correct the result of one bracket match; the next match opens at once."""
    match = (
        Match.objects.filter(
            round__tournament=tournament, round__number=number, table=table, round__swiss=False
        )
        .select_related("round")
        .first()
    )
    if match is None:
        raise NotFound(
            _("Round %(round)s has no bracket table %(table)s.") % {"round": number, "table": table}
        )
    form = SlipForm(request.POST, rules=rules_of(match, profile_of(tournament)))
    if not form.is_valid():
        return _refused(request, tournament, (number, table), Refused(first_error(form), status=422))
    slip, data = form.cleaned_data["read"], form.cleaned_data
    if slip is None:
        error = Refused(_("A bracket result is corrected or undone, not cleared."))
        return _refused(request, tournament, (number, table), error)
    try:
        record_bracket_result(
            tournament, number, table, slip, data["version"], actor=request.user, key=data["key"]
        )
    except Refused as error:
        return _refused(request, tournament, (number, table), error)
    if request.headers.get("HX-Request") == "true":
        return render(request, "standings/_desk_bracket.html", _bracket_context(tournament))
    messages.success(request, _("Saved: table %(table)s of the bracket.") % {"table": table})
    return see_other(reverse("desk-bracket", args=[tournament.slug]))


def _refused(
    request: HttpRequest, tournament: Tournament, where: tuple[int, int], error: Refused
) -> HttpResponse:
    """The same page or part, with what was refused in the row it was sent from."""
    part = request.headers.get("HX-Request") == "true"
    template = "standings/_desk_bracket.html" if part else "standings/desk_bracket.html"
    context = _bracket_context(tournament)
    for row in context["rows"]:
        if (row["at"].round, row["at"].table) == where:
            row["refused"], row["values"] = str(error), error.rows()
    return render(request, template, context, status=error.status)


def _bracket_context(tournament: Tournament) -> dict[str, Any]:
    """The tree and the rows of every bracket match, open ones first."""
    tournament.refresh_from_db()
    event, names = event_and_names(tournament)
    tree = drawn(event, names)
    titles = _titles(event)
    rounds = tournament.rounds.filter(swiss=False).exclude(state=Round.State.DRAFT).order_by("number")
    rows: list[dict[str, Any]] = [
        {"at": row, "title": titles.get((row.round, row.table), ""), "refused": "", "values": []}
        for round_ in rounds
        for row in desk_sheet(tournament, round_).rows
        if row.b is not None
    ]
    return {
        "tournament": tournament,
        "road": road_of(tournament),
        "tree": tree,
        "rows": rows,
        "open": [row for row in rows if row["at"].out],
        "entered": [row for row in reversed(rows) if not row["at"].out],
        "can_enter": tournament.state == Tournament.State.RUNNING and tournament.role in DESK,  # type: ignore[attr-defined]
        "over": _is_over(tree, [row["at"] for row in rows]),
    }


def _titles(event: Any) -> dict[tuple[int, int | None], str]:
    """{(round, table): "Semi-final 2"}."""
    found = bracket_of_event(event)
    if found is None:
        return {}
    return {
        (match.meeting.ref[0], match.meeting.ref[1].table): tie_title(match, found.rounds)
        for match in found.matches.values()
        if match.meeting is not None
    }


def _is_over(tree: Tree | None, rows: list[Row]) -> bool:
    return tree is not None and tree.champion is not None and not any(row.out for row in rows)
