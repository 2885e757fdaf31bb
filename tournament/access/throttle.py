"""Limits by the client's address, read behind proxies, and devices that have signed in before.

A hall has one address for a hundred people, and behind a proxy everyone seems to be the proxy. So sign-in is locked
by username and address together, the address is read only through the proxies in TRUSTED_PROXIES, and a device that
has signed in under a name is never locked out of it by others who guess at the password. Wrong passwords of other
devices, new accounts and registrations of players are limited by address alone, far above what a hall needs; wrong
codes by the table they are for, those of strangers by table and address.

Counts are in Django's cache: one for all machines in Redis, where REDIS_URL names it, else one for all processes of
this machine. No page that phones poll asks it.
"""

import ipaddress
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger("tournament.throttle")

KNOWN_DEVICE = "known_device"
KNOWN_DEVICE_SALT = "tournament.known-device:v1"
KNOWN_DEVICE_AGE = 180 * 24 * 60 * 60  # seconds


def client_address(request: HttpRequest) -> str:
    """The nearest address that is not a proxy of ours.

    X-Forwarded-For grows to the right and its left part is whatever the client wrote, so it is read from the
    right, and only as long as the address before it is a proxy we trust.
    """
    hops = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
    address = str(request.META.get("REMOTE_ADDR", ""))
    while address in settings.TRUSTED_PROXIES and hops:
        address = hops.pop()
    return address


def client_in_log(*_client: Any) -> str:
    """What django-axes writes of who tried to sign in: neither name nor address."""
    return "one account from one address"


def remember_device(response: HttpResponse, username: str) -> None:
    """Set a signed cookie: this device has signed in as `username`."""
    response.set_signed_cookie(
        cookie_name(),
        username,
        salt=KNOWN_DEVICE_SALT,
        max_age=KNOWN_DEVICE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known_device(request: HttpRequest | None, credentials: dict[str, Any] | None = None) -> bool:
    """Whether this device has signed in before under the name that is being tried now."""
    username = (credentials or {}).get("username")
    return request is not None and bool(username) and known_name(request) == username


def known_name(request: HttpRequest) -> str | None:
    """The username that signed in last on this device, or None."""
    return request.get_signed_cookie(
        cookie_name(), default=None, salt=KNOWN_DEVICE_SALT, max_age=KNOWN_DEVICE_AGE
    )


def cookie_name() -> str:
    """The cookie's name: `__Host-` binds it to this host where it is Secure."""
    return f"__Host-{KNOWN_DEVICE}" if settings.SESSION_COOKIE_SECURE else f"hall_{KNOWN_DEVICE}"


def network_of(address: str) -> str:
    """The address, or of IPv6 the network that one line has to itself."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address


class Limit:
    """At most `most` in `seconds` from one address, or about one other thing. It stops a script, not a hall.

    Time is counted in whole steps of `seconds`, so that on the border of two there may be twice as many.
    """

    def __init__(self, name: str, *, most: int, seconds: int) -> None:
        self.name, self.most, self.seconds = name, most, seconds

    def allows(self, request: HttpRequest) -> bool:
        """Count one more request from this address; False if it is one too many."""
        return self.count(network_of(client_address(request)))

    def is_spent(self, about: str) -> bool:
        """Whether one more would be one too many."""
        key = self._key(about)
        return _counts.ask(lambda: cache.get(key, 0)) >= self.most

    def count(self, about: str) -> bool:
        """Count one more; False if it is one too many."""
        key = self._key(about)

        def add_one() -> int:
            cache.add(key, 0, self.seconds)
            return cache.incr(key)

        return _counts.ask(add_one) <= self.most

    def _key(self, about: str) -> str:
        return f"{self.name}/{about}/{time.time() // self.seconds:.0f}".replace(" ", "-")


class Counts:
    """Asks the cache. Where it does not answer, nothing is limited for a while, and the log says so once."""

    PAUSE = 10.0  # s, before it is asked again

    def __init__(self) -> None:
        self._lock = threading.Lock()  # not every cache counts in one step
        self._asked_again = 0.0
        self._is_away = False

    def ask(self, question: Callable[[], int]) -> int:
        """The answer, or 0."""
        if time.monotonic() < self._asked_again:
            return 0
        try:
            with self._lock:
                count = question()
        except Exception as error:  # each kind of cache has errors of its own
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
WRONG_PASSWORDS = Limit("wrong passwords", most=30, seconds=300)  # of devices that have not signed in before
WRONG_SIGN_IN_CODES = Limit("wrong sign-in codes", most=30, seconds=300)  # of such devices, too
WRONG_CONFIRMATIONS = Limit("wrong confirmations", most=10, seconds=300)  # of one account that is signed in
UNKNOWN_NAMES = Limit("unknown names", most=20, seconds=600)  # typed as members by one account
WRONG_CODES = Limit("wrong codes", most=8, seconds=600)  # of players at one table, who confirm on one phone
WRONG_CODES_OF_ALL = Limit("wrong codes of all", most=200, seconds=600)  # of strangers, too, for one table
RESET_EMAILS = Limit("reset emails", most=1, seconds=600)  # to one person
