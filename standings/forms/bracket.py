"""Forms of one bracket match: what goes with its result, a decision, who moves first. Check; never save."""

from __future__ import annotations

from django import forms

from tournament.web.keyed_forms import LARGEST, KeyField


class ResetsForm(forms.Form):
    """What goes with a bracket result: whether it is a repeat game, and which later matches it may empty."""

    repeat = forms.BooleanField(required=False)
    resets = forms.CharField(required=False, max_length=600)
    reason = forms.CharField(required=False, max_length=200)

    def clean_resets(self) -> list[str]:
        return [name for name in self.cleaned_data["resets"].split(",") if name]


class SeenMatchForm(forms.Form):
    """A form about one match: its key, and the version of the match its page shows."""

    key = KeyField()
    version = forms.IntegerField(min_value=0, max_value=LARGEST, widget=forms.HiddenInput)


class DecisionForm(SeenMatchForm):
    """How a drawn elimination match is decided without a game."""

    how = forms.ChoiceField(choices=[("higher_seed", ""), ("tiebreak", "")])
    winner = forms.ChoiceField(choices=[("", ""), ("a", ""), ("b", "")], required=False)
    reason = forms.CharField(required=False, max_length=200)


class FirstForm(SeenMatchForm):
    """Who moves first."""

    first = forms.ChoiceField(choices=[("a", ""), ("b", "")])
