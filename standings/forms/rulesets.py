"""Forms of rulesets and of the rules of one event."""

from __future__ import annotations

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.archive.format import ArchiveError, check_json, json_from
from tournament.forms.events import ruleset_choices
from tournament.models import Ruleset, RulesetVersion, Tournament
from tournament.rulesets.rule_fields import is_game_for_two
from tournament.rulesets.schema import LONGEST_REASON
from tournament.services.rulesets import Version, newest_versions
from tournament.web.keyed_forms import KeyedForm, button, lay_out_form, link

LARGEST_FILE = 200_000  # bytes; the largest built-in ruleset has 4,000
NEEDED = {"match_points", "tiebreaks"}  # a file with neither is something else
PANEL = "card pad"


class CopyForm(forms.Form):
    verb = _("Copy")
    name = forms.CharField(label=_("Name of your ruleset"), max_length=120)

    def __init__(self, *args: Any, back: str, **kwargs: Any) -> None:
        self.back = back
        super().__init__(*args, **kwargs)

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields()]
        return lay_out_form(*names, button(self.verb), link(_("Back"), self.back), css=PANEL)


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
        """Return the profile. Raises ValidationError for a file that has neither points nor an order."""
        profile = super().clean_file()
        if not NEEDED & set(profile):
            raise forms.ValidationError(
                _("This file is not a ruleset: it has neither “match_points” nor “tiebreaks”.")
            )
        return profile


class UploadForm(ProfileFileForm):
    def __init__(self, *args: Any, ruleset: Ruleset, **kwargs: Any) -> None:
        self.ruleset = ruleset
        super().__init__(*args, **kwargs)

    @property
    def helper(self) -> FormHelper:
        action = reverse("ruleset-upload", args=[self.ruleset.key])
        return lay_out_form("file", button(_("Upload"), ""), action=action, css=PANEL)


class PublishForm(forms.Form):
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
    note = forms.CharField(
        label=_("What changed, and why"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Organizers see this next to the version."),
    )

    def __init__(self, data: Any, *, ruleset: Ruleset, number: int) -> None:
        self.ruleset, self.number = ruleset, number
        super().__init__(data, initial={"seen": ruleset.revision})

    @property
    def helper(self) -> FormHelper:
        publish = button(_("Publish version %(number)s") % {"number": self.number})
        back = link(_("Back to the draft"), reverse("ruleset-draft", args=[self.ruleset.key]))
        return lay_out_form("note", publish, back, css=PANEL)


SALT = "change of rules"


class RulesetForm(forms.Form):
    ruleset = forms.ChoiceField(label=_("Use another ruleset"), required=False)
    helper = lay_out_form(  # the button only fills in the form below
        "ruleset", button(_("Show its fields below"), ""), method="get", css="pad"
    )

    def __init__(self, *args: Any, tournament: Tournament, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        current, older = tournament.ruleset, []
        newest = [one for one in newest_versions() if is_game_for_two(one.profile) or one == current]
        if current is not None:
            versions = current.ruleset.versions.order_by("-version")
            own = [(_value(one), f"{one.name}, {one.version}") for one in versions if one not in newest]
            older = [(_("Other versions of the current rules"), own)] if own else []
        field: Any = self.fields["ruleset"]
        field.choices = [("", _("current rules, as they are")), *older, *ruleset_choices(newest, _value)]

    @property
    def version(self) -> Version | None:
        key, _colon, number = self.cleaned_data.get("ruleset", "").rpartition(":")
        return (key, int(number)) if key else None


def _value(ruleset: RulesetVersion) -> str:
    return f"{ruleset.key}:{ruleset.version}"


class ConfirmRulesForm(KeyedForm):
    """The signed `change` (version and overrides), the `digest` of the effect that was shown, and the reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Public, next to the standings. Do not name players."),
    )
    change = forms.CharField(widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    helper = lay_out_form("reason", tag=False)

    @classmethod
    def for_change(
        cls, version: Version | None, overrides: dict[str, Any], digest: str, reason: str = ""
    ) -> ConfirmRulesForm:
        change = signing.dumps([version, overrides], salt=SALT)
        return cls(initial={"change": change, "digest": digest, "reason": reason})

    def clean_change(self) -> tuple[Version | None, dict[str, Any]]:
        try:
            version, overrides = signing.loads(self.cleaned_data["change"], salt=SALT)
        except signing.BadSignature:
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page.")) from None
        return (version[0], version[1]) if version else None, overrides
