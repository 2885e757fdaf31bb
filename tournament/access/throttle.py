"""Limits by the client's address, read behind proxies, and devices that have signed in before.

A hall has one address for a hundred people, and behind a proxy everyone seems to be the proxy. So sign-in is locked
by username and address together, the address is read only through the proxies in TRUSTED_PROXIES, and a device that
has signed in under a name is never locked out of it by others who guess at the password. Registrations of players are
limited by address alone, far above what a hall needs; wrong codes by the table they are for.
"""

import time
from collections import deque
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

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


class Limit:
    """At most `most` requests in `seconds` from one address, counted separately in each process.

    It stops a script, not a hall: a hundred phones there have one address.
    """

    REMEMBERED = 10_000  # addresses

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._times: dict[str, deque[float]] = {}

    def allows(self, request: HttpRequest) -> bool:
        """Count one more request from this address; False if it is one too many."""
        return self.count(client_address(request))

    def is_spent(self, address: str) -> bool:
        """Whether one more would be one too many."""
        times, since = self._times.get(address, deque()), time.monotonic() - self.seconds
        return sum(moment > since for moment in times) >= self.most

    def count(self, address: str) -> bool:
        """Count one more from there, or about that; False if it is one too many."""
        now = time.monotonic()
        times = self._times.pop(address, deque())
        while times and times[0] <= now - self.seconds:
            times.popleft()
        self._times[address] = times  # the last address to ask is the last to be forgotten
        if len(self._times) > self.REMEMBERED:
            self._times.pop(next(iter(self._times)), None)
        if len(times) >= self.most:
            return False
        times.append(now)
        return True


REGISTRATIONS = Limit(most=1000, seconds=600)
WRONG_CODES = Limit(most=8, seconds=600)  # of players at one table, who confirm on one phone
