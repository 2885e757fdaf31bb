"""The order of tied players that the organizer sets by hand, and taking it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Field
from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.services.manual_order import LONGEST_REASON
from tournament.web.keyed_forms import KeyField
from tournament.web.layouts import button, helper_of


class ManualOrderForm(forms.Form):
    """A place for each of the tied players, and the reason. `players`: {code: name}."""

    key = KeyField()
    code = forms.MultipleChoiceField(widget=forms.MultipleHiddenInput, required=False)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.TextInput(attrs={"placeholder": _("playoff game")}),
    )

    def __init__(self, *args: Any, players: Mapping[str, str], **kwargs: Any) -> None:
        self.codes = list(players)
        kwargs["initial"] = {"code": self.codes}
        super().__init__(*args, **kwargs)
        field = self.fields["code"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(code, code) for code in self.codes]
        for code, name in players.items():
            self.fields[f"place-{code}"] = forms.IntegerField(
                label=_t("Place of %(name)s") % {"name": name}, min_value=1, max_value=len(self.codes)
            )

    @property
    def helper(self) -> FormHelper:
        """The places, the reason, the button."""
        places = [Field(f"place-{code}", wrapper_class="place") for code in self.codes]
        return helper_of(*places, "reason", button(_("Save order"), "btn-outline-secondary"))

    def clean_reason(self) -> str:
        """The reason without the spaces around it."""
        return str(self.cleaned_data["reason"]).strip()

    def clean(self) -> dict[str, Any]:
        """`order`: the codes by place, each place given once."""
        data: dict[str, Any] = super().clean() or {}
        places = {code: data.get(f"place-{code}") or 0 for code in self.codes}
        if sorted(places.values()) != list(range(1, len(self.codes) + 1)):
            raise forms.ValidationError(
                _("Give each tied player a different place, from 1 to %(last)s."),
                params={"last": len(self.codes)},
            )
        data["order"] = sorted(places, key=lambda code: places[code])
        return data


class OrderRemovalForm(forms.Form):
    """The button that removes a manual order."""

    what = forms.CharField(widget=forms.HiddenInput, initial="clear")
    key = KeyField()
    code = forms.MultipleChoiceField(widget=forms.MultipleHiddenInput)
