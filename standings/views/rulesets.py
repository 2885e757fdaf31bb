"""Rulesets for everyone: the list, a version in words with its worked examples, copies, files."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.engine import chain_of
from standings.forms.rulesets import CopyForm, ImportForm, RulesetSearchForm
from standings.rulesets.trial.example_words import examples_context
from standings.words.metrics import title_of_step
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
from tournament.rulebooks.library import VersionUse, newest_rulesets, rulebooks_of_member, uses_of
from tournament.rulebooks.rule_fields import confidence_in_words, is_unverified
from tournament.services.publishers import create_publisher
from tournament.services.rulebooks import FaultyRules, copy_ruleset, import_rulebook
from tournament.web.staff_pages import form_data, private_view, see_other

MOST_ACTIONS = 50  # of the log, newest first


@dataclass(frozen=True)
class RulesetRow:
    """A row of the list: a published ruleset with its steps and how sure we are of it."""

    ruleset: Ruleset
    publisher: Publisher | None
    steps: list[str]
    confidence: str
    unverified: bool

    def has(self, words: list[str]) -> bool:
        """Whether all of the words stand somewhere in the row."""
        publisher = self.publisher.name if self.publisher else ""
        parts = [self.ruleset.name, self.ruleset.key, publisher, *self.steps, self.confidence]
        text = " ".join(parts).casefold()
        return all(word in text for word in words)


def _row(ruleset: Ruleset) -> RulesetRow:
    profile = ruleset.profile
    steps = [title_of_step(step) for step in chain_of(profile)]
    publisher = ruleset.rulebook.publisher
    return RulesetRow(ruleset, publisher, steps, confidence_in_words(profile), is_unverified(profile))


@dataclass(frozen=True)
class VersionRow:
    """A row of a ruleset's history: what changed in a version, and which events use it."""

    version: Ruleset
    changes: list[FieldWords] = field(default_factory=list)
    use: VersionUse | None = None


@private_view("GET")
def rulesets(request: HttpRequest) -> HttpResponse:
    """Every published ruleset; the user's own first, unverified ones under their own heading."""
    form = RulesetSearchForm(request.GET, action=reverse("rulesets"))
    words = form.words.casefold().split()
    rows = [_row(ruleset) for ruleset in newest_rulesets()]
    matching = [row for row in rows if row.has(words)]
    context = {
        "form": form,
        "mine": rulebooks_of_member(request.user),
        "verified": [row for row in matching if not row.unverified],
        "unverified": [row for row in matching if row.unverified],
        "all": len(rows),
    }
    return render(request, "standings/rulesets/list.html", context)


@private_view("GET")
def words(request: HttpRequest) -> HttpResponse:
    """For the form of a new event: the rules of `?ruleset=`, or of the usual ruleset of `?game=`, in words."""
    key = request.GET.get("ruleset") or usual_ruleset(request.GET.get("game", "")[:80])
    ruleset = Ruleset.objects.filter(key=key.replace("\x00", "")).order_by("-version").first()
    if ruleset is None:
        raise Http404
    profile = ruleset.profile
    summary = [*rules_in_words(profile), *origin_in_words(ruleset, profile)]
    return render(request, "standings/rules/_rules.html", {"profile": profile, "summary": summary})


@private_view("GET")
def ruleset(request: HttpRequest, key: str, version: int | None = None) -> HttpResponse:
    """A version in words: rules, examples, every field, all versions with their changes and events."""
    book = visible_rulebook(request, key)
    versions = list(book.versions.order_by("-version"))
    if not versions and version is None:
        return see_other(reverse("ruleset-draft", args=[key]))
    number = version or versions[0].version
    ruleset = next((one for one in versions if one.version == number), None)
    if ruleset is None:
        raise Http404
    return render(
        request, "standings/rulesets/ruleset.html", _ruleset_context(request, book, ruleset, versions)
    )


def _ruleset_context(
    request: HttpRequest, book: Any, ruleset: Ruleset, versions: list[Ruleset]
) -> dict[str, Any]:
    profile = ruleset.profile
    uses = uses_of(book, request.user)
    history = [
        VersionRow(version, _differences(older, version), uses.get(version.version))
        for version, older in zip(versions, [*versions[1:], book.copied_from], strict=True)
    ]
    actions = list(book.actions.order_by("-number")[:MOST_ACTIONS]) if book.role else []
    return {
        "book": book,
        "ruleset": ruleset,
        "newest": ruleset == versions[0],
        "profile": profile,
        "summary": rules_in_words(profile),
        "confidence": confidence_in_words(profile),
        "unverified": is_unverified(profile),
        "groups": profile_in_words(profile),
        "history": history,
        "source": book.copied_from,
        "since_source": _differences(book.copied_from, ruleset),
        "actions": [(action, changes_in_words(action.changes)) for action in actions],
        **examples_context(profile),
    }


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
    source = visible_rulebook(request, key).versions.order_by("-version").first()
    if source is None:
        raise Http404
    form = CopyForm(form_data(request), user=request.user, source=source)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return see_other(reverse("ruleset-draft", args=[_copy_as_sent(request, form, source).key]))
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, "standings/rulesets/copy.html", {"form": form, "source": source}, status=status)


def _copy_as_sent(request: HttpRequest, form: CopyForm, source: Ruleset) -> Rulebook:
    publisher = form.cleaned_data.get("publisher")
    if not publisher:
        publisher = create_publisher(form.cleaned_data["publisher_name"], owner=request.user)
    return copy_ruleset(source, name=form.cleaned_data["name"], publisher=publisher, actor=request.user)


@private_view("GET", "POST", signed_in=True)
def from_file(request: HttpRequest) -> HttpResponse:
    """Import a ruleset file as one's own draft."""
    form = ImportForm(form_data(request), request.FILES or None, user=request.user)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            data = {"publisher": None, **form.cleaned_data}
            book = import_rulebook(data.pop("file"), **data, actor=request.user)
            return see_other(reverse("ruleset-draft", args=[book.key]))
        except FaultyRules as error:
            refusal = _("Nothing was imported. Fix these in the file:")
            form.add_error("file", [refusal, *faults_in_words(error)])
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    return render(request, "standings/rulesets/from_file.html", {"form": form}, status=status)
