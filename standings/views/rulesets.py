"""Rulesets for everyone: the list, a version in words with its worked examples, copies, files."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.engine import chain_of
from standings.forms.rulesets import CopyForm, ImportRulesetForm, RulesetSearchForm
from standings.rulesets.trial.checks import Check, checks_of, evidence_of
from standings.rulesets.trial.example_words import examples_context
from standings.words.metrics import titles_of_steps
from standings.words.rules import origin_in_words, rules_in_words
from standings.words.ruleset_fields import (
    FieldWords,
    changes_in_words,
    differences_in_words,
    faults_in_words,
    profile_in_words,
)
from tournament.access.fetch import visible_rulebook
from tournament.errors import Refused
from tournament.models import Publisher, Rulebook, Ruleset
from tournament.rulebooks.games import usual_ruleset
from tournament.rulebooks.library import newest_of, newest_rulesets, rulebooks_of_member, uses_of
from tournament.rulebooks.rule_fields import confidence_in_words, is_unverified
from tournament.services.publishers import create_publisher
from tournament.services.rulebooks import FaultyRules, copy_ruleset, import_rulebook
from tournament.web.staff_pages import form_data, private_view, see_other

MOST_ACTIONS = 50  # of the log, newest first


class RulesetRow(NamedTuple):
    """A row of the list: a published ruleset with its steps and what it is known from."""

    ruleset: Ruleset
    steps: list[str]
    confidence: str
    checks: list[Check]

    def has(self, words: list[str]) -> bool:
        """Whether all of the words stand somewhere in the row."""
        publisher = self.ruleset.rulebook.publisher
        names = [self.ruleset.name, self.ruleset.key, publisher.name if publisher else ""]
        text = " ".join([*names, *self.steps, self.confidence]).casefold()
        return all(word in text for word in words)


@private_view("GET")
def rulesets(request: HttpRequest) -> HttpResponse:
    """Every published ruleset; the user's own first, unverified ones under their own heading."""
    form = RulesetSearchForm(request.GET, action=reverse("rulesets"))
    words = form.words.casefold().split()
    rows = [
        RulesetRow(
            ruleset,
            titles_of_steps(chain_of(ruleset.profile)),
            confidence_in_words(ruleset.profile),
            checks_of(ruleset.profile),
        )
        for ruleset in newest_rulesets()
    ]
    matching = [row for row in rows if row.has(words)]
    unverified = [row for row in matching if is_unverified(row.ruleset.profile)]
    context = {
        "form": form,
        "mine": rulebooks_of_member(request.user),
        "verified": [row for row in matching if row not in unverified],
        "unverified": unverified,
        "all": len(rows),
    }
    return render(request, "standings/rulesets/list.html", context)


@private_view("GET")
def words(request: HttpRequest) -> HttpResponse:
    """For the form of a new event: the rules of `?ruleset=`, or of the usual ruleset of `?game=`, in words."""
    key = request.GET.get("ruleset") or usual_ruleset(request.GET.get("game", "")[:80])
    versions = Ruleset.objects.filter(key=key.replace("\x00", ""))
    ruleset = versions.order_by("-version").first()
    if ruleset is None:
        raise Http404
    profile = ruleset.profile
    summary = [*rules_in_words(profile), *origin_in_words(ruleset, profile)]
    return render(request, "standings/rules/_rules.html", {"profile": profile, "summary": summary})


@private_view("GET")
def ruleset(request: HttpRequest, key: str, version: int | None = None) -> HttpResponse:
    """A version in words: rules, examples, every field, all versions with their changes and events."""
    book: Any = visible_rulebook(request, key)
    versions = list(book.versions.order_by("-version"))
    if not versions and version is None:
        return see_other("ruleset-draft", key)
    number = version or versions[0].version
    ruleset = next((one for one in versions if one.version == number), None)
    if ruleset is None:
        raise Http404
    profile, uses = ruleset.profile, uses_of(book, request.user)
    actions = book.actions.order_by("-number")[:MOST_ACTIONS] if book.role else []
    context = {
        "book": book,
        "ruleset": ruleset,
        "newest": ruleset == versions[0],
        "profile": profile,
        "summary": rules_in_words(profile),
        "confidence": confidence_in_words(profile),
        "unverified": is_unverified(profile),
        "evidence": evidence_of(profile),
        "groups": profile_in_words(profile),
        "history": [
            (version, _differences(older, version), uses.get(version.version))
            for version, older in zip(versions, [*versions[1:], book.copied_from], strict=True)
        ],
        "source": book.copied_from,
        "since_source": _differences(book.copied_from, ruleset),
        "actions": [(action, changes_in_words(action.changes)) for action in actions],
        **examples_context(profile),
    }
    return render(request, "standings/rulesets/ruleset.html", context)


def _differences(before: Ruleset | None, after: Ruleset) -> list[FieldWords]:
    """What changed from one version to another; nothing where there is none before."""
    return differences_in_words(before.profile, after.profile) if before else []


@require_safe
def ruleset_json(request: HttpRequest, key: str, version: int) -> HttpResponse:
    """A version as a file: to keep, to mail, or to upload as a draft elsewhere."""
    ruleset = visible_rulebook(request, key).versions.filter(version=version).first()
    if ruleset is None:
        raise Http404
    text = json.dumps(ruleset.profile, ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{key}-{version}.json"'
    return response


@private_view("GET", "POST", signed_in=True)
def copy(request: HttpRequest, key: str) -> HttpResponse:
    """Copy a ruleset as one's own draft, for a publisher of one's own or a new one."""
    source = newest_of(visible_rulebook(request, key))
    if source is None:
        raise Http404
    name = _("%(name)s (our version)") % {"name": source.name[:100]}
    back = reverse("ruleset", args=[source.key])
    form = CopyForm(form_data(request), user=request.user, back=back, initial={"name": name})

    def create(name: str, publisher: Publisher | None = None, publisher_name: str = "") -> Rulebook:
        publisher = publisher or create_publisher(publisher_name, owner=request.user)
        return copy_ruleset(source, name=name, publisher=publisher, actor=request.user)

    return _creation_page(request, form, create, "standings/rulesets/copy.html", {"source": source})


@private_view("GET", "POST", signed_in=True)
def from_file(request: HttpRequest) -> HttpResponse:
    """Import a ruleset file as one's own draft."""
    back = reverse("rulesets")
    form = ImportRulesetForm(form_data(request), request.FILES or None, user=request.user, back=back)

    def create(file: dict[str, Any], publisher: Publisher | None = None, **names: str) -> Rulebook:
        return import_rulebook(file, publisher=publisher, **names, actor=request.user)

    return _creation_page(request, form, create, "standings/rulesets/from_file.html", {})


def _creation_page(
    request: HttpRequest,
    form: CopyForm,
    create: Callable[..., Rulebook],
    template: str,
    context: dict[str, Any],
) -> HttpResponse:
    """A form that makes a rulebook: `create` takes its fields, and the draft's editor follows."""
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
