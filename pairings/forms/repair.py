"""A published round repaired: who is added and removed, and the option that was chosen."""

from collections.abc import Iterable, Mapping
from typing import Any

from crispy_forms.bootstrap import FieldWithButtons
from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from pairings.forms.draft_edits import PublicReasonField
from pairings.forms.players import PlayerField, PlayersForm
from tournament.web.keyed_forms import LARGEST, BareHiddenInput, KeyedForm
from tournament.web.layouts import button, helper_of


class ChosenPlayersForm(PlayersForm):
    """The players to add to the round (`into`) and to remove from it (`out`), by code."""

    into = forms.MultipleChoiceField(
        label=_("Absent: add to this round"), required=False, widget=forms.CheckboxSelectMultiple
    )
    out = forms.MultipleChoiceField(
        label=_("Dropped: remove from this round"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, names: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        super().__init__(names, *args, **kwargs)
        self.names = names
        self.offer(names, names)

    def offer(self, into: Iterable[str], out: Iterable[str]) -> None:
        """Let only these codes be chosen."""
        for name, codes in (("into", into), ("out", out)):
            field = self.fields[name]
            assert isinstance(field, forms.MultipleChoiceField)
            field.choices = [(code, self.names[code]) for code in dict.fromkeys(codes)]

    def codes_in(self, name: str) -> list[str]:
        """The valid codes of one of the two fields, also where another field has an error."""
        return list(self.cleaned_data.get(name, ()))


class RepairChoiceForm(ChosenPlayersForm):
    """Who shall sit in the round, for the options. The facts decide as long as nothing was `chosen`."""

    chosen = forms.CharField(required=False, initial="1", widget=BareHiddenInput)
    missing = PlayerField(
        label=_("Someone else is missing (first letters of the name, or the code)"), required=False
    )

    @property
    def helper(self) -> FormHelper:
        """The boxes there are, the field for someone else, the button."""
        boxes = [name for name in ("into", "out") if list(self[name])]
        show = button(_("Show options"), "btn-outline-secondary")
        return helper_of(*boxes, FieldWithButtons("missing", show, css_class="short"), method="get")


class RepairForm(ChosenPlayersForm, KeyedForm):
    """The option that was shown as `plan` at the event's revision `seen`, and the reason for choosing it."""

    into = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    out = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    seen = forms.IntegerField(required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput)
    plan = forms.CharField(required=False, max_length=64, widget=BareHiddenInput)
    reason = PublicReasonField()
    button: Any = None

    @property
    def helper(self) -> FormHelper:
        """The reason and the button."""
        return helper_of("reason", self.button, css="mt-3")
