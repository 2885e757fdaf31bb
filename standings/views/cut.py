"""The cut: who would advance, and the button that sets the bracket."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from standings.bracket.cut import LARGEST, cut_of, make_cut, undo_cut
from standings.bracket.cut_preview import cut_preview_of
from standings.event.qualifiers import cut_rule_of
from standings.event.rounds import count_open_rounds
from standings.forms.cut import CutForm, SizeForm
from standings.table.cache import staff_event_of
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.progress.facts import progress_facts_of
from tournament.progress.next_step import progress_of
from tournament.rulesets import draws_in_bracket, match_length, rounds_and_cut
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, read_action, see_other, staff_view

SIZES = (2, 4, 8, 16, 32)  # one click each; any other number can be typed


@staff_view("GET", "POST", roles=DESK)
def cut(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: who would advance. POST: make the cut, which sets the bracket."""
    if request.method != "POST":
        return _cut_page(request, tournament)
    with timezone.override(tournament.time_zone):
        form = CutForm(request.POST, usual=match_length(profile_of(tournament)["best_of_elim"]))
        valid = form.is_valid()
    if not valid:
        return _cut_page(request, tournament, first_error(form), 422)
    data, rule = form.cleaned_data, form.rule
    lengths = form.lengths(len(cut_of(tournament, rule).qualifiers))
    ends_at = data["ends_at"].isoformat() if data["ends_at"] else None
    try:
        make_cut(tournament, rule, lengths=lengths, ends_at=ends_at, actor=request.user, key=data["key"])
    except Refused as error:
        return _cut_page(request, tournament, str(error), error.status)
    messages.success(request, _("The bracket is set."))
    return see_other(reverse("desk-bracket", args=[tournament.slug]))


def _cut_page(
    request: StaffRequest, tournament: Tournament, refused: str = "", status: int = 200
) -> HttpResponse:
    facts = progress_facts_of(tournament)
    event, names = staff_event_of(tournament)
    rule = cut_rule_of(event, min(facts.cut or 8, LARGEST))
    form = SizeForm(request.GET if "size" in request.GET else None, initial=SizeForm.initial_of(rule))
    if form.is_bound and form.is_valid():
        rule = form.rule
    initial = SizeForm.initial_of(rule)
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "form": form,
        "size": rule.size,
        "sizes": SIZES,
        "besides": "&"
        + urlencode({name: value for name, value in initial.items() if value and name != "size"}),
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
    messages.success(request, _("The cut is undone. Cut again when you are ready."))
    return see_other(reverse("desk-cut", args=[tournament.slug]))
