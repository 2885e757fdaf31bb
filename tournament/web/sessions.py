"""Django's sessions and accounts, with their queries built once: every staff page needs them."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.passwords import password_turn
from tournament.access.throttle import (
    WRONG_ON_KNOWN_DEVICE,
    WRONG_PASSWORDS,
    client_address,
    known_device,
    network_of,
)
from tournament.errors import Refused
from tournament.models.prepared import Prepared

_SESSION = Prepared(lambda key: Session.objects.filter(session_key=key).order_by(), texts=(0,))
_ACCOUNT: Prepared[Any] = Prepared(lambda pk: get_user_model().objects.filter(pk=pk))


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        key = self.session_key or ""
        session = _SESSION.first(key) if key.isalnum() else None  # a cookie may hold anything
        if session is None or session.expire_date <= timezone.now():
            self._session_key = None
            return None
        return session


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
        device, network = known_device(request, username), network_of(client_address(request))
        if not device and WRONG_PASSWORDS.is_spent(network):
            raise Refused(
                _(
                    "Too many wrong passwords came from this network. Devices that signed in before still can."
                ),
                status=429,
            )
        with password_turn(request, username):
            user = super().authenticate(request, username, password, **more)
        if user is None:
            WRONG_ON_KNOWN_DEVICE.count(device) if device else WRONG_PASSWORDS.count(network)
        return user

    def get_user(self, user_id: int) -> Any:
        user = _ACCOUNT.first(user_id)
        return user if user and self.user_can_authenticate(user) else None
