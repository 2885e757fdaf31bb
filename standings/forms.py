"""The cut: how many play on. Checks; never saves."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from standings.services import LARGEST, SMALLEST
from tournament.forms.keyed import KeyField


class SizeForm(forms.Form):
    """How many would play on, for the preview; from the address, so nothing but a number is believed."""

    size = forms.IntegerField(
        label=_("How many play on"),
        min_value=SMALLEST,
        max_value=LARGEST,
        help_text=_(
            "2, 4, 8, 16 … or any number between: where the bracket is not full the top seeds have byes."
        ),
    )


class CutForm(SizeForm):
    """The cut itself, once."""

    key = KeyField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["size"].widget = forms.HiddenInput()
