"""A form that is done once, however often it is sent."""

from __future__ import annotations

import re
import uuid
from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Submit
from django import forms
from django.utils.translation import gettext_lazy as _

LARGEST = 2**31 - 1
_KEY = re.compile(r"[0-9a-zA-Z._-]{1,64}")


def fresh_key() -> str:
    """The key of one form on one page."""
    return uuid.uuid4().hex


class KeyField(forms.CharField):
    """The form's key, hidden. A form without one (a script's) is done each time it is sent."""

    def __init__(self) -> None:
        super().__init__(required=False, max_length=64, widget=forms.HiddenInput, initial=fresh_key)

    def clean(self, value: Any) -> str:
        key = super().clean(value)
        if key and not _KEY.fullmatch(key):
            raise forms.ValidationError(_("This form did not arrive intact. Reload the page."))
        return key


class SessionField(forms.IntegerField):
    """The number of a session, hidden or chosen, where several are played side by side; None for the usual one."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Session"),
            required=False,
            min_value=1,
            max_value=99,
            widget=forms.HiddenInput,
            error_messages=dict.fromkeys(
                ("invalid", "min_value", "max_value"), _("There is no such session.")
            ),
        )


class KeyedForm(forms.Form):
    """With a fresh key, and a crispy helper whose button says `button`."""

    button: Any = _("Save")
    key = KeyField()

    def __init__(self, *args: Any, action: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = FormHelper()
        self.helper.form_action = action
        self.helper.add_input(Submit("", self.button))

    def fields_for_service(self) -> dict[str, Any]:
        """What was filled in, without the key."""
        return {name: value for name, value in self.cleaned_data.items() if name != "key"}


class ActForm(forms.Form):
    """A button: nothing but its key and, where one is asked for, the reason."""

    key = KeyField()
    reason = forms.CharField(required=False, max_length=500)


class SessionForm(forms.Form):
    """Which session a button means."""

    session = SessionField()
