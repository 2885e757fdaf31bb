"""The publisher's editor: the draft with its preview, a file as the draft, publishing, discarding."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.forms.rulesets import DraftActionForm, PublishForm, UploadForm
from standings.rulesets.editor.draft_form import DraftForm
from standings.rulesets.editor.profile_form import arrange_lists
from standings.rulesets.trial.example_words import examples_context
from standings.views.private_pages import draft_view
from standings.words.rules import rules_in_words
from standings.words.ruleset_fields import (
    FieldWords,
    differences_in_words,
    faults_in_words,
    label_in_words,
    value_in_words,
)
from tournament.errors import Conflict, Refused
from tournament.rulebooks.library import newest_of, rules_before_draft, uses_of
from tournament.services.rulebooks import (
    FaultyRules,
    discard_draft,
    publish_draft,
    save_draft,
    whole_profile,
)
from tournament.web.staff_pages import first_error, form_data, see_other


def draft_of(book: Any) -> dict[str, Any]:
    """The draft, or the rules that a new one starts from."""
    return book.draft if book.draft is not None else rules_before_draft(book)


@draft_view("GET", "POST")
def draft(request: HttpRequest, book: Any) -> HttpResponse:
    """GET: the editor. POST: save the draft; with `do` a line is only moved, added or removed."""
    rules = draft_of(book)
    if request.method != "POST":
        return _editor_page(request, book, DraftForm(profile=rules, revision=book.draft_revision))
    if request.POST.get("do"):
        data = arrange_lists(request.POST)
        form = DraftForm(data, profile=rules, checked=False)
        return _editor_page(request, book, form, checked=DraftForm(data, profile=rules))
    form = DraftForm(request.POST, profile=rules)
    if not form.is_valid():
        return _editor_page(request, book, form, status=422)
    try:
        save_draft(book, form.rules, seen=form.cleaned_data["seen"], actor=request.user)
    except Conflict as conflict:
        book.refresh_from_db(fields=["draft", "draft_revision"])
        form.data = data = request.POST.copy()
        data["seen"] = str(book.draft_revision)  # whoever saves again has seen both drafts
        return _editor_page(request, book, form, conflict=conflict, status=conflict.status)
    except FaultyRules as error:
        for path, message in error.faults:
            form.add_fault(path, message)
        return _editor_page(request, book, form, status=error.status)
    messages.success(request, _("The draft is saved. No event uses it until you publish it."))
    return see_other(reverse("ruleset-draft", args=[book.key]))


def _editor_page(
    request: HttpRequest,
    book: Any,
    form: DraftForm,
    *,
    checked: DraftForm | None = None,
    conflict: Conflict | None = None,
    status: int = 200,
) -> HttpResponse:
    """The editor. The preview is that of `checked`, by default of the form itself."""
    context = {
        "book": book,
        "form": form,
        "order_url": reverse("ruleset-order", args=[book.key]),
        "newest": newest_of(book),
        "upload": UploadForm(book=book),
        "discard": DraftActionForm(book=book),
        "conflict": conflict,
        "conflicts": [
            FieldWords(
                label_in_words(row["what"]),
                value_in_words(row["what"], row["yours"]),
                value_in_words(row["what"], row["theirs"]),
            )
            for row in (conflict.rows() if conflict else ())
        ],
        **_preview(book, checked or form),
    }
    return render(request, "standings/rulesets/draft.html", context, status=status)


@draft_view("POST")
def order(request: HttpRequest, book: Any) -> HttpResponse:
    """For htmx: the standings order, or the rounds table, after one of its buttons. Saves nothing."""
    form = DraftForm(arrange_lists(request.POST), profile=draft_of(book), checked=False)
    part = "_rounds_table.html" if "row" in request.POST.get("do", "") else "_standings_order.html"
    return render(request, f"standings/rulesets/{part}", {"form": form, "order_url": request.path})


@draft_view("POST")
def preview(request: HttpRequest, book: Any) -> HttpResponse:
    """For htmx: faults, or what the rules as sent would mean. Saves nothing."""
    form = DraftForm(request.POST, profile=draft_of(book))
    form.is_valid()
    return render(
        request, "standings/rulesets/_preview.html", {"book": book, "form": form, **_preview(book, form)}
    )


def _preview(book: Any, form: DraftForm) -> dict[str, Any]:
    """The summary, changes and worked examples of the rules as sent, or their faults."""
    faults = form.faults() if form.is_bound else []
    rules = form.rules if form.is_bound else form.base
    if faults or not rules:
        return {"faults": faults}
    profile = whole_profile(rules, book.key)
    before = rules_before_draft(book)
    return {
        "faults": [],
        "summary": rules_in_words(profile),
        "changes": differences_in_words(before, rules),
        **examples_context(profile),
    }


@draft_view("POST")
def upload(request: HttpRequest, book: Any) -> HttpResponse:
    """Use a file as the draft. Its faults are listed by path, and then nothing is saved."""
    form = UploadForm(request.POST, request.FILES, book=book)
    problems: list[str] = []
    if form.is_valid():
        profile = {**form.cleaned_data["file"], "based_on": draft_of(book).get("based_on", "")}
        try:
            save_draft(book, profile, seen=form.cleaned_data["seen"], actor=request.user)
        except FaultyRules as error:
            problems = faults_in_words(error)
        except Refused as error:
            problems = [str(error)]
        else:
            messages.success(request, _("The file is now the draft. Review it, then publish it."))
            return see_other(reverse("ruleset-draft", args=[book.key]))
    else:
        problems = [first_error(form)]
    return render(request, "standings/rulesets/upload.html", {"book": book, "problems": problems}, status=422)


@draft_view("POST")
def discard(request: HttpRequest, book: Any) -> HttpResponse:
    """Discard the draft."""
    form = DraftActionForm(request.POST, book=book)
    if not form.is_valid():
        raise Refused(first_error(form))
    discard_draft(book, seen=form.cleaned_data["seen"], actor=request.user)
    messages.success(request, _("The draft was discarded. Published versions are unchanged."))
    return see_other(reverse("ruleset", args=[book.key]))


@draft_view("GET", "POST")
def publish(request: HttpRequest, book: Any) -> HttpResponse:
    """GET: what would change and for whom. POST: the draft becomes the next version."""
    newest = newest_of(book)
    form = PublishForm(form_data(request), book=book, number=newest.version + 1 if newest else 1)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            version = publish_draft(book, **form.cleaned_data, actor=request.user)
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, _("Version %(number)s is published.") % {"number": version.version})
            return see_other(reverse("ruleset", args=[book.key]))
    draft = book.draft
    context = {
        "book": book,
        "form": form,
        "newest": newest,
        "changes": differences_in_words(rules_before_draft(book), draft) if draft is not None else [],
        "uses": sum(use.count for use in uses_of(book, request.user).values()),
    }
    return render(request, "standings/rulesets/publish.html", context, status=status)
