"""The announcement that everyone sees, and until when."""

import zoneinfo
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import Tournament
from tournament.services.announcements import LONGEST
from tournament.web.keyed_forms import KeyedForm
from tournament.web.layouts import button, helper_of


class AnnouncementForm(KeyedForm):
    """The text, and until when it is shown; at first what is shown now."""

    text = forms.CharField(
        label=_("Announcement"),
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("Round 5 at 14:30")}),
        help_text=_(
            "Shown to everyone: on phones, on the venue screen and at the desk. Leave empty to take it down."
        ),
    )
    ends = forms.TimeField(
        label=_("Shown until"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        input_formats=["%H:%M", "%H:%M:%S"],
        help_text=_("In the event's time zone. If empty, shown for 1 hour."),
    )
    helper = helper_of("text", "ends", button(_("Announce"), "btn-outline-secondary"), tag=False)

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        until = tournament.announcement_until if tournament.notice else None
        ends = until and until.astimezone(zoneinfo.ZoneInfo(tournament.time_zone)).time()
        super().__init__(data, initial={"text": tournament.notice, "ends": ends})

    def fields_for_service(self) -> dict[str, Any]:
        """The time as text: the service counts it from the moment of saving."""
        ends = self.cleaned_data["ends"]
        return {"text": self.cleaned_data["text"], "ends": ends.strftime("%H:%M") if ends else ""}
