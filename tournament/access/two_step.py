"""Two-step sign-in: whether an account has it, and what its session holds between the password and the code."""

import time

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django_otp.plugins.otp_totp.models import TOTPDevice

IN_SESSION = "half_way"
HALF_WAY_AGE = 10 * 60  # seconds


def is_on(user: User) -> bool:
    return TOTPDevice.objects.filter(user=user, confirmed=True).exists()


def start_half_way(request: HttpRequest, user: User) -> None:
    """Remember that the password was right. No one is signed in yet."""
    request.session.cycle_key()
    request.session[IN_SESSION] = {
        "account": user.pk,
        "password": user.get_session_auth_hash(),
        "at": int(time.time()),
    }


def user_half_way(request: HttpRequest) -> User | None:
    """Return the user who still has to enter a code: the password was right at most 10 minutes ago and is unchanged."""
    state = request.session.get(IN_SESSION)
    if state is None or not 0 <= time.time() - state["at"] <= HALF_WAY_AGE:
        return None
    user = User.objects.filter(pk=state["account"], is_active=True).first()
    if user is None or not constant_time_compare(state["password"], user.get_session_auth_hash()):
        return None
    return user if is_on(user) else None


def end_half_way(request: HttpRequest) -> bool:
    """Forget it. Returns whether there was anything."""
    return request.session.pop(IN_SESSION, None) is not None
