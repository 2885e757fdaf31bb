"""A correction of a result: the slip as it should read, who ruled and why."""

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.forms.results import SlipForm
from tournament.web.keyed_forms import LONGEST_REASON
from tournament.web.layouts import helper_of

LONGEST_RULER = 80


class CorrectionForm(SlipForm):
    """The slip as it should read; with its `digest`, the effect that the page showed. `saving`: it is to be saved."""

    ruled_by = forms.CharField(label=_("Who ruled"), required=False, max_length=LONGEST_RULER)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=LONGEST_REASON - LONGEST_RULER - 20,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The staff can read it in the log. For example: the slip was read the wrong way round."),
    )
    digest = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, saving: bool = False, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.saving = saving
        for side in "ab":  # a drop is corrected on the player's page
            self.fields[f"{side}_drops"].widget = forms.HiddenInput()

    @property
    def reason_helper(self) -> FormHelper:
        """The second part of the page: who ruled and why."""
        helper = helper_of("ruled_by", "reason", tag=False)
        helper.render_hidden_fields = False
        return helper

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if "read" in data and data["read"] is None:
            self.add_error(None, gettext("Enter the right result: a correction clears none."))
        if self.saving and not (data.get("reason") or "").strip():
            self.add_error("reason", gettext("Say why the result is corrected."))
        return data

    def focus_on_reason(self) -> None:
        """Start at the reason where it is missing, and no longer at the games: the page begins with the effect."""
        for field in self.fields.values():
            field.widget.attrs.pop("autofocus", None)
        if self.errors:
            self.fields["reason"].widget.attrs["autofocus"] = True

    def show_again(self, **values: Any) -> None:
        """Put these values into the form that was sent, for the page that answers it."""
        self.data = {**{name: self.data[name] for name in self.data}, **values}

    @property
    def whole_reason(self) -> str:
        """The reason with who ruled, as the log keeps it."""
        reason, ruler = self.cleaned_data["reason"].strip(), self.cleaned_data["ruled_by"].strip()
        if not ruler:
            return reason
        return gettext("%(reason)s (ruled by %(name)s)") % {"reason": reason, "name": ruler}
