from typing import Any

from crispy_forms.helper import FormHelper
from django import forms
from django.conf import settings
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
    UserCreationForm,
)
from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.services.two_step import clock_of, recovery_set_of
from tournament.web.keyed_forms import BareHiddenInput, KeyField
from tournament.web.layouts import Element, PlainForm, button, helper_of, link
from tournament.web.sign_in import PAGE_FIELDS


class PasswordField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
        super().__init__(strip=False, widget=widget, **kwargs)


class ConfirmedForm(forms.Form):
    """A form with the password, against misuse of an unattended browser."""

    password = PasswordField(label=_("Password"))

    def __init__(self, user: Any, data: Any = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.user = user

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password. Nothing was changed."))
        return password


class EmailField(forms.EmailField):
    """An optional address for password links, shown only if the site can send email."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Email"),
            required=False,
            max_length=254,
            help_text=_("Used only to send you a link if you forget your password. No one else sees it."),
            **kwargs,
        )


class SignUpForm(PlainForm, UserCreationForm):
    send = _("Sign up")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.MAIL:
            self.fields["email"] = EmailField()

    def save(self, commit: bool = True) -> Any:
        self.instance.email = self.cleaned_data.get("email", "")
        return super().save(commit)


class SignInForm(PlainForm, AuthenticationForm):
    send = _("Sign in")


class OwnPasswordForm(PlainForm, PasswordChangeForm):
    send = _("Change the password")
    key = KeyField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)


class NewPasswordForm(PlainForm, SetPasswordForm):
    send = _("Set the password")


class EmailForm(ConfirmedForm):
    """The email address of an account. `action`: the URL that saves it."""

    email = EmailField()

    def __init__(self, user: Any, data: Any = None, *, action: str) -> None:
        super().__init__(user, data, initial={"email": user.email}, auto_id="mail_%s")
        self.helper = helper_of("email", "password", button(_("Save")), action=action)


class ForgottenPasswordForm(PlainForm):
    send = _("Send the link")
    email = forms.EmailField(label=_("Email"), max_length=254)


class DeleteAccountForm(ConfirmedForm):
    key = KeyField()

    @property
    def helper(self) -> FormHelper:
        send = button(_("Delete my account"), "btn-outline-danger")
        return helper_of("password", send, link(_("Keep my account"), reverse("account")))


LONGEST_CODE = 40  # characters, with spaces
KEY_SALT = "tournament.two-step:v1"
KEY_AGE = 60 * 60  # seconds: how long the page that shows a key can be used


class CodeField(forms.CharField):
    def __init__(self, **kwargs: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "inputmode": "numeric", "spellcheck": "false"}
        widget = forms.TextInput(attrs={**attributes, **kwargs.pop("attributes", {})})
        super().__init__(label=_("Code"), max_length=LONGEST_CODE, widget=widget, **kwargs)


class SignInCodeForm(PlainForm):
    send = _("Sign in")
    code = CodeField(
        help_text=_("6 digits from your authenticator app, or one of your recovery codes."),
        attributes={"autofocus": True},
    )


class SetUpForm(ConfirmedForm, PlainForm):
    """Password and a code that shows that the app has the key, which the form carries signed."""

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
    """The password or a code, against misuse of an unattended browser."""

    password = PasswordField(label=_("Password or code"))

    def __init__(self, send: Any, data: Any = None) -> None:
        super().__init__(data)
        self.send = send


class RenewForm(ConfirmForm):
    """Confirms new recovery codes that replace the set shown on the page."""

    key = KeyField()
    seen = forms.IntegerField(widget=BareHiddenInput)

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(_("Create new recovery codes"), data)
        self.initial["seen"] = recovery_set_of(user)


def sign_key(user: User, key: str) -> str:
    return signing.dumps([user.pk, key], salt=KEY_SALT)


def read_key(user: User, signed: str) -> str | None:
    """Return the key that `sign_key` signed for this account within the last hour."""
    try:
        account, key = signing.loads(signed, salt=KEY_SALT, max_age=KEY_AGE)
    except signing.BadSignature:
        return None
    return str(key) if account == user.pk else None


class ResendForm(forms.Form):
    """The submitted fields, by name; the page's own stay hidden. `path`: the URL to send them to again."""

    def __init__(self, path: str, values: dict[str, list[str]], number: int) -> None:
        super().__init__(auto_id=f"typed-{number}-%s")
        self.path = path
        for name, several in values.items():
            self.fields[name] = _field_of(name, several)

    @property
    def helper(self) -> FormHelper:
        names = [field.name for field in self.visible_fields()]
        to = Element("span", f" {_('to')} {self.path}", {"class": "soft"})
        return helper_of(*names, button(_("Send it now")), to, tag=False)


def _field_of(name: str, values: list[str]) -> forms.Field:
    label = name.replace("_", " ")
    if name in PAGE_FIELDS:
        return forms.CharField(widget=forms.MultipleHiddenInput, initial=values)
    if len(values) > 1:
        return forms.MultipleChoiceField(
            label=label,
            required=False,
            choices=[(value, value) for value in values],
            initial=values,
            widget=forms.CheckboxSelectMultiple,
        )
    value = "".join(values)
    widget = forms.Textarea(attrs={"rows": 8}) if "\n" in value else forms.TextInput()
    return forms.CharField(label=label, required=False, initial=value, widget=widget)
