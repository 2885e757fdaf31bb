"""Accounts outside of events: a new one, a forgotten password. No event is touched, so nothing is in a log."""

from __future__ import annotations

import logging
from threading import Thread
from typing import Any

from axes.utils import reset as unlock
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _

logger = logging.getLogger("tournament.accounts")
PAUSE = 10 * 60  # seconds between two letters to one person
MOST_LETTERS = 5  # accounts with one address


def reset_link(user: User) -> str:
    """Where this person may set a new password, once, within a day."""
    uid = urlsafe_base64_encode(force_bytes(user.pk or 0))
    path = reverse("reset-password", args=[uid, default_token_generator.make_token(user)])
    return settings.SITE_URL + path


def account_of_link(uid: str, token: str) -> User | None:
    """Whose link it is, or None where it was used, has expired or was changed."""
    try:
        pk = int(force_str(urlsafe_base64_decode(uid)))
    except (ValueError, UnicodeDecodeError):
        return None
    user = User.objects.filter(pk=pk, is_active=True).first() if pk < 2**31 else None
    return user if user and default_token_generator.check_token(user, token) else None


def set_password(user: User, password: str) -> None:
    """Give an account a new password: its other sessions and its links end, and its lock against guessing."""
    with transaction.atomic():
        user = get_user_model().objects.select_for_update().get(pk=user.pk)
        user.set_password(password)
        user.save(update_fields=["password"])
    unlock(username=user.get_username())
    logger.info("new password for account %s", user.pk)


def set_mail(user: User, address: str) -> None:
    """Where letters to this account go; empty: nowhere."""
    get_user_model().objects.filter(pk=user.pk).update(email=address)


def send_reset_links(address: str) -> None:
    """A letter to every account with this address. Known or not, the caller does and waits for the same.

    The letters themselves leave in a thread of their own: a mail server's delay would tell who is known here.
    """
    known = list(User.objects.filter(email__iexact=address, is_active=True).exclude(email="")[:MOST_LETTERS])
    letters = [_letter(user) for user in known or [User(username="nobody", email=address)]]
    due = [
        letter
        for user, letter in zip(known, letters, strict=False)
        if cache.add(f"reset-letter:{user.pk}", True, PAUSE)
    ]
    in_background(_deliver, due)


def _letter(user: User) -> EmailMessage:
    text = _(
        "Hello %(name)s,\n\nsomeone, probably you, asked for a new password. Use this link "
        "within 1 day to set it:\n\n%(link)s\n\nIf it was not you, ignore this email. Your "
        "password stays the same.\n"
    )
    said = {"name": user.get_username(), "link": reset_link(user)}
    return EmailMessage(_("Reset your password"), text % said, to=[user.email])


def in_background(function: Any, *args: Any) -> None:
    """Call the function in a thread of its own."""
    Thread(target=function, args=args, daemon=True).start()


def _deliver(letters: list[EmailMessage]) -> None:
    for letter in letters:
        try:
            letter.send()
        except OSError:  # smtplib's errors are OSErrors
            logger.exception("could not send an email")
