"""The clock of a round: what the desk asks for."""

from typing import Any, ClassVar

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.services.clock import LONGEST
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, NumberField, ShownField
from tournament.web.layouts import button, helper_of

OUTLINE = "btn-outline-secondary"


class MinutesField(NumberField):
    """Whole minutes, at least one."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**{"label": _("Minutes"), **more}, min_value=1, max_value=LONGEST)


class TimeOfDayField(forms.TimeField):
    """A time of day by the event's clocks; cleans to text such as "14:30", "" for none."""

    def __init__(self, label: Any, **more: Any) -> None:
        widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
        super().__init__(label=label, widget=widget, input_formats=["%H:%M", "%H:%M:%S"], **more)

    def clean(self, value: Any) -> str:
        time = super().clean(value)
        return time.strftime("%H:%M:%S" if time.second else "%H:%M") if time else ""


class ClockForm(KeyedForm):
    """A form of a clock. `what`: the end of its address; `send`: what its button says; `page`: where it stands."""

    what: ClassVar[str] = ""
    send: ClassVar[Any] = ""
    look: ClassVar[str] = OUTLINE
    page = forms.CharField(required=False, widget=BareHiddenInput, initial="clock")
    seen = ShownField()

    def __init__(self, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial, auto_id=f"{self.what}-%s")

    def fields_for_service(self) -> dict[str, Any]:
        """All but the page."""
        return {name: value for name, value in super().fields_for_service().items() if name != "page"}

    @property
    def helper(self) -> FormHelper:
        """Its fields and its button; the page writes the form's tag."""
        names = [field.name for field in self.visible_fields()]
        return helper_of(*names, button(self.send, self.look), tag=False)


class StartForm(ClockForm):
    """Start now, with so many minutes; without any, those of the round."""

    what, send, look = "start", _("Start the clock"), "btn-primary"
    minutes = MinutesField(required=False)


class ScheduleForm(ClockForm):
    """Start at a time of day."""

    what, send = "schedule", _("Start at this time")
    at = TimeOfDayField(_("Start at"))
    minutes = MinutesField(required=False)


class LengthForm(ClockForm):
    """The round's length."""

    what, send = "length", _("Change the length")
    minutes = MinutesField(
        label=_("Minutes of this round"), help_text=_("While the clock runs, the end of the round moves.")
    )


class SetForm(ClockForm):
    """The time left, or the deadline."""

    what, send = "set", _("Set the clock")
    left = forms.CharField(
        label=_("Time left"),
        required=False,
        max_length=8,
        widget=forms.TextInput(attrs={"placeholder": "12:30", "autocomplete": "off", "inputmode": "text"}),
        help_text=_("In minutes and seconds."),
    )
    ends = TimeOfDayField(_("Or end of the round"), required=False)


class AddForm(ClockForm):
    """Minutes for everyone, or fewer."""

    what = "add"
    minutes = NumberField(min_value=-LONGEST, max_value=LONGEST)
