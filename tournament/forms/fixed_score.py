"""The score that every table gets whose number is typed."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.forms.box import LONGEST_SCORE


class FixedScoreForm(forms.Form):
    """A score that is not among the usual ones, sent by GET: the page it opens says why it is none."""

    score = forms.CharField(
        label=_("Another score"),
        required=False,
        max_length=LONGEST_SCORE,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "autofocus": True}),
    )

    def __init__(self, score: str) -> None:
        super().__init__(initial={"score": score})
        self.fields["score"].widget.attrs |= {
            "class": "form-control",
            "aria-label": self.fields["score"].label,
            "placeholder": self.fields["score"].label,
        }
