"""The id of the request that is being answered: on every log line of it, in its response, on its error page."""

import re
import secrets
from contextvars import ContextVar

from django.conf import settings
from django.http import HttpRequest

HEADER = "X-Request-ID"
_FROM_PROXY = re.compile(r"[A-Za-z0-9._-]{8,64}")

current_id: ContextVar[str] = ContextVar("request_id", default="")


def id_for(request: HttpRequest) -> str:
    """The id that one of our own proxies gave the request, else a new one: what others send could forge log lines."""
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    if given and request.META.get("REMOTE_ADDR") in settings.TRUSTED_PROXIES and _FROM_PROXY.fullmatch(given):
        return str(given)
    return secrets.token_hex(6)
