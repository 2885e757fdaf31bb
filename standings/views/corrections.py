"""The correction of a result: of any Swiss round, however long ago, also in a finished event."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from standings.corrections.effect import Correction, CorrectionEffect, corrected_match, effect_of_correction
from standings.forms.corrections import CorrectionForm
from standings.rulesets.trial.comparison_words import cut_changes_in_words, rank_changes_in_words
from tournament.access.fetch import DESK
from tournament.actionlog.match_facts import read_match
from tournament.event.profile import profile_of
from tournament.models import Match, Round, Tournament
from tournament.results.desk_sheet import desk_sheet_of, slip_words
from tournament.services.results import correct_result, fields_of_slip, rules_of
from tournament.services.rounds import match_at
from tournament.views.results import initial_slip
from tournament.views.rounds import round_address
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, report_success, see_other, staff_view


@staff_view("GET", "POST", roles=DESK)
def correct(request: StaffRequest, tournament: Tournament, number: int, table: int) -> HttpResponse:
    """What is and what it should be; then what that changes; then, with a reason, the correction itself."""
    match = match_at(tournament, number, table)
    if not match.round.swiss:
        return see_other("desk-bracket", tournament.slug)
    if match.result is None or match.round.state not in (Round.State.PUBLISHED, Round.State.COMPLETE):
        return see_other(round_address(tournament, number, table))
    profile = profile_of(tournament)
    rules, row = rules_of(match, profile), desk_sheet_of(tournament, match.round).row(table)
    initial = initial_slip(row, match)
    form = CorrectionForm(form_data(request), saving="save" in request.POST, rules=rules, initial=initial)
    valid = form.is_valid()
    slip = form.cleaned_data.get("read") if form.is_bound else None
    if slip is None:
        return _page(request, tournament, match, form)
    before = read_match(match)
    correction = Correction(number, before, corrected_match(before, fields_of_slip(slip, rules, profile)))
    if correction.before == correction.after:
        return _page(
            request, tournament, match, form, message=_("That is the result already. Nothing would change.")
        )
    effect, message = effect_of_correction(tournament, correction), ""
    if valid and form.saving and form.cleaned_data["digest"] != effect.digest:
        message = _("This is not what you were shown before. Review what would change now, then save.")
    elif valid and form.saving:
        action = {"actor": request.user, "reason": form.whole_reason}
        if form.submit(correct_result, tournament, number, table, **action):
            return _saved(request, tournament, match, effect)
    return _page(request, tournament, match, form, effect, message)


def _page(
    request: StaffRequest,
    tournament: Tournament,
    match: Match,
    form: CorrectionForm,
    effect: CorrectionEffect | None = None,
    message: str = "",
) -> HttpResponse:
    """The slip and, for one that was sent, its effect; 409 where a correction met something newer."""
    assert match.table is not None
    row = desk_sheet_of(tournament, match.round).row(match.table)
    form.name_players(row)
    context: dict[str, Any] = {"tournament": tournament, "round": match.round, "row": row, "form": form}
    context["draft"] = tournament.rounds.filter(state=Round.State.DRAFT).first()
    if effect is not None:
        form.focus_on_reason()
        form.show_again(version=row.version, digest=effect.digest)
        display = effect.event.profile.get("display") or {}
        context |= {
            "effect": effect,
            "result": slip_words(form.cleaned_data["read"], row),
            "changes": cut_changes_in_words(effect.comparison, effect.names, display),
            "moves": rank_changes_in_words(effect.comparison, effect.names),
            "later": get_text_list(list(map(str, effect.later)), _("and")),
        }
    status = form.status if form.errors else 409 if effect and message else 200
    context["message"] = message
    return render(request, "standings/corrections/correct.html", context, status=status)


def _saved(
    request: StaffRequest, tournament: Tournament, match: Match, effect: CorrectionEffect
) -> HttpResponse:
    """What was done; on to the repair of a round that is still being played under the old result."""
    values = {"round": match.round.number, "table": match.table}
    message = _(
        "Round %(round)s, table %(table)s is corrected. An organizer or scorekeeper can undo it in the log."
    )
    open_round = tournament.rounds.filter(number__in=effect.later, state=Round.State.PUBLISHED).first()
    if open_round is None:
        return report_success(
            request, message % values, round_address(tournament, match.round.number, match.table)
        )
    return report_success(request, message % values, "repair", tournament.slug, open_round.number)
