"""Password hashing takes a third of a second on purpose: one at a time in each process, behind everything else.

Whoever tries many passwords waits for the own ones: of a few places in line, one address has two at most, and devices
that have signed in before have one more. Beyond that the answer is to try again in a moment.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournament.access.throttle import WRONG_PASSWORDS, client_address, is_known_device, network_of
from tournament.errors import Refused

PLACES = 3  # of the 8 threads that answer
PLACES_OF_KNOWN_DEVICES = 4
PLACES_OF_ONE = 2
NICENESS = 10


def _step_back() -> None:
    """Let the thread that hashes run when no other needs the processor."""
    if sys.platform == "linux":  # elsewhere this is about the whole process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


_hashing = ThreadPoolExecutor(1, "hashes-passwords", _step_back)


class OneAtATimeHasher(PBKDF2PasswordHasher):
    """Django's, in a thread that hashes for all."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        return _hashing.submit(super().encode, password, salt, iterations).result()


class Line:
    """Who is in line to have a password hashed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: Counter[str] = Counter()

    @contextmanager
    def place_for(self, whose: str, places: int) -> Iterator[None]:
        """A place in line. Raises Refused where there is none."""
        with self._lock:
            if self._inside.total() >= places or self._inside[whose] >= PLACES_OF_ONE:
                raise Refused(_("Many people are signing in at once."), status=503)
            self._inside[whose] += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside[whose] -= 1
                self._inside += Counter()  # forgets those with none


line = Line()


@contextmanager
def password_turn(request: HttpRequest, username: str | None = None) -> Iterator[None]:
    """What hashes a password for a request. Raises Refused where there are too many, or too many were wrong."""
    address = network_of(client_address(request))
    if is_known_device(request, {"username": username}):
        with line.place_for(f"the device of {username}", PLACES_OF_KNOWN_DEVICES):
            yield
        return
    if WRONG_PASSWORDS.is_spent(address):
        raise Refused(_("Too many wrong passwords came from this network."), status=429)
    with line.place_for(address, PLACES):
        yield


def count_wrong_password(request: HttpRequest, username: str | None) -> None:
    """Count a wrong password of a device that has not signed in before."""
    if not is_known_device(request, {"username": username}):
        WRONG_PASSWORDS.count(network_of(client_address(request)))
