"""Player keys: secret links that open a player's private page without an account.

A key has 128 bits and is stored only as a hash. Players who register get a random one. Keys that staff hand out are
derived from SECRET_KEY and a secret of the event, so they can be printed again. Opening the link stores the key in a
cookie, which may hold several. A key opens the entry with its hash, in its own event only.

A phone opened by the personal code has a *phone key*, which names the entry and is derived each time. A new link
invalidates both.

A device also remembers players found on it by name, without giving it rights. Only private pages use that cookie,
because public pages are cached for everyone.
"""

import hashlib
import re
import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac

from tournament.config.cookies import REMEMBERED, cookie_flags, cookie_name
from tournament.models import Entry, Tournament

MOST_KEYS = 40  # of one device, the newest kept: a cookie has 4 kB
MOST_FOUND = 20
FOUND_SALT = "tournament.found-players:v1"
_KEY = re.compile(r"[0-9a-f]{32}")
_PHONE_KEY = re.compile(r"([1-9][0-9]{0,17})-[0-9a-f]{32}")  # primary key of the entry, and a digest


def fresh_player_key() -> str:
    return secrets.token_hex(16)


def derive_key(tournament: Tournament, entry: Entry) -> str:
    """Derive the key of the entry's latest link from two secrets, with the same result each time."""
    text = f"{tournament.link_secret}/{entry.pk}/{entry.code}/{entry.link_number}"
    return salted_hmac("tournament.player-link:v1", text, algorithm="sha256").hexdigest()[:32]


def phone_key(entry: Entry) -> str:
    text = f"{entry.pk}/{entry.tournament_id}/{entry.code}/{entry.link_number}"
    digest = salted_hmac("tournament.phone-key:v1", text, algorithm="sha256").hexdigest()
    return f"{entry.pk}-{digest[:32]}"


def known_key(tournament: Tournament, entry: Entry) -> str:
    """Return the key of an entry's link; "" if there is none or only the player has it."""
    if not (entry.key_hash and tournament.link_secret):
        return ""
    key = derive_key(tournament, entry)
    return key if hash_key(key) == entry.key_hash else ""


def is_key(text: str) -> bool:
    return _KEY.fullmatch(text) is not None


def hash_key(key: str) -> str:
    """Return the SHA-256 of a key, as stored. A key is too long to guess, so it needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def entry_of_key(tournament: Tournament, key: str) -> Entry | None:
    return tournament.entries.filter(key_hash=hash_key(key)).first() if is_key(key) else None


def keys_cookie() -> str:
    return cookie_name("players")


def found_cookie() -> str:
    return cookie_name("found")


def keys_in(request: HttpRequest) -> list[str]:
    """Return the valid link keys that this device holds, newest first."""
    return [key for key in _held(request) if is_key(key)]


def phone_keys_in(request: HttpRequest) -> dict[int, str]:
    """Return this device's phone keys as {primary key of the entry: key}. They are not verified yet."""
    found = (_PHONE_KEY.fullmatch(key) for key in _held(request))
    return {int(match[1]): match[0] for match in found if match}


def _held(request: HttpRequest) -> list[str]:
    texts = request.COOKIES.get(keys_cookie(), "")[: MOST_KEYS * 60].split(".")
    return [key for key in dict.fromkeys(texts) if is_key(key) or _PHONE_KEY.fullmatch(key)][:MOST_KEYS]


def keep_key(request: HttpRequest, response: HttpResponse, key: str) -> None:
    others = [other for other in _held(request) if other != key]
    _set_keys(response, [key, *others][:MOST_KEYS])


def forget_key(request: HttpRequest, response: HttpResponse, entry: Entry) -> None:
    own = (entry.key_hash, hash_key(phone_key(entry)))
    _set_keys(response, [key for key in _held(request) if hash_key(key) not in own])


def _set_keys(response: HttpResponse, keys: list[str]) -> None:
    response.set_cookie(keys_cookie(), ".".join(keys), **cookie_flags(REMEMBERED if keys else 0))


def player_address(tournament: Tournament, key: str) -> str:
    return settings.SITE_URL + reverse("player-key", args=[tournament.slug, key])


def found_players(request: HttpRequest, tournament: Tournament) -> list[Entry]:
    codes = [code for pk, code in _found(request) if pk == tournament.pk]
    entries = tournament.entries.filter(code__in=codes, house=False).exclude(status=Entry.Status.MERGED)
    return list(entries.order_by("code")) if codes else []


def keep_found(request: HttpRequest, response: HttpResponse, entry: Entry) -> None:
    _set_found(response, [_place(entry), *_found(request, besides=entry)][:MOST_FOUND])


def forget_found(request: HttpRequest, response: HttpResponse, entry: Entry) -> None:
    _set_found(response, _found(request, besides=entry))


def _place(entry: Entry) -> tuple[int, str]:
    return entry.tournament_id, entry.code


def _found(request: HttpRequest, besides: Entry | None = None) -> list[tuple[int, str]]:
    """Return (event's primary key, entry code) from a valid cookie, newest first."""
    try:
        text = request.COOKIES.get(found_cookie(), "")
        places = [(pk, code) for pk, code in signing.loads(text, salt=FOUND_SALT, max_age=REMEMBERED)]
    except signing.BadSignature:
        return []
    return [place for place in places if besides is None or place != _place(besides)]


def _set_found(response: HttpResponse, places: list[tuple[int, str]]) -> None:
    text = signing.dumps(places, salt=FOUND_SALT, compress=True)
    response.set_cookie(found_cookie(), text, **cookie_flags(REMEMBERED if places else 0))
