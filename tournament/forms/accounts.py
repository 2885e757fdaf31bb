"""Signing up and in, one's account, a new password."""

from __future__ import annotations

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
from django.utils.translation import gettext_lazy as _

from tournament.web.layouts import button, helper_of


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


class SignUpForm(UserCreationForm):
    """A username and a password; an email address only where the site can send email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.MAIL:
            self.fields["email"] = EmailField()

    @property
    def helper(self) -> FormHelper:
        """All fields and the button."""
        return helper_of(*self.fields, button(_("Sign up")))

    def save(self, commit: bool = True) -> Any:
        self.instance.email = self.cleaned_data.get("email", "")
        return super().save(commit)


class SignInForm(AuthenticationForm):
    """Username and password."""

    @property
    def helper(self) -> FormHelper:
        """All fields and the button."""
        return helper_of(*self.fields, button(_("Sign in")))


class OwnPasswordForm(PasswordChangeForm):
    """The current password, and the new one twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)

    @property
    def helper(self) -> FormHelper:
        """All fields and the button."""
        return helper_of(*self.fields, button(_("Change the password")))


class NewPasswordForm(SetPasswordForm):
    """The new password, entered twice, for a user who followed a reset link."""

    @property
    def helper(self) -> FormHelper:
        """All fields and the button."""
        return helper_of(*self.fields, button(_("Set the password")))


class EmailForm(forms.Form):
    """The email address of an account. `action`: the address that saves it."""

    email = EmailField()

    def __init__(self, *args: Any, action: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = helper_of("email", button(_("Save")), action=action)


class ForgottenPasswordForm(forms.Form):
    """The email address to send a link to."""

    email = forms.EmailField(label=_("Email"), max_length=254)
    helper = helper_of("email", button(_("Send the link")))
