from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.event.settings import LEAST_SECONDS, MOST_SECONDS
from tournament.models import Tournament
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, NumberField, button, helper_of


class ScreensForm(KeyedForm):
    screens = forms.MultipleChoiceField(
        label=_("Show in turn"),
        choices=Tournament.Screen.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Leave empty for what is on: seats before round 1, pairings and the clock during a round, "
            "standings after it, and the announcement while there is one."
        ),
    )
    screen_seconds = NumberField(label=_("Seconds per page"), min_value=LEAST_SECONDS, max_value=MOST_SECONDS)
    seen = forms.JSONField(required=False, widget=BareHiddenInput)
    helper = helper_of("seen", "screens", "screen_seconds", button(_("Save the rotation")))

    def __init__(self, tournament: Tournament, data: Any = None) -> None:
        shown = {"screens": tournament.screens, "screen_seconds": tournament.screen_seconds}
        super().__init__(data, initial={**shown, "seen": shown})

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return fields | {"seen": fields["seen"] if isinstance(fields["seen"], dict) else None}
