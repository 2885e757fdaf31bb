import logging
from typing import Any

from allauth.account import forms as account_forms
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa.base import forms as mfa_forms
from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournament.access.throttle import WRONG_ON_KNOWN_DEVICE, WRONG_SIGN_IN_CODES, known_device
from tournament.errors import Refused
from tournament.web.account_adapter import run_in_background

logger = logging.getLogger("tournament.accounts")


class SignInForm(account_forms.LoginForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = ""  # the page has the link to a new one, and its `next`

    def add_prefix(self, field_name: str) -> str:
        return "username" if field_name == "login" else field_name


class SignInCodeForm(mfa_forms.AuthenticateForm):
    def clean_code(self) -> str:
        """Accept a code only once. Raises Refused after too many wrong ones."""
        account, device = str(self.user.pk), known_device(context.request, self.user.get_username())
        if not device and WRONG_SIGN_IN_CODES.is_spent(account):
            raise Refused(_("Too many wrong codes. Wait 30 minutes, then try again."), status=429)
        try:
            with transaction.atomic():
                User.objects.select_for_update().get(pk=self.user.pk)  # the same code may come twice at once
                return super().clean_code()
        except forms.ValidationError:
            logger.warning("wrong sign-in code for account %s", account)
            WRONG_ON_KNOWN_DEVICE.count(device) if device else WRONG_SIGN_IN_CODES.count(account)
            raise


class ChangePasswordForm(account_forms.ChangePasswordForm):
    def clean_oldpassword(self) -> str:
        """Check the old password with the limits of sign-in, so that wrong ones count."""
        password: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return password


class ResetPasswordForm(account_forms.ResetPasswordForm):
    def save(self, request: Any, **options: Any) -> str:
        """Search for accounts only after the response, so that its time does not reveal whether the address has any."""
        run_in_background(super().save, request)
        return str(self.cleaned_data["email"])
