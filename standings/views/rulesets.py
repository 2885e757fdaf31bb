"""Rulesets for everybody: the list, a version in words with its worked examples, copies, files."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_safe

from standings.engine import chain_of
from standings.forms.rulesets import CopyForm, FileForm
from standings.rulesets.trial.words import context_of
from standings.words.rules import origin_in_words, rules_in_words
from standings.words.ruleset_fields import changed_from, changes_in_words, every_field, faults_in_words
from tournament.access.fetch import LoginNeeded, visible_rulebook
from tournament.errors import Refused
from tournament.models import Publisher, Rulebook, Ruleset
from tournament.rulebooks.field_words import confidence_in_words, is_unverified
from tournament.rulebooks.games import usual_ruleset
from tournament.rulebooks.library import newest_rulesets, rulebooks_of_member, uses_of
from tournament.services.rulebooks import FaultyRules, copy_ruleset, create_publisher, import_rulebook
from tournament.web.staff_pages import form_data, see_other

ACTIONS_SHOWN = 50


@require_safe
@cache_control(private=True, no_cache=True)
def rulesets(request: HttpRequest) -> HttpResponse:
    """Every published ruleset with how sure it is; one's own first, unverified ones under their own heading."""
    asked = request.GET.get("q", "").strip()[:60]
    lines = [_line(ruleset) for ruleset in newest_rulesets()]
    found = [line for line in lines if all(word in line["text"] for word in asked.casefold().split())]
    context = {
        "q": asked,
        "mine": rulebooks_of_member(request.user),
        "checked": [line for line in found if not line["unverified"]],
        "unverified": [line for line in found if line["unverified"]],
        "all": len(lines),
    }
    return render(request, "standings/rulesets/list.html", context)


@require_safe
@cache_control(private=True, no_cache=True)
def words(request: HttpRequest) -> HttpResponse:
    """A part of the set-up form: what the chosen ?ruleset= says, without one the usual of the ?game=."""
    key = request.GET.get("ruleset") or usual_ruleset(request.GET.get("game", "")[:80])
    ruleset = Ruleset.objects.filter(key=key.replace("\x00", "")).order_by("-version").first()
    if ruleset is None:
        raise Http404
    profile = ruleset.profile
    context = {"profile": profile, "told": [*rules_in_words(profile), *origin_in_words(ruleset, profile)]}
    return render(request, "standings/_rules.html", context)


def _line(ruleset: Ruleset) -> dict[str, Any]:
    """One row of the list; `text` is what a search looks at."""
    publisher = ruleset.rulebook.publisher
    steps = [step.title for step in chain_of(ruleset.profile)]
    sure = confidence_in_words(ruleset.profile)
    words = [ruleset.name, ruleset.key, publisher.name if publisher else "", *steps, sure]
    return {
        "ruleset": ruleset,
        "publisher": publisher,
        "steps": steps,
        "sure": sure,
        "unverified": is_unverified(ruleset.profile),
        "text": " ".join(words).casefold(),
    }


@require_safe
@cache_control(private=True, no_cache=True)
def ruleset(request: HttpRequest, key: str, version: int | None = None) -> HttpResponse:
    """A version in words: its rules, examples, every field, all versions with what changed, who uses which."""
    book = visible_rulebook(request, key)
    versions = list(book.versions.order_by("-version"))
    if not versions and version is None:
        return see_other(reverse("ruleset-draft", args=[key]))
    shown = next((v for v in versions if v.version == (version or versions[0].version)), None)
    if shown is None:
        raise Http404
    return render(request, "standings/rulesets/ruleset.html", _page(request, book, shown, versions))


def _page(request: HttpRequest, book: Any, shown: Ruleset, versions: list[Ruleset]) -> dict[str, Any]:
    uses = uses_of(book, request.user)
    before = [*versions[1:], book.copied_from]
    history = [
        {
            "version": version,
            "changes": changed_from(older.profile, version.profile) if older else [],
            "use": uses.get(version.version),
        }
        for version, older in zip(versions, before, strict=True)
    ]
    source = book.copied_from
    actions = list(book.actions.order_by("-number")[:ACTIONS_SHOWN]) if book.role else []
    return {
        "book": book,
        "ruleset": shown,
        "newest": shown == versions[0],
        "profile": shown.profile,
        "told": rules_in_words(shown.profile),
        "sure": confidence_in_words(shown.profile),
        "unverified": is_unverified(shown.profile),
        "every": every_field(shown.profile),
        "history": history,
        "source": source,
        "since_source": changed_from(source.profile, shown.profile) if source else [],
        "actions": [(action, changes_in_words(action.changes)) for action in actions],
        **context_of(shown.profile),
    }


@require_safe
def ruleset_json(request: HttpRequest, key: str, version: int) -> HttpResponse:
    """A version as a file, to be kept, mailed, or uploaded as a draft elsewhere."""
    shown = visible_rulebook(request, key).versions.filter(version=version).first()
    if shown is None:
        raise Http404
    text = json.dumps(shown.profile, ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{key}-{version}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def copy(request: HttpRequest, key: str) -> HttpResponse:
    """Make a ruleset one's own: a name, and who publishes it."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    book = visible_rulebook(request, key)
    source = book.versions.order_by("-version").first()
    if source is None:
        raise Http404
    publishers = Publisher.objects.filter(members__user=request.user)
    suggested = _("%(name)s (our version)") % {"name": source.name[:100]}
    form = CopyForm(form_data(request), publishers=list(publishers), initial={"name": suggested})
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            return see_other(reverse("ruleset-draft", args=[_copied(request, form, source).key]))
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    context = {"form": form, "book": book, "source": source}
    return render(request, "standings/rulesets/copy.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@cache_control(private=True, no_cache=True)
def from_file(request: HttpRequest) -> HttpResponse:
    """A ruleset that somebody gave out as a file, as one's own draft."""
    if not request.user.is_authenticated:
        raise LoginNeeded
    publishers = list(Publisher.objects.filter(members__user=request.user))
    files = request.FILES if request.method == "POST" else None
    form = FileForm(form_data(request), files, publishers=publishers)
    status = 422 if form.is_bound else 200
    problems: list[str] = []
    if form.is_valid():
        try:
            data = {"publisher": None, **form.cleaned_data}
            book = import_rulebook(data.pop("file"), **data, actor=request.user)
            return see_other(reverse("ruleset-draft", args=[book.key]))
        except FaultyRules as error:
            problems = faults_in_words(error)
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    context = {"form": form, "problems": problems}
    return render(request, "standings/rulesets/from_file.html", context, status=status)


def _copied(request: HttpRequest, form: CopyForm, source: Ruleset) -> Rulebook:
    publisher = form.cleaned_data.get("publisher")
    if not publisher:
        publisher = create_publisher(form.cleaned_data["publisher_name"], owner=request.user)
    return copy_ruleset(source, name=form.cleaned_data["name"], publisher=publisher, actor=request.user)
