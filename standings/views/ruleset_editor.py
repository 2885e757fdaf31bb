"""The publisher's editor: the draft with its preview, a file as the draft, publishing, discarding."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.forms.rulesets import PublishForm, SeenDraftForm, UploadForm
from standings.rulesets.editor.draft_form import DraftForm
from standings.rulesets.editor.profile_form import ProfileForm, arrange_lists, word_list_in
from standings.rulesets.trial.example_words import examples_context
from standings.words.rules import rules_in_words
from standings.words.ruleset_fields import (
    change_in_words,
    differences_in_words,
    faults_in_words,
)
from tournament.access.fetch import own_rulebook
from tournament.errors import Conflict, Refused
from tournament.rulebooks.library import events_under, newest_of, rules_before_draft
from tournament.services.rulebooks import (
    FaultyRules,
    discard_draft,
    publish_draft,
    save_draft,
    whole_profile,
)
from tournament.web.staff_pages import View, cleaned_fields, form_data, private_view, report_success


def draft_view(*methods: str) -> Callable[[View], View]:
    """Make `view(request, book)` a page of a rulebook for its publisher's members."""

    def decorate(view: View) -> View:
        @private_view(*methods)
        @wraps(view)
        def run(request: HttpRequest, key: str) -> HttpResponse:
            return view(request, own_rulebook(request, key))

        return run

    return decorate


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
        data["seen"] = str(book.draft_revision)  # this editor has now seen both drafts
        return _editor_page(request, book, form, conflict=conflict, status=conflict.status)
    except FaultyRules as error:
        for path, message in error.faults:
            form.add_fault(path, message)
        return _editor_page(request, book, form, status=error.status)
    message = _("The draft is saved. No event uses it until you publish it.")
    return report_success(request, message, "ruleset-draft", book.key)


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
        "discard": SeenDraftForm(book=book),
        "conflict": conflict,
        "conflicts": [
            change_in_words(row["what"], row["theirs"], row["yours"])
            for row in (conflict.rows() if conflict else ())
        ],
        **_preview(book, checked or form),
    }
    return render(request, "standings/rulesets/draft.html", context, status=status)


@draft_view("POST")
def order(request: HttpRequest, book: Any) -> HttpResponse:
    """For htmx: a list after one of its buttons. Saves nothing."""
    return list_part(request, DraftForm(arrange_lists(request.POST), profile=draft_of(book), checked=False))


def list_part(request: HttpRequest, form: ProfileForm) -> HttpResponse:
    """The list of an arranged form that its button is about. Raises Refused where it is not in the form."""
    do = request.POST.get("do", "")
    formset, part = form.steps, "_standings_order.html"
    if path := word_list_in(do):
        formset, part = form.word_lists.get(path), "_word_list.html"
    elif "row" in do:
        formset, part = form.rows, "_rounds_table.html"
    if formset is None:
        raise Refused(_("The publisher does not allow changes to this."))
    context = {"form": form, "words": formset, "order_url": request.path}
    return render(request, f"standings/rulesets/{part}", context)


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
    try:
        fields = cleaned_fields(UploadForm(request.POST, request.FILES, book=book))
        profile = {**fields["file"], "based_on": draft_of(book).get("based_on", "")}
        save_draft(book, profile, seen=fields["seen"], actor=request.user)
    except FaultyRules as error:
        problems = faults_in_words(error)
    except Refused as error:
        problems = [str(error)]
    else:
        message = _("The file is now the draft. Review it, then publish it.")
        return report_success(request, message, "ruleset-draft", book.key)
    return render(request, "standings/rulesets/upload.html", {"book": book, "problems": problems}, status=422)


@draft_view("POST")
def discard(request: HttpRequest, book: Any) -> HttpResponse:
    """Discard the draft."""
    discard_draft(book, **cleaned_fields(SeenDraftForm(request.POST, book=book)), actor=request.user)
    message = _("The draft was discarded. Published versions are unchanged.")
    return report_success(request, message, "ruleset", book.key)


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
            message = _("Version %(number)s is published.") % {"number": version.version}
            return report_success(request, message, "ruleset", book.key)
    draft = book.draft
    context = {
        "book": book,
        "form": form,
        "newest": newest,
        "changes": differences_in_words(rules_before_draft(book), draft) if draft is not None else [],
        "uses": events_under(book).count(),
    }
    return render(request, "standings/rulesets/publish.html", context, status=status)
