from fractions import Fraction
from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.utils.translation import gettext_lazy as _

from standings.bracket.cut import LARGEST, SMALLEST
from standings.engine.bracket.cut import HIGHER_SEED, TIEBREAK, CutRule
from tournament.forms.events import BEST_OF, MomentField
from tournament.forms.results import SlipForm, VersionForm
from tournament.schemas.kinds import exact_number
from tournament.web.keyed_forms import BareHiddenInput, KeyedForm, NumberField, button, lay_out_form

LONGEST_REASON = 200  # of a decision at the desk


class BracketSlipForm(SlipForm):
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
        super().__init__(*args, **kwargs)
        self.label = label
        attrs = self.fields["slip"].widget.attrs
        attrs |= {"aria-label": label} if label else {}
        attrs |= {"placeholder": "412 388"} if self.rules.by_score else {}

    def fields_for_service(self) -> dict[str, Any]:
        more = {name: self.cleaned_data[name] for name in ("repeat", "reason")}
        return super().fields_for_service() | more

    @property
    def helper(self) -> FormHelper:
        helper = lay_out_form(tag=False)
        helper.form_show_labels = not self.label
        return helper


class DecisionForm(VersionForm):
    how = forms.ChoiceField(choices=[(HIGHER_SEED, ""), (TIEBREAK, "")], widget=forms.HiddenInput)
    winner = forms.ChoiceField(choices=[("", ""), ("a", ""), ("b", "")], required=False)
    reason = forms.CharField(label=_("Reason"), required=False, max_length=LONGEST_REASON)

    def __init__(self, *args: Any, label: Any = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if label:
            self.fields["reason"].label = label


class BracketFirstMoveForm(VersionForm):
    first = forms.ChoiceField(choices=[("a", ""), ("b", "")])


class SizeForm(forms.Form):
    """How many players would advance, for the preview. The value comes from the query string, so it is validated."""

    size = NumberField(
        label=_("Players who advance"),
        min_value=SMALLEST,
        max_value=LARGEST,
        help_text=_("Any number from 2. If the bracket is not full, the top seeds get byes."),
    )
    min_points = forms.CharField(
        label=_("Minimum points"),
        required=False,
        max_length=12,
        empty_value=None,
        help_text=_("Everyone with at least this many points also advances. Leave empty to use the ruleset."),
    )
    all_tied = forms.BooleanField(label=_("Include everyone tied with the last player in"), required=False)

    helper = lay_out_form("size", "min_points", "all_tied", button(_("Preview the cut"), ""), method="get")

    def clean_min_points(self) -> Fraction | None:
        text = self.cleaned_data["min_points"]
        points = exact_number(text) if text else None
        if text and (points is None or points < 0):
            raise forms.ValidationError(_("Enter points as a number, such as 19 or 9/2."))
        return points

    @staticmethod
    def rule_as_initial(rule: CutRule) -> dict[str, Any]:
        return {**rule._asdict(), "min_points": "" if rule.min_points is None else str(rule.min_points)}

    @property
    def rule(self) -> CutRule:
        data = self.cleaned_data
        return CutRule(data["size"], data["min_points"], data["all_tied"])


class CutForm(SizeForm, KeyedForm):
    best_of = forms.ChoiceField(label=_("Match length"), choices=BEST_OF, required=False)
    final_best_of = forms.ChoiceField(label=_("Match length in the final"), choices=BEST_OF, required=False)
    ends_at = MomentField(label=_("Bracket must end by"))
    helper = lay_out_form("best_of", "final_best_of", "ends_at", tag=False)

    def __init__(self, *args: Any, ask_end: bool = False, usual: int = 3, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.usual = usual
        for name in ("size", "min_points", "all_tied"):
            self.fields[name].widget = BareHiddenInput()  # the form beside it has the ids
        if not ask_end:
            self.fields["ends_at"].widget = forms.HiddenInput()

    def fields_for_service(self) -> dict[str, Any]:
        return {"ends_at": self.cleaned_data["ends_at"]}

    def lengths(self, entrants: int) -> tuple[int, ...]:
        """Return best of how many games, per round; empty if the ruleset decides. Call after `is_valid`."""
        most, final = (self.cleaned_data[name] for name in ("best_of", "final_best_of"))
        if not most and not final:
            return ()
        rounds = max(entrants - 1, 1).bit_length()
        every = int(most or self.usual)
        return (*[every] * (rounds - 1), int(final or every))
