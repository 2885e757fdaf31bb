"""Rulesets for everyone: the list, a version in words, copies, files; and the rules of one event."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.engine.ranking import build_chain
from standings.forms.profile import EventRulesForm, arrange_lists
from standings.forms.rulesets import ConfirmRulesForm, CopyForm, ImportRulesetForm, RulesetForm
from standings.preview import rule_change
from standings.preview.examples import examples_context
from standings.views.ruleset_editor import list_part
from standings.words.metrics import list_step_titles
from standings.words.rules import (
    FieldWords,
    differences_in_words,
    faults_in_words,
    origin_in_words,
    profile_in_words,
    rules_in_brief,
    rules_in_words,
)
from tournament.access.fetch import is_own, public_tournament, visible_ruleset
from tournament.access.permissions import OWNER
from tournament.errors import Forbidden, Refused
from tournament.event.display_names import names_in
from tournament.event.games import usual_minutes, usual_ruleset
from tournament.event.profile import local_start, ruleset_in_force
from tournament.forms.events import usual_ruleset_words
from tournament.models import Ruleset, RulesetVersion, Tournament
from tournament.public import responses
from tournament.public.response_cache import cached_response
from tournament.rulesets import is_preset
from tournament.rulesets.rule_fields import (
    FIELDS,
    confidence_in_words,
    fide_warning,
    is_game_for_two,
    is_unverified,
    pairing_note,
    rule_label,
)
from tournament.rulesets.schema import ignored_fields
from tournament.services import rulesets as services
from tournament.views.exports import saved_as
from tournament.web.staff_pages import (
    cleaned_fields,
    first_error,
    form_data,
    private_view,
    read_action,
    read_words,
    report_success,
    see_other,
    staff_view,
)


class RulesetRow(NamedTuple):
    version: RulesetVersion
    steps: list[str]
    brief: str
    confidence: str

    def has(self, words: list[str]) -> bool:
        text = " ".join([self.version.name, self.version.key, *self.steps, self.confidence]).casefold()
        return all(word in text for word in words)


@private_view("GET")
def rulesets(request: HttpRequest) -> HttpResponse:
    words = read_words(request.GET)
    rows = [
        RulesetRow(
            one,
            list_step_titles(build_chain(one.profile)),
            rules_in_brief(one.profile, team=False),
            confidence_in_words(one.profile),
        )
        for one in services.newest_versions()
    ]
    matching = [row for row in rows if row.has(words.casefold().split())]
    unverified = [row for row in matching if is_unverified(row.version.profile)]
    verified = [row for row in matching if row not in unverified]
    context = {
        "words": words,
        "mine": services.own_rulesets(request.user),
        "matching": matching,
        "found": [
            ("verified", _("Based on a published source"), verified),
            ("unverified", _("Unverified: check before you rely on them"), unverified),
        ],
        "all": len(rows),
    }
    return render(request, "standings/rulesets/list.html", context)


@private_view("GET")
def words(request: HttpRequest) -> HttpResponse:
    """Render the rules of `?ruleset=`, or of the usual ruleset of `?game=`, in words, for the form of a new event."""
    game = request.GET.get("game", "")[:80]
    key = request.GET.get("ruleset") or usual_ruleset(game)
    versions = RulesetVersion.objects.filter(key=key.replace("\x00", ""))
    version = versions.order_by("-version").first()
    if version is None:
        raise Http404
    profile = version.profile
    summary = [*rules_in_words(profile), *origin_in_words(version, profile)]
    if minutes := usual_minutes(game, key):
        text = _("%(minutes)s minutes, unless you enter another length.") % {"minutes": minutes}
        summary.append((_("Round"), text))
    context = {
        "profile": profile,
        "summary": summary,
        "note": pairing_note(profile),
        "usual": usual_ruleset_words(game),
    }
    return render(request, "standings/rulesets/words.html", context)


@private_view("GET")
def ruleset(request: HttpRequest, key: str, version: int | None = None) -> HttpResponse:
    ruleset = visible_ruleset(request, key)
    versions = list(ruleset.versions.order_by("-version"))
    if not versions and version is None:
        return see_other("ruleset-draft", key)
    number = version or versions[0].version
    shown = next((one for one in versions if one.version == number), None)
    if shown is None:
        raise Http404
    profile, uses = shown.profile, services.count_uses(ruleset)
    context = {
        "ruleset": ruleset,
        "own": is_own(request, ruleset),
        "built_in": is_preset(key),
        "version": shown,
        "newest": shown == versions[0],
        "for_two": is_game_for_two(profile),
        "profile": profile,
        "summary": rules_in_words(profile),
        "confidence": confidence_in_words(profile),
        "unverified": is_unverified(profile),
        "groups": profile_in_words(profile),
        "history": [
            (one, _differences(older, one), uses[one.version])
            for one, older in zip(versions, [*versions[1:], ruleset.copied_from], strict=True)
        ],
        "source": ruleset.copied_from,
        "since_source": _differences(ruleset.copied_from, shown),
        **examples_context(profile),
    }
    return render(request, "standings/rulesets/ruleset.html", context)


def _differences(before: RulesetVersion | None, after: RulesetVersion) -> list[FieldWords]:
    return differences_in_words(before.profile, after.profile) if before else []


@require_safe
def ruleset_json(request: HttpRequest, key: str, version: int) -> HttpResponse:
    found = visible_ruleset(request, key).versions.filter(version=version).first()
    if found is None:
        raise Http404
    text = json.dumps(found.profile, ensure_ascii=False, indent=2) + "\n"
    return saved_as(f"{key}-{version}.json", text, "application/json")


@private_view("GET", "POST", signed_in=True)
def copy(request: HttpRequest, key: str) -> HttpResponse:
    source = services.find_newest_version(visible_ruleset(request, key))
    if source is None:
        raise Http404
    name = _("%(name)s (our version)") % {"name": source.name[:100]}
    back = reverse("ruleset", args=[source.key])
    form = CopyForm(form_data(request), back=back, initial={"name": name})
    create = partial(services.copy_ruleset, source, owner=request.user)
    return _creation_page(request, form, create, "standings/rulesets/copy.html", source=source)


@private_view("GET", "POST", signed_in=True)
def from_file(request: HttpRequest) -> HttpResponse:
    back = reverse("rulesets")
    form = ImportRulesetForm(form_data(request), request.FILES or None, back=back)

    def create(file: dict[str, Any], name: str) -> Ruleset:
        made = services.import_ruleset(file, name=name, owner=request.user)
        if ignored := ", ".join(ignored_fields(file)):
            text = _("Ignored, because this version has nothing like it: %(names)s")
            messages.warning(request, text % {"names": ignored})
        return made

    return _creation_page(request, form, create, "standings/rulesets/from_file.html")


def _creation_page(
    request: HttpRequest, form: CopyForm, create: Callable[..., Ruleset], template: str, **context: Any
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return see_other("ruleset-draft", create(**form.cleaned_data).key)
        except services.FaultyRules as error:
            refusal = _("Nothing was imported. Fix these in the file:")
            form.add_error("file", [refusal, *faults_in_words(error)])
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, template, {"form": form, **context}, status=status)


@require_safe
@cached_response()
def public_rules(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)

    def context() -> dict[str, object]:
        profile, starts_at = ruleset_in_force(tournament), local_start(tournament)
        origin = origin_in_words(tournament.ruleset, profile, starts_at)
        summary = [*rules_in_words(profile, tournament.team, starts_at), *origin]
        return {"tournament": tournament, "profile": profile, "summary": summary}

    version = str(tournament.standings_revision)
    return responses.page(request, tournament, version, "standings/rules/rules.html", context)


@staff_view("GET", "POST")
def rules(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the current rules and, for the organizer, the form that changes them. `do`: only move a line."""
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
    request: HttpRequest, tournament: Tournament, version: services.Version | None, overrides: dict[str, Any]
) -> HttpResponse:
    """Make the change before round 1; after it, show the effect first. Raises Refused."""
    if tournament.profile is None:
        seen = tournament.revision
        services.change_rules(tournament, version, overrides, revision=seen, **read_action(request))
        return _report_saved(request, tournament, _("The rules of this event are saved."))
    effect = rule_change.compute_effect(tournament, version, overrides)
    if not effect.fields:
        raise Refused(_("Nothing would change: these are the current rules."), status=422)
    form = ConfirmRulesForm.for_change(version, overrides, effect.digest)
    return _effect_page(request, tournament, effect, form)


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
        effect = rule_change.compute_effect(tournament, version, overrides)
        return _effect_page(request, tournament, effect, form)
    try:
        rule_change.confirm_change(tournament, version, overrides, actor=request.user, **form.cleaned_data)
    except rule_change.EffectChanged as error:
        effect, reason = error.effect, form.cleaned_data["reason"]
        again = ConfirmRulesForm.for_change(version, overrides, effect.digest, reason)
        return _effect_page(request, tournament, effect, again, error)
    message = _("The rules are changed. Everyone can see when and why next to the standings.")
    return _report_saved(request, tournament, message)


def _report_saved(request: HttpRequest, tournament: Tournament, message: str) -> HttpResponse:
    tournament.refresh_from_db()
    if warning := fide_warning(ruleset_in_force(tournament), local_start(tournament)):
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
    profile, starts_at = ruleset_in_force(tournament), local_start(tournament)
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
        "fixed": [
            (rule_label(path), why)
            for path, why in services.fixed_fields(tournament).items()
            if path in FIELDS
        ],
        "order_url": reverse("desk-rules-order", args=[tournament.slug]),
        "refused": refused,
    }
    return render(request, "standings/event_rules/event_rules.html", context, status=status)


def _effect_page(
    request: HttpRequest,
    tournament: Tournament,
    effect: rule_change.Effect,
    form: ConfirmRulesForm,
    error: Refused | None = None,
) -> HttpResponse:
    names = names_in(effect.event)
    comparison = effect.comparison
    context = {
        "tournament": tournament,
        "effect": effect,
        "rules": differences_in_words(effect.event.profile, effect.profile),
        "changes": rule_change.cut_changes_in_words(comparison, names, effect.profile.get("display") or {}),
        "moves": rule_change.rank_changes_in_words(comparison, names),
        "bracket_set": any(stage.kind == "elimination" for stage in effect.event.stages),
        "form": form,
        "refused": error or (first_error(form) if form.is_bound else ""),
    }
    status = error.status if error else form.status
    return render(request, "standings/event_rules/effect.html", context, status=status)
