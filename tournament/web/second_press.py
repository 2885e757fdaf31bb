"""Repeat the first response when a form that cannot succeed twice is submitted again.

A double click sends a form twice, and the second copy finds nothing left to delete, or an old password. It is
recognized by its URL and fields, with the form's key and the account, or with the browser's session.
"""

import json
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from tournament.access.fetch import LoginNeeded
from tournament.errors import Forbidden
from tournament.web.staff_pages import report_success

SECONDS = 600  # for which an answer is remembered

logger = logging.getLogger("tournament.web")
View = Callable[..., HttpResponse]


def answers_second_press(view: View) -> View:
    """Repeat the redirect and message of the first submission if the same form is submitted again."""

    @wraps(view)
    def run(request: HttpRequest, *args: Any, **address: Any) -> HttpResponse:
        if request.method != "POST":
            return view(request, *args, **address)
        name = _build_cache_key(request)
        try:
            response = view(request, *args, **address)
        except (Http404, LoginNeeded, Forbidden):
            if done := _ask(lambda: cache.get(name)):
                return report_success(request, *done)
            raise
        if said := getattr(response, "said", ""):
            _ask(lambda: cache.set(name, (said, response["Location"]), SECONDS))
        elif response.status_code >= 400 and (done := _ask(lambda: cache.get(name))):
            return report_success(request, *done)
        return response

    return run


def _build_cache_key(request: HttpRequest) -> str:
    """Return the cache key of a submission: a digest, so that it reveals nothing of the form."""
    key, session = request.POST.get("key"), request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    sender = [key, request.user.pk] if key else session
    fields = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    text = json.dumps([request.path, sender, fields])
    return f"done/{salted_hmac('tournament.second-press', text, algorithm='sha256').hexdigest()}"


def _ask(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except Exception as error:  # each kind of cache has its own errors
        logger.warning("second presses are not recognized: %s", error)
        return None
