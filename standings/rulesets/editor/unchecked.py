"""Forms that show what was sent without checking it, while lines are still being moved, added or removed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms.utils import ErrorDict


class UncheckedForm(forms.Form):
    """A form that reports no errors with `checked=False`: nothing is to be saved yet."""

    def __init__(self, *args: Any, checked: bool = True, **kwargs: Any) -> None:
        self.checked = checked
        super().__init__(*args, **kwargs)

    def full_clean(self) -> None:
        """Check the fields, unless the form only shows them."""
        if self.checked:
            super().full_clean()
        else:
            self._errors, self.cleaned_data = ErrorDict(), {}
