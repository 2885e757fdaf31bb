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

from standings.engine import chain_of
from standings.forms.rulesets import CopyForm, ImportRulesetForm, RulesetSearchForm
from standings.rulesets.example_words import examples_context
from standings.words.metrics import titles_of_steps
from standings.words.rules import origin_in_words, rules_in_words
from standings.words.ruleset_fields import (
    FieldWords,
    differences_in_words,
    faults_in_words,
    profile_in_words,
)
from tournament.access.fetch import is_own, visible_ruleset
from tournament.errors import Refused
from tournament.forms.events import usual_ruleset_words
from tournament.models import Ruleset, RulesetVersion
from tournament.ruleset_library.games import usual_minutes, usual_ruleset
from tournament.ruleset_library.rule_fields import (
    confidence_in_words,
    is_game_for_two,
    is_unverified,
    pairing_note,
)
from tournament.ruleset_library.versions import newest_of, newest_versions, own_rulesets, uses_of
from tournament.rulesets import is_preset
from tournament.rulesets.schema import ignored_fields
from tournament.services.rulesets import FaultyRules, copy_ruleset, import_ruleset
from tournament.web.staff_pages import form_data, private_view, see_other


class RulesetRow(NamedTuple):
    version: RulesetVersion
    steps: list[str]
    confidence: str

    def has(self, words: list[str]) -> bool:
        text = " ".join([self.version.name, self.version.key, *self.steps, self.confidence]).casefold()
        return all(word in text for word in words)


@private_view("GET")
def rulesets(request: HttpRequest) -> HttpResponse:
    form = RulesetSearchForm(request.GET, action=reverse("rulesets"))
    words = form.words.casefold().split()
    rows = [
        RulesetRow(
            version,
            titles_of_steps(chain_of(version.profile)),
            confidence_in_words(version.profile),
        )
        for version in newest_versions()
    ]
    matching = [row for row in rows if row.has(words)]
    unverified = [row for row in matching if is_unverified(row.version.profile)]
    context = {
        "form": form,
        "mine": own_rulesets(request.user),
        "verified": [row for row in matching if row not in unverified],
        "unverified": unverified,
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
        summary.append(
            (_("Round"), _("%(minutes)s minutes, unless you enter another length.") % {"minutes": minutes})
        )
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
    profile, uses = shown.profile, uses_of(ruleset, request.user)
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
            (one, _differences(older, one), uses.get(one.version))
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
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{key}-{version}.json"'
    return response


@private_view("GET", "POST", signed_in=True)
def copy(request: HttpRequest, key: str) -> HttpResponse:
    source = newest_of(visible_ruleset(request, key))
    if source is None:
        raise Http404
    name = _("%(name)s (our version)") % {"name": source.name[:100]}
    back = reverse("ruleset", args=[source.key])
    form = CopyForm(form_data(request), back=back, initial={"name": name})
    create = partial(copy_ruleset, source, owner=request.user)
    return _creation_page(request, form, create, "standings/rulesets/copy.html", {"source": source})


@private_view("GET", "POST", signed_in=True)
def from_file(request: HttpRequest) -> HttpResponse:
    back = reverse("rulesets")
    form = ImportRulesetForm(form_data(request), request.FILES or None, back=back)

    def create(file: dict[str, Any], name: str) -> Ruleset:
        made = import_ruleset(file, name=name, owner=request.user)
        if ignored := ", ".join(ignored_fields(file)):
            text = _("Ignored, because this version has nothing like it: %(names)s")
            messages.warning(request, text % {"names": ignored})
        return made

    return _creation_page(request, form, create, "standings/rulesets/from_file.html", {})


def _creation_page(
    request: HttpRequest,
    form: CopyForm,
    create: Callable[..., Ruleset],
    template: str,
    context: dict[str, Any],
) -> HttpResponse:
    """Create a ruleset by `create` from the form's fields and open its editor."""
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return see_other("ruleset-draft", create(**form.cleaned_data).key)
        except FaultyRules as error:
            refusal = _("Nothing was imported. Fix these in the file:")
            form.add_error("file", [refusal, *faults_in_words(error)])
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, template, {"form": form, **context}, status=status)
