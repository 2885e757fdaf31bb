from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.forms.clock import MinutesField
from tournament.forms.events import MomentField
from tournament.schemas.kinds import exact_number
from tournament.services.stages import MOST_ROUNDS
from tournament.web.keyed_forms import KeyedForm, NumberField, SessionField, button, lay_out_form


class ExactPointsField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=12, empty_value=None, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text and exact_number(text) is None:
            raise forms.ValidationError(_("Enter a number of points, such as 18 or 5/2."))
        return text


class FlightForm(KeyedForm):
    minutes = MinutesField(label=_("Minutes per round"), required=False)
    ends_at = MomentField(label=_("Must end by"))
    helper = lay_out_form("minutes", "ends_at", button(_("Open a session"), "", name="what", value="session"))


class DayForm(KeyedForm):
    rounds = NumberField(label=_("Swiss rounds of that day"), min_value=1, max_value=MOST_ROUNDS)
    size = NumberField(
        label=_("Players who advance"),
        required=False,
        min_value=2,
        max_value=9999,
        help_text=_("Leave both empty to advance everyone who did not drop."),
    )
    points = ExactPointsField(label=_("Or minimum points to advance"))
    minutes = MinutesField(label=_("Minutes per round"), required=False)
    helper = lay_out_form(
        "rounds", "size", "points", "minutes", button(_("Open the next day"), "", name="what", value="day")
    )


class StageRemovalForm(KeyedForm):
    session = SessionField()

    def fields_for_service(self) -> dict[str, Any]:
        return {"number": self.cleaned_data["session"] or 0}
