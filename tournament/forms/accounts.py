"""Signing up and in."""

from typing import Any

from crispy_forms.helper import FormHelper
from crispy_forms.layout import Submit
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm
from django.utils.translation import gettext_lazy as _


def _helper(button: Any) -> FormHelper:
    helper = FormHelper()
    helper.add_input(Submit("", button))
    return helper


class SignUpForm(UserCreationForm):
    """A username and a password, nothing else: no address is asked for, so none can leak."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Sign up"))


class SignInForm(AuthenticationForm):
    """Username and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helper = _helper(_("Sign in"))
