"""Limits by the client's address, read behind proxies, and devices that have signed in before.

A venue has one address for a hundred people, and behind a proxy everyone seems to be the proxy. So sign-in is locked by
username and address together, and the address is read only through TRUSTED_PROXIES. A device that has signed in to an
account keeps some guesses for itself until the password changes. Other devices' wrong passwords, new accounts and
registrations are limited by address alone, far above a venue's needs; wrong codes by event, and by event and address.

Counts are in Django's cache: Redis for all machines (REDIS_URL), else files for all processes on this machine. Pages
that phones poll do not use it.
"""

import hashlib
import ipaddress
import logging
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from tournament.config.cookies import REMEMBERED, cookie_flags, cookie_name

logger = logging.getLogger("tournament.throttle")

KNOWN_DEVICE = "known_device"
KNOWN_DEVICE_SALT = "tournament.known-device:v1"


def client_address(request: HttpRequest) -> str:
    """Return the nearest address that is not one of our proxies.

    Each proxy appends to X-Forwarded-For, and clients can forge the beginning. So it is read from the right, and only
    if the request comes from a trusted proxy.
    """
    hops = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    address = str(request.META.get("REMOTE_ADDR", ""))
    while address in settings.TRUSTED_PROXIES and hops:
        address = hops.pop().removeprefix("::ffff:")  # an IPv4 address that came to an IPv6 socket
    return address


def remember_device(response: HttpResponse, user: Any) -> None:
    """Set a signed cookie that says: this device has signed in to this account with its current password."""
    text = f"{quote(user.get_username())}:{_password_mark(user)}"
    name, flags = cookie_name(KNOWN_DEVICE), cookie_flags(REMEMBERED)
    response.set_signed_cookie(name, text, salt=KNOWN_DEVICE_SALT, **flags)


def known_device(request: HttpRequest, username: str | None) -> str:
    """Return this device's id if it has its own limit for this account; "" if it shares everyone's.

    It has its own limit if it signed in to the account since the password was last changed, and has guesses left.
    """
    remembered = request.get_signed_cookie(
        cookie_name(KNOWN_DEVICE), default="", salt=KNOWN_DEVICE_SALT, max_age=REMEMBERED
    )
    name, _colon, mark = str(remembered).partition(":")
    if not name or unquote(name) != username:
        return ""
    accounts = get_user_model()
    user = accounts.objects.filter(**{accounts.USERNAME_FIELD: username}).first()
    if user is None or not constant_time_compare(mark, _password_mark(user)):
        return ""
    # The signature, which differs with the time of sign-in.
    device = request.COOKIES[cookie_name(KNOWN_DEVICE)].rpartition(":")[2]
    return "" if WRONG_ON_KNOWN_DEVICE.is_spent(device) else device


def _password_mark(user: Any) -> str:
    return salted_hmac(KNOWN_DEVICE_SALT, user.password, algorithm="sha256").hexdigest()


def find_network(address: str) -> str:
    """Return the IPv4 address, or the IPv6 /64 network."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address


class Limit:
    """At most `most` requests per `seconds`, in fixed intervals, per address or other key."""

    def __init__(self, name: str, *, most: int, seconds: int) -> None:
        self.name, self.most, self.seconds = name, most, seconds

    def allows(self, request: HttpRequest) -> bool:
        """Count one more request from this address; return False if it exceeds the limit."""
        return self.count(find_network(client_address(request)))

    def is_spent(self, about: str) -> bool:
        return _counts.ask(lambda: cache.get(self._key(about), 0)) >= self.most

    def count(self, about: str) -> bool:
        """Count one more; return False if it exceeds the limit."""
        key = self._key(about)

        def add_one() -> int:
            cache.add(key, 0, self.seconds)
            return cache.incr(key)

        return _counts.ask(add_one) <= self.most

    def forget(self, about: str) -> None:
        _counts.ask(lambda: cache.delete(self._key(about)))

    def _key(self, about: str) -> str:
        text = f"{self.name}/{about}/{time.time() // self.seconds:.0f}"
        return hashlib.sha256(text.encode()).hexdigest()  # names and addresses are of any length, and private


class Counts:
    """Access to the cache. If the cache fails, nothing is limited for a while, and that is logged once."""

    PAUSE = 10.0  # s, before it is asked again

    def __init__(self) -> None:
        self._lock = threading.Lock()  # not every cache counts in one step
        self._asked_again = 0.0
        self._is_away = False

    def ask(self, question: Callable[[], int]) -> int:
        if time.monotonic() < self._asked_again:
            return 0
        try:
            with self._lock:
                count = question()
        except Exception as error:  # each kind of cache has its own errors
            self._asked_again = time.monotonic() + self.PAUSE
            if not self._is_away:
                where = settings.CACHES["default"]["BACKEND"].rpartition(".")[2]
                logger.error("nothing is limited: %s does not answer: %s", where, error)
            self._is_away = True
            return 0
        self._is_away = False
        return count


_counts = Counts()

REGISTRATIONS = Limit("registrations", most=1000, seconds=600)
SIGN_UPS = Limit("sign-ups", most=30, seconds=600)
# Of devices that have not signed in before: wrong passwords from one network, for one account from one network, and
# wrong codes for one account.
WRONG_PASSWORDS = Limit("wrong passwords", most=30, seconds=300)
WRONG_PASSWORDS_OF_ACCOUNT = Limit("wrong passwords of an account", most=5, seconds=300)
WRONG_SIGN_IN_CODES = Limit("wrong sign-in codes", most=10, seconds=30 * 60)
WRONG_ON_KNOWN_DEVICE = Limit("wrong on a known device", most=20, seconds=600)  # passwords and codes
# Wrong personal and match codes for one event: from one network, such as a hall's, and from all together.
WRONG_CODES = Limit("wrong codes", most=40, seconds=600)
WRONG_CODES_OF_EVENT = Limit("wrong codes of an event", most=200, seconds=600)
DISPUTES = Limit("disputes", most=1, seconds=60 * 60)  # of a match: its phones are told once
EMAILS = Limit("emails", most=5, seconds=600)  # of one kind to one address
