from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.archive.json import ArchiveError, check_json, json_from
from tournament.forms.search import SearchForm
from tournament.models import Ruleset
from tournament.web.layouts import button, helper_of, link

LARGEST_FILE = 200_000  # bytes; the largest built-in ruleset has 4,000
NEEDED = {"match_points", "tiebreaks"}  # a file with neither is something else
PANEL = "panel p-4"


class RulesetSearchForm(SearchForm):
    label = _("Search rulesets")
    placeholder = _("game, tiebreaker")


class CopyForm(forms.Form):
    verb = _("Copy")
    name = forms.CharField(label=_("Name of your ruleset"), max_length=120)

    def __init__(self, *args: Any, back: str, **kwargs: Any) -> None:
        self.back = back
        super().__init__(*args, **kwargs)

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields()]
        return helper_of(*names, button(self.verb), link(_("Back"), self.back), css=PANEL)


class ProfileFileForm(forms.Form):
    file = forms.FileField(
        label=_("Ruleset file (.json)"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> dict[str, Any]:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            words = _(
                "The file is %(size)s bytes; a ruleset can be at most %(most)s. Check that it is the right file."
            )
            raise forms.ValidationError(words, params={"size": file.size, "most": LARGEST_FILE})
        try:
            profile = json_from(file.read(), file.name)
            check_json(profile)
        except ArchiveError as error:
            raise forms.ValidationError(str(error)) from None
        if not isinstance(profile, dict):
            raise forms.ValidationError(_("A ruleset must be a single JSON object, { … }."))
        return profile


class ImportRulesetForm(CopyForm, ProfileFileForm):
    verb = _("Import")
    field_order = ("file", "name")

    def clean_file(self) -> dict[str, Any]:
        """The profile; a file with neither points nor an order is something else."""
        profile = super().clean_file()
        if not NEEDED & set(profile):
            raise forms.ValidationError(
                _("This file is not a ruleset: it has neither “match_points” nor “tiebreaks”.")
            )
        return profile


class SeenDraftForm(forms.Form):
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        self.ruleset = ruleset
        kwargs["initial"] = {"seen": ruleset.revision}
        super().__init__(*args, **kwargs)


class UploadForm(SeenDraftForm, ProfileFileForm):
    @property
    def helper(self) -> FormHelper:
        action = reverse("ruleset-upload", args=[self.ruleset.key])
        return helper_of("file", button(_("Upload"), "btn-outline-secondary"), action=action, css="panel p-3")


class PublishForm(SeenDraftForm):
    """The note for publishing the draft as version `number`."""

    note = forms.CharField(
        label=_("What changed, and why"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Organizers see this next to the version."),
    )

    def __init__(self, *args: Any, number: int, **kwargs: Any) -> None:
        self.number = number
        super().__init__(*args, **kwargs)

    @property
    def helper(self) -> FormHelper:
        publish = button(_("Publish version %(number)s") % {"number": self.number})
        back = link(_("Back to the draft"), reverse("ruleset-draft", args=[self.ruleset.key]))
        return helper_of("note", publish, back, css=PANEL)
