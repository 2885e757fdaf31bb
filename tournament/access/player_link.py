"""Player keys: secret links that open a player's private page without an account.

A key has 128 bits and is stored only as a hash, so that reading the database opens no page. A player who registers
gets a random one; those that staff hand out are derived from SECRET_KEY and a secret of the event, so that they can be
printed again. Opening the link puts the key into a cookie of this device; a device may hold the keys of several players
and events. A key opens the entry whose hash it has, in its own event, and nothing else.
"""

import hashlib
import re
import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from tournament.models import Entry, Tournament

NAME = "players"
AGE = 180 * 24 * 60 * 60  # seconds
MOST = 40  # keys of one device, the newest kept: a cookie has 4 kB
_KEY = re.compile(r"[0-9a-f]{32}")


def fresh_player_key() -> str:
    """A new key: 128 bits, as hexadecimal digits."""
    return secrets.token_hex(16)


def derive_key(tournament: Tournament, code: str, number: int) -> str:
    """The key in link `number` of an entry: the same each time, and worked out by no one without both secrets."""
    text = f"{tournament.link_secret}/{code}/{number}"
    return salted_hmac("tournament.player-link:v1", text, algorithm="sha256").hexdigest()[:32]


def known_key(tournament: Tournament, entry: Entry) -> str:
    """The key of an entry's link; "" where it has none, or one that only the player knows."""
    if not (entry.key_hash and entry.link_number and tournament.link_secret):
        return ""
    key = derive_key(tournament, entry.code, entry.link_number)
    return key if hash_of(key) == entry.key_hash else ""


def is_key(text: str) -> bool:
    """Whether the text has the form of a key."""
    return _KEY.fullmatch(text) is not None


def hash_of(key: str) -> str:
    """The SHA-256 of a key, as the database stores it. A key is too long to be guessed, so it needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def entry_of_key(tournament: Tournament, key: str) -> Entry | None:
    """The entry that the key opens in this event; None for any other text."""
    return tournament.entries.filter(key_hash=hash_of(key)).first() if is_key(key) else None


def cookie_name() -> str:
    """The cookie's name: `__Host-` binds it to this host where it is Secure."""
    return f"__Host-{NAME}" if settings.SESSION_COOKIE_SECURE else f"hall_{NAME}"


def keys_in(request: HttpRequest) -> list[str]:
    """The keys this device holds, newest first, without anything that is not a key."""
    texts = request.COOKIES.get(cookie_name(), "")[: MOST * 40].split(".")
    return [key for key in dict.fromkeys(texts) if is_key(key)][:MOST]


def keep_key(request: HttpRequest, response: HttpResponse, key: str) -> None:
    """Let this device hold the key, beside those it has."""
    others = [other for other in keys_in(request) if other != key]
    _set(response, [key, *others][:MOST])


def forget_key(request: HttpRequest, response: HttpResponse, key_hash: str) -> None:
    """Let this device no longer hold the key of that hash."""
    _set(response, [key for key in keys_in(request) if hash_of(key) != key_hash])


def _set(response: HttpResponse, keys: list[str]) -> None:
    response.set_cookie(
        cookie_name(),
        ".".join(keys),
        max_age=AGE if keys else 0,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def link_of(tournament: Tournament, key: str) -> str:
    """The full address that opens the page of the player with this key."""
    return settings.SITE_URL + reverse("player-key", args=[tournament.slug, key])
