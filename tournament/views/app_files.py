"""What lets a phone install an event's pages as an app: the manifest of each event, and the worker of all."""

import json
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from tournament.access.fetch import public_tournament
from tournament.exports.static_copy import asset_content
from tournament.models import Tournament
from tournament.public import responses

ICONS = (("192", "any"), ("512", "any"), ("512", "maskable"))  # side in pixels, purpose
SHORT_NAME = 30  # characters; phones cut what is longer
PAPER, ACCENT = "#f6f6f3", "#1f5fbf"  # of site.css, light


@require_safe
def manifest(request: HttpRequest, slug: str) -> HttpResponse:
    """The app of an event: it opens the event's page, with `?start=me` the player's own."""
    tournament = public_tournament(slug)
    start = "me" if request.GET.get("start") == "me" else "public-event"
    return responses.file(
        request,
        tournament,
        f"{start}.webmanifest",
        "",
        "application/manifest+json",
        lambda: json.dumps(_app_of(tournament, start), ensure_ascii=False),
    )


def _app_of(tournament: Tournament, start: str) -> dict[str, Any]:
    home = reverse("public-event", args=[tournament.slug])
    return {
        "id": home,
        "name": tournament.name,
        "short_name": tournament.name[:SHORT_NAME],
        "start_url": reverse(start, args=[tournament.slug]),
        "scope": home,
        "display": "standalone",
        "background_color": PAPER,
        "theme_color": ACCENT,
        "icons": [
            {
                "src": staticfiles_storage.url(f"icons/{purpose}-{side}.png"),
                "sizes": f"{side}x{side}",
                "type": "image/png",
                "purpose": purpose,
            }
            for side, purpose in ICONS
        ],
    }


@require_safe
@conditional_page
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """The worker, at the top of the site: from there it may serve the pages of all events."""
    return HttpResponse(asset_content("sw.js"), content_type="text/javascript; charset=utf-8")
