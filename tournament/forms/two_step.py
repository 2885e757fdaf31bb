"""Setting two-step sign-in up, the code at sign-in, and the password or a code once more before a change."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core import signing
from django.utils.translation import gettext_lazy as _

from tournament.forms.passwords import ConfirmedForm, PasswordField
from tournament.services.two_step import clock_of, recovery_set_of
from tournament.web.keyed_forms import BareHiddenInput, KeyField
from tournament.web.layouts import PlainForm

LONGEST_CODE = 40  # characters, with spaces
KEY_SALT = "tournament.two-step:v1"
KEY_AGE = 60 * 60  # seconds: how long the page that shows a key can be used


class CodeField(forms.CharField):
    """A code of the authenticator app. Phones show digits, and fill in what they know."""

    def __init__(self, **kwargs: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}
        widget = forms.TextInput(attrs={**attributes, **kwargs.pop("attributes", {})})
        super().__init__(label=_("Code"), max_length=LONGEST_CODE, widget=widget, **kwargs)


class SignInCodeForm(PlainForm):
    """The second step of a sign-in."""

    send = _("Sign in")
    code = CodeField(
        help_text=_("6 digits from your authenticator app, or one of your recovery codes."),
        attributes={"autofocus": True},
    )


class SetUpForm(ConfirmedForm, PlainForm):
    """A code that shows that the app has the key, and the password. The key is in the form, signed: see `read_key`."""

    field_order = ("signed_key", "code", "password")

    send = _("Turn on")
    signed_key = forms.CharField(widget=forms.HiddenInput)
    code = CodeField(help_text=_("The 6 digits that the app shows now."))

    def __init__(self, user: User, key: str, data: Any = None) -> None:
        super().__init__(user, data, initial={"signed_key": sign_key(user, key)})
        self.key = key

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if clock_of(self.key, code) is None:
            text = _(
                "This code is not right. Check the clock of your phone, then enter the code it shows now."
            )
            raise forms.ValidationError(text)
        return code


class ConfirmForm(PlainForm):
    """The password or a code, so that no one changes the sign-in of someone who left a browser open."""

    password = PasswordField(label=_("Password or code"))

    def __init__(self, send: Any, data: Any = None) -> None:
        super().__init__(data)
        self.send = send


class RenewForm(ConfirmForm):
    """The same, for new recovery codes in the place of the set that was there when the page was shown."""

    key = KeyField()
    seen = forms.IntegerField(widget=BareHiddenInput)

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(_("Create new recovery codes"), data)
        self.initial["seen"] = recovery_set_of(user)


def sign_key(user: User, key: str) -> str:
    """A key as the page that shows it sends it back: for this account alone."""
    return signing.dumps([user.pk, key], salt=KEY_SALT)


def read_key(user: User, signed: str) -> str | None:
    """The key that `sign_key` signed for this account within the last hour, or None."""
    try:
        account, key = signing.loads(signed, salt=KEY_SALT, max_age=KEY_AGE)
    except signing.BadSignature:
        return None
    return str(key) if account == user.pk else None
