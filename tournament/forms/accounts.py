"""Signing up and in, one's account, a new password."""

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Submit
from django import forms
from django.conf import settings
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
    UserCreationForm,
)
from django.utils.translation import gettext_lazy as _


def _helper(button: Any) -> FormHelper:
    helper = FormHelper()
    helper.add_input(Submit("", button))
    return helper


def mail_field(**more: Any) -> forms.EmailField:
    """Asked for only where letters can be sent, and never needed."""
    return forms.EmailField(
        label=_("Email"),
        required=False,
        max_length=254,
        help_text=_("Used only to send you a link if you forget your password. No one else sees it."),
        **more,
    )


class SignUpForm(UserCreationForm):
    """A username and a password; an address only where letters can be sent, so that none can leak elsewhere."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.MAIL:
            self.fields["email"] = mail_field()
        self.helper = _helper(_("Sign up"))

    def save(self, commit: bool = True) -> Any:
        self.instance.email = self.cleaned_data.get("email", "")
        return super().save(commit)


class SignInForm(AuthenticationForm):
    """Username and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Sign in"))


class OwnPasswordForm(PasswordChangeForm):
    """The password so far, and the new one twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        self.helper = _helper(_("Change the password"))


class NewPasswordForm(SetPasswordForm):
    """The new password, entered twice, for a user who followed a reset link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Set the password"))


class MailForm(forms.Form):
    """Where letters to an account go."""

    email = mail_field()

    def __init__(self, *args: Any, action: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Save"))
        self.helper.form_action = action


class ForgottenForm(forms.Form):
    """Whose password is forgotten."""

    email = forms.EmailField(label=_("Email"), max_length=254)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Send the link"))
