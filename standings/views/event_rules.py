from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.forms.event_rules import ConfirmRulesForm, RulesetForm
from standings.rulesets.change import Effect, EffectChanged, confirm_change, effect_of
from standings.rulesets.comparison_words import cut_changes_in_words, rank_changes_in_words
from standings.rulesets.editor.profile_form import EventRulesForm, arrange_lists
from standings.views.public_parts import PublicPart
from standings.views.ruleset_editor import list_part
from standings.words.rules import origin_in_words, rules_in_words
from standings.words.ruleset_fields import differences_in_words
from tournament.access.fetch import OWNER, public_tournament
from tournament.errors import Forbidden, Refused
from tournament.event.profile import profile_of, start_of
from tournament.models import Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.ruleset_library.rule_fields import FIELDS, fide_warning, label_of
from tournament.services.event_rules import Version, change_rules, fixed_fields
from tournament.text.display_names import names_in
from tournament.web.staff_pages import cleaned_fields, first_error, read_action, report_success, staff_view


@require_safe
def public_rules(request: HttpRequest, slug: str) -> HttpResponse:
    part = _rules_part(slug)
    template = "standings/rules/rules.html"
    return part.page(request, template, lambda: {**part.context(), "nav": nav_of(part.tournament)})


@require_safe
def public_rules_part(request: HttpRequest, slug: str) -> HttpResponse:
    return _rules_part(slug).poll(request)


def _rules_part(slug: str) -> PublicPart:
    tournament = public_tournament(slug)

    def context() -> dict[str, object]:
        profile, starts_at = profile_of(tournament), start_of(tournament)
        origin = origin_in_words(tournament.ruleset, profile, starts_at)
        summary = [*rules_in_words(profile, tournament.team, starts_at), *origin]
        return {"tournament": tournament, "profile": profile, "summary": summary}

    mark = str(tournament.standings_revision)
    return PublicPart(tournament, "rules", mark, "standings/rules/_rules.html", context)


@staff_view("GET", "POST")
def rules(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the current rules, and for the organizer the form that changes them. `do`: only move a line."""
    if request.method != "POST":
        return _rules_page(request, tournament, RulesetForm(request.GET or None, tournament=tournament))
    if tournament.role not in OWNER:
        raise Forbidden(_("Only an organizer can change the rules of an event."))
    choice = RulesetForm(request.POST, tournament=tournament)
    if not choice.is_valid():
        return _rules_page(request, tournament, choice, refused=first_error(choice), status=422)
    data, checked = arrange_lists(request.POST), not request.POST.get("do")
    form = EventRulesForm(data, tournament=tournament, version=choice.version, checked=checked)
    if not checked or not form.is_valid():
        return _rules_page(request, tournament, choice, form, status=422 if checked else 200)
    try:
        return _save(request, tournament, choice.version, form.overrides)
    except Refused as error:
        tournament.refresh_from_db()
        return _rules_page(request, tournament, choice, form, refused=str(error), status=error.status)


def _save(
    request: HttpRequest, tournament: Tournament, version: Version | None, overrides: dict[str, Any]
) -> HttpResponse:
    """Make the change before round 1; after it, show the effect first. Raises Refused."""
    if tournament.profile is None:
        seen = tournament.revision
        change_rules(tournament, version, overrides, revision=seen, **read_action(request))
        return _report_saved(request, tournament, _("The rules of this event are saved."))
    effect = effect_of(tournament, version, overrides)
    if not effect.fields:
        raise Refused(_("Nothing would change: these are the current rules."), status=422)
    return _effect_page(
        request, tournament, effect, ConfirmRulesForm.for_change(version, overrides, effect.digest)
    )


@staff_view("POST", roles=OWNER)
def order(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    choice = RulesetForm(request.POST, tournament=tournament)
    cleaned_fields(choice)
    data = arrange_lists(request.POST)
    form = EventRulesForm(data, tournament=tournament, version=choice.version, checked=False)
    return list_part(request, form)


@staff_view("POST", roles=OWNER)
def confirm(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    form = ConfirmRulesForm(request.POST)
    valid = form.is_valid()
    if "change" not in form.cleaned_data:
        raise Refused(first_error(form))
    version, overrides = form.cleaned_data.pop("change")
    if not valid:
        effect = effect_of(tournament, version, overrides)
        return _effect_page(request, tournament, effect, form, first_error(form), 422)
    try:
        confirm_change(tournament, version, overrides, actor=request.user, **form.cleaned_data)
    except EffectChanged as error:
        effect, reason = error.effect, form.cleaned_data["reason"]
        again = ConfirmRulesForm.for_change(version, overrides, effect.digest, reason)
        return _effect_page(request, tournament, effect, again, str(error), error.status)
    message = _("The rules are changed. Everyone can see when and why next to the standings.")
    return _report_saved(request, tournament, message)


def _report_saved(request: HttpRequest, tournament: Tournament, message: str) -> HttpResponse:
    tournament.refresh_from_db()
    if warning := fide_warning(profile_of(tournament), start_of(tournament)):
        messages.warning(request, warning)
    return report_success(request, message, "desk-rules", tournament.slug)


def _rules_page(
    request: HttpRequest,
    tournament: Tournament,
    choice: RulesetForm,
    form: EventRulesForm | None = None,
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    profile, starts_at = profile_of(tournament), start_of(tournament)
    owner = tournament.role in OWNER and tournament.state != Tournament.State.FINISHED
    if owner and form is None:
        form = EventRulesForm(tournament=tournament, version=choice.version if choice.is_valid() else None)
    context = {
        "tournament": tournament,
        "profile": profile,
        "summary": [
            *rules_in_words(profile, tournament.team, starts_at),
            *origin_in_words(tournament.ruleset, profile, starts_at),
        ],
        "choice": choice if owner else None,
        "form": form if owner else None,
        "fixed": [(label_of(path), why) for path, why in fixed_fields(tournament).items() if path in FIELDS],
        "order_url": reverse("desk-rules-order", args=[tournament.slug]),
        "refused": refused,
    }
    return render(request, "standings/event_rules/event_rules.html", context, status=status)


def _effect_page(
    request: HttpRequest,
    tournament: Tournament,
    effect: Effect,
    form: ConfirmRulesForm,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    names = names_in(effect.event)
    comparison = effect.comparison
    context = {
        "tournament": tournament,
        "effect": effect,
        "rules": differences_in_words(effect.event.profile, effect.profile),
        "changes": cut_changes_in_words(comparison, names, effect.profile.get("display") or {}),
        "moves": rank_changes_in_words(comparison, names),
        "bracket_set": any(stage.kind == "elimination" for stage in effect.event.stages),
        "form": form,
        "refused": refused,
    }
    return render(request, "standings/event_rules/effect.html", context, status=status)
