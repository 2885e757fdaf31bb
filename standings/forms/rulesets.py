"""The small forms around a ruleset: copy it, upload a file, publish the draft, say who belongs to a publisher."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.archive.checks import ArchiveError
from tournament.archive.json import json_from, sound
from tournament.models import Publisher, PublisherMember

LARGEST_FILE = 200_000  # bytes; the largest shipped ruleset has 4,000

NEEDED = {"match_points", "tiebreaks"}  # a file with neither is something else


class CopyForm(forms.Form):
    """A name for the copy, and which publisher of one's own it belongs to, or the name of a new one."""

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

    def __init__(self, *args: Any, publishers: list[Publisher], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if publishers:
            known = Publisher.objects.filter(pk__in=[publisher.pk for publisher in publishers])
            self.fields["publisher"].queryset = known  # type: ignore[attr-defined]
            self.fields["publisher"].initial = publishers[0].pk
        else:
            del self.fields["publisher"]
            self.fields["publisher_name"].required = True

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("publisher") and not data.get("publisher_name") and "publisher" in self.fields:
            self.add_error("publisher_name", _("Who publishes it? Choose a publisher or name a new one."))
        return data


class ProfileFile(forms.Form):
    """A file with a profile, as a version's download gives it."""

    file = forms.FileField(label=_("Ruleset file (.json)"))

    def clean_file(self) -> dict[str, Any]:
        """The profile in the file."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_FILE:
            raise forms.ValidationError(
                _(
                    "The file is %(size)s bytes; a ruleset can be at most %(most)s. Check that it is the right file."
                )
                % {"size": file.size, "most": LARGEST_FILE}
            )
        try:
            profile = json_from(file.read(), file.name)
            sound(profile)
        except ArchiveError as error:
            raise forms.ValidationError(str(error)) from None
        if not isinstance(profile, dict):
            raise forms.ValidationError(_("A ruleset must be a single JSON object, { … }."))
        return profile


class UploadForm(ProfileFile):
    """A file for the draft as it was seen."""

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class FileForm(CopyForm, ProfileFile):
    """A file as a ruleset of one's own, under a name."""

    field_order = ("file", "name", "publisher", "publisher_name")

    def clean_file(self) -> dict[str, Any]:
        """The profile; a file with neither points nor an order is something else."""
        profile = super().clean_file()
        if not NEEDED & set(profile):
            raise forms.ValidationError(
                _("This file is not a ruleset: it has neither “match_points” nor “tiebreaks”.")
            )
        return profile


class PublishForm(forms.Form):
    """What changed and why, of the draft as it was seen."""

    note = forms.CharField(
        label=_("What changed, and why"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Organizers see this next to the version."),
    )
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class SeenForm(forms.Form):
    """A button about the draft as it was seen."""

    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class MemberForm(forms.Form):
    """Somebody by the name they sign in with, and what they may do."""

    username = forms.CharField(label=_("Username"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=PublisherMember.Role.choices, initial="editor")
