"""The forms of rulesets: copy one, import or upload a file, publish the draft, find one; a publisher's members."""

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.archive.json import ArchiveError, check_json, json_from
from tournament.forms.search import SearchForm
from tournament.models import Publisher, PublisherMember, Rulebook
from tournament.web.layouts import button, helper_of, link

LARGEST_FILE = 200_000  # bytes; the largest built-in ruleset has 4,000
NEEDED = {"match_points", "tiebreaks"}  # a file with neither is something else
PANEL = "panel p-4"


class RulesetSearchForm(SearchForm):
    """Rulesets by game, publisher or tiebreaker."""

    label = _("Search rulesets")
    placeholder = _("game, publisher, tiebreaker")


class CopyForm(forms.Form):
    """A name for one's own ruleset, and one of the user's publishers or the name of a new one."""

    verb = _("Copy")
    name = forms.CharField(label=_("Name of your ruleset"), max_length=120)
    publisher = forms.ModelChoiceField(
        Publisher.objects.none(), label=_("Published by"), required=False, empty_label=_("a new publisher")
    )
    publisher_name = forms.CharField(
        label=_("Name of the new publisher"),
        max_length=80,
        required=False,
        help_text=_("Your league, club or shop. Organizers see it next to the ruleset."),
    )

    def __init__(self, *args: Any, user: Any, back: str, **kwargs: Any) -> None:
        """`back`: the address of the page before."""
        self.back = back
        super().__init__(*args, **kwargs)
        publishers = Publisher.objects.filter(members__user=user)
        field: Any = self.fields["publisher"]
        field.queryset, field.initial = publishers, publishers.first()
        if field.initial is None:
            del self.fields["publisher"]
            self.fields["publisher_name"].required = True

    @property
    def helper(self) -> FormHelper:
        """The fields, then the button and the way back."""
        names = [field.name for field in self.visible_fields()]
        return helper_of(*names, button(self.verb), link(_("Back"), self.back), css=PANEL)

    def clean(self) -> dict[str, Any]:
        """Either a publisher or a name for a new one."""
        data = super().clean() or {}
        if "publisher" in self.fields and not (data.get("publisher") or data.get("publisher_name")):
            self.add_error("publisher_name", _("Who publishes it? Choose a publisher or name a new one."))
        return data


class ProfileFileForm(forms.Form):
    """A file with a profile, as the download of a version gives it."""

    file = forms.FileField(
        label=_("Ruleset file (.json)"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )

    def clean_file(self) -> dict[str, Any]:
        """The profile in the file."""
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
    """A file as a ruleset of one's own, under a name."""

    verb = _("Import")
    field_order = ("file", "name", "publisher", "publisher_name")

    def clean_file(self) -> dict[str, Any]:
        """The profile; a file with neither points nor an order is something else."""
        profile = super().clean_file()
        if not NEEDED & set(profile):
            raise forms.ValidationError(
                _("This file is not a ruleset: it has neither “match_points” nor “tiebreaks”.")
            )
        return profile


class SeenDraftForm(forms.Form):
    """A button about the draft at the revision that the page shows."""

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, book: Rulebook, **kwargs: Any) -> None:
        self.book = book
        kwargs["initial"] = {"seen": book.draft_revision}
        super().__init__(*args, **kwargs)


class UploadForm(SeenDraftForm, ProfileFileForm):
    """A file for the draft."""

    @property
    def helper(self) -> FormHelper:
        """The file and its button."""
        action = reverse("ruleset-upload", args=[self.book.key])
        return helper_of("file", button(_("Upload"), "btn-outline-secondary"), action=action, css="panel p-3")


class PublishForm(SeenDraftForm):
    """What changed and why, for the draft to become version `number`."""

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
        """The note, the button and the way back."""
        publish = button(_("Publish version %(number)s") % {"number": self.number})
        back = link(_("Back to the draft"), reverse("ruleset-draft", args=[self.book.key]))
        return helper_of("note", publish, back, css=PANEL)


class PublisherMemberForm(forms.Form):
    """Someone by the name they sign in with, and their role."""

    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=PublisherMember.Role.choices, initial="editor")
    helper = helper_of("username", "role", button(_("Add member"), "btn-outline-secondary"), tag=False)


class MemberRemovalForm(forms.Form):
    """The button beside a member: the name of who is removed."""

    remove = forms.CharField(widget=forms.HiddenInput, max_length=150)
