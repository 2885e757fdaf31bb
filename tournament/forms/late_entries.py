from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from tournament.progress.facts import ProgressFacts
from tournament.progress.flights import Flight
from tournament.web.keyed_forms import LONGEST_REASON, KeyedForm, SessionField


class LateEntryForm(KeyedForm):
    """A form that adds entries; call `offer` before it is shown."""

    session = SessionField()
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Needed only if the ruleset no longer allows late entries."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.late_fields: list[str] = []  # for the layout

    def offer(self, facts: ProgressFacts, *, chosen: int | None = None, missed_as: str = "") -> None:
        """Ask for a stage (`chosen`) if several are open, and for a reason once a round was missed (`missed_as`)."""
        if facts.flights:
            choices = [(flight.number, _label_of(flight, missed_as)) for flight in facts.flights]
            self.fields["session"].widget = forms.Select(choices=choices)
            self.initial["session"] = chosen or (facts.stage and facts.stage.number)
            self.late_fields = ["session", "reason"]
        elif facts.missed_rounds:
            self.late_fields = ["reason"]

    def fields_for_service(self) -> dict[str, Any]:
        fields = super().fields_for_service()
        return {"stage": fields.pop("session"), **fields}


def _label_of(flight: Flight, missed_as: str) -> str:
    players = ngettext("%(n)s player", "%(n)s players", flight.players) % {"n": flight.players}
    parts = [flight.name, players]
    if missed := flight.missed_rounds:
        late = ngettext("%(n)s round is already published", "%(n)s rounds are already published", missed)
        parts.append(late % {"n": missed} + (f": {missed_as}" if missed_as else ""))
    return " · ".join(parts)
