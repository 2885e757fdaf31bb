"""The cut: who would advance, and the button that sets the bracket."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from standings.bracket.cut import LARGEST, cut_of, make_cut, undo_cut
from standings.bracket.cut_preview import cut_preview_of
from standings.event.qualifiers import cut_rule_of
from standings.event.rounds import count_open_rounds
from standings.forms.cut import CutForm, SizeForm
from standings.table.cache import staff_event_of
from tournament.access.fetch import DESK
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.progress.facts import progress_facts_of
from tournament.rulesets import draws_in_bracket, match_length, rounds_and_cut
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_action, report_success, staff_view

SIZES = (2, 4, 8, 16, 32)  # one click each; any other number can be typed


@staff_view("GET", "POST", roles=DESK)
def cut(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: who would advance. POST: make the cut, which sets the bracket."""
    if request.method != "POST":
        return _cut_page(request, tournament)
    form = CutForm(request.POST, usual=match_length(profile_of(tournament)["best_of_elim"]))

    def make(**action: Any) -> None:
        lengths = form.lengths(len(cut_of(tournament, form.rule).qualifiers))
        make_cut(tournament, form.rule, lengths=lengths, **action)

    with timezone.override(tournament.time_zone):
        if form.submit(make, actor=request.user):
            return report_success(request, _("The bracket is set."), "desk-bracket", tournament.slug)
    return _cut_page(request, tournament, first_error(form), form.status)


def _cut_page(
    request: StaffRequest, tournament: Tournament, refused: str = "", status: int = 200
) -> HttpResponse:
    facts = progress_facts_of(tournament)
    event, names = staff_event_of(tournament)
    rule = cut_rule_of(event, min(facts.cut or 8, LARGEST))
    form = SizeForm(request.GET if "size" in request.GET else None, initial=SizeForm.initial_of(rule))
    if form.is_valid():
        rule = form.rule
    initial = SizeForm.initial_of(rule)
    besides = {name: value for name, value in initial.items() if value and name != "size"}
    context = {
        "tournament": tournament,
        "form": form,
        "size": rule.size,
        "sizes": SIZES,
        "besides": f"&{urlencode(besides)}",
        "suggested": rounds_and_cut(event.profile, facts.players)[1],
        "cut": CutForm(initial=initial, ask_end=draws_in_bracket(event.profile)),
        "preview": cut_preview_of(count_open_rounds(event), names, rule),
        "begun": bool(facts.swiss),
        "bracket_set": bool(facts.seeds),
        "planned_left": max(facts.rounds - len(facts.swiss), 0),
        "refused": refused,
    }
    return render(request, "standings/cut/cut.html", context, status=status)


@staff_view("POST", roles=DESK)
def undo(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Remove the bracket while nothing has been played in it."""
    undo_cut(tournament, **read_action(request))
    message = _("The cut is undone. Cut again when you are ready.")
    return report_success(request, message, "desk-cut", tournament.slug)
