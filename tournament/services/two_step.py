"""Two-step sign-in: turned on by a first code of an authenticator app, off again, and the codes it takes.

Keys and codes are rows of django-otp: the key as it is, recovery codes only as a hash under SECRET_KEY. They are shown
once, except that the same form sent twice shows the same codes: they are derived under SECRET_KEY from the form and a
stored value that they replace.
"""

import base64
import logging
import math
import re
import secrets
import time
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tournament.access.two_step import is_on
from tournament.errors import Conflict, Refused, WrongState

logger = logging.getLogger("tournament.accounts")

APP, RECOVERY = "code", "recovery code"
RECOVERY_CODES, RECOVERY_DIGITS = 10, 10
HASH_LENGTH = 16  # letters of 5 bits, as many as django-otp stores
DEVICES: dict[int, Any] = {6: TOTPDevice, RECOVERY_DIGITS: StaticDevice}  # by the digits of their codes
# Each wrong code doubles the wait for the next, from a second to half an hour at most: a stolen password must
# not keep its owner out for days.
MOST_FAILURES = 12


def turn_on(user: User, key: str, code: str, password: str) -> list[str]:
    """Require codes of this key at each sign-in; end the account's other sessions. Return recovery codes.

    `password`: as just checked; it is hashed again, as sessions are bound to its hash. The same form sent twice returns
    the same codes. Raises Refused for a wrong code, WrongState if already on or the password changed meanwhile.
    """
    clock = clock_of(key, code)
    if clock is None:
        raise Refused(_("This code is not right."))
    password_hash = make_password(password)  # slow, so before the lock
    with transaction.atomic():
        locked = _locked(user)
        codes = _derive_recovery_codes(locked, f"{key}:{user.password}")  # as it was hashed before this form
        if is_on(locked):
            if working := _working_codes(locked, codes):
                return working
            raise WrongState(_("Two-step sign-in is already on."))
        if locked.password != user.password:
            raise WrongState(_("Your password was changed. Open your account again."))
        TOTPDevice.objects.create(user=locked, name="app", key=key, last_t=clock.t(), drift=clock.drift)
        _save_recovery_codes(locked, codes)
        locked.password = password_hash
        locked.save(update_fields=["password"])
    logger.info("two-step sign-in turned on for account %s", user.pk)
    return codes


def turn_off(user: User) -> bool:
    """Delete key and recovery codes. Return whether there were any."""
    with transaction.atomic():
        locked = _locked(user)
        deleted, _models = TOTPDevice.objects.filter(user=locked).delete()
        StaticDevice.objects.filter(user=locked).delete()
    if deleted:
        logger.info("two-step sign-in turned off for account %s", user.pk)
    return bool(deleted)


def renew_recovery_codes(user: User, *, seen: int, key: str = "") -> list[str]:
    """Replace the set `seen` of recovery codes; the same form (`key`) returns its codes that still work."""
    with transaction.atomic():
        locked = _locked(user)
        if not is_on(locked):
            raise WrongState(_("Two-step sign-in is off. Set it up first."))
        codes = _derive_recovery_codes(locked, f"{seen}:{key or secrets.token_hex(16)}")
        if recovery_set_of(locked) != seen:
            if working := _working_codes(locked, codes):
                return working
            raise Conflict(_("Other recovery codes were made meanwhile. Open this page again."))
        _save_recovery_codes(locked, codes)
    logger.info("new recovery codes for account %s", user.pk)
    return codes


def recovery_set_of(user: User) -> int:
    """Return the unique number of the account's set of recovery codes, 0 without one."""
    return StaticDevice.objects.filter(user=user).values_list("pk", flat=True).first() or 0


def recovery_codes_left(user: User) -> int:
    return StaticToken.objects.filter(device__user=user).count()


def use_code(user: User, text: str) -> str:
    """Use a code once; return APP, RECOVERY, or "" if wrong. Raises Refused while waiting after wrong codes."""
    digits = read_digits(text)
    kind = DEVICES.get(len(digits))
    is_right = False
    if kind is not None:
        with transaction.atomic():
            device = kind.objects.select_for_update().filter(user=user, confirmed=True).first()
            is_right = device is not None and _is_right(
                device, digits if kind is TOTPDevice else hash_of(user, digits)
            )
    if not is_right:
        logger.warning("wrong sign-in code for account %s", user.pk)
        return ""
    return APP if kind is TOTPDevice else RECOVERY


def clock_of(key: str, text: str) -> TOTP | None:
    """Return the clock of the app that has this key and shows this code now; None for a wrong code."""
    digits = read_digits(text)
    clock = TOTP(bytes.fromhex(key))
    clock.time = time.time()
    return clock if len(digits) == clock.digits and clock.verify(int(digits), tolerance=1) else None


def groups_of(key: str) -> list[str]:
    """Format a key as people type it, in groups of four."""
    letters = base64.b32encode(bytes.fromhex(key)).decode()
    return [letters[start : start + 4] for start in range(0, len(letters), 4)]


def read_digits(text: str) -> str:
    """Return the digits of a typed code, without spaces and hyphens; "" for anything else."""
    digits = re.sub(r"[\s-]", "", text)
    return digits if digits.isascii() and digits.isdigit() else ""


def hash_of(user: User, code: str) -> str:
    """Return a recovery code as it is stored: a backup does not reveal it."""
    digest = salted_hmac("tournament.recovery-code:v1", f"{user.pk}:{code}", algorithm="sha256").digest()
    return base64.b32encode(digest).decode()[:HASH_LENGTH]


def _locked(user: User) -> User:
    return User.objects.select_for_update().get(pk=user.pk)


def _derive_recovery_codes(user: User, source: str) -> list[str]:
    sources = (f"{user.pk}:{source}:{number}" for number in range(RECOVERY_CODES))
    salt = "tournament.new-recovery-code:v1"
    digests = (salted_hmac(salt, each, algorithm="sha256").digest() for each in sources)
    return [str(int.from_bytes(digest) % 10**RECOVERY_DIGITS).zfill(RECOVERY_DIGITS) for digest in digests]


def _save_recovery_codes(user: User, codes: list[str]) -> None:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes")
    StaticToken.objects.bulk_create(StaticToken(device=device, token=hash_of(user, code)) for code in codes)


def _working_codes(user: User, codes: list[str]) -> list[str]:
    stored = set(StaticToken.objects.filter(device__user=user).values_list("token", flat=True))
    return [code for code in codes if hash_of(user, code) in stored]


def _is_right(device: Any, token: str) -> bool:
    """Use up a code of a locked device. Raises Refused if it has to wait."""
    is_allowed, why = device.verify_is_allowed()
    if not is_allowed:
        seconds = math.ceil((why["locked_until"] - timezone.now()).total_seconds())
        text = ngettext(
            "Too many wrong codes. Wait %(seconds)s second, then try again.",
            "Too many wrong codes. Wait %(seconds)s seconds, then try again.",
            seconds,
        )
        raise Refused(text, status=429, seconds=seconds)
    is_right: bool = device.verify_token(token)
    if device.throttling_failure_count > MOST_FAILURES:
        device.throttling_failure_count = MOST_FAILURES
        device.save(update_fields=["throttling_failure_count"])
    return is_right
