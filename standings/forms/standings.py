"""Which players of the standings are shown."""

from collections.abc import Iterable, Mapping
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.web.layouts import button, helper_of


class LabelForm(forms.Form):
    """Only the players with a label; the rest of the address stays as it is."""

    label = forms.ChoiceField(
        label=_("Only players with label"),
        required=False,
        widget=forms.Select(attrs={"aria-label": _("Only players with label")}),
    )

    def __init__(self, labels: Iterable[str], label: str, address: Mapping[str, Any]) -> None:
        """`address`: what else the address asks for, by name."""
        super().__init__(initial={"label": label}, auto_id="filter-%s")
        field: Any = self.fields["label"]
        field.choices = [("", _("everyone")), *((name, name) for name in labels)]
        for name, value in address.items():
            self.fields[name] = forms.CharField(widget=forms.HiddenInput, initial=value)

    @property
    def helper(self) -> FormHelper:
        """The choice without its label, and its button."""
        show = button(_("Show"), "btn-outline-secondary")
        helper = helper_of("label", show, method="get", css="filter")
        helper.form_show_labels = False
        return helper
