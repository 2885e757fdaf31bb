"""Players whom someone found by name on this device: it remembers them, and that gives no rights.

Only private pages read and set the cookie: public ones are shared by everyone.
"""

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from tournament.models import Entry, Tournament

SALT = "tournament.found-players:v1"
AGE = 180 * 24 * 60 * 60  # seconds
MOST = 20  # the newest


def cookie_name() -> str:
    """The cookie's name: `__Host-` binds it to this host where it is Secure."""
    return "__Host-found" if settings.SESSION_COOKIE_SECURE else "hall_found"


def found_players(request: HttpRequest, tournament: Tournament) -> list[Entry]:
    """The players of an event who were found on this device, by code."""
    codes = [code for pk, code in _read(request) if pk == tournament.pk]
    entries = tournament.entries.filter(code__in=codes, house=False).exclude(status=Entry.Status.MERGED)
    return list(entries.order_by("code")) if codes else []


def keep_found(request: HttpRequest, response: HttpResponse, entry: Entry) -> None:
    """Let this device remember a player."""
    place = (entry.tournament_id, entry.code)
    _set(response, [place, *(other for other in _read(request) if other != place)][:MOST])


def forget_found(request: HttpRequest, response: HttpResponse, entry: Entry) -> None:
    """Let this device no longer remember a player."""
    place = (entry.tournament_id, entry.code)
    _set(response, [other for other in _read(request) if other != place])


def _read(request: HttpRequest) -> list[tuple[int, str]]:
    """(event's primary key, code), newest first; nothing from a cookie that is not ours."""
    try:
        places = signing.loads(request.COOKIES.get(cookie_name(), ""), salt=SALT, max_age=AGE)
    except signing.BadSignature:
        return []
    return [(pk, code) for pk, code in places]


def _set(response: HttpResponse, places: list[tuple[int, str]]) -> None:
    response.set_cookie(
        cookie_name(),
        signing.dumps(places, salt=SALT, compress=True),
        max_age=AGE if places else 0,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
