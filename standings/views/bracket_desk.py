"""The bracket at the desk: results, repeat games, decisions, first moves; each opens what became ready."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from standings.bracket.cut_preview import would_be
from standings.bracket.open_matches import Empties
from standings.bracket.results import (
    bracket_match,
    choose_first,
    decide_match,
    due_of,
    record_bracket_result,
    record_repeat_game,
)
from standings.bracket.tree import tree_of_event
from standings.engine.bracket.elimination import Due, Time
from standings.engine.bracket.slots import FINAL
from standings.forms.bracket import DecisionForm, FirstForm, ResetsForm
from standings.table.cache import staff_event_of
from tournament.access.fetch import DESK
from tournament.errors import Forbidden, Refused
from tournament.event.profile import profile_of
from tournament.forms.results import SlipForm
from tournament.models import Round, Staff, Tournament
from tournament.progress.next_step import progress_of
from tournament.results.desk_sheet import DeskRow
from tournament.results.desk_sheet import desk_sheet_of as desk_sheet
from tournament.services.results import rules_of
from tournament.web.staff_pages import first_error, see_other, staff_view


@staff_view("GET")
def bracket(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The open matches with their buttons, the tree, and what is already in."""
    return render(request, "standings/desk_bracket.html", _context(tournament))


@staff_view("POST", roles=DESK)
def result(request: HttpRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Enter or correct the result of one bracket match, or enter its repeat game."""
    match = bracket_match(tournament, number, table)
    form = SlipForm(request.POST, rules=rules_of(match, profile_of(tournament)))
    resets = ResetsForm(request.POST)
    if not form.is_valid() or not resets.is_valid():
        error = Refused(first_error(form if form.errors else resets), status=422)
        return _refused(request, tournament, (number, table), error)
    slip, data = form.cleaned_data["read"], form.cleaned_data
    about = {"actor": request.user, "key": data["key"], "reason": resets.cleaned_data["reason"]}
    try:
        if slip is None:
            raise Refused(_("A bracket result cannot be cleared. Correct or undo it instead."))
        if resets.cleaned_data["repeat"]:
            time = time_left(match.round)
            record_repeat_game(tournament, number, table, slip, data["version"], time, **about)
        else:
            later = resets.cleaned_data["resets"]
            record_bracket_result(tournament, number, table, slip, data["version"], later, **about)
    except Refused as error:
        return _refused(request, tournament, (number, table), error)
    return _saved(request, tournament, table)


@staff_view("POST", roles=DESK)
def decision(request: HttpRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Decide a drawn match without a game; between equals in the final only the owner does."""
    match = bracket_match(tournament, number, table)
    form = DecisionForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        data = form.cleaned_data
        if data["winner"] and tournament.role != Staff.Role.OWNER:
            raise Forbidden(_("Only an organizer can decide between tied players."))
        decide_match(
            tournament, number, table, data["how"], data["version"], data["winner"], time_left(match.round),
            actor=request.user, key=data["key"], reason=data["reason"],
        )  # fmt: skip
    except Refused as error:
        return _refused(request, tournament, (number, table), error)
    return _saved(request, tournament, table)


@staff_view("POST", roles=DESK)
def first(request: HttpRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """Record who moves first."""
    bracket_match(tournament, number, table)
    form = FirstForm(request.POST)
    try:
        if not form.is_valid():
            raise Refused(first_error(form), status=422)
        data = form.cleaned_data
        choose_first(
            tournament, number, table, data["first"], data["version"], actor=request.user, key=data["key"]
        )
    except Refused as error:
        return _refused(request, tournament, (number, table), error)
    return _saved(request, tournament, table)


def time_left(round_: Round) -> Time:
    """Minutes left of the round and to the end of its stage, by the clock on the wall."""
    now = timezone.now()

    def minutes(ends: Any) -> int | None:
        return None if ends is None else max(int((ends - now).total_seconds() // 60), 0)

    return Time(minutes(round_.ends_at), minutes(round_.stage.ends_at))


def _saved(request: HttpRequest, tournament: Tournament, table: int) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return render(request, "standings/_desk_bracket.html", _context(tournament))
    messages.success(request, _("Saved: bracket table %(table)s.") % {"table": table})
    return see_other(reverse("desk-bracket", args=[tournament.slug]))


def _refused(
    request: HttpRequest, tournament: Tournament, where: tuple[int, int], error: Refused
) -> HttpResponse:
    """The same page or part, with what was refused in the row it was sent from."""
    part = request.headers.get("HX-Request") == "true"
    template = "standings/_desk_bracket.html" if part else "standings/desk_bracket.html"
    context = _context(tournament)
    titles = {f"{row['at'].round}.{row['at'].table}": row for row in context["rows"]}
    for row in context["rows"]:
        if (row["at"].round, row["at"].table) == where:
            row["refused"], row["values"] = str(error), error.rows()
            if isinstance(error, Empties):
                row["empties"] = [titles[name] for name in error.later if name in titles]
                row["resets"] = ",".join(error.later)
                row["slip"] = request.POST.get("slip", "")
    return render(request, template, context, status=error.status)


def _context(tournament: Tournament) -> dict[str, Any]:
    """The tree and the rows of every bracket match, open ones first."""
    tournament.refresh_from_db()
    event, names = staff_event_of(tournament)
    tree = tree_of_event(event, names)
    matches = {(match.round, match.table): match for match in tree.matches} if tree else {}
    rules = profile_of(tournament)["elimination"]
    rounds = (
        tournament.rounds.filter(swiss=False)
        .exclude(state=Round.State.DRAFT)
        .select_related("stage")
        .order_by("number")
    )
    rows: list[dict[str, Any]] = []
    for round_ in rounds:
        time = time_left(round_)
        for at in desk_sheet(tournament, round_).rows:
            match = matches.get((at.round, at.table))
            if at.b is None or match is None:
                continue
            waits = due_of(at.fact, match.slot, rules, time)
            said = match.note if match.repeats or match.decided else ""
            about = {
                "title": match.title,
                "said": said,
                "final": match.slot == FINAL,
                "refused": "",
                "values": [],
            }
            rows.append({"at": at, **about, **_first_of(at, match, rules), **_waiting(at, waits)})
    return {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "tree": tree,
        "rows": rows,
        "open": [row for row in rows if row["open"]],
        "entered": [row for row in reversed(rows) if not row["open"]],
        "can_enter": tournament.state == Tournament.State.RUNNING and tournament.role in DESK,
        "owner": tournament.role == Staff.Role.OWNER,
        "would_be": would_be(event, names),
        "unplayed": tree is not None and all(row["at"].out for row in rows),
        "over": tree is not None and tree.champion is not None and not any(row["open"] for row in rows),
    }


def _waiting(at: DeskRow, waits: Due) -> dict[str, Any]:
    """What a drawn match waits for, with the repeat game's first mover and time in words."""
    assert at.b is not None
    drawn_ = waits.kind in ("repeat", "higher_seed", "insist", "tiebreak")
    said = []
    if drawn_ and waits.kind != "tiebreak":
        if waits.first:
            mover = at.a.name if waits.first == "a" else at.b.name
            said.append(_("%(name)s moves first") % {"name": mover})
        said.append(
            _("%(minutes)s minutes each, %(delay)s seconds a move")
            % {"minutes": waits.minutes_each, "delay": waits.delay_s}
        )
        if waits.later is not None:
            said.append(_("leaves %(later)s minutes for later rounds") % {"later": max(waits.later, 0)})
    return {"open": at.out or drawn_, "waits": waits if drawn_ else None, "repeat": ", ".join(said)}


def _first_of(at: DeskRow, match: Any, rules: dict[str, Any]) -> dict[str, Any]:
    """Who may choose the first move of an open match, and what is only assumed about it."""
    if not at.out:
        return {}
    better = min((end for end in match.sides if end.seed), key=lambda end: end.seed, default=None)
    chooses = (
        better.name
        if better and rules.get("first_choice") == "higher_seed" and not rules.get("colours")
        else ""
    )
    listed = bool(rules.get("round1_first"))
    assumed = bool(rules.get("colours")) and match.slot.startswith("W1.") and not listed
    return {"chooses": chooses, "assumed": assumed, "asks_first": bool(rules.get("colours") or chooses)}
