"""The restoring of a snapshot over its event: why, and what the page showed."""

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.web.keyed_forms import LARGEST, LONGEST_REASON, BareHiddenInput, KeyedForm
from tournament.web.layouts import button, helper_of


class RestoreForm(KeyedForm):
    """A reason; `seen`: the event's revision when the difference was shown. `occasion`: the snapshot in words."""

    seen = forms.IntegerField(min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON - 100,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The staff can read it in the log. For example: round 5 was paired by mistake."),
    )

    def __init__(self, *args: Any, occasion: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.occasion = occasion

    @property
    def helper(self) -> FormHelper:
        """The reason and the button."""
        return helper_of("reason", button(_("Restore over this event"), "btn-outline-danger"))

    def show_again(self, seen: int) -> None:
        """Let the form that was refused be sent again for what the page shows now."""
        self.data = {**{name: self.data[name] for name in self.data}, "seen": seen}

    def fields_for_service(self) -> dict[str, Any]:
        """The fields, with the snapshot named in the reason."""
        fields = super().fields_for_service()
        return {**fields, "reason": f"{self.occasion}: {fields['reason']}"}
