"""A rehearsal: how many simulated players, and whether the staff comes along."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import Staff
from tournament.web.keyed_forms import KeyedForm, NumberField
from tournament.web.layouts import PlainForm

FEWEST, MOST, USUAL = 6, 500, 24  # players


class RehearsalForm(PlainForm, KeyedForm):
    """The number of simulated players, and the `staff` of the event if they are to practice too."""

    send = _("Create the rehearsal")
    players = NumberField(label=_("Simulated players"), min_value=FEWEST, max_value=MOST)
    with_staff = forms.BooleanField(label=_("Include its staff"), required=False, initial=True)

    def __init__(self, *args: Any, staff: list[Staff], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.staff = staff
        self.fields["with_staff"].help_text = ", ".join(map(str, staff))
        if not staff:
            del self.fields["with_staff"]

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        with_staff = fields.pop("with_staff", False)
        return {**fields, "staff": self.staff if with_staff else []}
