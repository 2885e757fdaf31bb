from collections.abc import Mapping
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Field
from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.services.entries import LONGEST_ORDER_REASON
from tournament.web.keyed_forms import KeyedForm, NumberField, button, lay_out_form


class ManualOrderForm(KeyedForm):
    """A place for each of the tied players, and the reason. `players`: {code: name}."""

    code = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_ORDER_REASON,
        widget=forms.TextInput(attrs={"placeholder": _("playoff game")}),
    )

    def __init__(self, *args: Any, players: Mapping[str, str], **kwargs: Any) -> None:
        self.codes = list(players)
        kwargs["initial"] = {"code": self.codes}
        super().__init__(*args, **kwargs)
        for code, name in players.items():
            self.fields[f"place-{code}"] = NumberField(
                label=_t("Place of %(name)s") % {"name": name}, min_value=1, max_value=len(self.codes)
            )

    @property
    def helper(self) -> FormHelper:
        places = [Field(f"place-{code}", wrapper_class="place") for code in self.codes]
        return lay_out_form(*places, "reason", button(_("Save order"), ""))

    def _read_place(self, code: str) -> int:
        return self.cleaned_data.get(f"place-{code}") or 0

    def clean(self) -> None:
        last = len(self.codes)
        if sorted(map(self._read_place, self.codes)) != list(range(1, last + 1)):
            raise forms.ValidationError(
                _("Give each tied player a different place, from 1 to %(last)s."), params={"last": last}
            )

    def fields_for_service(self) -> dict[str, Any]:
        return {"codes": sorted(self.codes, key=self._read_place), "reason": self.cleaned_data["reason"]}


class OrderRemovalForm(KeyedForm):
    what = forms.CharField(widget=forms.HiddenInput, initial="clear")
    code = forms.Field(widget=forms.MultipleHiddenInput)

    def fields_for_service(self) -> dict[str, Any]:
        return {"codes": sorted(self.cleaned_data["code"])}
