"""Names of our cookies. On https they are bound to this host; no script can read them."""

from typing import Any

from django.conf import settings

REMEMBERED = 180 * 24 * 60 * 60  # s, by a device


def cookie_name(plain: str) -> str:
    return f"__Host-{plain}" if settings.SESSION_COOKIE_SECURE else f"hall_{plain}"


def cookie_flags(max_age: int) -> dict[str, Any]:
    return {"max_age": max_age, "secure": settings.SESSION_COOKIE_SECURE, "httponly": True, "samesite": "Lax"}
