"""Another session, and a next day."""

from __future__ import annotations

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.schemas.kinds import exact_number
from tournament.services.stages import MOST_ROUNDS
from tournament.web.keyed_forms import KeyedForm, SessionField
from tournament.web.layouts import button, helper_of

OUTLINE = "btn-outline-secondary"


class StageForm(KeyedForm):
    """A further stage; `what` tells the forms of the page apart."""

    kind = ""
    open_button: Any = ""

    what = forms.CharField(widget=forms.HiddenInput)
    minutes = forms.IntegerField(label=_("Minutes per round"), required=False, min_value=1, max_value=600)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= {"auto_id": f"{self.kind}_%s", "initial": {"what": self.kind}}
        super().__init__(*args, **kwargs)

    @property
    def helper(self) -> FormHelper:
        """The fields and the button that opens the stage."""
        names = [field.name for field in self.visible_fields()]
        return helper_of(*names, button(self.open_button, OUTLINE))

    def fields_for_service(self) -> dict[str, Any]:
        """The cleaned fields without `what` and the key."""
        return {name: value for name, value in super().fields_for_service().items() if name != "what"}


class FlightForm(StageForm):
    """Another session of its own, and when it must be over."""

    kind = "session"
    open_button = _("Open a session")
    ends_at = forms.DateTimeField(
        label=_("Must end by"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )

    def fields_for_service(self) -> dict[str, Any]:
        """The same, with the time as ISO text."""
        ends_at = self.cleaned_data["ends_at"]
        return {**super().fields_for_service(), "ends_at": ends_at.isoformat() if ends_at else None}


class DayForm(StageForm):
    """A next day: how long it is, and who plays it."""

    kind = "day"
    open_button = _("Open the next day")
    field_order = ("rounds", "size", "points", "minutes")
    rounds = forms.IntegerField(label=_("Swiss rounds of that day"), min_value=1, max_value=MOST_ROUNDS)
    size = forms.IntegerField(
        label=_("Players who advance"),
        required=False,
        min_value=2,
        max_value=9999,
        help_text=_("Leave both empty to advance everyone who did not drop."),
    )
    points = forms.CharField(label=_("Or minimum points to advance"), required=False, max_length=12)

    def clean_points(self) -> str | None:
        """The points as they were typed, None where nothing was."""
        text = self.cleaned_data["points"].strip()
        if text and exact_number(text) is None:
            raise forms.ValidationError(_("Enter a number of points, such as 18 or 5/2."))
        return text or None


class StageRemovalForm(KeyedForm):
    """The button that removes an empty session."""

    what = forms.CharField(widget=forms.HiddenInput, initial="remove")
    session = SessionField()
