"""Django's sessions and accounts, protected against unreadable cookies and guessed passwords."""

import logging
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournament.access.passwords import password_turn
from tournament.access.throttle import (
    WRONG_ON_KNOWN_DEVICE,
    WRONG_PASSWORDS,
    WRONG_PASSWORDS_OF_ACCOUNT,
    client_address,
    find_network,
    known_device,
)
from tournament.errors import Refused

logger = logging.getLogger("tournament.accounts")


class SessionStore(db.SessionStore):
    def __init__(self, session_key: str | None = None):
        is_readable = session_key and session_key.isalnum()  # a cookie may hold what PostgreSQL refuses
        super().__init__(session_key if is_readable else None)


class AccountBackend(ModelBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> Any:
        """Return the user with that name and password. Raises Refused after too many attempts."""
        if request is None:
            return super().authenticate(request, username, password, **more)
        device, network = known_device(request, username), find_network(client_address(request))
        account = f"{network} {username}"
        if not device and (WRONG_PASSWORDS.is_spent(network) or WRONG_PASSWORDS_OF_ACCOUNT.is_spent(account)):
            text = _(
                "Too many wrong passwords came from this network. Devices that signed in before still can."
            )
            raise Refused(text, status=429)
        with password_turn(request, username):
            user = super().authenticate(request, username, password, **more)
        if user:
            WRONG_PASSWORDS_OF_ACCOUNT.forget(account)
            return user
        logger.warning("a wrong name or password")
        if device:
            WRONG_ON_KNOWN_DEVICE.count(device)
        else:
            WRONG_PASSWORDS.count(network)
            WRONG_PASSWORDS_OF_ACCOUNT.count(account)
        return None
