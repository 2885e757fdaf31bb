"""Adapters for allauth: limits, known devices, emails, the log, encrypted keys."""

import base64
import logging
import secrets
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from tournament.access.passwords import password_turn
from tournament.access.throttle import EMAILS, SIGN_UPS, remember_device
from tournament.actionlog.background import Background
from tournament.errors import Forbidden, Refused

logger = logging.getLogger("tournament.accounts")
HALF_WAY = "half_way"  # in a session: the password hash, while a code is still to come
WAYS = {"totp": "code", "recovery_codes": "recovery code", "webauthn": "security key"}
KEY_SALT = "tournament.two-step:v1"
DELIVERIES = Background("delivery of an email", 4)


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        if request.method == "POST" and not settings.SIGN_UP_OPEN:
            raise Forbidden(_("Sign-up is closed here."))
        return bool(settings.SIGN_UP_OPEN)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Raise Refused after too many tries, so that scripts cannot find out which names are taken."""
        try:
            return super().clean_username(username, shallow)
        except ValidationError:
            self._limit_sign_ups()
            raise

    def save_user(self, request: HttpRequest, user: Any, form: Any, commit: bool = True) -> Any:
        """Save a new user. Raises Refused after too many, IntegrityError if a simultaneous form took the name."""
        self._limit_sign_ups()
        with password_turn(request):
            super().save_user(request, user, form, commit=False)
        with transaction.atomic():
            user.save()
        logger.info("account %s signed up", user.pk)
        return user

    def _limit_sign_ups(self) -> None:
        if not SIGN_UPS.allows(self.request):
            raise Refused(_("Too many accounts were created from this network."), status=429)

    def pre_login(self, request: HttpRequest, user: Any, **login: Any) -> HttpResponse | None:
        """Start a new session, so that no one who planted or used the old one can use this sign-in."""
        if request.user.is_authenticated:
            logout(request)
        else:
            request.session.cycle_key()
        request.session[HALF_WAY] = user.get_session_auth_hash()
        return super().pre_login(request, user, **login)

    def login(self, request: HttpRequest, user: Any) -> None:
        """Sign in, unless the account was closed or its password changed since it was entered."""
        password = request.session.pop(HALF_WAY, "")
        if not user.is_active or not constant_time_compare(password, user.get_session_auth_hash()):
            messages.warning(request, _("Sign in again: your account was changed."))
            raise ImmediateHttpResponse(HttpResponseRedirect(settings.LOGIN_URL))
        super().login(request, user)

    def post_login(self, request: HttpRequest, user: Any, **login: Any) -> HttpResponse:
        response = super().post_login(request, user, **login)
        records = get_authentication_records(request, user)
        if not login["signup"]:
            way = WAYS.get(records[-1].get("type", "") if records else "", "password")
            logger.info("account %s signed in with a %s", user.pk, way)
        remember_device(response, user)
        return response

    def set_password(self, user: Any, password: str) -> None:
        with password_turn(self.request, user.get_username()):
            user.set_password(password)
        user.save(update_fields=["password"])
        logger.info("new password for account %s", user.pk)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_reset_password_from_key_url(self, key: str) -> str:
        uid, _dash, token = key.partition("-")
        return settings.SITE_URL + reverse("account_reset_password_from_key", args=[uid, token])

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return settings.SITE_URL + reverse("account_confirm_email", args=[emailconfirmation.key])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a few emails of each kind to one address, however often someone asks for them."""
        if EMAILS.count(f"{template_prefix} {email}"):
            run_in_background(super().send_mail, template_prefix, email, context)


def run_in_background(function: Callable[..., Any], *args: Any) -> None:
    """Queue the call, so that the mail server's time does not reveal who has an account."""
    DELIVERIES.submit(copy_context().run, function, *args)


class TwoStepAdapter(DefaultMFAAdapter):
    """Two-step sign-in. Its keys and codes are useless to whoever reads the database or a backup without SECRET_KEY."""

    def is_mfa_enabled(self, user: Any, types: Any = None) -> bool:
        """Whether codes are asked for. `user`: None if it was deleted between password and code."""
        return user is not None and super().is_mfa_enabled(user, types)

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _fernet().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:  # SECRET_KEY was changed: no code is right
            return base64.b32encode(secrets.token_bytes(20)).decode()


def _fernet() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(salted_hmac(KEY_SALT, "", algorithm="sha256").digest()))


@receiver(authenticator_added)
def end_other_sessions(request: HttpRequest, user: User, authenticator: Any, **_signal: Any) -> None:
    """Sign other devices out, and invalidate the code with which an app was set up."""
    for session in Session.objects.exclude(pk=request.session.session_key):
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
    if authenticator.type == "totp":
        authenticator.wrap().validate_code(request.POST["code"])


@receiver([authenticator_added, authenticator_removed, authenticator_reset])
def log_change(signal: Any, user: User, authenticator: Any, **_signal: Any) -> None:
    done = {authenticator_added: "added", authenticator_removed: "removed"}.get(signal, "renewed")
    logger.info("%s %s for account %s", WAYS[authenticator.type], done, user.pk)
