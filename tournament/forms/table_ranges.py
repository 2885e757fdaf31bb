"""Who of the staff enters which tables: a row for each."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.errors import Refused
from tournament.event.table_plan import Venue
from tournament.results.table_ranges import parse_range


class RangeForm(forms.Form):
    """The tables of one person, as text; cleaned to both ends, or None for all tables."""

    username = forms.CharField(max_length=150, widget=forms.HiddenInput)
    tables = forms.CharField(
        required=False,
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("all tables")}),
    )

    def __init__(self, *args: Any, venue: Venue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.venue = venue
        self.fields["tables"].label = self["username"].value() or ""

    def clean_tables(self) -> tuple[int, int] | None:
        try:
            return parse_range(self.cleaned_data["tables"], self.venue)
        except Refused as refusal:
            raise forms.ValidationError(str(refusal)) from None


RangeFormSet = forms.formset_factory(RangeForm, extra=0, max_num=200)
