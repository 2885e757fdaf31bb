"""Password hashing takes a third of a second on purpose, so each process does one at a time.

A few requests may wait, at most two from one address; devices that have signed in before have one more place. Others
are asked to try again in a moment.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import password_validation
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournament.access.throttle import client_address, find_network, known_device
from tournament.errors import Refused

LEAST = 10  # characters of a password
PLACES = 3  # of the 8 threads that answer
PLACES_WITH_KNOWN_DEVICES = 4
PLACES_OF_ONE = 2

_hashing = threading.Lock()
_line = threading.Lock()
_waiting: Counter[str] = Counter()


class OneAtATimeHasher(PBKDF2PasswordHasher):
    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with _hashing:
            return super().encode(password, salt, iterations)


class PasswordRules:
    """Django's checks of a new password, with one short help text."""

    def validate(self, password: str, user: Any = None) -> None:
        password_validation.UserAttributeSimilarityValidator().validate(password, user)
        password_validation.MinimumLengthValidator(LEAST).validate(password, user)
        password_validation.CommonPasswordValidator().validate(password, user)

    def get_help_text(self) -> str:
        text = _("At least %(least)s characters, not a common password, and not like your name.")
        return text % {"least": LEAST}


@contextmanager
def password_turn(request: HttpRequest, username: str | None = None) -> Iterator[None]:
    """Reserve a place in the queue; hash a request's password only inside this. Raises Refused if too many wait."""
    known = known_device(request, username)
    whose = f"device of {username}" if known else find_network(client_address(request))
    with _line:
        places = PLACES_WITH_KNOWN_DEVICES if known else PLACES
        if _waiting.total() >= places or _waiting[whose] >= PLACES_OF_ONE:
            text = _("Many people are signing in at once. Wait 10 seconds, then try again.")
            raise Refused(text, status=503)
        _waiting[whose] += 1
    try:
        yield
    finally:
        with _line:
            _waiting[whose] -= 1
            if not _waiting[whose]:
                del _waiting[whose]
