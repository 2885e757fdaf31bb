from collections.abc import Mapping
from typing import Any

from crispy_forms.bootstrap import FieldWithButtons
from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from pairings.forms.players import PlayerField, PlayersForm
from pairings.request.record import LONGEST_REASON
from tournament.web.keyed_forms import LARGEST, BareHiddenInput, KeyedForm, ReasonField
from tournament.web.layouts import button, helper_of


class ChosenPlayersForm(PlayersForm):
    """The codes of players to add to the round (`into`) and remove from it (`out`)."""

    into = forms.MultipleChoiceField(
        label=_("Arrived: seat in this round"), required=False, widget=forms.CheckboxSelectMultiple
    )
    out = forms.MultipleChoiceField(
        label=_("Not here: leave out of this round"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Whoever is left out loses this round and is paired in the next, unless dropped."),
    )

    lists: tuple[str, ...] = ("into", "out")

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(names, *args, **kwargs)
        self.names = names
        for name in self.lists:
            self.offer(name, names)

    def offer(self, name: str, labels: Mapping[str, str]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(labels.items())

    def codes_in(self, name: str) -> list[str]:
        """Return the valid codes of one field, even if the other has an error."""
        return list(self.cleaned_data.get(name, ()))


class RepairChoiceForm(ChosenPlayersForm):
    """The players to seat, used to compute the options. Until `chosen`, taken from the facts."""

    chosen = forms.CharField(required=False, initial="1", widget=BareHiddenInput)
    missing = PlayerField(
        label=_("Not here: leave out of this round (first letters of the name, or the code)"), required=False
    )

    @property
    def helper(self) -> FormHelper:
        boxes = [name for name in ("into", "out") if list(self[name])]
        show = button(_("Show options"), "btn-outline-secondary")
        return helper_of(*boxes, FieldWithButtons("missing", show, css_class="short"), method="get")


class RepairForm(ChosenPlayersForm, KeyedForm):
    """The chosen repair option (`plan`, computed at the event's revision `seen`) and its reason.

    `drop`: players to drop as well: removed players at once, seated players after this round.
    """

    lists = ("into", "out", "drop")
    into = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    out = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    drop = forms.MultipleChoiceField(
        label=_("Also drop from the event"), required=False, widget=forms.CheckboxSelectMultiple
    )
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    plan = forms.CharField(required=False, max_length=64, widget=BareHiddenInput)
    reason = ReasonField(label=_("Reason (shown with the round)"), max_length=LONGEST_REASON)
    button: Any = None

    @property
    def helper(self) -> FormHelper:
        drop = ["drop"] if list(self["drop"]) else []
        return helper_of(*drop, "reason", self.button, css="mt-3")
