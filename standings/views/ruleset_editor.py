from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.forms.profile import DraftForm, ProfileForm, arrange_lists, word_list_in
from standings.forms.rulesets import PublishForm, UploadForm
from standings.preview.examples import examples_context
from standings.words.rules import differences_in_words, faults_in_words, rules_in_words
from tournament.access.fetch import own_ruleset
from tournament.errors import Refused
from tournament.models import Ruleset
from tournament.services import rulesets as services
from tournament.web.staff_pages import View, form_data, private_view, report_success


def draft_view(*methods: str) -> Callable[[View], View]:
    """Decorate `view(request, ruleset)`: only the ruleset's owner can open it."""

    def decorate(view: View) -> View:
        @private_view(*methods)
        @wraps(view)
        def run(request: HttpRequest, key: str) -> HttpResponse:
            return view(request, own_ruleset(request, key))

        return run

    return decorate


def draft_rules(ruleset: Ruleset) -> dict[str, Any]:
    return ruleset.draft if ruleset.draft is not None else services.rules_before_draft(ruleset)


@draft_view("GET", "POST")
def draft(request: HttpRequest, ruleset: Ruleset) -> HttpResponse:
    """Show the editor; POST saves the draft, or with `do` only moves, adds or removes a line."""
    rules = draft_rules(ruleset)
    if request.method != "POST":
        return _editor_page(request, ruleset, DraftForm(profile=rules))
    if request.POST.get("do"):
        data = arrange_lists(request.POST)
        form = DraftForm(data, profile=rules, checked=False)
        return _editor_page(request, ruleset, form, checked=DraftForm(data, profile=rules))
    form = DraftForm(request.POST, profile=rules)
    if not form.is_valid():
        return _editor_page(request, ruleset, form, status=422)
    try:
        services.save_draft(ruleset, form.rules)
    except services.FaultyRules as error:
        for path, message in error.faults:
            form.add_fault(path, message)
        return _editor_page(request, ruleset, form, status=error.status)
    message = _("The draft is saved. No event uses it until you publish it.")
    return report_success(request, message, "ruleset-draft", ruleset.key)


def _editor_page(
    request: HttpRequest,
    ruleset: Ruleset,
    form: DraftForm,
    *,
    checked: DraftForm | None = None,
    upload: UploadForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "ruleset": ruleset,
        "form": form,
        "order_url": reverse("ruleset-order", args=[ruleset.key]),
        "newest": services.find_newest_version(ruleset),
        "upload": upload or UploadForm(ruleset=ruleset),
        **_preview(ruleset, checked or form),
    }
    return render(request, "standings/rulesets/draft.html", context, status=status)


@draft_view("POST")
def order(request: HttpRequest, ruleset: Ruleset) -> HttpResponse:
    form = DraftForm(arrange_lists(request.POST), profile=draft_rules(ruleset), checked=False)
    return list_part(request, form)


def list_part(request: HttpRequest, form: ProfileForm) -> HttpResponse:
    """Render the list that the pressed button changes. Raises Refused if the form has no such list."""
    do = request.POST.get("do", "")
    formset, part = form.steps, "_standings_order.html"
    if path := word_list_in(do):
        formset, part = form.word_lists.get(path), "_word_list.html"
    elif "row" in do:
        formset, part = form.rows, "_rounds_table.html"
    if formset is None:
        raise Refused(_("This ruleset does not allow changes to this."))
    context = {"form": form, "words": formset, "order_url": request.path}
    return render(request, f"standings/rulesets/{part}", context)


@draft_view("POST")
def preview(request: HttpRequest, ruleset: Ruleset) -> HttpResponse:
    form = DraftForm(request.POST, profile=draft_rules(ruleset))
    form.is_valid()
    context = {"ruleset": ruleset, "form": form, **_preview(ruleset, form)}
    return render(request, "standings/rulesets/_preview.html", context)


def _preview(ruleset: Ruleset, form: DraftForm) -> dict[str, Any]:
    faults = form.faults() if form.is_bound else []
    rules = form.rules if form.is_bound else form.base
    if faults or not rules:
        return {"faults": faults}
    profile = services.whole_profile(rules, ruleset.key)
    changes = differences_in_words(services.rules_before_draft(ruleset), rules)
    return {"faults": [], "summary": rules_in_words(profile), "changes": changes, **examples_context(profile)}


@draft_view("POST")
def upload(request: HttpRequest, ruleset: Ruleset) -> HttpResponse:
    """Replace the draft by an uploaded file. If it has faults, list them by path and save nothing."""
    form = UploadForm(request.POST, request.FILES, ruleset=ruleset)
    if form.is_valid():
        profile = {**form.cleaned_data["file"], "based_on": draft_rules(ruleset).get("based_on", "")}
        try:
            services.save_draft(ruleset, profile)
        except services.FaultyRules as error:
            form.add_error("file", faults_in_words(error))
        else:
            message = _("The file is now the draft. Review it, then publish it.")
            return report_success(request, message, "ruleset-draft", ruleset.key)
    return _editor_page(request, ruleset, DraftForm(profile=draft_rules(ruleset)), upload=form, status=422)


@draft_view("GET", "POST")
def publish(request: HttpRequest, ruleset: Ruleset) -> HttpResponse:
    """Show what would change and for whom; POST publishes the draft as the next version."""
    newest = services.find_newest_version(ruleset)
    form = PublishForm(form_data(request), ruleset=ruleset, number=newest.version + 1 if newest else 1)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            version = services.publish_draft(ruleset, **form.cleaned_data)
        except Refused as error:
            ruleset.refresh_from_db(fields=["draft", "revision"])
            form.data = {**request.POST.dict(), "seen": str(ruleset.revision)}
            form.add_error(None, str(error))
            status = error.status
        else:
            message = _("Version %(number)s is published.") % {"number": version.version}
            return report_success(request, message, "ruleset", ruleset.key)
    draft, before = ruleset.draft, services.rules_before_draft(ruleset)
    changes = differences_in_words(before, draft) if draft is not None else []
    uses = services.events_under(ruleset).count()
    context = {"ruleset": ruleset, "form": form, "newest": newest, "changes": changes, "uses": uses}
    return render(request, "standings/rulesets/publish.html", context, status=status)
