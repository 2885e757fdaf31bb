"""Signing up and in, one's account, a new password."""

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
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tournament.forms.passwords import ConfirmedForm
from tournament.web.layouts import PlainForm, button, helper_of, link


class EmailField(forms.EmailField):
    """An address for password links, asked for only where the site can send email; never required."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Email"),
            required=False,
            max_length=254,
            help_text=_("Used only to send you a link if you forget your password. No one else sees it."),
            **kwargs,
        )


class SignUpForm(PlainForm, UserCreationForm):
    """A username and a password; an email address only where the site can send email."""

    send = _("Sign up")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.MAIL:
            self.fields["email"] = EmailField()

    def save(self, commit: bool = True) -> Any:
        self.instance.email = self.cleaned_data.get("email", "")
        return super().save(commit)


class SignInForm(PlainForm, AuthenticationForm):
    """Username and password."""

    send = _("Sign in")


class OwnPasswordForm(PlainForm, PasswordChangeForm):
    """The current password, and the new one twice."""

    send = _("Change the password")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)


class NewPasswordForm(PlainForm, SetPasswordForm):
    """The new password, entered twice, for a user who followed a reset link."""

    send = _("Set the password")


class EmailForm(ConfirmedForm):
    """The email address of an account. `action`: the address that saves it."""

    email = EmailField()

    def __init__(self, user: Any, data: Any = None, *, action: str) -> None:
        super().__init__(user, data, initial={"email": user.email}, auto_id="mail_%s")
        self.helper = helper_of("email", "password", button(_("Save")), action=action)


class ForgottenPasswordForm(PlainForm):
    """The email address to send a link to."""

    send = _("Send the link")
    email = forms.EmailField(label=_("Email"), max_length=254)


class DeleteAccountForm(ConfirmedForm):
    """The password, the button, and the way back."""

    @property
    def helper(self) -> FormHelper:
        send = button(_("Delete my account"), "btn-outline-danger")
        return helper_of("password", send, link(_("Keep my account"), reverse("account")))
