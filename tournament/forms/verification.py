"""Verify: the line that is typed, beside all that were typed before it."""

from typing import Any

from django import forms

from tournament.forms.box import BoxForm

MOST_TYPED = 60_000  # characters: 2,000 tables


class VerifyForm(BoxForm):
    """A line, or the button "Enter what the slip says".

    lines    what was typed before, a line a table
    correct  the table and the version of its match, such as "12:345", whose slip is right
    """

    lines = forms.CharField(required=False, max_length=MOST_TYPED, widget=forms.HiddenInput)
    correct = forms.RegexField(r"^\d{1,4}:\d{1,10}\Z", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].widget = forms.HiddenInput()
        for name in ("key", "lines"):  # outside of the form, in the part that each answer renews
            self.fields[name].widget.attrs["form"] = "box"
