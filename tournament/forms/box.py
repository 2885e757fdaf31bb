"""The one box of the desk: a line such as `12 21` says a table and what to do there."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.forms.results import SeenForm
from tournament.results.box_line import LONGEST_LINE
from tournament.results.slip import MatchRules
from tournament.web.keyed_forms import LARGEST, BareHiddenInput, SureForm

LONGEST_SCORE = 40  # characters


class BoxForm(SeenForm):
    """The box.

    replace  the result may be another than the one the table has
    score    what a table alone means, where a score is fixed
    """

    replace = forms.BooleanField(required=False, widget=forms.HiddenInput)
    score = forms.CharField(required=False, max_length=LONGEST_SCORE, widget=BareHiddenInput)
    text = forms.CharField(
        label=_("Table and result"),
        required=False,
        max_length=LONGEST_LINE,
        widget=forms.TextInput(
            attrs={
                "id": "line",
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
                "autofocus": True,
                "aria-describedby": "understood",
            }
        ),
    )
    seen = forms.IntegerField(
        required=False, min_value=0, max_value=LARGEST, widget=BareHiddenInput(attrs={"id": "seen"})
    )

    @classmethod
    def shown(cls, revision: int, rules: MatchRules | None, text: str = "", score: str = "") -> BoxForm:
        """The box on a page of that revision, with an example of what these rules take."""
        form = cls(initial={"seen": revision, "text": text, "score": score})
        by_score, by_order = (rules.by_score, rules.order) if rules else (False, False)
        example = "12 412 388" if by_score else "12 ab" if by_order else "12 21"
        example = "12" if score else example
        form.fields["text"].widget.attrs["placeholder"] = example
        return form

    @classmethod
    def swapped(cls, revision: int) -> BoxForm:
        """Only for its field `seen`, which htmx then puts in the place of the page's own."""
        form = cls(initial={"seen": revision})
        form.fields["seen"].widget.attrs["hx-swap-oob"] = "outerHTML"
        return form


class UndoForm(SureForm, SeenForm):
    """The action to undo, and the round from whose desk it was asked for."""

    number = forms.IntegerField(min_value=1, max_value=LARGEST)
    round = forms.IntegerField(required=False, min_value=1, max_value=9999)
