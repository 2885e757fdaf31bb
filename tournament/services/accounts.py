"""Accounts outside of events: passwords and email addresses. No event is changed, so nothing is logged there."""

import logging
from collections.abc import Callable
from itertools import compress
from threading import Thread
from typing import Any

from axes.utils import reset as unlock
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _

from tournament.access.throttle import RESET_EMAILS

logger = logging.getLogger("tournament.accounts")
MOST_EMAILS = 5  # accounts with one address


def reset_link(user: User) -> str:
    """Where this person can set a new password, once, within a day."""
    uid = urlsafe_base64_encode(force_bytes(user.pk or 0))
    path = reverse("reset-password", args=[uid, default_token_generator.make_token(user)])
    return settings.SITE_URL + path


def user_of_link(uid: str, token: str) -> User | None:
    """Whose reset link it is, or None for one that was used, has expired or is wrong."""
    try:
        pk = int(force_str(urlsafe_base64_decode(uid)))
    except (ValueError, UnicodeDecodeError):
        return None
    user = User.objects.filter(pk=pk, is_active=True).first() if pk < 2**31 else None
    return user if user and default_token_generator.check_token(user, token) else None


def set_password(user: User, password: str) -> None:
    """Give an account a new password. Its other sessions, its reset links and its lock against guessing end."""
    hashed = make_password(password)  # which takes long: no one else waits for it to write
    with transaction.atomic():
        user = get_user_model().objects.select_for_update().get(pk=user.pk)
        user.password = hashed
        user.save(update_fields=["password"])
    unlock(username=user.get_username())
    logger.info("new password for account %s", user.pk)


def set_email(user: User, address: str) -> None:
    """Where emails to this account go; "" for nowhere."""
    get_user_model().objects.filter(pk=user.pk).update(email=address)


def send_reset_links(address: str) -> None:
    """Email a reset link to every account with this address.

    Whether there is any, the caller does the same work and waits as long: the emails leave in a thread of
    their own, as a mail server's delay would tell who has an account here.
    """
    users = list(User.objects.filter(email__iexact=address, is_active=True).exclude(email="")[:MOST_EMAILS])
    emails = [_reset_email(user) for user in users or [User(username="nobody", email=address)]]
    due = [RESET_EMAILS.count(str(user.pk)) for user in users]
    run_in_background(_send, list(compress(emails, due)))


def _reset_email(user: User) -> EmailMessage:
    text = _(
        "Hello %(name)s,\n\nsomeone, probably you, asked for a new password. Use this link "
        "within 1 day to set it:\n\n%(link)s\n\nIf it was not you, ignore this email. Your "
        "password stays the same.\n"
    )
    values = {"name": user.get_username(), "link": reset_link(user)}
    return EmailMessage(_("Reset your password"), text % values, to=[user.email])


def run_in_background(function: Callable[..., None], *args: Any) -> None:
    """Call the function in a thread of its own."""
    Thread(target=function, args=args, daemon=True).start()


def _send(emails: list[EmailMessage]) -> None:
    for email in emails:
        try:
            email.send()
        except OSError:  # smtplib's errors are OSErrors
            logger.exception("could not send an email")
