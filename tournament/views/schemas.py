"""The JSON Schemas of our files, for other programs."""

import hashlib

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from tournament.exports.schemas import published_schemas


def _etag(request: HttpRequest, name: str) -> str | None:
    text = published_schemas().get(name)
    return None if text is None else f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'


@require_safe
@cache_control(public=True, no_cache=True)
@condition(etag_func=_etag)
def schema(request: HttpRequest, name: str) -> HttpResponse:
    """The schema of that file name, as `manage.py schemas` writes it."""
    if name not in published_schemas():
        raise Http404
    return HttpResponse(published_schemas()[name], content_type="application/schema+json")
