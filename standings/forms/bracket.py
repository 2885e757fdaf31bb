"""The forms beside a bracket match: its result, a repeat game, a decision without a game, the first move."""

from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from standings.engine.bracket.elimination import HIGHER_SEED
from tournament.forms.results import SlipForm, VersionForm
from tournament.web.layouts import helper_of

LONGEST_REASON = 200  # of a decision at the desk
TIEBREAK = "tiebreak"


class BracketForm(VersionForm):
    """A form about a bracket match. `sends`: the fields that its service takes besides the version."""

    sends: tuple[str, ...]

    def fields_for_service(self) -> dict[str, Any]:
        """The version, and the fields that the service takes."""
        return {name: self.cleaned_data[name] for name in ("version", *self.sends)}


class BracketSlipForm(BracketForm, SlipForm):
    """A bracket result, or with `repeat` the result of a repeat game."""

    sends = ("read", "repeat", "reason")
    slip = forms.CharField(
        label=_("Other result"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": _("20, 101, ns2 …")}),
    )
    repeat = forms.BooleanField(required=False, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason to play a repeat game anyway"), required=False, max_length=LONGEST_REASON
    )

    def __init__(self, *args: Any, label: str = "", **kwargs: Any) -> None:
        """`label`: the name of the box for screen readers; the others see where it stands."""
        super().__init__(*args, **kwargs)
        self.label = label
        attrs = self.fields["slip"].widget.attrs
        attrs |= {"aria-label": label} if label else {}
        attrs |= {"placeholder": "412 388"} if self.rules.by_score else {}

    @property
    def helper(self) -> FormHelper:
        """For fields that the page places one by one."""
        helper = helper_of(tag=False)
        helper.form_show_labels = not self.label
        return helper


class DecisionForm(BracketForm):
    """How a drawn bracket match is decided without a game."""

    sends = ("how", "winner", "reason")
    how = forms.ChoiceField(choices=[(HIGHER_SEED, ""), (TIEBREAK, "")], widget=forms.HiddenInput)
    winner = forms.ChoiceField(choices=[("", ""), ("a", ""), ("b", "")], required=False)
    reason = forms.CharField(label=_("Reason"), required=False, max_length=LONGEST_REASON)

    def __init__(self, *args: Any, label: Any = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if label:
            self.fields["reason"].label = label


class BracketFirstMoveForm(BracketForm):
    """Who moves first."""

    sends = ("first",)
    first = forms.ChoiceField(choices=[("a", ""), ("b", "")])
