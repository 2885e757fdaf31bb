from typing import Any, ClassVar

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models import Tournament
from tournament.services.clock import LONGEST
from tournament.services.event_settings import LONGEST_ANNOUNCEMENT
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, NumberField, ShownField


class MinutesField(NumberField):
    def __init__(self, **more: Any) -> None:
        super().__init__(**{"label": _("Minutes"), **more}, min_value=1, max_value=LONGEST)


class TimeOfDayField(forms.TimeField):
    """A time of day in the event's time zone. Cleans to text such as "14:30", "" for none."""

    def __init__(self, label: Any, **more: Any) -> None:
        widget = forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
        super().__init__(label=label, widget=widget, input_formats=["%H:%M", "%H:%M:%S"], **more)

    def clean(self, value: Any) -> str:
        time = super().clean(value)
        return time.strftime("%H:%M:%S" if time.second else "%H:%M") if time else ""


class ClockForm(KeyedForm):
    """A clock form. `what`: the end of its URL; `send`: its button's label; `page`: the page that it is on."""

    what: ClassVar[str] = ""
    look = ""
    unsent = ("key", "page")
    page = forms.CharField(required=False, widget=BareHiddenInput, initial="clock")
    seen = ShownField()

    def __init__(self, data: Any = None, initial: Any = None) -> None:
        super().__init__(data, initial=initial, auto_id=f"{self.what}-%s")


class StartForm(ClockForm):
    what, send, look = "start", _("Start the clock"), "primary"
    minutes = MinutesField(required=False)


class ScheduleForm(ClockForm):
    what, send = "schedule", _("Start at this time")
    at = TimeOfDayField(_("Start at"))
    minutes = MinutesField(required=False)


class LengthForm(ClockForm):
    what, send = "length", _("Change the length")
    minutes = MinutesField(label=_("Minutes of this round"))


class SetForm(ClockForm):
    what, send = "set", _("Set the end")
    ends = TimeOfDayField(_("End time"))


class AddForm(ClockForm):
    what = "add"
    minutes = NumberField(min_value=-LONGEST, max_value=LONGEST)


class AnnouncementForm(KeyedForm):
    text = forms.CharField(
        label=_("Announcement"),
        required=False,
        max_length=LONGEST_ANNOUNCEMENT,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("Round 5 at 14:30")}),
        help_text=_("Everyone sees it, on phones and screens. Leave empty to take it down."),
    )
    ends = TimeOfDayField(_("Shown until"), required=False, help_text=_("If empty, shown for 1 hour."))
    send, look = _("Announce"), ""

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        until = tournament.announcement_until if tournament.notice else None
        ends = until and timezone.localtime(until).time()
        super().__init__(data, initial={"text": tournament.notice, "ends": ends})
