"""The password of a signed-in user, entered once more before something that matters."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class PasswordField(forms.CharField):
    """The current password once more."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
        super().__init__(strip=False, widget=widget, **kwargs)


class ConfirmedForm(forms.Form):
    """A form with the password, so that no one sends it from a browser that someone left open."""

    password = PasswordField(label=_("Password"))

    def __init__(self, user: Any, data: Any = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password. Nothing was changed."))
        return password
